import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, readSources } from '../dictionary/files.ts';
import { loadDictionary } from '../dictionary/load.ts';
import type { Issue } from '../errors.ts';
import type { EventLine, HeaderLine } from '../events/log.ts';
import { distinctSession, nameLogs } from '../events/log-names.ts';
import { findAllLogs, loadLog } from '../events/reader.ts';
import { fingerprintMedia } from '../pipeline/fingerprint.ts';
import { compileQuery, matchEvents } from '../query/run.ts';
import type { Source } from './scene.ts';

export interface Gathered {
  readonly sources: readonly Source[];
  readonly dictionary: Dictionary;
  readonly issues: readonly Issue[];
}

export interface GatherOptions {
  /** Recordings, in the order of the logs, where they do not lie beside them. */
  readonly media?: readonly string[];
  /** Paths of further dictionary files. */
  readonly dictionaries?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Logs (files, their folders, or folders of those; one that is named twice counts once), the recordings beside them, and the dictionaries that they name.
 * Throws what `loadLog` and `readSources` throw.
 */
export async function gather(paths: readonly string[], options: GatherOptions = {}): Promise<Gathered> {
  const issues: Issue[] = [];
  const sources: Source[] = [];
  const sessions = new Set<string>();
  const files = await findAllLogs(paths);
  const names = nameLogs(files);
  for (const [index, log] of files.entries()) {
    const { header, events } = await loadLog(log, {
      onIssue: (issue) => issues.push(issue),
      ...(options.signal && { signal: options.signal }),
    });
    const media = options.media?.[index] ?? findMedia(log, header);
    if (media !== undefined) issues.push(...(await otherRecording(media, header)));
    const named = distinct(header, events, log, sessions);
    sources.push({ ...named, log, name: names[index]!, ...(media !== undefined && { media: resolve(media) }) });
  }
  const { dictionary, issues: findings } = await dictionaryOf(sources, options.dictionaries ?? []);
  return { sources, dictionary, issues: [...issues, ...findings] };
}

/** Says so where a recording is not the one that was watched. */
async function otherRecording(media: string, { media: { name, hash, bytes } }: HeaderLine): Promise<Issue[]> {
  if (!/^[\da-f]{32}$/.test(hash)) return [];
  const found = await fingerprintMedia(media);
  if (found.hash === hash) return [];
  const told = found.bytes === bytes ? 'its content differs' : `it has ${found.bytes} bytes instead of ${bytes}`;
  const message = `is not the recording that the log speaks of (${name}): ${told}. Times may not fit.`;
  return [{ code: 'other-recording', path: media, message }];
}

/** Two recordings of one name are two sessions: the folder tells them apart. */
function distinct(
  header: HeaderLine,
  events: readonly EventLine[],
  log: string,
  sessions: Set<string>,
): { header: HeaderLine; events: readonly EventLine[] } {
  const session = distinctSession(header.session, log, sessions);
  if (session === header.session) return { header, events };
  return { header: { ...header, session }, events: events.map((event) => ({ ...event, session })) };
}

async function dictionaryOf(sources: readonly Source[], further: readonly string[]) {
  const wanted = new Set(sources.flatMap(({ header }) => header.dictionaries.map(({ name }) => name)));
  const names = (await dictionaryNames()).filter((name) => name === 'common' || wanted.has(name));
  const files = [...names.map((name) => join(builtinFolder, `${name}.json`)), ...further];
  return loadDictionary(await readSources(files), { definitions: false });
}

const ENDINGS = ['.mp4', '.mkv', '.mov', '.webm', '.ts', '.flv', '.avi'];

/** The recording that a log's header names: in the log's folder, or beside `<name>.playbyplay/`; a reel is its own. */
function findMedia(log: string, header: HeaderLine): string | undefined {
  if (!['.ndjson', '.jsonl', '.json', ''].includes(extname(log))) return log;
  const folder = dirname(resolve(log));
  const stem = basename(folder).replace(/\.playbyplay$/, '');
  // Recording and folder may have been given another name, both the same.
  const beside = ENDINGS.map((ending) => join(dirname(folder), `${stem}${ending}`));
  const names = [header.media.name, stem];
  return [...[folder, dirname(folder)].flatMap((place) => names.map((name) => join(place, name))), ...beside].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
}

/**
 * A test for the events that any of the queries finds in the sources. Throws PlaybyplayError `bad-query` as
 * `compileQuery` does.
 */
export function queryTest(
  queries: readonly string[],
  { sources, dictionary }: Gathered,
): (event: EventLine) => boolean {
  const games = new Set(sources.map(({ header }) => header.game));
  const durations = new Map(sources.map(({ header }) => [header.session, header.media.duration]));
  const events = sources.flatMap((source) => source.events);
  const found = new Set<EventLine>();
  for (const query of queries) {
    const compiled = compileQuery(query, dictionary, games.size === 1 ? { game: [...games][0]! } : {});
    for (const match of matchEvents(compiled, events, { durations }))
      for (const event of match.events) found.add(event);
  }
  return (event) => found.has(event);
}
