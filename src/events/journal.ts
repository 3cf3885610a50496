import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { PlaybyplayError } from '../errors.ts';
import { AppendFile } from '../files/append-file.ts';
import { checkOutput } from '../files/output.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** The inputs of a run, by name (`media`, `profile`, `plan`, `program`, …): each a hash or a version. */
export type JournalKey = Readonly<Record<string, string>>;

/**
 * Records of the completed chunks on disk, from which an interrupted run resumes. One checksummed record per chunk, in order of
 * completion; an incomplete last record is dropped. Only an index is held in memory.
 */
export interface Journal<T> extends AsyncDisposable {
  /** Completed chunks, including those of this run. */
  readonly completed: ReadonlySet<string>;
  /** Reads the record of a chunk; `undefined` if it is not completed. */
  read(chunk: string): Promise<T | undefined>;
  /** Appends a chunk's record (JSON). It survives the end of the process once this has returned. */
  append(chunk: string, record: T): Promise<void>;
}

const MAGIC = 'playbyplay/journal/1';
/** Size of a record's header: length and checksum, both 32-bit little-endian. */
const RECORD_HEADER_BYTES = 8;
/** Bytes of a record's JSON: one of a few seconds of readings is far smaller. */
const MAX_RECORD_BYTES = 1 << 28;
/** The first line with the key is shorter than this. */
const MAX_HEAD_BYTES = 1 << 16;

interface RecordLocation {
  readonly at: number;
  readonly length: number;
}

/**
 * Opens the journal at `path`. With `resume`, an existing one is continued; without, it starts empty.
 *
 * @param options `inputs`: files that the run reads, which the journal never replaces.
 * @throws PlaybyplayError `resume-mismatch` that names the inputs that differ from those of the existing journal;
 * `output-exists`, `output-is-input` where the path is not that of a journal.
 */
export async function openJournal<T>(
  path: string,
  key: JournalKey,
  { resume = false, inputs }: { readonly resume?: boolean; readonly inputs?: readonly string[] } = {},
): Promise<Journal<T>> {
  await checkOutput(path, { kind: 'journal', inputs });
  const head = headOf(key);
  const exists = resume && ((await stat(path).catch(() => undefined))?.size ?? 0) > 0;
  const locations = new Map<string, RecordLocation>();
  let size = 0;
  if (exists) {
    await using old = await open(path, 'r');
    const start = await compareHead(old, path, head, key);
    if (start > 0) size = await indexRecords(old, start, locations);
  }
  const file = await AppendFile.open(path, size, { kind: 'journal', inputs });
  if (size === 0) await file.append(head);
  return new FileJournal<T>(file, locations);
}

/**
 * Writes the records of several journals with one key into a new one.
 *
 * @returns Whether there were any: without, an earlier call has done it.
 * @throws PlaybyplayError `resume-mismatch` where they have different keys; `no-journal` where some are missing.
 */
export async function mergeJournals(path: string, parts: readonly string[]): Promise<boolean> {
  const existing: string[] = [];
  for (const part of parts) if (await stat(part).catch(() => undefined)) existing.push(part);
  if (existing.length === 0 && (await stat(path).catch(() => undefined))) return false;
  if (existing.length < parts.length) {
    const [missing] = parts.filter((part) => !existing.includes(part));
    throw new PlaybyplayError('no-journal', `a part of the recording was not read: ${missing} is missing`);
  }
  let head: Buffer | undefined;
  await using files = new AsyncDisposableStack();
  const records: { readonly chunk: string; readonly file: FileHandle; readonly place: RecordLocation }[] = [];
  for (const part of parts) {
    const file = files.use(await open(part, 'r'));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0);
    const start = buffer.subarray(0, bytesRead).indexOf(0x0a) + 1;
    const own = buffer.subarray(0, start);
    if (head === undefined) head = own;
    else if (Buffer.compare(head, own) !== 0)
      throw new PlaybyplayError('resume-mismatch', `${part} was read with other inputs than ${parts[0]}`, {
        hint: 'Delete the journals of this folder and run again.',
      });
    const locations = new Map<string, RecordLocation>();
    await indexRecords(file, start, locations);
    for (const [chunk, place] of locations) records.push({ chunk, file, place });
  }
  await using target = await AppendFile.open(path, 0, { kind: 'journal' });
  await target.append(head!);
  // In the order of one run, so that they can be read as one stream.
  const { compare } = new Intl.Collator('en', { numeric: true });
  for (const { file, place } of records.toSorted((a, b) => compare(a.chunk, b.chunk))) {
    const frame = Buffer.allocUnsafe(RECORD_HEADER_BYTES + place.length);
    await file.read(frame, 0, frame.length, place.at - RECORD_HEADER_BYTES);
    await target.append(frame);
  }
  return true;
}

