import { splitRow } from '../../csv.ts';
import { basename } from 'node:path';
import { type FrameRecord, clientStages, serverStages } from '../frame.ts';
import { Notes, type ReadOptions, type SessionInput } from './session.ts';
import { PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import { detectDialect, noteMisspelledColumns, parseNumber, readRows, type Row } from './csv.ts';
import { readLines } from './text.ts';

/** Thrown for a record whose frame has already been emitted. */
export class LateRecordError extends Error {
  readonly frame: number;
  constructor(frame: number) {
    super(`the record of frame ${frame} arrived too late`);
    this.frame = frame;
  }
}

type Writable = { -readonly [K in keyof FrameRecord]: FrameRecord[K] };

/**
 * Joins partial records by frame and emits frames in order. A frame is emitted once every source is `window` frames
 * past it, so halves may be apart, late and out of order by that much.
 */
class FrameJoin {
  readonly #window: number;
  readonly #notes: Notes;
  readonly #furthest: number[];
  readonly #open: boolean[];
  #pending = new Map<number, Writable>();
  #handedOn = Number.NEGATIVE_INFINITY;

  constructor(sources: number, window: number, notes: Notes) {
    this.#window = window;
    this.#notes = notes;
    this.#furthest = Array.from({ length: sources }, () => Number.NEGATIVE_INFINITY);
    this.#open = Array.from({ length: sources }, () => true);
  }

  /** The open source that is furthest behind; undefined when all have ended. */
  get behind(): number | undefined {
    let least: number | undefined;
    for (const [source, open] of this.#open.entries()) {
      if (open && (least === undefined || this.#furthest[source]! < this.#furthest[least]!)) least = source;
    }
    return least;
  }

  /** Adds a partial record. Of two values for a field the first is kept; inputs are merged. */
  add(source: number, part: FrameRecord): void {
    const { frame } = part;
    if (frame <= this.#handedOn) throw new LateRecordError(frame);
    if (frame > this.#furthest[source]!) this.#furthest[source] = frame;
    else this.#notes.count('outOfOrder');
    const known = this.#pending.get(frame);
    if (known) this.#merge(known, part);
    else this.#pending.set(frame, part as Writable);
  }

  #merge(known: Writable, part: FrameRecord): void {
    let conflict = false;
    for (const [name, value] of Object.entries(part)) {
      const key = name as keyof FrameRecord;
      if (value === undefined) continue;
      if (key === 'inputs' && known.inputs) known.inputs = [...new Set([...known.inputs, ...part.inputs!])];
      else if (known[key] === undefined) (known as Record<string, unknown>)[key] = value;
      else if (key !== 'frame' && JSON.stringify(known[key]) !== JSON.stringify(value)) conflict = true;
    }
    if (conflict) {
      this.#notes.count('duplicates');
      this.#notes.add('frame-twice', 'two records of a frame differ; kept the first', `frame ${part.frame}`);
    }
  }

  /** Whether any frame was emitted. */
  get any(): boolean {
    return this.#handedOn !== Number.NEGATIVE_INFINITY;
  }

  close(source: number): void {
    this.#open[source] = false;
  }

  /** Complete frames in order. */
  take(): readonly FrameRecord[] {
    let limit = Number.POSITIVE_INFINITY;
    for (const [source, open] of this.#open.entries()) {
      if (open) limit = Math.min(limit, this.#furthest[source]! - this.#window);
    }
    if (this.#pending.size === 0 || limit === Number.NEGATIVE_INFINITY) return [];
    if (limit !== Number.POSITIVE_INFINITY && this.#pending.size < 2 * this.#window) return [];
    const frames = [...this.#pending.keys()].filter((frame) => frame <= limit).toSorted((a, b) => a - b);
    const records = frames.map((frame) => this.#pending.get(frame)!);
    if (limit === Number.POSITIVE_INFINITY) this.#pending = new Map();
    else for (const frame of frames) this.#pending.delete(frame);
    if (frames.length > 0) this.#gaps(frames);
    return records;
  }

  #gaps(frames: readonly number[]): void {
    const first = frames[0]!;
    const last = frames.at(-1)!;
    const from = this.#handedOn === Number.NEGATIVE_INFINITY ? first : this.#handedOn + 1;
    this.#notes.count('missingFrames', last - from + 1 - frames.length);
    this.#handedOn = last;
  }
}

/** Header line of a frame log. */
export interface FrameLogHeader {
  readonly fps?: number;
  readonly width?: number;
  readonly height?: number;
  readonly targetBitrate?: number;
}

const headerFields = ['fps', 'width', 'height', 'targetBitrate'] as const;
const numberFields = [
  'frame',
  ...serverStages,
  ...clientStages,
  ...headerFields,
  'qp',
  'bytes',
  'captureDelta',
  'presentDelta',
  'roundTripDelay',
  'stackLatency',
] as const;
const unsigned: ReadonlySet<string> = new Set([...headerFields, 'qp', 'bytes']);
const allFields = [...numberFields, 'inputs', 'extra'];
const numeric: ReadonlySet<string> = new Set(numberFields);

/** Frames by which a record may be late before the session is read in memory instead. */
export const JOIN_WINDOW_FRAMES = 7200;

/** Detects a frame log, as NDJSON or CSV, by its first lines. */
export function detectFrameLog(head: string): 'ndjson' | 'csv' | undefined {
  let settings = false;
  for (const line of head.split(/\r?\n/, 20)) {
    const text = line.replace(/^\uFEFF/, '').trim();
    if (text === '' || text.startsWith('#')) continue;
    if (!text.startsWith('{')) return isFrameLogHeader(text) ? 'csv' : settings ? 'ndjson' : undefined;
    if (/"frame"\s*:/.test(text.slice(0, 2000))) return 'ndjson';
    // A CSV table may follow a line of JSON settings.
    if (!settings && !/"(?:fps|width|height|targetBitrate)"\s*:/.test(text.slice(0, 2000))) return undefined;
    settings = true;
  }
  return settings ? 'ndjson' : undefined;
}

/**
 * Detects which side's timestamps a frame log contains. Inputs are made at the client, but either side may record which
 * frame contains them: they indicate the client only without any timestamps.
 */
export function detectSides(head: string): { readonly server: boolean; readonly client: boolean } {
  const text = head.replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n/, 400);
  const filled = detectFrameLog(text) === 'csv' ? filledColumns(lines) : undefined;
  const part = lines.join('\n');
  // Ignore fields without a value (null, empty cell, empty list).
  const hasField = (field: string): boolean =>
    filled ? filled.has(field.toLowerCase()) : new RegExp(`"${field}"\\s*:\\s*\\[?\\s*[-\\d]`).test(part);
  const server = serverStages.some(hasField);
  return { server, client: clientStages.some(hasField) || (!server && hasField('inputs')) };
}

/** Columns with a value in one of these lines. */
function filledColumns(lines: readonly string[]): ReadonlySet<string> {
  const at = lines.findIndex(isFrameLogHeader);
  const { delimiter } = detectDialect(lines[at] ?? '');
  const names = splitRow(lines[at] ?? '', delimiter).map((name) => name.trim().toLowerCase());
  const filled = new Set<string>();
  for (const line of lines.slice(at + 1)) {
    for (const [i, cell] of splitRow(line, delimiter).entries()) {
      if (names[i] !== undefined && parseNumber(cell.split(/[\s|;,[\]]+/).find(Boolean), false) !== undefined) {
        filled.add(names[i]);
      }
    }
  }
  return filled;
}

function isFrameLogHeader(line: string): boolean {
  const columns = splitRow(line, detectDialect(line).delimiter).map((name) => name.trim().replace(/^\uFEFF/, ''));
  const names = new Set(columns.map((name) => name.toLowerCase()));
  const stages = [...serverStages, ...clientStages].filter((stage) => names.has(stage.toLowerCase()));
  return names.has('frame') && (stages.length > 0 || names.has('inputs'));
}

/**
 * Reads a session from frame logs (NDJSON or CSV): one file, or the server's and the client's half joined by frame.
 *
 * @param options.window Frames by which records may be late; with Infinity everything is held in memory.
 */
export async function readFrameLog(
  paths: readonly string[],
  kinds: readonly ('ndjson' | 'csv')[],
  options: ReadOptions & { readonly window?: number } = {},
): Promise<SessionInput> {
  const notes = new Notes();
  const header: { -readonly [K in keyof FrameLogHeader]: FrameLogHeader[K] } = {};
  const seen = new Set<string>();
  const readers = paths.map((path, i) => {
    const reader = new FrameLogParser(path, notes, header, seen);
    return kinds[i] === 'csv' ? reader.csv(options.signal) : reader.ndjson(options.signal);
  });
  // The first batch brings the header, which must be known before the first record is emitted. One file after the other:
  // where two headers differ the first file's value is kept, whichever file the disk delivers first.
  const firsts: IteratorResult<readonly FrameRecord[], void>[] = [];
  for (const reader of readers) firsts.push(await reader.next());
  const derived: Record<string, string> = {};
  const missing: Record<string, string> = {};
  return {
    format: 'playbyplay',
    name: basename(paths[0]!),
    ...header,
    derived,
    missing,
    notes,
    async *records() {
      const join = new FrameJoin(paths.length, options.window ?? JOIN_WINDOW_FRAMES, notes);
      for (const [source, first] of firsts.entries()) {
        if (first.done) join.close(source);
        else for (const part of first.value) join.add(source, part);
      }
      for (let source = join.behind; source !== undefined; source = join.behind) {
        const { done, value } = await readers[source]!.next();
        if (done) join.close(source);
        else for (const part of value) join.add(source, part);
        const ready = join.take();
        if (ready.length > 0) yield ready;
      }
      const rest = join.take();
      if (rest.length > 0) yield rest;
      if (!join.any) {
        throw new PlaybyplayError('no-frames', `${paths.join(', ')} contain no frames`, { issues: notes.issues });
      }
      describe(seen, derived, missing);
    },
  };
}

/** Describes which components the fields provide. */
function describe(seen: ReadonlySet<string>, derived: Record<string, string>, missing: Record<string, string>): void {
  const need = (name: string, direct: string, fields: readonly string[], how: string): void => {
    const absent = fields.filter((field) => !seen.has(field));
    if (seen.has(direct) || absent.length === 0) derived[name] = how;
    else missing[name] = `no record has ${absent.join(', ')}`;
  };
  need('captureDelta', 'captureDelta', ['captured'], 'captured − captured of the frame before');
  need('presentDelta', 'presentDelta', ['presented'], 'presented − presented of the frame before');
  need(
    'roundTripDelay',
    'roundTripDelay',
    ['transmitted', 'returned', 'received', 'presented'],
    'returned − (transmitted + (presented − received))',
  );
  need('stackLatency', 'stackLatency', ['inputs', 'presented'], 'presented − earliest input');
}

/** Parses several inputs in a cell: `120.5 160`, `120.5|160`, `120.5;160`, `[120.5, 160]`. */
function parseInputs(cell: string, decimalComma: boolean): number[] {
  const list = cell.replace(/^\[(.*)\]$/s, '$1').trim();
  if (list === '') return [];
  return list.split(decimalComma ? /[\s|;]+/ : /[\s|;,]+/).map((input) => parseNumber(input, true) ?? Number.NaN);
}

/** Parses the lines of a frame log; faults go to `notes`, the settings of its header to `header`. */
export class FrameLogParser {
  readonly #path: string;
  readonly #notes: Notes;
  readonly #header: { -readonly [K in keyof FrameLogHeader]: FrameLogHeader[K] };
  readonly #seen: Set<string>;
  readonly #reportedUnknown = new Set<string>();

  constructor(path: string, notes: Notes, header: FrameLogHeader, seen: Set<string> = new Set()) {
    this.#path = path;
    this.#notes = notes;
    this.#header = header;
    this.#seen = seen;
  }

  async *ndjson(signal?: AbortSignal): AsyncGenerator<FrameRecord[]> {
    let line = 0;
    for await (const { lines } of readLines(this.#path, signal)) {
      const parts: FrameRecord[] = [];
      for (const text of lines) {
        line++;
        const part = this.line(line === 1 ? text.replace(/^\uFEFF/, '') : text, line);
        if (part) parts.push(part);
      }
      yield parts;
    }
  }

  /**
   * Parses a line of NDJSON.
   *
   * @param line Its number, for notes.
   * @returns Undefined for the header, an empty line, and one that is skipped with a note.
   */
  line(text: string, line: number): FrameRecord | undefined {
    if (text.trim() === '') return undefined;
    this.#notes.count('lines');
    const at = `${this.#path}:${line}`;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#reject('not-json', 'skipped a line that is not JSON', at);
      return undefined;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#reject('not-an-object', 'skipped a line that is not a JSON object', at);
      return undefined;
    }
    const fields = value as Record<string, unknown>;
    if (!('frame' in fields)) {
      if (headerFields.some((name) => name in fields)) this.#settings(fields, at);
      else this.#reject('no-frame', 'skipped a line without a frame number', at);
      return undefined;
    }
    return this.#record(fields, at);
  }

  /** Takes the header's settings; of two files the first value is kept. */
  #settings(fields: Record<string, unknown>, at: string): void {
    for (const name of headerFields) {
      const value = fields[name];
      if (value === undefined || value === null) continue;
      if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value)) {
        this.#notes.add('header-value', `ignored the header's ${name}: it is not a number above 0`, at);
      } else if (this.#header[name] === undefined) {
        this.#header[name] = value;
      } else if (this.#header[name] !== value) {
        this.#notes.add('header-differs', `two headers differ in ${name}; kept the first`, at);
      }
    }
  }

  #record(fields: Record<string, unknown>, at: string): FrameRecord | undefined {
    const { frame } = fields;
    if (typeof frame !== 'number' || !Number.isSafeInteger(frame)) {
      this.#reject('frame-number', 'skipped a record whose frame number is not an integer', at);
      return undefined;
    }
    for (const name in fields) {
      const value = fields[name];
      if (numeric.has(name)) {
        if (typeof value === 'number' && Number.isFinite(value) && (value >= 0 || !unsigned.has(name)))
          this.#seen.add(name);
        else this.#clear(fields, name, value, at);
      } else if (name === 'inputs') {
        this.#inputs(fields, value, at);
      } else if (name !== 'extra') {
        this.#unknown(name, at);
      }
    }
    return fields as unknown as FrameRecord;
  }

  /** Accepts a list of times or a single one; values that are not numbers are dropped. */
  #inputs(fields: Record<string, unknown>, value: unknown, at: string): void {
    const list: unknown[] = Array.isArray(value) ? value : typeof value === 'number' ? [value] : [];
    const times = list.filter((input) => typeof input === 'number' && Number.isFinite(input));
    if ((!Array.isArray(value) && typeof value !== 'number') || times.length < list.length)
      this.#clear(fields, 'inputs', value, at);
    if (times.length > 0) this.#seen.add('inputs');
    fields['inputs'] = times;
  }

  #clear(fields: Record<string, unknown>, name: string, value: unknown, at: string): void {
    fields[name] = undefined;
    if (value === null || value === undefined) return;
    this.#notes.count('badValues');
    const wanted = name === 'inputs' ? 'a list of numbers' : unsigned.has(name) ? 'a number of at least 0' : 'a number';
    this.#notes.add('not-a-number', `${name} is not ${wanted}; treated as missing`, at);
  }

  #unknown(name: string, at: string): void {
    if (this.#reportedUnknown.has(name) || this.#reportedUnknown.size > 100) return;
    this.#reportedUnknown.add(name);
    const hint = suggestSpelling(name, allFields);
    if (hint !== undefined) this.#notes.add('unknown-field', `ignored unknown field "${name}"`, at, hint);
  }

  #reject(code: string, message: string, at: string): void {
    this.#notes.count('malformed');
    this.#notes.add(code, message, at);
  }

  async *csv(signal?: AbortSignal): AsyncGenerator<FrameRecord[]> {
    let checked = false;
    const onOther = (line: string): void => {
      const text = line.replace(/^\uFEFF/, '').replace(/^[#/\s]+/, '');
      if (text.startsWith('{')) {
        try {
          this.#settings(JSON.parse(text) as Record<string, unknown>, this.#path);
        } catch {
          this.#reject('not-json', 'skipped a header comment that is not JSON', this.#path);
        }
      } else {
        const pairs = [...text.matchAll(/(\w+)\s*[=:]\s*([\d.]+)/g)].map(([, key, value]) => [key, Number(value)]);
        this.#settings(Object.fromEntries(pairs) as Record<string, unknown>, this.#path);
      }
    };
    for await (const { columns, rows } of readRows(this.#path, {
      isHeader: isFrameLogHeader,
      notes: this.#notes,
      onOther,
      signal,
    })) {
      if (!checked) noteMisspelledColumns(columns, allFields, this.#path, this.#notes);
      checked = true;
      const parts: FrameRecord[] = [];
      for (const row of rows) {
        const part = this.#row(row);
        if (part) parts.push(part);
      }
      yield parts;
    }
  }

  #row(row: Row): FrameRecord | undefined {
    const at = `${this.#path}:${row.line}`;
    const fields: Record<string, unknown> = {};
    for (const name of numberFields) {
      const value = row.number(name);
      if (value !== undefined) fields[name] = value;
    }
    const inputs = row.text('inputs');
    if (inputs) {
      fields['inputs'] = parseInputs(inputs, row.decimalComma);
    }
    if (!('frame' in fields)) {
      this.#reject('no-frame', 'skipped a row without a frame number', at);
      return undefined;
    }
    return this.#record(fields, at);
  }
}
