import { PlaybyplayError } from '../../errors.ts';
import type { StreamEntry } from '../kind.ts';
import { readCues } from './subtitles.ts';

/** What a file beside a recording tells, in order of time on its own clock, and how many of its records could not be read. */
export interface StreamFile {
  readonly entries: readonly StreamEntry[];
  readonly skipped: number;
}

type Fields = Record<string, string | number>;

/**
 * Reads subtitles (SRT, WebVTT), events as JSON (a list, or one object a line) or a table (CSV with a header line). Times
 * are seconds unless their name says otherwise (`time_ms`, `t (ms)`); clock times (`00:01:02.5`), dates and counts since
 * 1970 are taken from the first record on. Throws PlaybyplayError `bad-stream` where nothing tells a time.
 */
export function readStream(content: string, name: string): StreamFile {
  const text = content.replace(/^\uFEFF/, '');
  const raw = text.includes('-->') && !text.trimStart().startsWith('{') ? readCues(text) : fromRecords(text);
  const entries = raw.entries.filter(({ t }) => Number.isFinite(t)).toSorted((a, b) => a.t - b.t);
  const skipped = raw.skipped + raw.entries.length - entries.length;
  if (entries.length === 0) {
    throw new PlaybyplayError('bad-stream', `${name} holds no record with a time`, {
      hint: 'subtitles (SRT, VTT), JSON lines or CSV; a field or column called t, time or timestamp tells the time',
    });
  }
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

function fromRecords(text: string): StreamFile {
  const { records, skipped } = /^\s*[[{]/.test(text) ? jsonRecords(text) : tableRecords(text);
  return { entries: records.map(entryOf), skipped };
}

const timeName = /^(?:t|time|timestamp|ts|seconds?|secs?|elapsed|start|begin|at|date|datetime)$/;
const units: Readonly<Record<string, number>> = { ms: 1e-3, millis: 1e-3, milliseconds: 1e-3, us: 1e-6, ns: 1e-9 };

/** `Time (ms)`, `time_ms`, `HR [bpm]`: the bare name in lower case, and the seconds that one of its units is. */
function nameOf(column: string): { readonly name: string; readonly unit: number } {
  const parts = column
    .trim()
    .toLowerCase()
    .split(/[\s_()[\]/]+/)
    .filter((part) => part !== '');
  const unit = units[parts.at(-1) ?? ''];
  return { name: parts[0] ?? '', unit: parts.length > 1 && unit !== undefined ? unit : 1 };
}

function entryOf(fields: Fields): StreamEntry {
  let t = Number.NaN;
  let end: number | undefined;
  let duration: number | undefined;
  for (const [column, value] of Object.entries(fields)) {
    const { name, unit } = nameOf(column);
    if (timeName.test(name) && Number.isNaN(t)) t = secondsOf(value, unit);
    else if (name === 'end' || name === 'stop') end = secondsOf(value, unit);
    else if (name === 'duration') duration = secondsOf(value, unit);
  }
  end ??= duration === undefined ? undefined : t + duration;
  return { t, ...(end !== undefined && end > t && { end }), fields };
}

function secondsOf(value: string | number, unit: number): number {
  const number = typeof value === 'number' ? value : Number(value.trim() === '' ? Number.NaN : value.replace(',', '.'));
  if (Number.isFinite(number)) return number > 1e11 && unit === 1 ? number / 1000 : number * unit;
  const clock = /^(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(String(value).trim());
  if (clock) return 3600 * Number(clock[1] ?? 0) + 60 * Number(clock[2]) + Number(clock[3]!.replace(',', '.'));
  // A date without a zone is taken as UTC: the log must not depend on where it is made.
  const date = String(value).trim().replace(' ', 'T');
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(date) || !date.includes('T') ? date : `${date}Z`) / 1000;
}

function jsonRecords(text: string): { records: Fields[]; skipped: number } {
  const whole = parsed(text);
  const list = Array.isArray(whole) ? whole : Object.values(objectOf(whole) ?? {}).find((one) => Array.isArray(one));
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

function scalarsOf(value: unknown): Fields | undefined {
  const object = objectOf(value);
  if (!object) return undefined;
  const scalars = Object.entries(object).map(([key, one]) => [key, typeof one === 'boolean' ? Number(one) : one]);
  return Object.fromEntries(scalars.filter(([, one]) => ['string', 'number'].includes(typeof one))) as Fields;
}

/** The first line that names a time is the header; what stands above it (a device's own lines) is passed over. */
function tableRecords(text: string): { records: Fields[]; skipped: number } {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const head = lines.findIndex((line) =>
    cells(line, delimiterOf(line)).some((cell) => timeName.test(nameOf(cell).name)),
  );
  if (head < 0) return { records: [], skipped: lines.length };
  const delimiter = delimiterOf(lines[head]!);
  const columns = cells(lines[head]!, delimiter);
  const records = lines.slice(head + 1).map((line) => {
    const row = cells(line, delimiter);
    return Object.fromEntries(columns.map((column, i) => [column, row[i] ?? '']).filter(([, cell]) => cell !== ''));
  });
  return { records: records as Fields[], skipped: 0 };
}

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
