import { PlaybyplayError } from '../../errors.ts';
import type { StreamEntry } from '../kind.ts';
import { findUnsupported } from './unsupported.ts';
import { readHeartbeats, readTimedLines } from './timed-lines.ts';
import { readSubtitles, readStyledSubtitles } from './subtitles.ts';
import { type Fields, readWorkout } from './workout.ts';

/** The records of a file that accompanies a recording, ascending in time on the file's own clock. */
export interface StreamFile {
  readonly entries: readonly StreamEntry[];
  /** Number of records that could not be read. */
  readonly skipped: number;
}

/** The supported formats, for messages. */
const SUPPORTED =
  'supported are subtitles (SRT, WebVTT, ASS), JSON (a list, or one object per line), tables with a header line (CSV, TSV), TCX, GPX, Apple Health (XML), chats with a time before each line, and intervals between heartbeats; name the field or column of the time t, time or timestamp';

/**
 * Parses a file that accompanies a recording: subtitles (SRT, WebVTT, ASS), JSON (a list, or one object per line), a table with a header
 * line, a workout (TCX, GPX, Apple Health), a chat with times before its lines, or intervals between heartbeats.
 *
 * Times are in seconds unless their name has another unit (`time_ms`, `t (ms)`). Dates and Unix times count from the first record.
 *
 * @param name The file's name, for messages.
 * @throws PlaybyplayError `bad-stream` if the format is not supported or no record has a time.
 */
export function readStream(content: string, name: string): StreamFile {
  const text = content.replace(/^\uFEFF/, '');
  const unsupported = findUnsupported(text);
  if (unsupported)
    throw new PlaybyplayError('bad-stream', `${name} is ${unsupported.what}`, {
      hint: `${unsupported.instead}; ${SUPPORTED}`,
    });
  const raw = parseRecords(text);
  const entries = raw.entries.filter(({ t }) => Number.isFinite(t)).toSorted((a, b) => a.t - b.t);
  const skipped = raw.skipped + raw.entries.length - entries.length;
  if (entries.length === 0)
    throw new PlaybyplayError('bad-stream', `${name} has no record with a time`, { hint: SUPPORTED });
  // Unix times count from the first record; alignment finds its place in the recording.
  const start = entries[0]!.t >= 1e8 ? entries[0]!.t : 0;
  if (start === 0) return { entries, skipped };
  const shifted = entries.map((one) => ({
    ...one,
    t: one.t - start,
    ...(one.end !== undefined && { end: one.end - start }),
  }));
  return { entries: shifted, skipped };
}

