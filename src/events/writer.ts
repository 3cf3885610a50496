import { stat } from 'node:fs/promises';
import { formatClock } from '../time.ts';
import { AppendFile } from '../files/append-file.ts';
import { readFileKind } from '../files/file-kind.ts';
import { checkOutput, type OutputOptions, type OutputPolicy, TemporaryFile } from '../files/output.ts';
import type { EndLine, EventLine, HeaderLine, LogLine } from './log.ts';
import { LogLines, type NewEvent } from './log-lines.ts';

export { eventId, type NewEvent } from './log-lines.ts';

const LINE_FEED = 0x0a;
/** No line is longer (`reader.ts`). */
const MAX_TORN_BYTES = 1 << 20;

/** Bytes of a log that are copied at once. */
const COPIED_BYTES = 1 << 20;

/** Options of a `LogWriter`. */
export interface LogWriterOptions extends OutputPolicy {
  /**
   * Keeps what an earlier run with the same header wrote: as long as the new lines equal the old ones, nothing is written, so
   * that an event on disk is never missing. Default: the log is replaced.
   */
  readonly resume?: boolean;
}

/**
 * Writes an event log: NDJSON, header first, `end` last. Lines are given by `write`, or made from events in any order by `add`
 * and `settle`. The file appears under its name with its header complete.
 */
export class LogWriter implements AsyncDisposable {
  readonly path: string;
  readonly #lines: LogLines;
  readonly #file: AppendFile;
  /** Bytes written or verified; anything beyond in the file is from an earlier run. */
  #position: number;
  #events = 0;
  #lastT: number | undefined;
  #ended = false;

  private constructor(path: string, header: HeaderLine, file: AppendFile, position: number) {
    this.path = path;
    this.#lines = new LogLines(header);
    this.#file = file;
    this.#position = position;
  }

  /** @throws PlaybyplayError `disk-full`, `write-failed`, and as `checkOutput`. */
  static async create(path: string, header: HeaderLine, options: LogWriterOptions = {}): Promise<LogWriter> {
    const { inputs, overwrite, resume = false } = options;
    // The log to be resumed may be damaged in its first line.
    const isDamaged = resume && (await readFileKind(path).catch(() => undefined)) === 'JSON';
    const output: OutputOptions = { kind: isDamaged ? 'JSON' : 'event log', inputs, overwrite };
    await checkOutput(path, output);
    const first = encode(header);
    if (resume) {
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      const file = size < first.length ? undefined : await AppendFile.open(path, size, output);
      if (file !== undefined && same(await file.read(0, first.length), first)) {
        return new LogWriter(path, header, file, first.length);
      }
      await file?.[Symbol.asyncDispose]();
    }
    await using temporary = await TemporaryFile.reserve(path);
    const file = await AppendFile.open(temporary.path, 0, output);
    try {
      await file.append(first);
      await file.rename(path);
    } catch (error) {
      await file[Symbol.asyncDispose]().catch(() => undefined);
      throw error;
    }
    return new LogWriter(path, header, file, first.length);
  }

  /**
   * Opens a log that did not end, to write on behind its last complete line.
   *
   * @throws PlaybyplayError `write-failed`, and as `checkOutput`.
   */
  static async append(path: string, header: HeaderLine, { inputs, overwrite }: OutputPolicy = {}): Promise<LogWriter> {
    const { size } = await stat(path);
    const file = await AppendFile.open(path, size, { kind: 'event log', inputs, overwrite });
    const tail = await file.read(Math.max(0, size - MAX_TORN_BYTES), MAX_TORN_BYTES);
    const complete = size - tail.length + tail.lastIndexOf(LINE_FEED) + 1;
    await file.truncate(complete);
    return new LogWriter(path, header, file, complete);
  }

  /** As `LogLines.add`. */
  add(event: NewEvent): void {
    this.#requireOpen();
    this.#lines.add(event);
  }

  /** As `LogLines.gap`. */
  gap(t: number, end: number, reason: string): void {
    this.#requireOpen();
    this.#lines.gap(t, end, reason);
  }

  /** Declares that nothing earlier than `until` seconds will be added, writes what is final, and returns its events. */
  async settle(until: number): Promise<readonly EventLine[]> {
    const lines = this.#lines.settle(until);
    await this.write(lines);
    return lines.filter((line) => line.type === 'event');
  }

  /** Writes the remaining lines and the `end` line. */
  async end(...counts: Parameters<LogLines['end']>): Promise<EndLine> {
    await this.settle(Number.POSITIVE_INFINITY);
    const line = this.#lines.end(...counts);
    await this.write([line]);
    return line;
  }

  /**
   * Writes lines. After the `end` line the log is complete on disk and takes no more.
   * @throws PlaybyplayError `disk-full`, `write-failed`.
   */
  async write(lines: readonly LogLine[]): Promise<void> {
    if (lines.length === 0) return;
    this.#requireOpen();
    await this.#append(lines);
    if (lines.at(-1)!.type !== 'end') return;
    await this.#truncate();
    await this.#file.sync();
    this.#ended = true;
  }

  /**
   * Replaces the header of a log that has ended, such as that of a live session, whose duration is then known. The log appears
   * with it at once, complete.
   *
   * @throws PlaybyplayError `disk-full`, `write-failed`.
   */
  async replaceHeader(header: HeaderLine): Promise<void> {
    if (!this.#ended) throw new TypeError('the log has not ended');
    const size = this.#file.size;
    const start = Buffer.from(await this.#file.read(0, Math.min(size, MAX_TORN_BYTES))).indexOf(LINE_FEED) + 1;
    await using temporary = await TemporaryFile.reserve(this.path);
    await using file = await AppendFile.open(temporary.path, 0, { kind: 'event log' });
    await file.append(encode(header));
    for (let at = start; at < size; at += COPIED_BYTES)
      await file.append(await this.#file.read(at, Math.min(COPIED_BYTES, size - at)));
    await file.sync();
    await file.rename(this.path);
  }

  /** Closes the file. A log without `end` can be resumed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }

  #requireOpen(): void {
    if (this.#ended) throw new TypeError('the log has ended');
  }

  async #append(lines: readonly LogLine[]): Promise<void> {
    const bytes = Buffer.concat(lines.map(encode));
    const saved = `${this.#events} events${this.#lastT === undefined ? '' : ` up to ${formatClock(this.#lastT)}`} are saved`;
    if (this.#position < this.#file.size) {
      if (same(await this.#file.read(this.#position, bytes.length), bytes)) {
        this.#position += bytes.length;
        return this.#count(lines);
      }
      await this.#truncate();
    }
    await this.#file.append(bytes, saved);
    this.#position = this.#file.size;
    this.#count(lines);
  }

  #count(lines: readonly LogLine[]): void {
    for (const line of lines) {
      if (line.type !== 'event') continue;
      this.#events += 1;
      this.#lastT = line.t;
    }
  }

  /** Removes what the earlier run wrote beyond this point: an incomplete line, or lines of a shorter recording. */
  async #truncate(): Promise<void> {
    if (this.#position < this.#file.size) await this.#file.truncate(this.#position);
  }
}

function encode(line: LogLine): Uint8Array {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
