import type { Plane } from '../../media/picture.ts';
import { median, quantile } from '../statistics.ts';

/** How much a picture differs from the one before it, on the scale of 8-bit luma. */
export interface Difference {
  readonly mean: number;
  readonly most: number;
}

/** Compares luma with the picture before, on a grid of about `columns` by 9/16 of them. */
export class PictureDifference {
  readonly #columns: number;
  #before: Uint8Array | undefined;

  constructor(columns = 240) {
    this.#columns = columns;
  }

  /** Undefined for the first picture, and where the size has changed. */
  next(luma: Plane): Difference | undefined {
    const step = Math.max(1, Math.floor(luma.width / this.#columns));
    const columns = Math.floor(luma.width / step);
    const rows = Math.floor(luma.height / step);
    const now = new Uint8Array(columns * rows);
    for (let y = 0, i = 0; y < rows; y++) {
      for (let x = 0, at = y * step * luma.stride; x < columns; x++, at += step) now[i++] = luma.data[at]!;
    }
    const before = this.#before;
    this.#before = now;
    if (before?.length !== now.length) return undefined;
    let sum = 0;
    let most = 0;
    for (let i = 0; i < now.length; i++) {
      const apart = Math.abs(now[i]! - before[i]!);
      sum += apart;
      if (apart > most) most = apart;
    }
    return { mean: sum / now.length, most };
  }
}

/** A run of frames that show the same picture: the first one is new, the others repeat it. Frame numbers. */
export interface StillRun {
  readonly first: number;
  readonly last: number;
  /** The application or the stream stood still; else what was shown did not move (a menu, a pause). */
  readonly frozen: boolean;
}

/**
 * Finds the runs of repeated pictures. `key` tells keyframes: a repeated picture is encoded anew there and differs a
 * little, though by far less than what moves. Whether a run is a freeze shows in what surrounds it: things moved just
 * before, and when it ends the picture has moved on by as much as the time that went by — a scene that rests begins
 * again where it stopped.
 */
export function stillRuns(
  differences: readonly (Difference | undefined)[],
  key: (frame: number) => boolean = () => false,
): StillRun[] {
  const moving = differences.filter((one, i) => one && !key(i) && !sameAsBefore(one)).map((one) => one!.mean);
  const usual = moving.length > 0 ? median(moving) : 0;
  const repeats = differences.map((one, i) => {
    if (!one) return false;
    return sameAsBefore(one) || (key(i) && one.mean < Math.min(2, 0.2 * usual));
  });
  const runs: StillRun[] = [];
  const strict = repeats.slice();
  for (let i = 1; i < repeats.length; i++) {
    if (!repeats[i]) continue;
    let last = i;
    while (repeats[last + 1]) last++;
    if (last - i + 1 >= restful) last = extended(differences, strict, i, last);
    runs.push({ first: i - 1, last, frozen: isFreeze(differences, repeats, i, last) });
    i = last;
  }
  return runs;
}

/** Repeats from which on a run may be a scene that rests: fewer are hardly ever one. */
const restful = 4;

/**
 * The last frame of a run with what follows it and hardly differs beside what moves around it: an encoder that knows
 * what comes next touches a repeated picture up in its last frames.
 */
function extended(
  differences: readonly (Difference | undefined)[],
  strict: readonly boolean[],
  from: number,
  last: number,
): number {
  const around: Difference[] = [];
  for (let i = Math.max(1, from - 15); i <= Math.min(last + 15, differences.length - 1); i++)
    if (differences[i] && !strict[i]) around.push(differences[i]!);
  if (around.length < 8) return last;
  const mean = Math.min(
    1,
    0.1 *
      quantile(
        around.map((one) => one.mean),
        0.75,
      ),
  );
  const most =
    0.3 *
    quantile(
      around.map((one) => one.most),
      0.75,
    );
  let end = last;
  for (let weak = 0; weak < 3; weak++) {
    const next = differences[end + 1];
    if (!next || next.mean >= mean || next.most > most) break;
    end++;
    while (strict[end + 1]) end++;
  }
  return end;
}

function isFreeze(
  differences: readonly (Difference | undefined)[],
  repeats: readonly boolean[],
  from: number,
  last: number,
): boolean {
  const before: number[] = [];
  for (let i = Math.max(1, from - 30); i < from; i++)
    if (differences[i] && !repeats[i]) before.push(differences[i]!.mean);
  if (before.length < 5) return false;
  const after = differences[last + 1];
  // Of what lasts to the end of the recording nobody can tell; things moved until then, so it is taken to have frozen.
  if (after === undefined) return true;
  if (after.mean <= 0.6 * median(before)) return false;
  const count = last - from + 1;
  if (count < restful) return true;
  const steps = stepsBehind(differences, repeats, last + 2, count);
  return steps.length < 3 || after.mean > median(steps);
}

/**
 * How far the pictures from `from` on move from one to the next, of those steps that take much less time than the run
 * did: what rested begins slower than it goes on, what froze jumps. An application that renders less often than is
 * recorded has no such steps.
 */
function stepsBehind(
  differences: readonly (Difference | undefined)[],
  repeats: readonly boolean[],
  from: number,
  count: number,
): number[] {
  const steps: number[] = [];
  let repeated = 0;
  for (let i = from; i < Math.min(from + 12, differences.length) && steps.length < 6; i++) {
    if (repeats[i]) {
      repeated++;
      continue;
    }
    if (differences[i] && repeated < count / 2) steps.push(differences[i]!.mean);
    repeated = 0;
  }
  return steps;
}

/**
 * Encoders repeat a picture exactly or all but exactly: at low bitrates they go on refining it for some frames, by up
 * to 9 levels at single points (measured), while what moves changes points by dozens.
 */
function sameAsBefore({ mean, most }: Difference): boolean {
  return mean < 0.12 && most <= 16;
}
