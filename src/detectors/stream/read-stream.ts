import { splitRow } from '../../csv.ts';
import type { StreamEntry } from '../kind.ts';
import { PlaybyplayError } from '../../errors.ts';

/** A known format that is not supported, and what to do instead. */
interface UnsupportedFormat {
  readonly what: string;
  readonly instead: string;
}

/** The root element of XML, after declarations and comments. Each alternative matches in one way only, so that a failing search ends soon. */
const ROOT =
  /^\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[^])*-->\s*|<!DOCTYPE[^[>]*(?:\[(?:(?!\]\s*>)[^])*\])?\s*>\s*)*<([\w:]+)/;

/** Recognises formats that are not supported; returns undefined for anything that may be text. */
function findUnsupported(text: string): UnsupportedFormat | undefined {
  if (text.slice(8, 12) === '.FIT')
    return {
      what: 'a FIT file, which is not supported',
      instead: 'export the activity as TCX, GPX or CSV instead (Garmin Connect: "Export to TCX")',
    };
  if (text.startsWith('PK'))
    return { what: 'a packed file (ZIP, or a spreadsheet)', instead: 'unpack it, or save the sheet as CSV' };
  if (text.startsWith('\u001F')) return { what: 'a packed file (gzip)', instead: 'unpack it with gunzip' };
  if (text.startsWith('SQLite format')) return { what: 'a database (SQLite)', instead: 'export the table as CSV' };
  if (text.slice(0, 4096).includes('\0'))
    return /^(?:\uFFFD{2}|\0)/.test(text) || text[1] === '\0'
      ? { what: 'text in UTF-16, or no text at all', instead: 'save it as UTF-8' }
      : { what: 'no text', instead: 'a second recording is given with --media' };
  const root = ROOT.exec(text.slice(0, 200_000))?.[1];
  if (root !== undefined && !/^(?:\w+:)?(?:TrainingCenterDatabase|gpx|HealthData)$/i.test(root))
    return { what: `XML of another kind (<${root}>)`, instead: 'export it as TCX, GPX, CSV or JSON' };
  return undefined;
}

const TIMED_LINE =
  /^\s*[[(]?((?:\d+:)?\d{1,2}:\d\d(?:[.,]\d+)?)[\])]?\s+(?:-\s+)?(?:<?([^\s:<>][^:<>]{0,40})[:>]\s+)?(\S.*)$/;
/** Minimum share of lines that begin with a time. */
const MIN_TIMED_SHARE = 0.5;

/** Reads lines that begin with a time, as in chat exports: `[0:12:31] name: message`. Returns undefined if most do not. */
function readTimedLines(text: string): { readonly entries: StreamEntry[]; readonly skipped: number } | undefined {
  const lines = text.split(/\r?\n/).filter((one) => one.trim() !== '');
  const entries = lines.flatMap((one): StreamEntry[] => {
    const [, clock, name, message] = TIMED_LINE.exec(one) ?? [];
    if (clock === undefined || message === undefined) return [];
    const t = clock
      .replace(',', '.')
      .split(':')
      .reduce((sum, part) => 60 * sum + Number(part), 0);
    return [{ t, fields: { text: message.trim(), ...(name !== undefined && { user: name.trim() }) } }];
  });
  if (entries.length === 0 || entries.length < MIN_TIMED_SHARE * lines.length) return undefined;
  return { entries, skipped: lines.length - entries.length };
}

/** Numbers count as intervals between heartbeats if there are enough of them, all in this range. */
const MIN_INTERVALS = 10;
const MIN_INTERVAL_MS = 250;
const MAX_INTERVAL_MS = 2500;

/** Reads intervals between heartbeats, one number of milliseconds per line (HRV exports), as a heart rate at every beat. */
function readHeartbeats(text: string): { readonly entries: StreamEntry[]; readonly skipped: number } | undefined {
  const lines = text.split(/\r?\n/).filter((one) => one.trim() !== '');
  const intervals = lines.map(Number);
  if (intervals.length < MIN_INTERVALS || !intervals.every((one) => one >= MIN_INTERVAL_MS && one <= MAX_INTERVAL_MS))
    return undefined;
  let t = 0;
  const entries = intervals.map((interval) => {
    t += interval / 1000;
    return { t, fields: { rr: interval, hr: Math.round(600_000 / interval) / 10 } };
  });
  return { entries, skipped: 0 };
}

const TIME_LINE = /^\s*((?:\d+:)?\d+:\d+[.,]\d+)\s*-->\s*((?:\d+:)?\d+:\d+[.,]\d+)/;

/** Reads SRT or WebVTT: each cue is a time line and the lines up to the next empty one. Tags, notes and styles are dropped. */
function readSubtitles(text: string): { readonly entries: readonly StreamEntry[]; readonly skipped: number } {
  const entries: StreamEntry[] = [];
  let skipped = 0;
  for (const block of text.split(/\r?\n[ \t]*\r?\n/)) {
    const lines = block.split(/\r?\n/);
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) continue;
    const times = TIME_LINE.exec(lines[at]!);
    const words = lines
      .slice(at + 1)
      .join(' ')
      .replaceAll(/<[^<>]*>|\{\\[^{}]*\}/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (!times || words === '') {
      skipped++;
      continue;
    }
    const [t, end] = [parseClock(times[1]!), parseClock(times[2]!)];
    entries.push({ t, ...(end > t && { end }), fields: { text: words } });
  }
  return { entries, skipped };
}

