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
/**
 * The camera moves where the whole picture shifts in at least this share of the samples with motion, or changes nearly everywhere in
 * this share of all samples, as it does when the camera drives ahead.
 */
const MIN_SHIFTED_SHARE = 0.05;
const MIN_CHANGED_SHARE = 0.5;
/** Mean difference, in levels, of a column that changes. */
const CHANGED_COLUMN_LEVELS = 1;
/** Where the camera moves, the game keeps what matters in the middle: that stays in this inner part of the view. */
const INNER_SHARE = 0.5;
/** Cost of moving by one position, and of the outermost position, as shares of what moves in one sample. */
const MOVE_COST = 0.01;
const OFFSET_COST = 0.06;
/** Motion of this amount counts half: flicker in a quiet picture does not attract the view. */
const QUIET_MOTION = 600;

/** What moves in a part of a recording. */
export interface Action {
  /** Seconds from the recording's first frame, ascending. */
  readonly times: readonly number[];
  /** How much changes in each column beyond the shift of the whole picture, for each time. */
  readonly columns: readonly (readonly number[])[];
  /** Whether the camera moves: then it does so in the whole game, also while it stands for once. */
  readonly cameraMoves: boolean;
}

/**
 * Looks at what moves.
 *
 * @param start Seconds of the recording.
 * @param end Seconds of the recording, exclusive.
 */
export function watchAction(recording: Recording, start: number, end: number): Action {
  using scaler = new FrameFilter(WIDTH, HEIGHT, 'gray');
  const times: number[] = [];
  const columns: (readonly number[])[] = [];
  let [moving, shifted, changed] = [0, 0, 0];
  let before: Uint8Array | undefined;
  for (const { frame, t } of recording.framesEvery(STEP_SECONDS, start, end)) {
    const now = scaler.pixels(frame, recording.rotation);
    times.push(t);
    const motion = before ? columnMotion(before, now) : NO_MOTION;
    columns.push(motion.columns);
    if (motion.isShifted || motion.columns.some((amount) => amount > 0)) moving++;
    if (motion.isShifted) shifted++;
    if (motion.isChanged) changed++;
    before = now;
  }
  const cameraMoves = shifted > moving * MIN_SHIFTED_SHARE || changed > times.length * MIN_CHANGED_SHARE;
  return { times, columns, cameraMoves };
}

/**
 * Finds the path of a crop that follows the action: of all paths at a pleasant speed, the one that shows most of what moves
 * differently from the picture as a whole and stays near the middle. Dynamic programming over time finds it exactly.
 *
 * @param view Share of the frame's width that the crop shows.
 */
export function followAction({ times, columns, cameraMoves }: Action, view = 0.32): ActionPath {
  const centers = viewCenters(cameraMoves ? Math.min(MAX_OFFSET, (view / 2) * INNER_SHARE) : MAX_OFFSET);
  const path = bestPath(columns.map((amounts) => positionScores(amounts, view, centers)));
  return { times, xs: smooth(path.map((position) => centers[position]!)) };
}

/** Interpolates the path at `t` seconds of the recording. */
export function actionAt({ times, xs }: ActionPath, t: number): number {
  const after = times.findIndex((time) => time > t);
  if (after === 0 || times.length === 0) return xs[0] ?? 0.5;
  if (after < 0) return xs.at(-1)!;
  const share = (t - times[after - 1]!) / (times[after]! - times[after - 1]!);
  return xs[after - 1]! + share * (xs[after]! - xs[after - 1]!);
}

/** Centres that the view can take, one step of time apart at full speed. @param reach Largest distance from the middle. */
function viewCenters(reach: number): number[] {
  const steps = Math.max(1, Math.round(reach / (MAX_SPEED_PER_SECOND * STEP_SECONDS)));
  return Array.from({ length: 2 * steps + 1 }, (_, position) => 0.5 + (position / steps - 1) * reach);
}

/** How much changes in each column beyond the shift of the whole picture. */
interface ColumnMotion {
  readonly columns: readonly number[];
  /** Whether there is such a shift, and whether most columns change anyhow. */
  readonly isShifted: boolean;
  readonly isChanged: boolean;
}

const NO_MOTION: ColumnMotion = {
  columns: Array.from({ length: WIDTH }, () => 0),
  isShifted: false,
  isChanged: false,
};

/** Measures how much changes in each column beyond the shift of the whole picture that explains most. */
function columnMotion(before: Uint8Array, now: Uint8Array): ColumnMotion {
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
  const columns = columnDifferences(before, now, dx, dy);
  // A camera moves everything; an object that moves over a plain background is explained by a shift, too.
  const changed = columnDifferences(before, now, 0, 0).filter((amount) => amount > 0);
  const slightly = columnDifferences(before, now, 0, 0, 0);
  const rows = BOTTOM_ROW - TOP_ROW;
  return {
    columns,
    isShifted: (dx !== 0 || dy !== 0) && changed.length > WIDTH / 2,
    isChanged: slightly.filter((amount) => amount > CHANGED_COLUMN_LEVELS * rows).length > WIDTH / 2,
  };
}

/** Sums the differences in each column between two pictures, one of them shifted. */
function columnDifferences(
  before: Uint8Array,
  now: Uint8Array,
  dx: number,
  dy: number,
  noise = NOISE_LEVELS,
): number[] {
  return Array.from({ length: WIDTH }, (_, x) => {
    if (x - dx < 0 || x - dx >= WIDTH) return 0;
    let sum = 0;
    for (let y = Math.max(TOP_ROW, TOP_ROW + dy); y < Math.min(BOTTOM_ROW, BOTTOM_ROW + dy); y++)
      sum += Math.max(0, Math.abs(now[y * WIDTH + x]! - before[(y - dy) * WIDTH + x - dx]!) - noise);
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

/** Share of the motion that the view shows around each centre, less the cost of its offset. */
function positionScores(columns: readonly number[], view: number, centers: readonly number[]): number[] {
  const sums = columns.reduce<number[]>((list, value) => [...list, list.at(-1)! + value], [0]);
  const all = sums.at(-1)! + QUIET_MOTION;
  return centers.map((middle) => {
    const from = Math.max(0, Math.min(1 - view, middle - view / 2)) * WIDTH;
    const shown = sums[Math.round(from + view * WIDTH)]! - sums[Math.round(from)]!;
    return shown / all - OFFSET_COST * ((middle - 0.5) / MAX_OFFSET) ** 2;
  });
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
  const middle = ((values[0]?.length ?? 1) - 1) / 2;
  // Start from the middle, which wins where all positions are equal.
  let at = sums.reduce((best, sum, position) => (sum > sums[best]! + 1e-12 ? position : best), middle);
  const path = [at];
  for (const origins of from.toReversed()) path.unshift((at = origins[at]!));
  return values.length > 0 ? path : [];
}

/** Smooths where the view starts and stops. */
function smooth(xs: readonly number[]): number[] {
  const radius = 4;
  return xs.map((_, i) => {
    const near = xs.slice(Math.max(0, i - radius), i + radius + 1);
    return near.reduce((sum, x) => sum + x, 0) / near.length;
  });
}
