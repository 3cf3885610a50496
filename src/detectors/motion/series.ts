import type { Movement } from './flow.ts';
import { upperMedian } from '../../statistics.ts';

/** One sample of the series that patterns are found in. */
export interface Step extends Movement {
  readonly t: number;
}

/** Something that happened once. */
export interface Happening {
  readonly t: number;
  readonly value: string;
  readonly confidence: number;
  readonly detail: Readonly<Record<string, number>>;
}

/** Finds one pattern in a series of samples, given one after the other. */
export interface Finder {
  /** What the new sample settles. */
  push(step: Step): Happening[];
  /** Samples are missing, or the recording is over: what can be told without them. */
  end(): Happening[];
  /** Seconds of the earliest thing that may still be settled. */
  since(): number | undefined;
}

/** Rounded to four digits: what a log shows. */
export function digits(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** Median of values; 0 if there are none. */
export function medianOf(values: readonly number[]): number {
  return upperMedian(values) ?? 0;
}
