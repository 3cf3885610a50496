import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { correctionsPath, correctLines, type LocatedLine, parseCorrectedLine } from './corrections.ts';
import { readFileKind } from '../files/file-kind.ts';
import { readEmbeddedLog } from './embedded.ts';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { findProblems } from '../schema/check.ts';
import type { Schema, SchemaObject } from '../schema/from-schema.ts';
import {
  endSchema,
  eventSchema,
  gapSchema,
  headerSchema,
  type EventLine,
  type HeaderLine,
  type LogLine,
} from './log.ts';
import { parseStatement } from './statement.ts';

/** The file name of a log in the folder of its recording. */
export const LOG_NAME = 'events.ndjson';

const MAX_LINE_BYTES = 1 << 20;

/** Options of `readLog`. */
export interface ReadLogOptions {
  readonly signal?: AbortSignal | undefined;
  /** Leaves out events whose evidence is thin (`tentative`). */
  readonly withoutTentative?: boolean | undefined;
  /** Reads the log as the program wrote it, without its corrections. */
  readonly withoutCorrections?: boolean | undefined;
  /** Called for harmless issues: an incomplete last line, a log without `end`. */
  readonly onIssue?: (issue: Issue) => void;
}

/**
 * Reads the lines of a log. An incomplete last line (the run was killed, or is still going on) is left out.
 *
 * @param path The log, the folder that contains `events.ndjson`, the recording next to such a folder, or a reel with an embedded
 * log.
 * @throws PlaybyplayError `log-missing`, `log-invalid` (not an event log), `log-version`, `log-damaged` (with the line number).
 * @example
 * for await (const line of readLog('match.playbyplay')) if (line.type === 'event') console.log(line.text);
 */
export async function* readLog(path: string, options: ReadLogOptions = {}): AsyncGenerator<LogLine, void, undefined> {
  for await (const { line } of readLogWithOffsets(path, options)) yield line;
}

/** Reads a log as `readLog` does, with the byte at which each line begins: see {@link LocatedLine}. */
export async function* readLogWithOffsets(
  path: string,
  options: ReadLogOptions = {},
): AsyncGenerator<LocatedLine, void, undefined> {
  const log = await locateLog(path);
  const { onIssue, withoutTentative, withoutCorrections } = options;
  const isCorrectable = log.embedded === undefined && !withoutCorrections;
  // Corrections may read the log twice; its issues are reported once.
  const reported = new Set<string>();
  const report = (issue: Issue): void => {
    if (reported.has(issue.code)) return;
    reported.add(issue.code);
    onIssue?.(issue);
  };
  const read = (): AsyncIterable<LocatedLine> => readLocated(log, { ...options, onIssue: report });
  const lines = isCorrectable ? correctLines(log.path, read, { onIssue }) : read();
  for await (const located of lines)
    if (!(withoutTentative && located.line.type === 'event' && located.line.tentative)) yield located;
}

async function* readLocated(log: LogLocation, options: ReadLogOptions): AsyncGenerator<LocatedLine, void, undefined> {
  const file = log.path;
  let number = 0;
  let ended = false;
  let header: HeaderLine | undefined;
  const lines = log.embedded === undefined ? readLines(file, options.signal) : splitLines(log.embedded);
  for await (const { text, whole, offset } of lines) {
    number += 1;
    if (text === '' && number > 1) continue;
    const parsed = parseLine(text);
    if ('problem' in parsed) {
      if (!whole && number > 1) {
        options.onIssue?.({
          code: 'log-torn',
          path: `${file}:${number}`,
          message: 'the last line is incomplete and was ignored',
        });
        return;
      }
      throw damaged(file, number, parsed.problem);
    }
    if (header === undefined) header = checkHeader(file, parsed.line);
    else if (parsed.line.type === 'header') throw damaged(file, number, 'a second header');
    if (parsed.line.type === 'end') ended = true;
    const { line } = parsed;
    yield { line: line.type === 'event' ? { ...line, ...missingNames(line, header) } : line, offset };
  }
  if (number === 0) throw damaged(file, 1, 'the file is empty');
  if (!ended)
    options.onIssue?.({
      code: 'log-unfinished',
      path: file,
      message: 'the log has no end line: its run did not finish',
    });
}

