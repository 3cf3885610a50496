import { PlaybyplayError } from '../../errors.ts';

/** Times on a second clock and in the recording that belong together, in seconds. */
export type ClockPairs = readonly (readonly [own: number, recording: number])[];

/** recording = offset + rate · own, in seconds. */
export interface ClockAlignment {
  readonly offset: number;
  readonly rate: number;
}

/** Rates beyond which an alignment cannot be meant. */
const RATE_RANGE = { min: 0.5, max: 2 } as const;

/**
 * Fits a line through pairs of times by least squares. One pair gives an offset; without pairs both clocks are the same.
 * @throws PlaybyplayError `bad-stream` if one clock would run more than twice as fast as the other.
 */
export function alignClocks(pairs: ClockPairs): ClockAlignment {
  if (pairs.length === 0) return { offset: 0, rate: 1 };
  const mean = (value: (pair: ClockPairs[number]) => number): number =>
    pairs.reduce((sum, pair) => sum + value(pair), 0) / pairs.length;
  const own = mean(([t]) => t);
  const recording = mean(([, t]) => t);
  const spread = mean(([t]) => (t - own) ** 2);
  const rate = spread === 0 ? 1 : mean(([a, b]) => (a - own) * (b - recording)) / spread;
  if (!(rate > RATE_RANGE.min && rate < RATE_RANGE.max))
    throw new PlaybyplayError('bad-stream', `the alignment makes the clock run ${rate.toPrecision(3)} times as fast`, {
      hint: 'Pairs are file:recording, both in seconds.',
    });
  return { offset: recording - rate * own, rate };
}

/** Converts a time of a second clock to seconds of the recording, to the microsecond. */
export function toRecordingTime({ offset, rate }: ClockAlignment, t: number): number {
  return Math.round((offset + rate * t) * 1e6) / 1e6;
}
