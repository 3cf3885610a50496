import type { StreamEntry } from '../kind.ts';

const TIMED_LINE =
  /^\s*[[(]?((?:\d+:)?\d{1,2}:\d\d(?:[.,]\d+)?)[\])]?\s+(?:-\s+)?(?:<?([^\s:<>][^:<>]{0,40})[:>]\s+)?(\S.*)$/;
/** Minimum share of lines that begin with a time. */
const MIN_TIMED_SHARE = 0.5;

/** Reads lines that begin with a time, as in chat exports: `[0:12:31] name: message`. Returns undefined if most do not. */
export function readTimedLines(
  text: string,
): { readonly entries: StreamEntry[]; readonly skipped: number } | undefined {
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
export function readHeartbeats(
  text: string,
): { readonly entries: StreamEntry[]; readonly skipped: number } | undefined {
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