/**
 * Reads the event whose line begins at a byte of a log, or of its corrections.
 *
 * @param offset As in {@link LocatedLine}.
 * @param names The game and session of a corrected event.
 * @returns The event; `undefined` where none begins there, because the file has changed.
 */
export async function readEventAt(
  log: string,
  offset: number,
  names: Pick<EventLine, 'game' | 'session'>,
): Promise<EventLine | undefined> {
  await using file = await open(offset < 0 ? correctionsPath(log) : log, 'r');
  const text = await readTextAt(file, Math.abs(offset));
  if (offset < 0) return parseCorrectedLine(text, names);
  const parsed = parseLine(text);
  return 'line' in parsed && parsed.line.type === 'event' ? parsed.line : undefined;
}

async function readTextAt(file: FileHandle, offset: number): Promise<string> {
  const pieces: Buffer[] = [];
  for (let read = 0; read <= MAX_LINE_BYTES; ) {
    const piece = Buffer.alloc(4096);
    const { bytesRead } = await file.read(piece, 0, piece.length, offset + read);
    const end = piece.subarray(0, bytesRead).indexOf(0x0a);
    pieces.push(piece.subarray(0, end < 0 ? bytesRead : end));
    if (end >= 0 || bytesRead === 0) break;
    read += bytesRead;
  }
  return Buffer.concat(pieces).toString();
}

/** Reads a whole log into memory. */
export async function loadLog(
  path: string,
  options: ReadLogOptions = {},
): Promise<{ readonly header: HeaderLine; readonly events: readonly EventLine[]; readonly lines: readonly LogLine[] }> {
  const lines: LogLine[] = [];
  for await (const line of readLog(path, options)) lines.push(line);
  const header = lines[0] as HeaderLine;
  return { header, events: lines.filter((line) => line.type === 'event'), lines };
}

/** Reads the header of a log. Throws as `readLog`. */
export async function readHeader(path: string): Promise<HeaderLine> {
  for await (const line of readLog(path)) return line as HeaderLine;
  throw damaged(path, 1, 'the file is empty');
}

/**
 * Finds the log files under a path: the file itself; `events.ndjson` in the folder of one recording; else all in the folders
 * below, in alphabetical order.
 *
 * @throws PlaybyplayError `log-missing`.
 */
export async function findLogs(path: string): Promise<readonly string[]> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return [path];
  const found: string[] = [];
  if (info?.isDirectory()) await collect(path, found, 0);
  if (found.length === 0) throw missing(path, info !== undefined);
  return found;
}

/** Finds the log files under several paths, in that order and without duplicates. Throws as `findLogs`. */
export async function findAllLogs(paths: readonly string[]): Promise<readonly string[]> {
  const found = (await Promise.all(paths.map((path) => findLogs(path)))).flat();
  return [...new Map(found.map((file) => [resolve(file), file])).values()];
}

async function collect(folder: string, found: string[], depth: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some((entry) => entry.isFile() && entry.name === LOG_NAME)) {
    found.push(join(folder, LOG_NAME));
    return;
  }
  if (depth >= 8) return;
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  for (const name of folders.toSorted()) await collect(join(folder, name), found, depth + 1);
}

/** A log file, or a log embedded in the file at `path`. */
export interface LogLocation {
  readonly path: string;
  readonly embedded?: string;
}

/** Finds the log that `readLog` reads. Throws PlaybyplayError `log-missing`. */
export async function locateLog(path: string): Promise<LogLocation> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) {
    if ((await readFileKind(path)) !== 'video') return { path };
    const embedded = await readEmbeddedLog(path);
    if (embedded !== undefined) return { path, embedded };
    const nextToMedia = join(dirname(path), `${basename(path, extname(path))}.playbyplay`, LOG_NAME);
    if ((await stat(nextToMedia).catch(() => undefined))?.isFile()) return { path: nextToMedia };
    throw missing(path, true);
  }
  const inside = join(path, LOG_NAME);
  if (info?.isDirectory() && (await stat(inside).catch(() => undefined))?.isFile()) return { path: inside };
  throw missing(path, info !== undefined);
}

/** A line of a file; `whole` says whether it ends with a line feed, `offset` where it begins in bytes. */
interface TextLine {
  readonly text: string;
  readonly whole: boolean;
  readonly offset: number;
}

function* splitLines(text: string): Generator<TextLine, void, undefined> {
  const lines = text.split('\n');
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    if (line !== '' || index < lines.length - 1) yield { text: line, whole: true, offset };
    offset += Buffer.byteLength(line) + 1;
  }
}