function parseRecords(text: string): StreamFile {
  const start = text.trimStart();
  if (/^[[{]/.test(start)) {
    const styled = readStyledSubtitles(text);
    if (styled) return styled;
    // The lines of a chat may begin with a bracket, too.
    const records = parseEntries(text);
    return records.entries.some(({ t }) => Number.isFinite(t)) ? records : (readTimedLines(text) ?? records);
  }
  if (start.startsWith('<')) {
    const { records, skipped } = readWorkout(text);
    return { entries: records.map(toEntry), skipped };
  }
  if (text.includes('-->')) return readSubtitles(text);
  const table = parseEntries(text);
  if (table.entries.some(({ t }) => Number.isFinite(t))) return table;
  return readStyledSubtitles(text) ?? readTimedLines(text) ?? readHeartbeats(text) ?? table;
}

function parseEntries(text: string): StreamFile {
  const { records, skipped } = /^\s*[[{]/.test(text) ? jsonRecords(text) : tableRecords(text);
  return { entries: records.map(toEntry), skipped };
}

const TIME_NAME = /^(?:t|time|timestamp|ts|seconds?|secs?|elapsed|start|begin|at|date|datetime)$/;
/** Names of times in seconds of the recording itself (in chat exports); they take precedence, in this order. */
const PREFERRED_TIME_NAMES = [/^(?:content_)?offset_seconds$/i, /^time_in_seconds$/i];
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ms: 1e-3,
  millis: 1e-3,
  milliseconds: 1e-3,
  us: 1e-6,
  ns: 1e-9,
};

/** Splits `Time (ms)`, `time_ms` or `HR [bpm]` into the bare name in lower case and its unit in seconds. */
function parseColumn(column: string): { readonly name: string; readonly unit: number } {
  const parts = column
    .trim()
    .toLowerCase()
    .split(/[\s_.()[\]/]+/)
    .filter((part) => part !== '');
  const unit = UNIT_SECONDS[parts.at(-1) ?? ''];
  return { name: parts[0] ?? '', unit: parts.length > 1 && unit !== undefined ? unit : 1 };
}

function toEntry(fields: Fields): StreamEntry {
  let t = Number.NaN;
  let best = PREFERRED_TIME_NAMES.length;
  let end: number | undefined;
  let duration: number | undefined;
  for (const [column, value] of Object.entries(fields)) {
    const { name, unit } = parseColumn(column);
    const rank = PREFERRED_TIME_NAMES.findIndex((one) => one.test(column.trim()));
    const isTime = TIME_NAME.test(name) || rank >= 0;
    if (isTime && (Number.isNaN(t) || (rank >= 0 && rank < best))) {
      t = parseSeconds(value, unit);
      best = rank >= 0 ? rank : best;
    }
    if (isTime) continue;
    if (name === 'end' || name === 'stop') end = parseSeconds(value, unit);
    else if (name === 'duration') duration = parseSeconds(value, unit);
  }
  end ??= duration === undefined ? undefined : t + duration;
  return { t, ...(end !== undefined && end > t && { end }), fields };
}

function parseSeconds(value: string | number, unit: number): number {
  const number = typeof value === 'number' ? value : Number(value.trim() === '' ? Number.NaN : value.replace(',', '.'));
  if (Number.isFinite(number)) return unit === 1 ? toUnixSeconds(number) : number * unit;
  const clock = /^(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(String(value).trim());
  if (clock) return 3600 * Number(clock[1] ?? 0) + 60 * Number(clock[2]) + Number(clock[3]!.replace(',', '.'));
  // A date without a zone is UTC: the log must not depend on the machine's zone.
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

/** Unix times may be in milliseconds or microseconds. */
function toUnixSeconds(number: number): number {
  return number > 1e14 ? number / 1e6 : number > 1e11 ? number / 1000 : number;
}

function jsonRecords(text: string): { records: Fields[]; skipped: number } {
  const whole = parseJson(text);
  const list = Array.isArray(whole) ? whole : findList(whole);
  const values: unknown[] = Array.isArray(list)
    ? list
    : text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map(parseJson);
  const records = values.map(flattenScalars).filter((one) => one !== undefined);
  return { records, skipped: values.length - records.length };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Finds the longest list of objects in an object, at most two levels deep. */
function findList(value: unknown, depth = 0): readonly unknown[] | undefined {
  const lists = Object.values(asObject(value) ?? {}).flatMap((one) => {
    const list = Array.isArray(one) ? (one as unknown[]) : depth < 1 ? findList(one, depth + 1) : undefined;
    return list?.some((item) => asObject(item)) ? [list] : [];
  });
  return lists.toSorted((a, b) => b.length - a.length)[0];
}

/** Flattens the numbers, strings and booleans of an object and its nested objects, with names such as `message.body`. */
function flattenScalars(value: unknown): Fields | undefined {
  const object = asObject(value);
  if (!object || Array.isArray(value)) return undefined;
  const fields: Fields = {};
  const add = (one: Readonly<Record<string, unknown>>, before: string, depth: number): void => {
    for (const [key, inner] of Object.entries(one)) {
      if (typeof inner === 'boolean') fields[before + key] = Number(inner);
      else if (typeof inner === 'string' || typeof inner === 'number') fields[before + key] = inner;
      else if (depth < 2 && !Array.isArray(inner)) add(asObject(inner) ?? {}, `${before}${key}.`, depth + 1);
    }
  };
  add(object, '', 0);
  return fields;
}

/** Parses a table. Its header is the last of the first lines that names a time and has no number; lines above it are ignored. */
function tableRecords(text: string): { records: Fields[]; skipped: number } {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const head = lines.slice(0, MAX_HEADER_LINES).findLastIndex((line) => {
    const row = splitCells(line, delimiterOf(line));
    return (
      row.some((cell) => TIME_NAME.test(parseColumn(cell).name)) &&
      !row.some((cell) => /^-?\d+(?:[.,:]\d+)*$/.test(cell))
    );
  });
  if (head < 0) return { records: [], skipped: lines.length };
  const delimiter = delimiterOf(lines[head]!);
  const columns = splitCells(lines[head]!, delimiter);
  const records = lines.slice(head + 1).map((line) => {
    const row = splitCells(line, delimiter);
    return Object.fromEntries(columns.map((column, i) => [column, row[i] ?? '']).filter(([, cell]) => cell !== ''));
  });
  return { records: records as Fields[], skipped: 0 };
}

/** The header of a table is searched for in this many lines. */
const MAX_HEADER_LINES = 40;

function delimiterOf(line: string): string {
  return [';', '\t'].find((one) => line.split(one).length > line.split(',').length) ?? ',';
}

function splitCells(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const pattern = new RegExp(`(?:^|${delimiter})\\s*(?:"((?:[^"]|"")*)"|([^${delimiter}]*))`, 'g');
  return [...line.matchAll(pattern)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '');
}

/** Finds a field by the first matching name, ignoring case and unit: `hr` finds `HR (bpm)`. */
export function findField({ fields }: StreamEntry, ...names: readonly string[]): string | number | undefined {
  for (const wanted of names) {
    for (const [column, value] of Object.entries(fields)) {
      if (column.toLowerCase() === wanted.toLowerCase() || parseColumn(column).name === wanted.toLowerCase())
        return value;
    }
  }
  return undefined;
}
