import { mean, median, quantile } from '../statistics.ts';

/** A proportion with its 95 % Wilson score interval; `value` is undefined if nothing was counted. */
export interface Proportion {
  readonly value: number | undefined;
  readonly low: number;
  readonly high: number;
}

/** 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** Computes the proportion of `hits` in `total` with its Wilson score interval (Wilson 1927); 0 to 1 if `total` is 0. */
export function proportion(hits: number, total: number): Proportion {
  if (total === 0) return { value: undefined, low: 0, high: 1 };
  const p = hits / total;
  const z2 = Z * Z;
  const middle = (p + z2 / (2 * total)) / (1 + z2 / total);
  const half = (Z / (1 + z2 / total)) * Math.sqrt((p * (1 - p)) / total + z2 / (4 * total * total));
  return { value: p, low: hits === 0 ? 0 : middle - half, high: hits === total ? 1 : middle + half };
}

/** Statistics of time differences (event minus truth), in seconds. */
export interface TimeError {
  /** Median, 95th percentile and maximum of the absolute difference. */
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  /** Mean of the signed difference: positive when events are late. */
  readonly bias: number;
}

/** Summarizes time differences; `undefined` if there are none. */
export function timeError(differences: readonly number[]): TimeError | undefined {
  if (differences.length === 0) return undefined;
  const sizes = differences.map(Math.abs);
  return { median: median(sizes), p95: quantile(sizes, 0.95), max: Math.max(...sizes), bias: mean(differences) };
}
