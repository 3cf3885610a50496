import type { StreamEntry } from '../kind.ts';

const line =
  /^\s*[[(]?((?:\d+:)?\d{1,2}:\d\d(?:[.,]\d+)?)[\])]?\s+(?:-\s+)?(?:<?([^\s:<>][^:<>]{0,40})[:>]\s+)?(\S.*)$/;
/** Least share of lines that begin with a time. */
const MOST = 0.5;

/** Lines that begin with a time, as exports of chats do: `[0:12:31] name: message`. Undefined where most do not. */
export function readLines(text: string): { readonly entries: StreamEntry[]; readonly skipped: number } | undefined {
  const lines = text.split(/\r?\n/).filter((one) => one.trim() !== '');
  const entries = lines.flatMap((one): StreamEntry[] => {
    const [, clock, name, message] = line.exec(one) ?? [];
    if (clock === undefined || message === undefined) return [];
    const t = clock
      .replace(',', '.')
      .split(':')
      .reduce((sum, part) => 60 * sum + Number(part), 0);
    return [{ t, fields: { text: message.trim(), ...(name !== undefined && { user: name.trim() }) } }];
  });
  if (entries.length === 0 || entries.length < MOST * lines.length) return undefined;
  return { entries, skipped: lines.length - entries.length };
}

/** Fewest intervals that are taken for heartbeats, and what an interval can be, in milliseconds. */
const FEWEST = 10;
const SHORTEST = 250;
const LONGEST = 2500;

/** Intervals between heartbeats, a number of milliseconds a line (HRV exports): a heart rate at every beat. */
export function readPulses(text: string): { readonly entries: StreamEntry[]; readonly skipped: number } | undefined {
  const lines = text.split(/\r?\n/).filter((one) => one.trim() !== '');
  const intervals = lines.map(Number);
  if (intervals.length < FEWEST || !intervals.every((one) => one >= SHORTEST && one <= LONGEST)) return undefined;
  let t = 0;
  const entries = intervals.map((interval) => {
    t += interval / 1000;
    return { t, fields: { rr: interval, hr: Math.round(600_000 / interval) / 10 } };
  });
  return { entries, skipped: 0 };
}
