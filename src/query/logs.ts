import { basename, dirname, join } from 'node:path';
import type { Issue } from '../errors.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, readSources } from '../dictionary/files.ts';
import { loadDictionary } from '../dictionary/load/load.ts';
import type { EventLine } from '../events/log.ts';
import { findLogs, loadLog } from '../events/reader.ts';

export interface LoadedLogs {
  readonly events: readonly EventLine[];
  readonly dictionary: Dictionary;
  readonly sessions: readonly string[];
  readonly games: readonly string[];
  /** Seconds of each session. */
  readonly durations: ReadonlyMap<string, number>;
  readonly issues: readonly Issue[];
}

export interface LoadLogsOptions {
  /** Paths of further dictionary files. */
  readonly dictionaries?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Logs (files, their folders, or folders of those) with the dictionaries that their headers name; with no paths, all
 * dictionaries of the program. Throws as `loadLog` and `readSources` do; what is harmless is among the issues.
 */
export async function loadLogs(paths: readonly string[], options: LoadLogsOptions = {}): Promise<LoadedLogs> {
  const issues: Issue[] = [];
  const events: EventLine[] = [];
  const durations = new Map<string, number>();
  const games = new Set<string>();
  const wanted = new Set<string>();
  for (const file of (await Promise.all(paths.map((path) => findLogs(path)))).flat()) {
    const log = await loadLog(file, {
      onIssue: (issue) => issues.push(issue),
      ...(options.signal && { signal: options.signal }),
    });
    // Two recordings of one name are two sessions: the folder tells them apart.
    const session = durations.has(log.header.session)
      ? `${log.header.session} (${basename(dirname(file))})`
      : log.header.session;
    durations.set(session, log.header.media.duration);
    games.add(log.header.game);
    for (const { name } of log.header.dictionaries) wanted.add(name);
    events.push(...(session === log.header.session ? log.events : log.events.map((event) => ({ ...event, session }))));
  }
  const known = await dictionaryNames();
  const names = paths.length === 0 ? known : known.filter((name) => name === 'common' || wanted.has(name));
  const sources = await readSources([
    ...names.map((name) => join(builtinFolder, `${name}.json`)),
    ...(options.dictionaries ?? []),
  ]);
  const { dictionary, issues: findings } = loadDictionary(sources, { definitions: false });
  const loaded = new Set(dictionary.sources.map(({ name }) => name));
  for (const name of wanted) {
    if (!loaded.has(name))
      issues.push({
        code: 'dictionary-missing',
        message: `a log uses the dictionary "${name}", which is not here; name its file with --dictionary`,
      });
  }
  return {
    events,
    dictionary,
    sessions: [...durations.keys()],
    games: [...games],
    durations,
    issues: [...issues, ...findings],
  };
}
