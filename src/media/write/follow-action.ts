import { FrameFilter } from './frame-filter.ts';
import type { Recording } from './recording.ts';

/** Where the action is, fractions of the frame, over a stretch of a recording. */
export interface ActionPath {
  /** Seconds from the recording's first frame, ascending. */
  readonly times: readonly number[];
  readonly xs: readonly number[];
}

const WIDTH = 64;
const HEIGHT = 36;
const STEP = 0.1;
/** Rows that count: messages stand above them, the weapon in hand and the HUD below. */
const TOP = 4;
const BOTTOM = 24;
/** A turn of the whole view between two samples is looked for up to these columns and rows. */
const TURN = 14;
const NOD = 4;
/** Levels by which a place must differ from what was there before to count. */
const NOISE = 10;
/** How far the view follows: at most this share of the frame's width from its middle, and this much in a second. */
const REACH = 0.25;
const SPEED = 0.15;
/** Places that the view can take, from one end of its reach to the other: one step of time apart at full speed. */
const PLACES = 2 * Math.round(REACH / (SPEED * STEP)) + 1;
/** What it costs, as shares of what moves in one sample, to move by a place, and to look to the end of the reach. */
const MOVING = 0.01;
const ASIDE = 0.06;
/** Movement that counts like none: what flickers in a quiet picture does not draw the view. */
const QUIET = 600;

/**
 * Follows the action across frames: of all ways the view can go, the one that shows most of what moves otherwise than the
 * picture as a whole, at a pleasant speed and rather in the middle (found exactly, by dynamic programming over time).
 * `view` is the share of the frame's width that is shown.
 */
export function followAction(recording: Recording, start: number, end: number, view = 0.32): ActionPath {
  using fitter = new FrameFilter(WIDTH, HEIGHT, 'gray');
  const times: number[] = [];
  const moving: number[][] = [];
  let before: Uint8Array | undefined;
  let next = start;
  for (const { frame, pts } of recording.frames(recording.ticks(start), recording.ticks(end))) {
    const t = recording.seconds(pts);
    if (t < next - 1e-6) continue;
    next = t + STEP;
    const now = packed(fitter.fit(frame, recording.rotation));
    times.push(t);
    moving.push(before ? movement(before, now) : Array.from({ length: WIDTH }, () => 0));
    before = now;
  }
  return { times, xs: smooth(bestPath(moving.map((columns) => shownAt(columns, view)))) };
}

/** The place at `t`, between the two samples around it. */
export function actionAt({ times, xs }: ActionPath, t: number): number {
  const after = times.findIndex((time) => time > t);
  if (after === 0 || times.length === 0) return xs[0] ?? 0.5;
  if (after < 0) return xs.at(-1)!;
  const share = (t - times[after - 1]!) / (times[after]! - times[after - 1]!);
  return xs[after - 1]! + share * (xs[after]! - xs[after - 1]!);
}

function packed({ data, linesize }: { data: Buffer[] | null; linesize: number[] }): Uint8Array {
  const rows = Array.from({ length: HEIGHT }, (_, y) => data![0]!.subarray(y * linesize[0]!, y * linesize[0]! + WIDTH));
  return Uint8Array.from(Buffer.concat(rows));
}

/** How much changes in each column, beyond a shift of the whole picture: that which leaves least. */
function movement(before: Uint8Array, now: Uint8Array): number[] {
  let least = Number.POSITIVE_INFINITY;
  let best: readonly [number, number] = [0, 0];
  for (let dy = -NOD; dy <= NOD; dy += 2) {
    for (let dx = -TURN; dx <= TURN; dx++) {
      const left = leftBy(before, now, dx, dy);
      // Of turns that explain as much, the smallest.
      if (left < least - 0.02 * (dx === 0 && dy === 0 ? -1 : 1) * least) {
        least = left;
        best = [dx, dy];
      }
    }
  }
  const [dx, dy] = best;
  return Array.from({ length: WIDTH }, (_, x) => {
    if (x - dx < 0 || x - dx >= WIDTH) return 0;
    let sum = 0;
    for (let y = Math.max(TOP, TOP + dy); y < Math.min(BOTTOM, BOTTOM + dy); y++)
      sum += Math.max(0, Math.abs(now[y * WIDTH + x]! - before[(y - dy) * WIDTH + x - dx]!) - NOISE);
    return sum;
  });
}

/** Mean difference of the pictures, one shifted. */
function leftBy(before: Uint8Array, now: Uint8Array, dx: number, dy: number): number {
  let sum = 0;
  let count = 0;
  for (let y = Math.max(TOP, TOP + dy); y < Math.min(BOTTOM, BOTTOM + dy); y++) {
    for (let x = Math.max(0, dx); x < Math.min(WIDTH, WIDTH + dx); x++) {
      sum += Math.abs(now[y * WIDTH + x]! - before[(y - dy) * WIDTH + x - dx]!);
      count++;
    }
  }
  return sum / count;
}

/** What share of the movement each place of the view shows, less what looking aside costs. */
function shownAt(columns: readonly number[], view: number): number[] {
  const sums = columns.reduce<number[]>((list, value) => [...list, list.at(-1)! + value], [0]);
  const all = sums.at(-1)! + QUIET;
  return Array.from({ length: PLACES }, (_, place) => {
    const middle = placeAt(place);
    const from = Math.max(0, Math.min(1 - view, middle - view / 2)) * WIDTH;
    const shown = sums[Math.round(from + view * WIDTH)]! - sums[Math.round(from)]!;
    return shown / all - ASIDE * ((middle - 0.5) / REACH) ** 2;
  });
}

function placeAt(place: number): number {
  return 0.5 + ((2 * place) / (PLACES - 1) - 1) * REACH;
}

/** The way through the places of greatest sum, moving by at most one place at each step. */
function bestPath(values: readonly (readonly number[])[]): number[] {
  const from: number[][] = [];
  let sums: readonly number[] = values[0] ?? [];
  for (const value of values.slice(1)) {
    const came = value.map((_, place) => {
      let best = place;
      for (const other of [place - 1, place + 1])
        if (sums[other] !== undefined && sums[other]! - MOVING > sums[best]! - (best === place ? 0 : MOVING))
          best = other;
      return best;
    });
    from.push(came);
    const last = sums;
    sums = value.map((part, place) => part + last[came[place]!]! - (came[place] === place ? 0 : MOVING));
  }
  const middle = (PLACES - 1) / 2;
  // The middle first, so that it is kept where all places are worth the same.
  let at = sums.reduce((best, sum, place) => (sum > sums[best]! + 1e-12 ? place : best), middle);
  const path = [at];
  for (const came of from.toReversed()) path.unshift((at = came[at]!));
  return values.length > 0 ? path.map(placeAt) : [];
}

/** Softens where the view sets off and stops. */
function smooth(xs: readonly number[]): number[] {
  const reach = 4;
  return xs.map((_, i) => {
    const near = xs.slice(Math.max(0, i - reach), i + reach + 1);
    return near.reduce((sum, x) => sum + x, 0) / near.length;
  });
}