/** Reads the dialogue of ASS or SSA without styles, drawings and line breaks. Returns undefined for other files. */
function readStyledSubtitles(
  text: string,
): { readonly entries: readonly StreamEntry[]; readonly skipped: number } | undefined {
  if (!/^[ \t]*\[(?:Script Info|Events)\]/im.test(text)) return undefined;
  const entries: StreamEntry[] = [];
  let skipped = 0;
  let columns = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text'];
  let isInEvents = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) isInEvents = /^\s*\[Events\]/i.test(line);
    const [, kind, rest] = /^\s*(Format|Dialogue)\s*:\s*(.*)$/i.exec(isInEvents ? line : '') ?? [];
    if (kind === undefined || rest === undefined) continue;
    if (kind.toLowerCase() === 'format') {
      columns = rest.split(',').map((column) => column.trim().toLowerCase());
      continue;
    }
    const parts = rest.split(',');
    // The last column is the text, which may contain commas.
    const row = [...parts.slice(0, columns.length - 1), parts.slice(columns.length - 1).join(',')];
    const cell = (name: string): string => row[columns.indexOf(name)]?.trim() ?? '';
    const words = /\{[^{}]*\\p[1-9]/.test(cell('text'))
      ? ''
      : cell('text')
          .replaceAll(/\{[^{}]*\}/g, '')
          .replaceAll(/\\[Nnh]/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim();
    const [t, end] = [parseClock(cell('start')), parseClock(cell('end'))];
    if (words === '' || !Number.isFinite(t)) {
      skipped++;
      continue;
    }
    const name = cell('name');
    entries.push({ t, ...(end > t && { end }), fields: { text: words, ...(name !== '' && { speaker: name }) } });
  }
  return { entries, skipped };
}

function parseClock(clock: string): number {
  return clock
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
}

/** Columns or fields of a record. */
type Fields = Record<string, string | number>;

/** Reads a workout: the track points of TCX and GPX, or the measurements of Apple Health. */
function readWorkout(text: string): { readonly records: Fields[]; readonly skipped: number } {
  const points = splitTrackPoints(text);
  if (points.length > 0) return { records: points.map(parseTrackPoint), skipped: 0 };
  const records = [...text.matchAll(/<Record\b([^<>]*)>/g)].flatMap(([, attributes]) => parseHealthRecord(attributes!));
  return { records, skipped: 0 };
}

/** Returns the content of each track point in linear time, whatever the file contains. */
function splitTrackPoints(text: string): string[] {
  const parts = text.split(/<\/(?:\w+:)?(?:Trackpoint|trkpt)\s*>/);
  return parts.slice(0, -1).flatMap((part) => {
    const begin = [...part.matchAll(/<(?:\w+:)?(?:Trackpoint|trkpt)\b[^<>]*>/g)].at(-1);
    return begin ? [part.slice(begin.index + begin[0].length)] : [];
  });
}

/** Reads the elements of a track point by their names, the heart rate as `hr`. */
function parseTrackPoint(inner: string): Fields {
  const flat = inner.replaceAll(
    /<(?:\w+:)?HeartRateBpm\b[^<>]*>\s*<(?:\w+:)?Value>([^<]*)<\/(?:\w+:)?Value>\s*<\/(?:\w+:)?HeartRateBpm>/g,
    '<hr>$1</hr>',
  );
  return Object.fromEntries(
    [...flat.matchAll(/<(?:\w+:)?(\w+)\b[^<>]*>([^<]+)<\//g)].map(([, name, value]) => [
      name!.toLowerCase(),
      value!.trim(),
    ]),
  );
}

/** Reads a measurement: `HKQuantityTypeIdentifierHeartRate` as `hr`, others by their name (`RespiratoryRate`). */
function parseHealthRecord(attributes: string): Fields[] {
  const given = Object.fromEntries(
    [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  const { type = '', startDate, endDate, value } = given;
  if (startDate === undefined || value === undefined) return [];
  const name = type.replace(/^HK\w*?TypeIdentifier/, '');
  return [
    { time: startDate, ...(endDate !== undefined && { end: endDate }), [name === 'HeartRate' ? 'hr' : name]: value },
  ];
}

/** The records of a file that accompanies a recording, ascending in time on the file's own clock. */
interface StreamFile {
  readonly entries: readonly StreamEntry[];
  /** Number of records that could not be read. */
  readonly skipped: number;
}

/** Line feeds, or beginnings of objects and elements, in a file: a record takes about 250 bytes of memory. */
const MAX_RECORDS = 4_000_000;

/** @throws PlaybyplayError `bad-stream` if a file has so many records that they would not fit into memory. */
function checkLength(text: string, name: string): void {
  const mark = { '{': '{', '[': '{', '<': '<' }[text.trimStart()[0] ?? ''] ?? '\n';
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= MAX_RECORDS; at = text.indexOf(mark, at + 1)) count++;
  if (count > MAX_RECORDS)
    throw new PlaybyplayError('bad-stream', `${name} has more than ${MAX_RECORDS} records`, {
      hint: 'Cut it to the time of the recording.',
    });
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
  checkLength(text, name);
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
    const row = splitCells(line, delimiter, columns.length);
    return Object.fromEntries(columns.map((column, i) => [column, row[i] ?? '']).filter(([, cell]) => cell !== ''));
  });
  return { records: records as Fields[], skipped: 0 };
}

/** The header of a table is searched for in this many lines. */
const MAX_HEADER_LINES = 40;

function delimiterOf(line: string): string {
  return [';', '\t'].find((one) => line.split(one).length > line.split(',').length) ?? ',';
}

function splitCells(line: string, delimiter: string, maxCells?: number): string[] {
  return splitRow(line, delimiter, maxCells).map((cell) => cell.trim());
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
