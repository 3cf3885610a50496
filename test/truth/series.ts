import type { Statement } from '../../src/events/statement.ts';

/** A line of truth: what was shown and from when (seconds). */
export interface TruthLine {
  readonly t: number;
  readonly statement: Statement;
  /** The screen shows no new message for it, only a number that rises; counted apart. */
  readonly repeat?: true;
}

/** What a HUD element shows: null while it is not drawn. */
export type Shown = number | string | null;

/** A value from `t` (seconds) until the next step's. */
export interface Step {
  readonly t: number;
  readonly value: Shown;
}

/** Readings of one HUD element over a clip, by time; neighbours differ. */
export type Series = readonly Step[];

/** Stability rule of a detector: N samples that agree make a value, so many in between may be unreadable. */
export interface Rule {
  readonly samples: number;
  /** N for not being drawn any more; default the same. */
  readonly lost?: number;
}

/** Steps without repetitions. */
export function compact(steps: readonly Step[]): Series {
  return steps.filter((step, i) => i === 0 || step.value !== steps[i - 1]!.value);
}

/** The value at time t: that of the last step at or before it; null before the first. */
export function valueAt(series: Series, t: number): Shown {
  let low = 0;
  let high = series.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series[middle]!.t <= t + 1e-6) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : series[low - 1]!.value;
}

/**
 * What a perfect reader sees of a series: read at each of `times` (ascending, seconds), accepted when `rule.samples`
 * consecutive samples agree, dated by the first of them.
 */
export function reduceSeries(series: Series, times: readonly number[], rule: Rule): Series {
  const steps: Step[] = [];
  let accepted: Shown | undefined;
  let candidate: Shown | undefined;
  let since = 0;
  let run = 0;
  for (const t of times) {
    const value = valueAt(series, t);
    if (run > 0 && value === candidate) run++;
    else [candidate, since, run] = [value, t, 1];
    const need = value === null ? (rule.lost ?? rule.samples) : rule.samples;
    if (run < need || value === accepted) continue;
    accepted = value;
    steps.push({ t: since, value });
  }
  return steps;
}

/** A shown number became another. */
export interface Change {
  readonly t: number;
  /** When the earlier value began. */
  readonly since: number;
  readonly from: number | string;
  readonly to: number | string;
}

/** The changes in a series; what appears after not having been drawn is no change. */
export function changes(series: Series): Change[] {
  return series.flatMap((now, i) => {
    const before = series[i - 1];
    if (!before || before.value === null || now.value === null) return [];
    return [{ t: now.t, since: before.t, from: before.value, to: now.value }];
  });
}
