import { Fitter } from './fit.ts';
import type { Recording } from './recording.ts';

/** Where the action is, fractions of the frame, over a stretch of a recording. */
export interface ActionPath {
  /** Seconds from the recording's first frame, ascending. */
  readonly times: readonly number[];
  readonly xs: readonly number[];
}

const WIDTH = 64;
const HEIGHT = 36;
const STEP = 0.2;
/** How far the view follows: at most this share of the frame's width from its middle, and this much in a second. */
const REACH = 0.25;
const SPEED = 0.12;

/**
 * Follows the action across frames: where the picture changes more than it does elsewhere (so that a turn of the whole
 * view counts for nothing), drawn to the middle, smoothed, and never moving faster than is pleasant.
 */
export function followAction(recording: Recording, start: number, end: number): ActionPath {
  using fitter = new Fitter(WIDTH, HEIGHT, 'gray');
  const times: number[] = [];
  const raw: number[] = [];
  let before: Uint8Array | undefined;
  let next = start;
  for (const { frame, pts } of recording.frames(recording.ticks(start), recording.ticks(end))) {
    const t = recording.seconds(pts);
    if (t < next) continue;
    next = t + STEP;
    const fitted = fitter.fit(frame, recording.rotation);
    const now = Uint8Array.from(
      { length: WIDTH * HEIGHT },
      (_, i) => fitted.data![0]![Math.floor(i / WIDTH) * fitted.linesize[0]! + (i % WIDTH)]!,
    );
    times.push(t);
    raw.push(before ? changeCentre(before, now) : 0.5);
    before = now;
  }
  return { times, xs: pleasant(raw) };
}

/** The place at `t`, between the two samples around it. */
export function actionAt({ times, xs }: ActionPath, t: number): number {
  const after = times.findIndex((time) => time > t);
  if (after === 0 || times.length === 0) return xs[0] ?? 0.5;
  if (after < 0) return xs.at(-1)!;
  const share = (t - times[after - 1]!) / (times[after]! - times[after - 1]!);
  return xs[after - 1]! + share * (xs[after]! - xs[after - 1]!);
}

/** Centre across of what changed more than the median, weighed by how much more and by nearness to the middle. */
function changeCentre(before: Uint8Array, now: Uint8Array): number {
  const changes = Array.from(now, (value, i) => Math.abs(value - before[i]!));
  const median = changes.toSorted((a, b) => a - b)[changes.length >> 1]!;
  let weight = 0;
  let sum = 0;
  for (const [i, change] of changes.entries()) {
    const over = change - median - 8;
    if (over <= 0) continue;
    const x = ((i % WIDTH) + 0.5) / WIDTH;
    const part = over * Math.exp(-(((x - 0.5) / 0.3) ** 2));
    weight += part;
    sum += part * x;
  }
  // A constant pull to the middle keeps little changes from swinging the view.
  const pull = 2000;
  return (sum + pull * 0.5) / (weight + pull);
}

function pleasant(raw: readonly number[]): number[] {
  const window = 4;
  const smooth = raw.map((_, i) => {
    const near = raw.slice(Math.max(0, i - window), i + window + 1);
    const mean = near.reduce((sum, x) => sum + x, 0) / near.length;
    return Math.max(0.5 - REACH, Math.min(0.5 + REACH, mean));
  });
  const most = SPEED * STEP;
  for (let i = 1; i < smooth.length; i++) {
    smooth[i] = Math.max(smooth[i - 1]! - most, Math.min(smooth[i - 1]! + most, smooth[i]!));
  }
  return smooth;
}
