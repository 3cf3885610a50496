import { join } from 'node:path';
import type { Issue } from '../errors.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, readSources } from '../dictionary/files.ts';
import { loadDictionary } from '../dictionary/load.ts';
import type { EventLine } from '../events/log.ts';
import { distinctSession, nameLogs } from '../events/log-names.ts';
import { findAllLogs, readLog } from '../events/reader.ts';

export interface LoadedLogs {
  readonly events: readonly EventLine[];
  readonly dictionary: Dictionary;
  readonly sessions: readonly string[];
  readonly games: readonly string[];
  /** Seconds of each session. */
  readonly durations: ReadonlyMap<string, number>;
  /** The log of each session: its path, and what a person calls it (`match` for `match.playbyplay/`). */
  readonly logs: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
  readonly issues: readonly Issue[];
}

const NONE: EventLine['cues'] = [];

export interface LoadLogsOptions {
  /** Paths of further dictionary files. */
  readonly dictionaries?: readonly string[];
  /** Leaves out what events were seen by, which takes most of the memory and which no query asks for. */
  readonly withoutCues?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Logs (files, their folders, or folders of those; one that is named twice counts once) with the dictionaries that their headers
 * name; with no paths, all dictionaries of the program. Throws as `readLog` and `readSources` do; what is harmless is among the issues.
 */
export async function loadLogs(paths: readonly string[], options: LoadLogsOptions = {}): Promise<LoadedLogs> {
  const issues: Issue[] = [];
  const events: EventLine[] = [];
  const durations = new Map<string, number>();
  const games = new Set<string>();
  const wanted = new Set<string>();
  const files = await findAllLogs(paths);
  const called = nameLogs(files);
  const taken = new Set<string>();
  const logs = new Map<string, { readonly path: string; readonly name: string }>();
  const twice: string[] = [];
  for (const [index, file] of files.entries()) {
    const name = called[index]!;
    let [session, game] = ['', ''];
    const reading = {
      onIssue: (issue: Issue) => issues.push(issue),
      ...(options.signal && { signal: options.signal }),
    };
    for await (const line of readLog(file, reading)) {
      if (line.type === 'header') {
        session = distinctSession(line.session, file, taken);
        if (session !== line.session) twice.push(`${logs.get(line.session)!.name} and ${name}`);
        logs.set(session, { path: file, name });
        durations.set(session, line.media.duration);
        games.add(line.game);
        game = line.game;
        for (const dictionary of line.dictionaries) wanted.add(dictionary.name);
      } else if (line.type === 'event') {
        // One string for all events of a session instead of one each; a reel's events are of several games.
        if (line.game !== game) game = line.game;
        events.push({ ...line, session, game, ...(options.withoutCues && { cues: NONE }) });
      }
    }
  }
  if (twice.length > 0) issues.push(sameSession(twice));
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
    logs,
    issues: [...issues, ...findings],
  };
}

function sameSession(pairs: readonly string[]): Issue {
  const more = pairs.length > 3 ? ` and ${pairs.length - 3} more` : '';
  const message = `the same session stands in ${pairs.slice(0, 3).join('; ')}${more}: what happened there counts twice`;
  return { code: 'session-twice', message };
}
