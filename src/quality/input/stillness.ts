import type { Plane } from '../../media/picture.ts';
import { median, quantile } from '../../statistics.ts';

/** Distances in frames at which pictures are compared, besides neighbours. */
const LAGS = [2, 4, 8, 16] as const;
/** Lagged comparisons use every n-th point of the grid. */
const LAG_STRIDE = 4;

/** Difference of a picture from earlier ones in 8-bit luma levels. */
export interface Difference {
  /** Mean and maximum from the previous picture. */
  readonly mean: number;
  readonly most: number;
  /** Mean from the picture 2, 4, 8 and 16 frames before; undefined if there is none. */
  readonly lagged?: readonly (number | undefined)[];
}

/** Compares luma with the previous pictures on a grid of about `columns` × 9/16 `columns` points. */
export class PictureComparer {
  readonly #columns: number;
  /** The last pictures, by frame modulo the length. */
  readonly #ring: (Uint8Array | undefined)[] = Array.from({ length: LAGS.at(-1)! + 1 }, () => undefined);
  #at = 0;

  constructor(columns = 240) {
    this.#columns = columns;
  }

  /** Undefined for the first picture and after a change of size. */
  next(luma: Plane): Difference | undefined {
    const step = Math.max(1, Math.floor(luma.width / this.#columns));
    const columns = Math.floor(luma.width / step);
    const rows = Math.floor(luma.height / step);
    const now = new Uint8Array(columns * rows);
    for (let y = 0, i = 0; y < rows; y++) {
      for (let x = 0, at = y * step * luma.stride; x < columns; x++, at += step) now[i++] = luma.data[at]!;
    }
    this.#at = (this.#at + 1) % this.#ring.length;
    this.#ring[this.#at] = now;
    const before = this.#back(1, now.length);
    if (!before) return undefined;
    let sum = 0;
    let most = 0;
    for (let i = 0; i < now.length; i++) {
      const apart = Math.abs(now[i]! - before[i]!);
      sum += apart;
      if (apart > most) most = apart;
    }
    const lagged = LAGS.map((lag) => {
      const other = this.#back(lag, now.length);
      return other && coarseDifference(now, other);
    });
    return { mean: sum / now.length, most, lagged };
  }

  #back(frames: number, length: number): Uint8Array | undefined {
    const one = this.#ring[(this.#at + this.#ring.length - frames) % this.#ring.length];
    return one?.length === length ? one : undefined;
  }
}

function coarseDifference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < a.length; i += LAG_STRIDE, count++) sum += Math.abs(a[i]! - b[i]!);
  return sum / count;
}

/**
 * Whether a run of equal pictures is a freeze (the stream stopped while the game went on), a still scene, or neither
 * for sure.
 */
export type Verdict = 'freeze' | 'still' | 'uncertain';

/** A run of frames with the same picture: the first is new, the others repeat it. Frame numbers. */
export interface RepeatedRun {
  readonly first: number;
  readonly last: number;
  readonly verdict: Verdict;
}

/**
 * Finds runs of repeated pictures. A repeated picture is re-encoded at keyframes (`key`) and differs slightly there,
 * though by far less than motion.
 */
export function findRepeatedRuns(
  differences: readonly (Difference | undefined)[],
  key: (frame: number) => boolean = () => false,
): RepeatedRun[] {
  const moving = differences.filter((one, i) => one && !key(i) && !isRepeat(one)).map((one) => one!.mean);
  const usual = moving.length > 0 ? median(moving) : 0;
  const repeats = differences.map((one) => one !== undefined && isRepeat(one));
  for (const [i, one] of differences.entries()) {
    if (!one || repeats[i] || !key(i)) continue;
    const sides = [countRepeats(repeats, i, -1), countRepeats(repeats, i, 1)];
    const near = Math.min(...sides);
    const isWithinStand = near >= SHORT_STAND && Math.max(...sides) >= LONG_STAND;
    const most = near === 0 ? 0 : isWithinStand ? MAX_RECODING.withinStand : MAX_RECODING.usual;
    repeats[i] = one.mean < Math.min(2, 0.2 * usual) || (one.mean < usual && one.most <= most);
  }
  const runs: RepeatedRun[] = [];
  for (let i = 1; i < repeats.length; i++) {
    if (!repeats[i]) continue;
    let last = i;
    while (repeats[last + 1]) last++;
    let first = i - 1;
    const run = last - first >= MIN_EXACT_REPEATS ? extendRun(differences, repeats, { first, last }) : { first, last };
    if (run.last - run.first >= MIN_RESTING_REPEATS) {
      repeats.fill(true, run.first + 1, run.last + 1);
      ({ first, last } = run);
      while (runs.length > 0 && runs.at(-1)!.last > first) runs.pop();
    }
    runs.push({ first, last, verdict: judgeRun(differences, repeats, first, last) });
    i = last;
  }
  return runs;
}