/**
 * Reads the records of a journal in their order in the file, up to the last complete one: another process may be writing it.
 *
 * @returns The key of the run that wrote it, and its records; undefined where the file is no journal, or there is none.
 *
 * @example
 * const journal = await readJournal('match.playbyplay/readings.journal');
 * for await (const { chunk, record } of journal?.records() ?? []) console.log(chunk, record);
 */
export async function readJournal(path: string): Promise<
  | {
      readonly key: JournalKey;
      readonly records: () => AsyncGenerator<{ readonly chunk: string; readonly record: unknown }, void, undefined>;
    }
  | undefined
> {
  let head: Readonly<Record<string, unknown>> | undefined;
  let start = 0;
  try {
    await using file = await open(path, 'r');
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0);
    start = buffer.subarray(0, bytesRead).indexOf(0x0a) + 1;
    head = start > 0 ? parseHead(buffer.toString('utf8', 0, start)) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (head?.['format'] !== MAGIC) return undefined;
  const { format: _, ...key } = head;
  return {
    key: key as JournalKey,
    async *records() {
      await using file = await open(path, 'r');
      for await (const { payload } of payloads(file, start)) yield await decode(payload);
    },
  };
}

class FileJournal<T> implements Journal<T> {
  readonly completed: Set<string>;
  readonly #file: AppendFile;
  readonly #locations: Map<string, RecordLocation>;

  constructor(file: AppendFile, locations: Map<string, RecordLocation>) {
    this.#file = file;
    this.#locations = locations;
    this.completed = new Set(locations.keys());
  }

  async read(chunk: string): Promise<T | undefined> {
    const place = this.#locations.get(chunk);
    if (place === undefined) return undefined;
    const payload = await this.#file.read(place.at, place.length);
    return (await decode(payload)).record as T;
  }

  async append(chunk: string, record: T): Promise<void> {
    const payload = await deflate(JSON.stringify({ chunk, record }));
    const frame = Buffer.allocUnsafe(RECORD_HEADER_BYTES + payload.length);
    frame.writeUInt32LE(payload.length, 0);
    frame.writeUInt32LE(crc32(payload), 4);
    payload.copy(frame, RECORD_HEADER_BYTES);
    const at = this.#file.size + RECORD_HEADER_BYTES;
    await this.#file.append(frame, `${this.#locations.size} completed chunks are saved`);
    this.#locations.set(chunk, { at, length: payload.length });
    this.completed.add(chunk);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

function headOf(key: JournalKey): Buffer {
  const sorted = Object.fromEntries(Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return Buffer.from(`${JSON.stringify({ format: MAGIC, ...sorted })}\n`);
}

/** Returns where the records begin: after the first line, if it is that of this key; 0 without a complete first line. */
async function compareHead(file: FileHandle, path: string, head: Buffer, key: JournalKey): Promise<number> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  if (end < 0) return 0;
  if (Buffer.compare(buffer.subarray(0, end + 1), head) === 0) return end + 1;
  const before = parseHead(buffer.toString('utf8', 0, end));
  const changed =
    before?.['format'] === MAGIC
      ? Object.keys({ ...before, ...key }).filter((part) => part !== 'format' && before[part] !== key[part])
      : [];
  const why = changed.length > 0 ? `${listOf(changed)} changed since then` : 'it was written by another version';
  throw new PlaybyplayError('resume-mismatch', `cannot resume from ${path}: ${why}`, {
    hint: 'Run again without --resume to start over.',
  });
}

function parseHead(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function listOf(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return `the ${parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last}`;
}

/** Indexes the records from `start` on and returns the end of the last complete one. */
async function indexRecords(file: FileHandle, start: number, locations: Map<string, RecordLocation>): Promise<number> {
  let end = start;
  for await (const { at, payload } of payloads(file, start)) {
    locations.set((await decode(payload)).chunk, { at, length: payload.length });
    end = at + payload.length;
  }
  return end;
}

/** The complete records from `start` on, still compressed, with their places. */
async function* payloads(
  file: FileHandle,
  start: number,
): AsyncGenerator<{ readonly at: number; readonly payload: Buffer }, void, undefined> {
  const frame = Buffer.alloc(RECORD_HEADER_BYTES);
  const { size } = await file.stat();
  let position = start;
  for (;;) {
    const { bytesRead } = await file.read(frame, 0, RECORD_HEADER_BYTES, position);
    const length = frame.readUInt32LE(0);
    const at = position + RECORD_HEADER_BYTES;
    if (bytesRead < RECORD_HEADER_BYTES || at + length > size) return;
    const payload = Buffer.allocUnsafe(length);
    const body = await file.read(payload, 0, length, at);
    if (body.bytesRead < length || crc32(payload) !== frame.readUInt32LE(4)) return;
    yield { at, payload };
    position = at + length;
  }
}

async function decode(payload: Uint8Array): Promise<{ readonly chunk: string; readonly record: unknown }> {
  const text = (await inflate(payload, { maxOutputLength: MAX_RECORD_BYTES })).toString();
  return JSON.parse(text) as { chunk: string; record: unknown };
}
