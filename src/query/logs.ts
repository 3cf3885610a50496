import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadSharedDictionary, readSources } from '../dictionary/files.ts';
import { commonName, namespacePattern } from '../dictionary/format.ts';
import type { Issue } from '../errors.ts';
import { readInput } from '../files/input.ts';
import { uniqueSessionName, nameLogs } from '../events/log-names.ts';
import type { EventLine } from '../events/log.ts';
import { findAllLogs, readLog } from '../events/reader.ts';

/** Limit of the size of a dictionary that lies next to a log. */
const MAX_DICTIONARY_BYTES = 64 << 20;

/** The events of logs, with everything needed to query them. */
export interface LoadedLogs {
  readonly events: readonly EventLine[];
  /** The dictionaries that the logs use, merged. */
  readonly dictionary: Dictionary;
  readonly sessions: readonly string[];
  readonly games: readonly string[];
  /** Duration of each session in seconds. */
  readonly durations: ReadonlyMap<string, number>;
  /** Path and display name (`match` for `match.playbyplay/`) of the log of each session. */
  readonly logs: ReadonlyMap<string, LogLocation>;
  /** Problems that do not prevent queries. */
  readonly issues: readonly Issue[];
}

/** Where a log is and how it is displayed. */
export interface LogLocation {
  readonly path: string;
  readonly name: string;
}

