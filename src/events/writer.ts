import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { formatClock, roundTime } from '../time.ts';
import { AppendFile } from './append-file.ts';
import type { EndLine, EventLine, GapLine, HeaderLine, LoggedCue, LogLine } from './log.ts';
import { type Statement, parseStatement } from './statement.ts';

/** An event before it stands in the log. Times in seconds. */
export interface NewEvent {
  readonly t: number;
  readonly end: number;
  readonly text: string;
  readonly statement: Statement;
  /** 0…1. */
  readonly confidence: number;
  readonly cues: readonly LoggedCue[];
}

export interface LogWriterOptions {
  /**
   * Keep what an earlier run with the same header wrote: as long as the new lines equal the old ones nothing is
   * written, so no event that was on disk is ever missing from it. Default: the log begins anew.
   */
  readonly resume?: boolean;
}

type Pending = { readonly t: number; readonly ordinal: number } & (
  | { readonly event: NewEvent }
  | { readonly gap: GapLine }
);

/**
 * Writes an event log: NDJSON, header first, `end` last, lines in order of time, those of one time in the order in
 * which they were added, gaps first. Lines are held until `settle` says that nothing earlier can come. The file
 * appears under its name with its header complete.
 */
export class LogWriter implements AsyncDisposable {
  readonly path: string;
  readonly #header: HeaderLine;
  readonly #file: AppendFile;
  /** Bytes written or found to be there already; what the file holds beyond is from an earlier run. */
  #position: number;
  #pending: Pending[] = [];
  #ordinal = 0;
  #settled = Number.NEGATIVE_INFINITY;
  #lastT: number | undefined;
  /** How often each statement occurred at the time written last. */
  #repeats = new Map<string, number>();
  #events = 0;
  #gaps = 0;
  #ended = false;

  private constructor(path: string, header: HeaderLine, file: AppendFile, position: number) {
    this.path = path;
    this.#header = header;
    this.#file = file;
    this.#position = position;
  }

  /** Throws PlaybyplayError `disk-full`, `write-failed`. */
  static async create(path: string, header: HeaderLine, options: LogWriterOptions = {}): Promise<LogWriter> {
    const first = encode(header);
    if (options.resume === true) {
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      const file = size < first.length ? undefined : await AppendFile.open(path, size);
      if (file !== undefined && same(await file.read(0, first.length), first)) {
        return new LogWriter(path, header, file, first.length);
      }
      await file?.[Symbol.asyncDispose]();
    }
    const temporary = `${path}.new`;
    const file = await AppendFile.open(temporary, 0);
    try {
      await file.append(first);
      await file.rename(path);
    } catch (error) {
      await file[Symbol.asyncDispose]().catch(() => undefined);
      await rm(temporary, { force: true });
      throw error;
    }
    return new LogWriter(path, header, file, first.length);
  }

  /** Takes an event; its time must not be settled yet. */
  add(event: NewEvent): void {
    this.#hold({ t: roundTime(event.t), ordinal: this.#ordinal++, event });
  }

  /** Takes a stretch that could not be read. */
  gap(t: number, end: number, reason: string): void {
    const gap: GapLine = { type: 'gap', t: roundTime(t), end: roundTime(end), reason };
    this.#hold({ t: gap.t, ordinal: -1, gap });
  }

  /** Nothing earlier than `until` seconds will be added any more: writes what is final and returns those events. */
  async settle(until: number): Promise<readonly EventLine[]> {
    this.#settled = Math.max(this.#settled, until);
    const ready = this.#pending.filter(({ t }) => t < this.#settled);
    if (ready.length === 0) return [];
    this.#pending = this.#pending.filter(({ t }) => t >= this.#settled);
    ready.sort((a, b) => a.t - b.t || a.ordinal - b.ordinal);
    const lines = ready.map((one) => ('gap' in one ? one.gap : this.#lineOf(one.event, one.t)));
    await this.#write(lines);
    return lines.filter((line) => line.type === 'event');
  }

  /** Writes what is left and the last line. */
  async end(
    samples: number,
    problems: Readonly<Record<string, number>> = {},
    warnings: NonNullable<EndLine['warnings']> = [],
  ): Promise<EndLine> {
    await this.settle(Number.POSITIVE_INFINITY);
    const codes = Object.entries(problems).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const line: EndLine = {
      type: 'end',
      events: this.#events,
      gaps: this.#gaps,
      samples,
      ...(codes.length === 0 ? {} : { problems: Object.fromEntries(codes) }),
      ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ code, message }) => ({ code, message })) }),
    };
    await this.#write([line]);
    await this.#cut();
    await this.#file.sync();
    this.#ended = true;
    return line;
  }

  /** Closes the file; a log that was not ended stays as it is, to be resumed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }

  #hold(pending: Pending): void {
    if (this.#ended) throw new TypeError('the log has ended');
    if (!(pending.t >= this.#settled))
      throw new RangeError(`${pending.t} s is settled already (up to ${this.#settled})`);
    this.#pending.push(pending);
  }

  #lineOf(event: NewEvent, t: number): EventLine {
    if (t !== this.#lastT) this.#repeats = new Map();
    this.#lastT = t;
    const shaped = parseStatement(event.statement);
    if ('issues' in shaped)
      throw new TypeError(`not a statement: ${shaped.issues.map((issue) => issue.message).join('; ')}`);
    const { statement } = shaped;
    const said = JSON.stringify(statement);
    const repeat = this.#repeats.get(said) ?? 0;
    this.#repeats.set(said, repeat + 1);
    return {
      type: 'event',
      id: eventId(t, statement, repeat),
      t,
      end: roundTime(event.end),
      game: this.#header.game,
      session: this.#header.session,
      text: event.text,
      statement,
      confidence: roundConfidence(event.confidence),
      cues: event.cues.map(inOrder),
    };
  }

  async #write(lines: readonly LogLine[]): Promise<void> {
    const bytes = Buffer.concat(lines.map(encode));
    const kept = `${this.#events} events${this.#lastT === undefined ? '' : ` up to ${formatClock(this.#lastT)}`} are kept`;
    if (this.#position < this.#file.size) {
      if (same(await this.#file.read(this.#position, bytes.length), bytes)) {
        this.#position += bytes.length;
        return this.#count(lines);
      }
      await this.#cut();
    }
    await this.#file.append(bytes, kept);
    this.#position = this.#file.size;
    this.#count(lines);
  }

  #count(lines: readonly LogLine[]): void {
    for (const { type } of lines) {
      if (type === 'event') this.#events += 1;
      if (type === 'gap') this.#gaps += 1;
    }
  }

  /** Drops what the earlier run wrote beyond this point: it is torn, or from another end of the media. */
  async #cut(): Promise<void> {
    if (this.#position < this.#file.size) await this.#file.truncate(this.#position);
  }
}

/** Hash of time, statement and how many equal statements came before it at that time: 16 hexadecimal digits. */
export function eventId(t: number, statement: Statement, repeat: number): string {
  return createHash('sha256')
    .update(JSON.stringify([t, statement, repeat]))
    .digest('hex')
    .slice(0, 16);
}

function inOrder({ detector, t, trigger, value, previous, confidence }: LoggedCue): LoggedCue {
  return {
    detector,
    t: roundTime(t),
    trigger,
    ...(value === undefined ? {} : { value }),
    ...(previous === undefined ? {} : { previous }),
    confidence: roundConfidence(confidence),
  };
}

function roundConfidence(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}

function encode(line: LogLine): Uint8Array {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