function missing(path: string, exists: boolean): PlaybyplayError {
  const what = exists ? `there is no ${LOG_NAME} in ${path}` : `no such log: ${path}`;
  return new PlaybyplayError('log-missing', what, { hint: 'Create one with: playbyplay detect <media> --game <name>' });
}

function damaged(file: string, line: number, problem: string): PlaybyplayError {
  if (line > 1) return new PlaybyplayError('log-damaged', `${file}, line ${line}: ${problem}`);
  return new PlaybyplayError('log-invalid', `${file} is not an event log of playbyplay: ${problem}`);
}

function checkHeader(file: string, line: LogLine): HeaderLine {
  if (line.type !== 'header') throw damaged(file, 1, 'the first line is not a header');
  const { format } = line as { format: unknown };
  if (format !== 'playbyplay/1') {
    const message = `${file} is of format ${JSON.stringify(format)}; this program reads playbyplay/1`;
    throw new PlaybyplayError('log-version', message, { hint: 'Update playbyplay, or create the log again.' });
  }
  const problem = findLineProblem('header', line);
  if (problem !== undefined) throw damaged(file, 1, problem);
  return line;
}

/** Game and session of an event that does not name its own: those of the header. */
function missingNames({ game, session }: Partial<EventLine>, header: HeaderLine): Partial<EventLine> {
  return {
    ...(game === undefined && { game: header.game }),
    ...(session === undefined && { session: header.session }),
  };
}

/** Removes `required` at every level of a schema. */
function makeOptional(schema: Schema): SchemaObject {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === 'required' ? undefined : value));
  return JSON.parse(text) as SchemaObject;
}

function requireNames(schema: Schema, id: string, required: readonly string[]): SchemaObject {
  return { ...makeOptional(schema), $id: `urn:playbyplay:log-${id}:1`, required };
}

/**
 * The schemas of the lines that are read. They require only what reading needs, so that logs of other programs can be shorter
 * than those written here.
 */
export const LINE_SCHEMAS = {
  header: {
    ...requireNames(headerSchema, 'header', ['game', 'session', 'media', 'dictionaries']),
    allOf: [{ properties: { media: { required: ['name', 'duration'] } } }],
  },
  event: requireNames(eventSchema, 'event', ['id', 't', 'end', 'text', 'statement', 'confidence', 'cues']),
  gap: requireNames(gapSchema, 'gap', ['t', 'end']),
  end: requireNames(endSchema, 'end', []),
} as const;

function findLineProblem(type: LogLine['type'], line: unknown): string | undefined {
  const problems = findProblems(LINE_SCHEMAS[type], line);
  return problems.length === 0 ? undefined : problems.map(({ message }) => message).join('; ');
}

function parseLine(text: string): { readonly line: LogLine } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `not JSON: ${messageOf(error)}` };
  }
  if (typeof value !== 'object' || value === null) return { problem: 'not an object' };
  const { type } = value as { readonly type?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(LINE_SCHEMAS, type))
    return { problem: `unknown type ${JSON.stringify(type)}` };
  const line = value as LogLine;
  // The format of a header comes first: `checkHeader`.
  const problem = line.type === 'header' ? undefined : findLineProblem(line.type, line);
  if (problem !== undefined) return { problem };
  if (line.type === 'event') {
    const parsed = parseStatement(line.statement);
    if ('issues' in parsed) return { problem: parsed.issues.map(({ message }) => message).join('; ') };
  }
  return { line };
}

/** Reads a file line by line. */
async function* readLines(file: string, signal: AbortSignal | undefined): AsyncGenerator<TextLine, void, undefined> {
  const stream = createReadStream(file, { highWaterMark: 1 << 18, ...(signal === undefined ? {} : { signal }) });
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  let offset = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const piece = chunk.subarray(start, end);
      const line = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
      rest = Buffer.alloc(0);
      start = end + 1;
      number += 1;
      yield { text: line.toString(), whole: true, offset };
      offset += line.length + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(start)]);
    if (rest.length > MAX_LINE_BYTES) throw damaged(file, number + 1, `longer than ${MAX_LINE_BYTES} bytes`);
  }
  if (rest.length > 0) yield { text: rest.toString(), whole: false, offset };
}
