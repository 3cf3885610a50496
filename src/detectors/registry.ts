import { PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { DetectorKind } from './kind.ts';
import { NO_PLUGINS, type Plugins } from './plugins/load.ts';

/** The built-in kinds. Each is imported when a profile first uses it. */
const builtIn: Readonly<Record<string, () => Promise<{ readonly kind: unknown }>>> = {
  bar: () => import('./bar/index.ts'),
  color: () => import('./color/index.ts'),
  feed: () => import('./feed/index.ts'),
  icon: () => import('./icon/index.ts'),
  motion: () => import('./motion/index.ts'),
  onnx: () => import('./onnx/index.ts'),
  sound: () => import('./sound/index.ts'),
  stream: () => import('./stream/index.ts'),
  text: () => import('./text/index.ts'),
};

/** The names of all built-in detector kinds, sorted. Loads none of them. */
export function kindNames(): readonly string[] {
  return Object.keys(builtIn);
}

/**
 * Loads one kind, built in or of a plug-in; of the built-in ones only those that a profile uses are ever loaded.
 * @throws PlaybyplayError `unknown-detector-kind` with the nearest name.
 */
export async function loadKind(name: string, plugins: Plugins = NO_PLUGINS): Promise<DetectorKind> {
  const brought = plugins.kinds.get(name);
  if (brought) return brought.kind;
  if (!kindNames().includes(name)) {
    const all = [...kindNames(), ...plugins.kinds.keys()];
    const hint = suggestSpelling(name, all) ?? `The kinds are ${all.join(', ')}; a plug-in can bring more.`;
    throw new PlaybyplayError('unknown-detector-kind', `there is no detector kind "${name}"`, { hint });
  }
  const { kind } = (await builtIn[name]!()) as { readonly kind: DetectorKind };
  return kind;
}

/** Every kind, by name: for schemas, documentation and `profile check`. */
export async function allKinds(): Promise<ReadonlyMap<string, DetectorKind>> {
  return new Map(await Promise.all(kindNames().map(async (name) => [name, await loadKind(name)] as const)));
}