/**
 * Levels by which a keyframe may differ at single points from the picture that it repeats: motion changes points by dozens. Within a
 * picture that stands on both sides it may be more: at low bitrates, the keyframe draws anew what the frames before it had blurred.
 */
const MAX_RECODING = { usual: 32, withinStand: 96 } as const;
/** Repeats on the sides of a keyframe from which a picture stands there: on one side the longer, on the other the shorter. */
const LONG_STAND = 3;
const SHORT_STAND = 2;

/** Repeats next to a frame, in a direction, as far as they matter. */
function countRepeats(repeats: readonly boolean[], frame: number, direction: 1 | -1): number {
  let count = 0;
  while (count < LONG_STAND && repeats[frame + direction * (count + 1)]) count++;
  return count;
}

/** Minimum repeats of a still scene. */
const MIN_RESTING_REPEATS = 4;
/** Of these, repeats that are exact: an encoder may retouch the others. */
const MIN_EXACT_REPEATS = 2;

/** Frames on each side of a run that show how pictures usually differ there. */
const AROUND_FRAMES = 15;
/** Of what is usual around a run (the third quartile), a retouched picture differs by less than these shares. */
const RETOUCHED = { mean: 0.45, most: 0.5 } as const;
/** Frames before and after a run that may be retouched. */
const MAX_RETOUCHED_FRAMES = 3;
/** A frame that mixes the repeated picture with the next one differs by less than this share of what follows. */
const MIXED_SHARE = 0.35;

/**
 * Extends a run over a few nearly unchanged frames before and after it: encoders with a lookahead retouch a repeated picture in its
 * first and last frames, and mix its last ones with the picture that follows. Motion does not begin like that: its first step is not
 * followed by one three times as large.
 */
function extendRun(
  differences: readonly (Difference | undefined)[],
  strict: readonly boolean[],
  { first, last }: Pick<RepeatedRun, 'first' | 'last'>,
): Pick<RepeatedRun, 'first' | 'last'> {
  const around: Difference[] = [];
  for (let i = Math.max(1, first + 1 - AROUND_FRAMES); i <= last + AROUND_FRAMES; i++)
    if (differences[i] && !strict[i]) around.push(differences[i]!);
  if (around.length < 8) return { first, last };
  const usual = (of: 'mean' | 'most'): number =>
    quantile(
      around.map((one) => one[of]),
      0.75,
    );
  const limit = { mean: Math.min(2, RETOUCHED.mean * usual('mean')), most: RETOUCHED.most * usual('most') };
  const isRetouched = (i: number): boolean => {
    const one = differences[i];
    return one !== undefined && one.mean < limit.mean && one.most <= limit.most;
  };
  let end = last;
  for (let weak = 0; weak < MAX_RETOUCHED_FRAMES && (isRetouched(end + 1) || isMixed(differences, end + 1)); weak++) {
    end++;
    while (strict[end + 1]) end++;
  }
  let start = first;
  for (let weak = 0; weak < MAX_RETOUCHED_FRAMES && start > 0 && isRetouched(start); weak++) {
    start--;
    while (start > 0 && strict[start]) start--;
  }
  return { first: start, last: end };
}

/** Is a frame a mixture of the pictures before and after it? */
function isMixed(differences: readonly (Difference | undefined)[], frame: number): boolean {
  const [one, next, after] = [0, 1, 2].map((i) => differences[frame + i]);
  return (
    one !== undefined &&
    next !== undefined &&
    after !== undefined &&
    one.mean < MIXED_SHARE * next.mean &&
    next.mean >= JUMP_STEPS * after.mean
  );
}

/** New pictures before and after a run by which it is judged. */
const CONTEXT_PICTURES = 10;
/** Least usual step of a scene in motion, in levels: below, a pair of small sprites moves in a still scene. */
const MIN_STEP = 0.3;
/** Motion that ends abruptly has in its last pictures at least this share of its usual step. */
const ABRUPT_SHARE = 0.25;
/** A last new picture that differs by more than this many usual steps is a cut: a menu or a table appears and stands. */
const CUT_STEPS = 5;
/** After a freeze, the picture differs by this many of the steps that follow: motion never starts with its largest step. */
const JUMP_STEPS = 1.1;
/** The same where motion slowed down before the run, as it does before it stops. */
const JUMP_STEPS_AFTER_SLOWING = 1.3;
/** The same after a run of few frames, against the motion before as well. */
const SHORT_JUMP_STEPS = 1.2;
/** A difference this many times as large as any step and the motion of 16 frames is a cut: the player respawns or a menu closes. */
const CUT_JUMP = 2.5;

