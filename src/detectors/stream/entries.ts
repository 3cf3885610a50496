import { PlaybyplayError } from '../../errors.ts';
import type { StreamEntry } from '../kind.ts';
import { refusalOf } from './foreign.ts';
import { readLines, readPulses } from './lines.ts';
import { readCues, readStyled } from './subtitles.ts';
import { type Fields, readWorkout } from './workout.ts';

/** What a file beside a recording tells, in order of time on its own clock, and how many of its records could not be read. */
export interface StreamFile {
  readonly entries: readonly StreamEntry[];
  readonly skipped: number;
}

/** What can be read, for messages. */
const SUPPORTED =
  'read are subtitles (SRT, WebVTT, ASS), JSON (a list, or an object a line), tables with a header line (CSV, TSV), TCX, GPX, Apple Health (XML), chats with a time before each line, and intervals between heartbeats; a field or column called t, time or timestamp tells the time';

/**
 * Reads subtitles (SRT, WebVTT, ASS), events as JSON (a list, or one object a line), a table (CSV with a header line), a workout (TCX,
 * GPX, Apple Health), a chat with times before its lines, or heartbeats. Times are seconds unless their name says otherwise (`time_ms`, `t (ms)`);
 * clock times (`00:01:02.5`), dates and counts since 1970 are taken from the first record on. Throws PlaybyplayError `bad-stream` where nothing tells a time.
 */
export function readStream(content: string, name: string): StreamFile {
  const text = content.replace(/^\uFEFF/, '');
  const refused = refusalOf(text);
  if (refused)
    throw new PlaybyplayError('bad-stream', `${name} is ${refused.what}`, { hint: `${refused.instead}; ${SUPPORTED}` });
  const raw = recordsOf(text);
  const entries = raw.entries.filter(({ t }) => Number.isFinite(t)).toSorted((a, b) => a.t - b.t);
  const skipped = raw.skipped + raw.entries.length - entries.length;
  if (entries.length === 0)
    throw new PlaybyplayError('bad-stream', `${name} holds no record with a time`, { hint: SUPPORTED });
  // Seconds since 1970 are counted from the first record: where that lies in the recording is for the alignment to say.
  const start = entries[0]!.t >= 1e8 ? entries[0]!.t : 0;
  if (start === 0) return { entries, skipped };
  const shifted = entries.map((one) => ({
    ...one,
    t: one.t - start,
    ...(one.end !== undefined && { end: one.end - start }),
  }));
  return { entries: shifted, skipped };
}

