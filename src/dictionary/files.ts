import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { readInput } from '../files/input.ts';
import { suggestSpelling } from '../spelling.ts';
import { ROOT } from '../version.ts';
import { commonName } from './format.ts';
import { loadDictionary, type DictionarySource, type LoadedDictionary, type LoadOptions } from './load.ts';

/** Limit of the size of a dictionary file. */
const MAX_DICTIONARY_BYTES = 64 << 20;

/** Combinations of built-in dictionaries that are kept, so that a program that imports many logs reads them once. */
const MAX_KEPT = 8;

/** The folder of the built-in dictionaries. */
export const builtinFolder = join(ROOT, 'dictionary');

/**
 * Lists the dictionaries in a folder.
 *
 * @param folder Default: the built-in dictionaries.
 * @returns Their names, the common dictionary first.
 * @example
 * (await dictionaryNames())[0]; // 'common'
 */
export async function dictionaryNames(folder = builtinFolder): Promise<string[]> {
  const files = await readdir(folder);
  const names = files.filter((file) => file.endsWith('.json')).map((file) => basename(file, '.json'));
  return names.toSorted((a, b) => Number(b === commonName) - Number(a === commonName) || (a < b ? -1 : 1));
}

/**
 * Reads dictionary files for {@link loadDictionary}.
 *
 * @throws PlaybyplayError `dictionary-missing` with the path of a file that cannot be read.
 * @example
 * const [common] = await readSources(['node_modules/playbyplay/dictionary/common.json']);
 * loadDictionary([common]).issues; // []
 */
export async function readSources(paths: readonly string[]): Promise<DictionarySource[]> {
  return Promise.all(
    paths.map(async (path) => {
      try {
        const data = (await readInput(path, MAX_DICTIONARY_BYTES, 'dictionary-too-large')).toString();
        return { file: path, data, isBuiltin: dirname(path) === builtinFolder };
      } catch (error) {
        if (error instanceof PlaybyplayError) throw error;
        throw new PlaybyplayError('dictionary-missing', `cannot read the dictionary ${path}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }),
  );
}

/** What `loadBuiltin` returned for its arguments, the latest last. */
const kept = new Map<string, Promise<LoadedDictionary>>();

/**
 * Loads the common dictionary with built-in extensions. The files are read once in a process.
 *
 * @param extensions Names of extensions; default all.
 * @throws PlaybyplayError `unknown-dictionary` with the nearest name.
 * @example
 * const { dictionary } = await loadBuiltin(['openarena']);
 * dictionary.isA('openarena:quad damage', 'power-up'); // true
 */
export function loadBuiltin(
  extensions?: readonly string[],
  options: LoadOptions & { readonly folder?: string } = {},
): Promise<LoadedDictionary> {
  const { folder, definitions, meaning } = options;
  // Other folders belong to somebody who may change them.
  if (folder !== undefined) return loadNamed(folder, extensions, options);
  const key = JSON.stringify([extensions ?? null, definitions ?? true, meaning ?? true]);
  const loaded = kept.get(key) ?? loadNamed(builtinFolder, extensions, options);
  kept.delete(key);
  kept.set(key, loaded);
  loaded.catch(() => kept.delete(key));
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
  return loaded;
}

async function loadNamed(
  folder: string,
  extensions: readonly string[] | undefined,
  options: LoadOptions,
): Promise<LoadedDictionary> {
  const known = await dictionaryNames(folder);
  const wanted = extensions ?? known;
  for (const name of wanted) {
    if (known.includes(name)) continue;
    throw new PlaybyplayError('unknown-dictionary', `there is no dictionary "${name}"`, {
      hint: suggestSpelling(name, known) ?? `Available dictionaries: ${known.join(', ')}.`,
    });
  }
  const names = [...new Set([...(known.includes(commonName) ? [commonName] : []), ...wanted])];
  const sources = await readSources(names.map((name) => join(folder, `${name}.json`)));
  return loadDictionary(
    sources.map((source, index) => ({ ...source, file: `dictionary/${names[index]}.json` })),
    options,
  );
}
