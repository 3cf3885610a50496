import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nearest, PlaybyplayError } from '../errors.ts';
import type { DetectorKind } from './kind.ts';

/** `.ts` in the checkout, `.js` in the package: what this very file is. */
const extension = extname(import.meta.filename);

/** The names of all detector kinds, sorted: the folders beside this file that have an index. Loads none of them. */
export function kindNames(): readonly string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(indexOf(entry.name)))
    .map((entry) => entry.name)
    .toSorted();
}

/**
 * Loads one kind; only kinds that a profile uses are ever loaded.
 * @throws PlaybyplayError `unknown-detector-kind` with the nearest name.
 */
export async function loadKind(name: string): Promise<DetectorKind> {
  const names = kindNames();
  if (!names.includes(name)) {
    const near = nearest(name, names);
    const hint = near ? `Did you mean "${near}"?` : `The kinds are ${names.join(', ')}.`;
    throw new PlaybyplayError('unknown-detector-kind', `There is no detector kind "${name}".`, { hint });
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
