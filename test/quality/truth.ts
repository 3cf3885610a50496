import { random } from './reference.ts';

/** One frame of the game session that every sample file tells of, in ms since the recording began. */
export interface TrueFrame {
  /** When the application presented it. */
  readonly present: number;
  /** When the CPU began with it. */
  readonly start: number;
  /** When it was on the screen; undefined if it was dropped. */
  readonly shown: number | undefined;
  /** When the input that it is the first to contain was made. */
  readonly input: number | undefined;
}

/** Five seconds at 60 Hz: jitter, a stutter of 80 ms, a freeze of 400 ms, three dropped frames, a click each half second. */
export function trueSession(): readonly TrueFrame[] {
  const next = random(20_260);
  const frames: TrueFrame[] = [];
  let present = 120;
  let shown = 0;
  let start = 104;
  for (let i = 0; i < 300; i++) {
    if (i > 0) present += i === 60 ? 80 : i === 150 ? 400 : 16 + 1.3 * next();
    const dropped = [90, 91, 220].includes(i);
    const flip = present + 9 + 3 * next();
    if (!dropped) shown = Math.max(shown + 4, flip);
    const frame: TrueFrame = {
      present: digits(present),
      start: digits(start),
      shown: dropped ? undefined : digits(shown),
      input: i % 30 === 15 ? digits(start - 10 - 20 * next()) : undefined,
    };
    frames.push(frame);
    start = present + 0.2;
  }
  return frames;
}

/** Differences of neighbouring values, of those that are known. */
export function differences(values: readonly (number | undefined)[]): number[] {
  const known = values.filter((value) => value !== undefined);
  return known.slice(1).map((value, i) => value - known[i]!);
}

function digits(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
