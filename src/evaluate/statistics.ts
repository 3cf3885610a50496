import { mean, median, quantile } from '../statistics.ts';

/** A share with its 95 % Wilson score interval; `value` is undefined where nothing was counted. */
export interface Share {
  readonly value: number | undefined;
  readonly low: number;
  readonly high: number;
}

/** 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** `hits` of `total` (Wilson 1927). With nothing counted the interval is everything, 0 to 1. */
export function share(hits: number, total: number): Share {
  if (total === 0) return { value: undefined, low: 0, high: 1 };
  const p = hits / total;
  const z2 = Z * Z;
  const middle = (p + z2 / (2 * total)) / (1 + z2 / total);
  const half = (Z / (1 + z2 / total)) * Math.sqrt((p * (1 - p)) / total + z2 / (4 * total * total));
  return { value: p, low: hits === 0 ? 0 : middle - half, high: hits === total ? 1 : middle + half };
}

/** Time differences in seconds: event minus truth. */
export interface TimeError {
  readonly median: number;
  /** 95th percentile and maximum of the absolute difference; the median is of it, too. */
  readonly p95: number;
  readonly max: number;
  /** Mean of the signed difference: positive when events come late. */
  readonly bias: number;
}

/** Undefined for an empty list. */
export function timeError(differences: readonly number[]): TimeError | undefined {
  if (differences.length === 0) return undefined;
  const sizes = differences.map(Math.abs);
  return { median: median(sizes), p95: quantile(sizes, 0.95), max: Math.max(...sizes), bias: mean(differences) };
}