/** Motion changes single points by much; the whole picture changes by little where its light or colors do. */
const FLASH_SHARE = 0.5;

/**
 * A stream freezes while the game goes on. So the picture moves up to the freeze, without slowing down, and after it
 * has moved on by as much as it usually moves in that many frames. A scene that stands by itself (the player waits, is
 * dead or reads a table) comes to rest or appears by a cut, and goes on where it stopped. Where motion ends abruptly
 * but the picture goes on where it stopped, after a cut, or not at all, the picture alone cannot decide.
 *
 * @param first Last new picture; `last` is the last that repeats it.
 */
function judgeRun(
  differences: readonly (Difference | undefined)[],
  repeats: readonly boolean[],
  first: number,
  last: number,
): Verdict {
  const before = newPictures(differences, repeats, first, -1);
  if (before.length < CONTEXT_PICTURES / 2) return 'still';
  // Where pictures come this seldom anyway, the run is no interruption.
  const gaps = before.slice(1, 6).map((frame, i) => before[i]! - frame);
  if (last + 1 - first < 2 * Math.max(...gaps)) return 'still';
  const steps = before.map((frame) => differences[frame]!.mean);
  const usual = median(steps);
  const final = median(steps.slice(0, 3));
  if (usual < MIN_STEP || final < ABRUPT_SHARE * usual || steps[0]! < ABRUPT_SHARE * usual) return 'still';
  const next = differences[last + 1];
  const jump = next?.mean;
  if (jump === undefined || steps[0]! > CUT_STEPS * median(steps.slice(1))) return 'uncertain';
  const after = newPictures(differences, repeats, last + 2, 1).map((frame) => differences[frame]!.mean);
  const step = after.length < 3 ? final : median(after.slice(0, 4));
  // Nothing moves on: the scene has come to rest.
  if (step < MIN_STEP) return 'uncertain';
  if (next!.most < FLASH_SHARE * median(before.map((frame) => differences[frame]!.most))) return 'uncertain';
  if (jump > CUT_JUMP * Math.max(...steps, ...motions(differences, before, 16))) return 'uncertain';
  // Games skip a picture or two of their own accord; only twice the motion afterwards shows that one was lost.
  if (last - first < MIN_RESTING_REPEATS)
    return jump >= SHORT_JUMP_STEPS * Math.max(step, final) ? 'freeze' : 'uncertain';
  const hasSlowed = final < 0.5 * usual;
  if (jump >= (hasSlowed ? JUMP_STEPS_AFTER_SLOWING : JUMP_STEPS) * step) return 'freeze';
  const near = motions(differences, before.slice(0, 5), last + 1 - first);
  const expected = near.length === 0 ? 0 : median(near);
  const isAsExpected = expected >= 1.2 * final && jump >= 0.95 * expected && jump <= 3 * expected;
  return isAsExpected && !hasSlowed ? 'freeze' : 'uncertain';
}

/** Up to `CONTEXT_PICTURES` frames with a new picture from `from` on, nearest first. */
function newPictures(
  differences: readonly (Difference | undefined)[],
  repeats: readonly boolean[],
  from: number,
  direction: 1 | -1,
): number[] {
  const found: number[] = [];
  const span = 3 * CONTEXT_PICTURES;
  for (let i = from; Math.abs(i - from) < span && found.length < CONTEXT_PICTURES; i += direction)
    if (differences[i] && !repeats[i]) found.push(i);
  return found;
}

/** Differences that about `frames` frames of motion made up to each of these frames. */
function motions(
  differences: readonly (Difference | undefined)[],
  before: readonly number[],
  frames: number,
): number[] {
  const lag = LAGS.findLastIndex((one) => one <= frames);
  return before.flatMap((frame) => differences[frame]!.lagged?.[lag] ?? []);
}

/**
 * Encoders repeat a picture almost exactly: at low bitrates they refine it by up to 9 levels at single points
 * (measured), while motion changes points by dozens.
 */
function isRepeat({ mean, most }: Difference): boolean {
  return mean < 0.12 && most <= 16;
}
