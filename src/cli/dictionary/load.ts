import type { Dictionary } from '../../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, readSources } from '../../dictionary/files.ts';
import { loadDictionary, type LoadedDictionary } from '../../dictionary/load.ts';
import { join } from 'node:path';
import { PlaybyplayError, type Issue } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import { formatIssues } from '../explain.ts';
import type { CommandIo } from '../command.ts';

export interface DictionaryOptions {
  /** Only the common dictionary and these of the program's own. */
  readonly game?: readonly string[] | undefined;
  /** Further files. */
  readonly dictionary?: readonly string[] | undefined;
}

/** The dictionaries that a command works with; default: all of the program. */
export async function load(options: DictionaryOptions, thorough = false): Promise<LoadedDictionary> {
  const known = await dictionaryNames();
  for (const name of options.game ?? []) {
    if (known.includes(name)) continue;
    throw new PlaybyplayError('unknown-dictionary', `there is no dictionary “${name}”`, {
      hint: suggestSpelling(name, known) ?? `Known are ${known.join(', ')}.`,
    });
  }
  const names = options.game ? ['common', ...options.game.filter((name) => name !== 'common')] : known;
  const own = (await readSources(names.map((name) => join(builtinFolder, `${name}.json`)))).map((source, index) => ({
    ...source,
    file: `${names[index]}.json`,
  }));
  const further = await readSources(options.dictionary ?? []);
  // A file that replaces one of the program's own is meant, not a second of that name.
  const replaced = new Set(further.map(({ data }) => nameOf(data)));
  const sources = [...own.filter((_, index) => !replaced.has(names[index]!)), ...further];
  return loadDictionary(sources, { definitions: thorough });
}

function nameOf(data: unknown): string | undefined {
  try {
    const { name } = JSON.parse(String(data)) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The dictionary, with what is wrong about it told on stderr. */
export async function loadAndWarn(options: DictionaryOptions, io: CommandIo): Promise<Dictionary> {
  const { dictionary, issues } = await load(options);
  if (issues.length > 0) io.stderr.write(`playbyplay: the dictionary has findings\n${formatIssues(issues as Issue[])}`);
  return dictionary;
}
