import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { existsSync, realpathSync, statSync } from 'node:fs';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadSharedDictionary, readSources } from '../dictionary/files.ts';
import type { Issue } from '../errors.ts';
import type { EventLine, HeaderLine } from '../events/log.ts';
import { uniqueSessionName, nameLogs } from '../events/log-names.ts';
import { findAllLogs, loadLog } from '../events/reader.ts';
import { plainText } from '../markup.ts';
import { fingerprintMedia } from '../pipeline/fingerprint.ts';
import { compileQuery, matchEvents } from '../query/run.ts';
import type { Source } from './list.ts';

/** Loaded logs with the dictionaries they name. */
export interface LoadedSources {
  readonly sources: readonly Source[];
  readonly dictionary: Dictionary;
  readonly issues: readonly Issue[];
}

/** Options of `loadSources`. */
export interface LoadSourcesOptions {
  /** Recordings in the order of the logs, where they are not next to them; folders are searched, like the working folder. */
  readonly media?: readonly string[] | undefined;
  /** Paths of further dictionary files. */
  readonly dictionaries?: readonly string[] | undefined;
  /** Also loads events whose evidence is thin. */
  readonly tentative?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Loads logs, finds their recordings and loads the dictionaries they name.
 *
 * @param paths Log files, their folders, or folders of those; duplicates count once.
 * @throws What `loadLog` and `readSources` throw.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * console.log(sources[0].events.length, dictionary.words('action').length);
 * ```
 */
export async function loadSources(paths: readonly string[], options: LoadSourcesOptions = {}): Promise<LoadedSources> {
  const issues: Issue[] = [];
  const sources: Source[] = [];
  const sessions = new Set<string>();
  const files = await findAllLogs(paths);
  const names = nameLogs(files);
  const media = (options.media ?? []).filter((path) => !isFolder(path));
  const folders = [...(options.media ?? []).filter(isFolder), '.'];
  for (const [index, log] of files.entries()) {
    const { header, events, lines } = await loadLog(log, {
      onIssue: (issue) => issues.push(issue),
      withoutTentative: options.tentative !== true,
      signal: options.signal,
    });
    const recording = media[index] ?? findMedia(log, header) ?? (await findInFolders(folders, header));
    if (recording !== undefined) issues.push(...(await checkRecording(recording, header)));
    const named = withUniqueSession(printableHeader(header), events.map(printableEvent), log, sessions);
    const gaps = lines.filter((line) => line.type === 'gap').map(({ t, end }) => ({ start: t, end }));
    sources.push({
      ...named,
      gaps,
      log,
      name: names[index]!,
      ...(recording !== undefined && { media: resolve(recording) }),
    });
  }
  const { dictionary, issues: findings } = await loadDictionaries(sources, options.dictionaries ?? []);
  return { sources, dictionary, issues: [...issues, ...findings] };
}

/** Names in a log are data: they are shown, never paths. */
function printableHeader(header: HeaderLine): HeaderLine {
  const { session, media } = header;
  return { ...header, session: plainText(session), media: { ...media, name: plainText(fileNameOf(media.name)) } };
}

function printableEvent(event: EventLine): EventLine {
  const [text, session] = [plainText(event.text), plainText(event.session)];
  return text === event.text && session === event.session ? event : { ...event, text, session };
}

/** The last part of a path, with the separators of any system; empty for a folder. */
function fileNameOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1)!;
  return ['.', '..'].includes(name) || name.includes('\0') ? '' : name;
}

/** Reports a recording that is not the one the log was made from. */
async function checkRecording(media: string, { media: { name, hash, bytes } }: HeaderLine): Promise<Issue[]> {
  if (!/^[\da-f]{32}$/.test(hash)) return [];
  const found = await fingerprintMedia(media);
  if (found.hash === hash) return [];
  const difference = found.bytes === bytes ? 'the content differs' : `${found.bytes} bytes instead of ${bytes}`;
  const message = `is not the recording this log was made from (${name}): ${difference}, times may be wrong`;
  return [{ code: 'other-recording', path: media, message }];
}

/** Distinguishes recordings of the same name by their folder. */
function withUniqueSession(
  header: HeaderLine,
  events: readonly EventLine[],
  log: string,
  sessions: Set<string>,
): { header: HeaderLine; events: readonly EventLine[] } {
  const session = uniqueSessionName(header.session, log, sessions);
  if (session === header.session) return { header, events };
  return { header: { ...header, session }, events: events.map((event) => ({ ...event, session })) };
}

async function loadDictionaries(sources: readonly Source[], further: readonly string[]) {
  const wanted = new Set(sources.flatMap(({ header }) => header.dictionaries.map(({ name }) => name)));
  const names = (await dictionaryNames()).filter((name) => name === 'common' || wanted.has(name));
  const files = [...names.map((name) => join(builtinFolder, `${name}.json`)), ...further];
  // The built-in dictionaries are checked by the tests.
  return loadSharedDictionary(await readSources(files), { definitions: false, meaning: further.length > 0 });
}

const MEDIA_EXTENSIONS = ['.mp4', '.mkv', '.mov', '.webm', '.ts', '.flv', '.avi'];

/**
 * Finds the recording a log's header names: in the log's folder, or next to `<name>.playbyplay/`, whatever folder the header
 * names; a reel is its own recording. Links out of there are not followed.
 */
function findMedia(log: string, header: HeaderLine): string | undefined {
  if (!['.ndjson', '.jsonl', '.json', ''].includes(extname(log))) return log;
  const folder = dirname(resolve(log));
  const stem = basename(folder).replace(/\.playbyplay$/, '');
  // The recording and its folder may have been renamed together.
  const renamed = MEDIA_EXTENSIONS.map((ending) => join(dirname(folder), `${stem}${ending}`));
  // A log cannot name a file elsewhere.
  const names = [fileNameOf(header.media.name), stem].filter((name) => name !== '');
  return [...[folder, dirname(folder)].flatMap((place) => names.map((name) => join(place, name))), ...renamed].find(
    (candidate) => isFileWithin(candidate, dirname(folder)),
  );
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Finds a log's recording in folders that the user names or works in. A file of its name counts only with the content that the log
 * was made from, because such a folder may hold other recordings of that name.
 */
async function findInFolders(folders: readonly string[], { media }: HeaderLine): Promise<string | undefined> {
  const name = fileNameOf(media.name);
  for (const path of folders.map((folder) => join(folder, name)))
    if (isFileWithin(path, dirname(path)) && (await fingerprintMedia(path)).hash === media.hash) return path;
  return undefined;
}

/** Whether a path is a file below a folder. Links that lead out of it came with the log, perhaps from a stranger. */
function isFileWithin(path: string, folder: string): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  const way = relative(realpathSync(folder), realpathSync(path));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/**
 * Makes a filter that accepts the events that any of the queries finds.
 *
 * @throws PlaybyplayError `bad-query` as `compileQuery` does.
 *
 * @example
 * ```ts
 * const loaded = await loadSources(['match.playbyplay']);
 * const include = makeQueryFilter(['player obtains item'], loaded);
 * const choice = chooseScenes(loaded.sources, { dictionary: loaded.dictionary, include });
 * ```
 */
export function makeQueryFilter(
  queries: readonly string[],
  { sources, dictionary }: LoadedSources,
): (event: EventLine) => boolean {
  const games = [...new Set(sources.map(({ header }) => header.game))];
  const logs = new Map(
    sources.map(({ header: { session }, log = '', name = session }) => [session, { path: log, name }] as const),
  );
  const durations = new Map(sources.map(({ header }) => [header.session, header.media.duration]));
  const events = sources.flatMap((source) => source.events);
  const found = new Set<EventLine>();
  for (const query of queries) {
    const compiled = compileQuery(query, dictionary, { logs: { events, games, logs }, exactSpelling: true });
    for (const match of matchEvents(compiled, events, { durations }))
      for (const event of match.events) found.add(event);
  }
  return (event) => found.has(event);
}
