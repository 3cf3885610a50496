import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadSharedDictionary, readSources } from '../dictionary/files.ts';
import type { LoadedDictionary } from '../dictionary/load.ts';
import type { Usage } from '../dictionary/page/page.ts';
import { PlaybyplayError, type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import { formatIssues } from './describe-error.ts';
import type { CommandIo } from './command.ts';

/** Options of commands that load dictionaries. */
export interface DictionaryOptions {
  /** Only the common dictionary and those of these games. */
  readonly game?: readonly string[] | undefined;
  readonly dictionary?: readonly string[] | undefined;
}

/** Loads the dictionaries of a command. Default: all built-in ones. */
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
  // A file with the name of a built-in dictionary replaces it.
  const replaced = new Set(further.map(({ data }) => nameOf(data)));
  const sources = [...own.filter((_, index) => !replaced.has(names[index]!)), ...further];
  // The built-in dictionaries are checked by the tests.
  return loadSharedDictionary(sources, { definitions: thorough, meaning: thorough || further.length > 0 });
}

function nameOf(data: unknown): string | undefined {
  try {
    const { name } = JSON.parse(String(data)) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Loads the dictionaries and prints their issues on stderr. */
export async function loadAndWarn(options: DictionaryOptions, io: CommandIo): Promise<Dictionary> {
  const { dictionary, issues } = await load(options);
  if (issues.length > 0) io.stderr.write(`playbyplay: the dictionary has findings\n${formatIssues(issues as Issue[])}`);
  return dictionary;
}

/** Finds the games whose profiles and scripts use each word: quoted texts that are word ids. */
export async function findWordUsage(dictionary: Dictionary): Promise<Usage> {
  const root = join(builtinFolder, '..');
  const usage = new Map<string, Set<string>>();
  for (const [game, file] of [...(await profileFiles(root)), ...(await scriptFiles(root))]) {
    const text = await readFile(file, 'utf8');
    for (const [, id] of text.matchAll(/["']([^"'\n]{1,80})["']/g)) {
      if (dictionary.find(id!)?.id === id) usage.set(id!, (usage.get(id!) ?? new Set()).add(game));
    }
  }
  return new Map([...usage].map(([id, games]) => [id, [...games].toSorted()]));
}

async function profileFiles(root: string): Promise<[string, string][]> {
  const folder = join(root, 'configs');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.json')).map((file) => [file.split(sep)[0]!, join(folder, file)]);
}

async function scriptFiles(root: string): Promise<[string, string][]> {
  const folder = join(root, 'scripts');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const scripts = files.filter((file) => file.endsWith('.js'));
  // A script and the folder of its modules have the game's name.
  return scripts.map((file) => [file.split(sep)[0]!.replace(/\.js$/, ''), join(folder, file)]);
}
