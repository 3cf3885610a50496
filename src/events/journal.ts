import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { PlaybyplayError } from '../errors.ts';
import { AppendFile } from './append-file.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** What a journal was made from, by part (`media`, `profile`, `plan`, `program` …): each a hash or a version. */
export type JournalKey = Readonly<Record<string, string>>;

/**
 * The work done so far, chunk by chunk, on disk: what lets a killed run go on. One checksummed record per chunk, in the
 * order of completion; a torn last record is dropped. Only an index is held in memory.
 */
export interface Journal<T> extends AsyncDisposable {
  /** The chunks that are done, those of this run included. */
  readonly completed: ReadonlySet<string>;
  /** The record of a chunk, undefined where it is not done. */
  read(chunk: string): Promise<T | undefined>;
  /** Adds a chunk's record (JSON). It survives the death of the process once this has returned. */
  append(chunk: string, record: T): Promise<void>;
}

const MAGIC = 'playbyplay/journal/1';
/** Length and checksum before each record, both 32-bit little-endian. */
const FRAME = 8;
const LONGEST = 1 << 30;

interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Opens the journal at `path`. With `resume` an existing one is continued; one made from other things is a
 * PlaybyplayError `resume-mismatch` that names them. Without, it begins anew.
 */
export async function openJournal<T>(
  path: string,
  key: JournalKey,
  { resume = false }: { readonly resume?: boolean } = {},
): Promise<Journal<T>> {
  const head = headOf(key);
  const exists = resume && ((await stat(path).catch(() => undefined))?.size ?? 0) > 0;
  const places = new Map<string, Place>();
  let size = 0;
  if (exists) {
    await using old = await open(path, 'r');
    const start = await compareHead(old, path, head, key);
    if (start > 0) size = await index(old, start, places);
  }
  const file = await AppendFile.open(path, size);
  if (size === 0) await file.append(head);
  return new FileJournal<T>(file, places);
}

class FileJournal<T> implements Journal<T> {
  readonly completed: Set<string>;
  readonly #file: AppendFile;
  readonly #places: Map<string, Place>;

  constructor(file: AppendFile, places: Map<string, Place>) {
    this.#file = file;
    this.#places = places;
    this.completed = new Set(places.keys());
  }

  async read(chunk: string): Promise<T | undefined> {
    const place = this.#places.get(chunk);
    if (place === undefined) return undefined;
    const payload = await this.#file.read(place.at, place.length);
    return (await decode(payload)).record as T;
  }

  async append(chunk: string, record: T): Promise<void> {
    const payload = await deflate(JSON.stringify({ chunk, record }));
    const frame = Buffer.allocUnsafe(FRAME + payload.length);
    frame.writeUInt32LE(payload.length, 0);
    frame.writeUInt32LE(crc32(payload), 4);
    payload.copy(frame, FRAME);
    const at = this.#file.size + FRAME;
    await this.#file.append(frame, `${this.#places.size} finished parts are kept`);
    this.#places.set(chunk, { at, length: payload.length });
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

/** Where the records begin: after the first line, if it is this key's; 0 where there is no complete first line. */
async function compareHead(file: FileHandle, path: string, head: Buffer, key: JournalKey): Promise<number> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1 << 16), 0, 1 << 16, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
  if (end < 0) return 0;
  if (Buffer.compare(buffer.subarray(0, end + 1), head) === 0) return end + 1;
  const before = parseHead(buffer.toString('utf8', 0, end));
  const changed =
    before?.['format'] === MAGIC
      ? Object.keys({ ...before, ...key }).filter((part) => part !== 'format' && before[part] !== key[part])
      : [];
  const why = changed.length > 0 ? `${listOf(changed)} changed since then` : 'it was written by another version';
  throw new PlaybyplayError('resume-mismatch', `cannot go on from ${path}: ${why}`, {
    hint: 'Run again without --resume to begin anew.',
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

/** Finds the records from `start` on, and returns where the last whole one ends. */
async function index(file: FileHandle, start: number, places: Map<string, Place>): Promise<number> {
  const frame = Buffer.alloc(FRAME);
  let position = start;
  for (;;) {
    const { bytesRead } = await file.read(frame, 0, FRAME, position);
    const length = frame.readUInt32LE(0);
    if (bytesRead < FRAME || length > LONGEST) return position;
    const payload = Buffer.allocUnsafe(length);
    const body = await file.read(payload, 0, length, position + FRAME);
    if (body.bytesRead < length || crc32(payload) !== frame.readUInt32LE(4)) return position;
    places.set((await decode(payload)).chunk, { at: position + FRAME, length });
    position += FRAME + length;
  }
}

async function decode(payload: Uint8Array): Promise<{ readonly chunk: string; readonly record: unknown }> {
  const text = (await inflate(payload)).toString();
  return JSON.parse(text) as { chunk: string; record: unknown };
}
