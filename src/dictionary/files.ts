import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { ROOT } from '../version.ts';
import { commonName } from './format.ts';
import { loadDictionary, type LoadOptions, type DictionarySource, type LoadedDictionary } from './load.ts';

/** The folder with the dictionaries that come with the program. */
export const builtinFolder = join(ROOT, 'dictionary');

/** Names of the dictionaries in a folder, sorted, the common one first. */
export async function dictionaryNames(folder = builtinFolder): Promise<string[]> {
  const names = (await readdir(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
  return names.toSorted((a, b) => Number(b === commonName) - Number(a === commonName) || (a < b ? -1 : 1));
}

/** Reads dictionary files. Throws PlaybyplayError `dictionary-missing` with the path. */
export async function readSources(paths: readonly string[]): Promise<DictionarySource[]> {
  return Promise.all(
    paths.map(async (path) => {
      try {
        return { file: path, data: await readFile(path, 'utf8') };
      } catch (error) {
        throw new PlaybyplayError('dictionary-missing', `cannot read the dictionary ${path}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }),
  );
}

/** Loads the common dictionary and the named extensions (default: all) from `folder` (default: the program's own). */
export async function loadBuiltin(
  extensions?: readonly string[],
  options: LoadOptions & { readonly folder?: string } = {},
): Promise<LoadedDictionary> {
  const { folder = builtinFolder } = options;
  const known = await dictionaryNames(folder);
  const wanted = extensions ?? known;
  for (const name of wanted) {
    if (known.includes(name)) continue;
    throw new PlaybyplayError('unknown-dictionary', `there is no dictionary "${name}"`, {
      hint: suggestSpelling(name, known) ?? `known are ${known.join(', ')}`,
    });
  }
  const names = [...new Set([...(known.includes(commonName) ? [commonName] : []), ...wanted])];
  const sources = await readSources(names.map((name) => join(folder, `${name}.json`)));
  return loadDictionary(
    sources.map((source, index) => ({ ...source, file: `dictionary/${names[index]}.json` })),
    options,
  );
}
