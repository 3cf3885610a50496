import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { DetectorKind } from './kind.ts';
import { NO_PLUGINS, type Plugins } from './plugins/load.ts';

/** `.ts` in the checkout, `.js` in the package: what this very file is. */
const extension = extname(import.meta.filename);

let names: readonly string[] | undefined;

/** The names of all detector kinds, sorted: the folders beside this file that have an index. Loads none of them. */
export function kindNames(): readonly string[] {
  names ??= listKinds();
  return names;
}

function listKinds(): readonly string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(indexOf(entry.name)))
    .map((entry) => entry.name)
    .toSorted();
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
  const module = (await import(pathToFileURL(indexOf(name)).href)) as { readonly kind?: DetectorKind };
  if (module.kind?.name !== name) throw new TypeError(`detectors/${name} does not export a kind named "${name}"`);
  return module.kind;
}

/** Every kind, by name: for schemas, documentation and `profile check`. */
export async function allKinds(): Promise<ReadonlyMap<string, DetectorKind>> {
  return new Map(await Promise.all(kindNames().map(async (name) => [name, await loadKind(name)] as const)));
}

function indexOf(name: string): string {
  return join(import.meta.dirname, name, `index${extension}`);
}