/** Options of {@link loadLogs}. */
export interface LoadLogsOptions {
  /** Paths of further dictionary files. */
  readonly dictionaries?: readonly string[];
  /** Omits the cues of events, which take most of the memory and which queries do not use. */
  readonly withoutCues?: boolean;
  /** Also loads events whose evidence is thin. */
  readonly tentative?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Loads logs with the dictionaries that their headers name.
 *
 * @param paths Log files, log folders, or folders of those; without paths, only the built-in dictionaries are loaded.
 * @throws PlaybyplayError if a log or dictionary cannot be read.
 * @example
 * const { events, dictionary, durations } = await loadLogs(['match.playbyplay']);
 * runQuery(compileQuery('kills in the last minute', dictionary), events, { durations }).count;
 */
export async function loadLogs(paths: readonly string[], options: LoadLogsOptions = {}): Promise<LoadedLogs> {
  const { events, durations, games, dictionaryNames: wanted, logs, issues } = await readEvents(paths, options);
  const { dictionary, issues: dictionaryIssues } = await loadLogDictionaries(
    paths.length === 0 ? undefined : wanted,
    [...logs.values()].map(({ path }) => path),
    options.dictionaries,
  );
  return {
    events,
    dictionary,
    sessions: [...durations.keys()],
    games: [...games],
    durations,
    logs,
    issues: [...issues, ...dictionaryIssues],
  };
}

/**
 * Loads the dictionaries that logs name, built-in ones and those of packs near the logs.
 *
 * @param wanted Names and content hashes of the dictionaries; `undefined`: all built-in ones.
 * @param logs Paths of the logs.
 * @param dictionaries Paths of further dictionary files.
 */
export async function loadLogDictionaries(
  wanted: ReadonlyMap<string, string> | undefined,
  logs: readonly string[],
  dictionaries: readonly string[] = [],
): Promise<{ readonly dictionary: Dictionary; readonly issues: readonly Issue[] }> {
  const builtin = await dictionaryNames();
  const names = wanted ? builtin.filter((name) => name === commonName || wanted.has(name)) : builtin;
  const builtinPaths = names.map((name) => join(builtinFolder, `${name}.json`));
  const found = await findPackDictionaries(wanted ?? new Map(), builtin, logs);
  const given = [...found, ...dictionaries];
  const sources = await readSources([...builtinPaths, ...given]);
  // The built-in dictionaries are checked by the tests.
  const meaning = given.length > 0;
  const { dictionary, issues: dictionaryIssues } = loadSharedDictionary(sources, { definitions: false, meaning });
  const loaded = new Set(dictionary.sources.map(({ name }) => name));
  const missing = [...(wanted ?? new Map<string, string>()).keys()]
    .filter((name) => !loaded.has(name))
    .map((name) => ({
      code: 'dictionary-missing',
      message: `a log uses the dictionary "${name}", which is not built in`,
      hint: 'Name its file with --dictionary, or put it next to the log as dictionary/<name>.json.',
    }));
  return { dictionary, issues: [...missing, ...dictionaryIssues] };
}

/** Folders above a log in which the pack of its game can be. */
const maxAncestors = 3;

/**
 * Finds the dictionaries of packs that logs name and that are not built in: `dictionary/<name>.json` in the folder of a log,
 * above it or in the working directory, with the content that the log was made with.
 */
async function findPackDictionaries(
  wanted: ReadonlyMap<string, string>,
  builtin: readonly string[],
  logs: readonly string[],
): Promise<string[]> {
  const missing = [...wanted].filter(([name]) => !builtin.includes(name) && namespacePattern.test(name));
  if (missing.length === 0) return [];
  const folders = new Set([resolve('.')]);
  for (const log of logs) {
    let folder = dirname(resolve(log));
    for (let level = 0; level <= maxAncestors; level++) {
      folders.add(folder);
      folder = dirname(folder);
    }
  }
  const found: string[] = [];
  for (const [name, hash] of missing) {
    const candidates = [...folders].map((folder) => join(folder, 'dictionary', `${name}.json`));
    for (const path of candidates) {
      const text = await readInput(path, MAX_DICTIONARY_BYTES, 'dictionary-too-large').catch(() => undefined);
      if (text === undefined || createHash('sha256').update(text).digest('hex').slice(0, hash.length) !== hash)
        continue;
      found.push(path);
      break;
    }
  }
  return found;
}

interface ReadEvents {
  readonly events: EventLine[];
  readonly durations: Map<string, number>;
  readonly games: Set<string>;
  /** The content hashes of the dictionaries that the logs name. */
  readonly dictionaryNames: Map<string, string>;
  readonly logs: Map<string, LogLocation>;
  readonly issues: Issue[];
}

const noCues: EventLine['cues'] = [];

async function readEvents(
  paths: readonly string[],
  { withoutCues, tentative = false, signal }: LoadLogsOptions,
): Promise<ReadEvents> {
  const read: ReadEvents = {
    events: [],
    durations: new Map(),
    games: new Set(),
    dictionaryNames: new Map(),
    logs: new Map(),
    issues: [],
  };
  const { events, durations, games, logs, issues } = read;
  const files = await findAllLogs(paths);
  const names = nameLogs(files);
  const taken = new Set<string>();
  const duplicates: string[] = [];
  for (const [index, path] of files.entries()) {
    const name = names[index]!;
    let [session, game] = ['', ''];
    const onIssue = (issue: Issue): number => issues.push(issue);
    for await (const line of readLog(path, { onIssue, withoutTentative: !tentative, ...(signal && { signal }) })) {
      if (line.type === 'header') {
        session = uniqueSessionName(line.session, path, taken);
        if (session !== line.session) duplicates.push(`${logs.get(line.session)!.name} and ${name}`);
        logs.set(session, { path, name });
        durations.set(session, line.media.duration);
        games.add(line.game);
        game = line.game;
        for (const dictionary of line.dictionaries) read.dictionaryNames.set(dictionary.name, dictionary.hash);
      } else if (line.type === 'event') {
        // The events of a session share one string each for session and game. In a reel the game varies.
        if (line.game !== game) game = line.game;
        events.push({ ...line, session, game, ...(withoutCues && { cues: noCues }) });
      }
    }
  }
  if (duplicates.length > 0) issues.push(duplicateSessions(duplicates));
  return read;
}

function duplicateSessions(pairs: readonly string[]): Issue {
  const more = pairs.length > 3 ? ` and ${pairs.length - 3} more` : '';
  const message = `logs contain the same session: ${pairs.slice(0, 3).join('; ')}${more}; its events count twice`;
  return { code: 'session-twice', message };
}
