import type { Movement } from './block-motion.ts';
import { upperMedian } from '../../statistics.ts';

/** A sample of the series in which patterns are found. */
export interface MotionSample extends Movement {
  readonly t: number;
}

/** An occurrence of a pattern. */
export interface PatternMatch {
  readonly t: number;
  readonly value: string;
  readonly confidence: number;
  readonly detail: Readonly<Record<string, number>>;
}

/** Finds the occurrences of one pattern in a series of samples. */
export interface PatternFinder {
  /** Takes the next sample; returns the occurrences that it completes. */
  push(step: MotionSample): PatternMatch[];
  /** Ends the series, as samples are missing or the recording is over; returns the occurrences known without more samples. */
  end(): PatternMatch[];
  /** Time in seconds of the earliest occurrence that a later sample may complete. */
  pendingSince(): number | undefined;
}

/** Rounds a number to the four decimals that the log has. */
export function roundDigits(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** Median of the values; 0 if there are none. */
export function medianOrZero(values: readonly number[]): number {
  return upperMedian(values) ?? 0;
}