function recordsOf(text: string): StreamFile {
  const start = text.trimStart();
  if (/^[[{]/.test(start)) {
    const styled = readStyled(text);
    if (styled) return styled;
    // A chat's lines may begin with a bracket, too.
    const records = fromRecords(text);
    return records.entries.some(({ t }) => Number.isFinite(t)) ? records : (readLines(text) ?? records);
  }
  if (start.startsWith('<')) {
    const { records, skipped } = readWorkout(text);
    return { entries: records.map(entryOf), skipped };
  }
  if (text.includes('-->')) return readCues(text);
  const table = fromRecords(text);
  if (table.entries.some(({ t }) => Number.isFinite(t))) return table;
  return readStyled(text) ?? readLines(text) ?? readPulses(text) ?? table;
}

function fromRecords(text: string): StreamFile {
  const { records, skipped } = /^\s*[[{]/.test(text) ? jsonRecords(text) : tableRecords(text);
  return { entries: records.map(entryOf), skipped };
}

const timeName = /^(?:t|time|timestamp|ts|seconds?|secs?|elapsed|start|begin|at|date|datetime)$/;
/** Names that count before others: seconds of the recording itself, as exports of chats have them. */
const ranks = [/^(?:content_)?offset_seconds$/i, /^time_in_seconds$/i];
const units: Readonly<Record<string, number>> = { ms: 1e-3, millis: 1e-3, milliseconds: 1e-3, us: 1e-6, ns: 1e-9 };

/** `Time (ms)`, `time_ms`, `HR [bpm]`: the bare name in lower case, and the seconds that one of its units is. */
function nameOf(column: string): { readonly name: string; readonly unit: number } {
  const parts = column
    .trim()
    .toLowerCase()
    .split(/[\s_.()[\]/]+/)
    .filter((part) => part !== '');
  const unit = units[parts.at(-1) ?? ''];
  return { name: parts[0] ?? '', unit: parts.length > 1 && unit !== undefined ? unit : 1 };
}

function entryOf(fields: Fields): StreamEntry {
  let t = Number.NaN;
  let best = ranks.length;
  let end: number | undefined;
  let duration: number | undefined;
  for (const [column, value] of Object.entries(fields)) {
    const { name, unit } = nameOf(column);
    const rank = ranks.findIndex((one) => one.test(column.trim()));
    const told = timeName.test(name) || rank >= 0;
    if (told && (Number.isNaN(t) || (rank >= 0 && rank < best))) {
      t = secondsOf(value, unit);
      best = rank >= 0 ? rank : best;
    }
    if (told) continue;
    if (name === 'end' || name === 'stop') end = secondsOf(value, unit);
    else if (name === 'duration') duration = secondsOf(value, unit);
  }
  end ??= duration === undefined ? undefined : t + duration;
  return { t, ...(end !== undefined && end > t && { end }), fields };
}

function secondsOf(value: string | number, unit: number): number {
  const number = typeof value === 'number' ? value : Number(value.trim() === '' ? Number.NaN : value.replace(',', '.'));
  if (Number.isFinite(number)) return unit === 1 ? sinceThen(number) : number * unit;
  const clock = /^(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(String(value).trim());
  if (clock) return 3600 * Number(clock[1] ?? 0) + 60 * Number(clock[2]) + Number(clock[3]!.replace(',', '.'));
  // A date without a zone is taken as UTC: the log must not depend on where it is made.
  const date = String(value)
    .trim()
    .replace(/^(\d{1,2})\.(\d{1,2})\.(\d{4})\b/, (_, day: string, month: string, year: string) =>
      [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    )
    .replace(/,(?=\d+$)/, '.')
    .replace(' ', 'T')
    .replace(/ (?=[+-]\d\d:?\d\d$|Z$)/i, '');
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(date) || !date.includes('T') ? date : `${date}Z`) / 1000;
}

/** Counts since 1970 may be of milliseconds or microseconds. */
function sinceThen(number: number): number {
  return number > 1e14 ? number / 1e6 : number > 1e11 ? number / 1000 : number;
}

function jsonRecords(text: string): { records: Fields[]; skipped: number } {
  const whole = parsed(text);
  const list = Array.isArray(whole) ? whole : listOf(whole);
  const values: unknown[] = Array.isArray(list)
    ? list
    : text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map(parsed);
  const records = values.map(scalarsOf).filter((one) => one !== undefined);
  return { records, skipped: values.length - records.length };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Of the lists in an object, at most two levels down, the longest of objects. */
function listOf(value: unknown, depth = 0): readonly unknown[] | undefined {
  const lists = Object.values(objectOf(value) ?? {}).flatMap((one) => {
    const list = Array.isArray(one) ? (one as unknown[]) : depth < 1 ? listOf(one, depth + 1) : undefined;
    return list?.some((item) => objectOf(item)) ? [list] : [];
  });
  return lists.toSorted((a, b) => b.length - a.length)[0];
}

/** Numbers and texts of an object and of those in it, as `message.body`. */
function scalarsOf(value: unknown): Fields | undefined {
  const object = objectOf(value);
  if (!object || Array.isArray(value)) return undefined;
  const fields: Fields = {};
  const add = (one: Readonly<Record<string, unknown>>, before: string, depth: number): void => {
    for (const [key, inner] of Object.entries(one)) {
      if (typeof inner === 'boolean') fields[before + key] = Number(inner);
      else if (typeof inner === 'string' || typeof inner === 'number') fields[before + key] = inner;
      else if (depth < 2 && !Array.isArray(inner)) add(objectOf(inner) ?? {}, `${before}${key}.`, depth + 1);
    }
  };
  add(object, '', 0);
  return fields;
}

/** The last line that names a time and holds no number is the header; what stands above it (a device's own lines, another header) is passed over. */
function tableRecords(text: string): { records: Fields[]; skipped: number } {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const head = lines.slice(0, HEADERS).findLastIndex((line) => {
    const row = cells(line, delimiterOf(line));
    return (
      row.some((cell) => timeName.test(nameOf(cell).name)) && !row.some((cell) => /^-?\d+(?:[.,:]\d+)*$/.test(cell))
    );
  });
  if (head < 0) return { records: [], skipped: lines.length };
  const delimiter = delimiterOf(lines[head]!);
  const columns = cells(lines[head]!, delimiter);
  const records = lines.slice(head + 1).map((line) => {
    const row = cells(line, delimiter);
    return Object.fromEntries(columns.map((column, i) => [column, row[i] ?? '']).filter(([, cell]) => cell !== ''));
  });
  return { records: records as Fields[], skipped: 0 };
}

/** Lines within which a table's header stands. */
const HEADERS = 40;

function delimiterOf(line: string): string {
  return [';', '\t'].find((one) => line.split(one).length > line.split(',').length) ?? ',';
}

function cells(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const pattern = new RegExp(`(?:^|${delimiter})\\s*(?:"((?:[^"]|"")*)"|([^${delimiter}]*))`, 'g');
  return [...line.matchAll(pattern)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '');
}

/** A field of an entry by its name, whatever its case and unit: `hr` finds `HR (bpm)`. */
export function fieldOf({ fields }: StreamEntry, ...names: readonly string[]): string | number | undefined {
  for (const wanted of names) {
    for (const [column, value] of Object.entries(fields)) {
      if (column.toLowerCase() === wanted.toLowerCase() || nameOf(column).name === wanted.toLowerCase()) return value;
    }
  }
  return undefined;
}
