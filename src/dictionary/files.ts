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

/** Combinations of dictionaries that are kept. */
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

interface KeptDictionary extends LoadedDictionary {
  readonly sources: readonly DictionarySource[];
  readonly options: LoadOptions;
}

/** What `loadSharedDictionary` returned, the latest last. */
const kept: KeptDictionary[] = [];

/**
 * Loads dictionaries like {@link loadDictionary}, but not those again that it loaded lately: a program opens many logs, or a game
 * again and again, with the same words. Dictionaries are immutable, so that all share one, and what was derived from it.
 */
export function loadSharedDictionary(
  sources: readonly DictionarySource[],
  options: LoadOptions = {},
): LoadedDictionary {
  const { definitions = true, meaning = true } = options;
  const index = kept.findIndex(
    (one) =>
      one.options.definitions === definitions &&
      one.options.meaning === meaning &&
      one.sources.length === sources.length &&
      // Only issues name files.
      sources.every((source, i) => isSameSource(source, one.sources[i]!, one.issues.length > 0)),
  );
  const [found] = index < 0 ? [] : kept.splice(index, 1);
  const loaded = found ?? { sources, options: { definitions, meaning }, ...loadDictionary(sources, options) };
  kept.push(loaded);
  if (kept.length > MAX_KEPT) kept.shift();
  return loaded;
}

function isSameSource(a: DictionarySource, b: DictionarySource, withFile: boolean): boolean {
  return (
    typeof a.data === 'string' && a.data === b.data && a.isBuiltin === b.isBuiltin && (a.file === b.file || !withFile)
  );
}

/**
 * Loads the common dictionary with built-in extensions. Words that were loaded lately are not loaded again.
 *
 * @param extensions Names of extensions; default all.
 * @throws PlaybyplayError `unknown-dictionary` with the nearest name.
 * @example
 * const { dictionary } = await loadBuiltin(['openarena']);
 * dictionary.isA('openarena:quad damage', 'power-up'); // true
 */
export async function loadBuiltin(
  extensions?: readonly string[],
  { folder = builtinFolder, ...options }: LoadOptions & { readonly folder?: string } = {},
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
  return loadSharedDictionary(
    sources.map((source, index) => ({ ...source, file: `dictionary/${names[index]}.json` })),
    options,
  );
}
