import { FrameFilter } from './frame-filter.ts';
import type { Recording } from './recording.ts';

/** Where the action is over a part of a recording, as fractions of the frame's width. */
export interface ActionPath {
  /** Seconds from the recording's first frame, ascending. */
  readonly times: readonly number[];
  readonly xs: readonly number[];
}

/** Size of the pictures that are compared, and seconds between them. */
const WIDTH = 64;
const HEIGHT = 36;
const STEP_SECONDS = 0.1;
/** Rows to compare: messages are above them, the weapon in hand and the HUD below. */
const TOP_ROW = 4;
const BOTTOM_ROW = 24;
/** Range of the camera motion between two samples, in columns and rows. */
const MAX_SHIFT_X = 14;
const MAX_SHIFT_Y = 4;
/** Smaller differences of levels are noise. */
const NOISE_LEVELS = 10;
/** How far the view moves from the middle, and how fast, as shares of the frame's width. */
const MAX_OFFSET = 0.25;
const MAX_SPEED_PER_SECOND = 0.15;
/** Positions that the view can take, one step of time apart at full speed. */
const POSITIONS = 2 * Math.round(MAX_OFFSET / (MAX_SPEED_PER_SECOND * STEP_SECONDS)) + 1;
/** Cost of moving by one position, and of the outermost position, as shares of what moves in one sample. */
const MOVE_COST = 0.01;
const OFFSET_COST = 0.06;
/** Motion of this amount counts half: flicker in a quiet picture does not attract the view. */
const QUIET_MOTION = 600;

/**
 * Finds the path of a crop that follows the action: of all paths at a pleasant speed, the one that shows most of what moves
 * differently from the picture as a whole and stays near the middle. Dynamic programming over time finds it exactly.
 *
 * @param start Seconds of the recording.
 * @param end Seconds of the recording, exclusive.
 * @param view Share of the frame's width that the crop shows.
 */
export function followAction(recording: Recording, start: number, end: number, view = 0.32): ActionPath {
  using scaler = new FrameFilter(WIDTH, HEIGHT, 'gray');
  const times: number[] = [];
  const moving: number[][] = [];
  let before: Uint8Array | undefined;
  for (const { frame, t } of recording.framesEvery(STEP_SECONDS, start, end)) {
    const now = scaler.pixels(frame, recording.rotation);
    times.push(t);
    moving.push(before ? columnMotion(before, now) : Array.from({ length: WIDTH }, () => 0));
    before = now;
  }
  return { times, xs: smooth(bestPath(moving.map((columns) => positionScores(columns, view)))) };
}

/** Interpolates the path at `t` seconds of the recording. */
export function actionAt({ times, xs }: ActionPath, t: number): number {
  const after = times.findIndex((time) => time > t);
  if (after === 0 || times.length === 0) return xs[0] ?? 0.5;
  if (after < 0) return xs.at(-1)!;
  const share = (t - times[after - 1]!) / (times[after]! - times[after - 1]!);
  return xs[after - 1]! + share * (xs[after]! - xs[after - 1]!);
}

/** Measures how much changes in each column beyond the shift of the whole picture that explains most. */
function columnMotion(before: Uint8Array, now: Uint8Array): number[] {
  let smallest = Number.POSITIVE_INFINITY;
  let best: readonly [number, number] = [0, 0];
  for (let dy = -MAX_SHIFT_Y; dy <= MAX_SHIFT_Y; dy += 2) {
    for (let dx = -MAX_SHIFT_X; dx <= MAX_SHIFT_X; dx++) {
      const left = meanDifference(before, now, dx, dy);
      // Prefer no shift among those that explain as much.
      if (left < smallest - 0.02 * (dx === 0 && dy === 0 ? -1 : 1) * smallest) {
        smallest = left;
        best = [dx, dy];
      }
    }
  }
  const [dx, dy] = best;
  return Array.from({ length: WIDTH }, (_, x) => {
    if (x - dx < 0 || x - dx >= WIDTH) return 0;
    let sum = 0;
    for (let y = Math.max(TOP_ROW, TOP_ROW + dy); y < Math.min(BOTTOM_ROW, BOTTOM_ROW + dy); y++)
      sum += Math.max(0, Math.abs(now[y * WIDTH + x]! - before[(y - dy) * WIDTH + x - dx]!) - NOISE_LEVELS);
    return sum;
  });
}

/** Mean difference of two pictures, one of them shifted. */
function meanDifference(before: Uint8Array, now: Uint8Array, dx: number, dy: number): number {
  let sum = 0;
  let count = 0;
  for (let y = Math.max(TOP_ROW, TOP_ROW + dy); y < Math.min(BOTTOM_ROW, BOTTOM_ROW + dy); y++) {
    for (let x = Math.max(0, dx); x < Math.min(WIDTH, WIDTH + dx); x++) {
      sum += Math.abs(now[y * WIDTH + x]! - before[(y - dy) * WIDTH + x - dx]!);
      count++;
    }
  }
  return sum / count;
}

/** Share of the motion that each position of the view shows, less the cost of its offset. */
function positionScores(columns: readonly number[], view: number): number[] {
  const sums = columns.reduce<number[]>((list, value) => [...list, list.at(-1)! + value], [0]);
  const all = sums.at(-1)! + QUIET_MOTION;
  return Array.from({ length: POSITIONS }, (_, position) => {
    const middle = positionCenter(position);
    const from = Math.max(0, Math.min(1 - view, middle - view / 2)) * WIDTH;
    const shown = sums[Math.round(from + view * WIDTH)]! - sums[Math.round(from)]!;
    return shown / all - OFFSET_COST * ((middle - 0.5) / MAX_OFFSET) ** 2;
  });
}

function positionCenter(position: number): number {
  return 0.5 + ((2 * position) / (POSITIONS - 1) - 1) * MAX_OFFSET;
}

/** Finds the path with the greatest sum of scores that moves by at most one position per step. */
function bestPath(values: readonly (readonly number[])[]): number[] {
  const from: number[][] = [];
  let sums: readonly number[] = values[0] ?? [];
  for (const value of values.slice(1)) {
    const origins = value.map((_, position) => {
      let best = position;
      for (const other of [position - 1, position + 1])
        if (sums[other] !== undefined && sums[other]! - MOVE_COST > sums[best]! - (best === position ? 0 : MOVE_COST))
          best = other;
      return best;
    });
    from.push(origins);
    const last = sums;
    sums = value.map(
      (part, position) => part + last[origins[position]!]! - (origins[position] === position ? 0 : MOVE_COST),
    );
  }
  const middle = (POSITIONS - 1) / 2;
  // Start from the middle, which wins where all positions are equal.
  let at = sums.reduce((best, sum, position) => (sum > sums[best]! + 1e-12 ? position : best), middle);
  const path = [at];
  for (const origins of from.toReversed()) path.unshift((at = origins[at]!));
  return values.length > 0 ? path.map(positionCenter) : [];
}

/** Smooths where the view starts and stops. */
function smooth(xs: readonly number[]): number[] {
  const radius = 4;
  return xs.map((_, i) => {
    const near = xs.slice(Math.max(0, i - radius), i + radius + 1);
    return near.reduce((sum, x) => sum + x, 0) / near.length;
  });
}
