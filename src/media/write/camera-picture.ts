import type { Rect, Size } from '../../geometry.ts';
import { upperMedian } from '../../statistics.ts';
import { FrameFilter } from './frame-filter.ts';
import type { Recording } from './recording.ts';

/** Pictures that are compared, and the fewest of them. */
const SAMPLES = 24;
const MIN_SAMPLES = 12;
/** Width of the compared pictures, in pixels. */
const WIDTH = 320;
/** Levels by which the two sides of an edge differ. */
const EDGE_LEVELS = 6;
/** How much more often there is an edge along a side than next to it, as a share of the samples. */
const MIN_EDGE = 0.15;
/** Sides at the border of the frame need no edge. */
const BORDER = 1;
/** Pixels are calm that deviate less than this share of what is usual in the picture; as many of a camera's, at least. */
const CALM_DEVIATION = 0.45;
const MIN_CALM_SHARE = 0.3;
/** Deviation from the median, in levels, of a game that moves enough for anything to stand out. */
const MIN_GAME_DEVIATION = 8;
/**
 * A sensor is never quite still, and somebody moves before what is: deviation of the calmest tenth, and ratio of that of the
 * liveliest fifth to the median, which moves at least so many levels.
 */
const MIN_NOISE = 0.5;
const MIN_LIVELINESS = 2.5;
const MIN_MOTION = 6;
/** Sizes of camera pictures, as shares of the frame, and their ratios of width to height. */
const SHARES = { width: [0.1, 0.5], height: [0.17, 0.75] } as const;
const ASPECTS = [0.5, 2.4] as const;

/**
 * Finds the picture of a camera that lies over a game: a rectangle with edges that stay where they are, in which somebody moves
 * before a background that does not, while the game moves.
 *
 * @param parts Parts of the recording to look at, in seconds, ascending.
 * @returns Fractions of the upright frame; undefined where there is none, or the game moves too little to say.
 */
export function findCameraPicture(
  recording: Recording,
  parts: readonly { readonly start: number; readonly end: number }[],
  signal?: AbortSignal,
): Rect | undefined {
  const size = { width: WIDTH, height: 2 * Math.round((WIDTH * recording.height) / recording.width / 2) };
  const samples = samplePictures(recording, parts, size, signal);
  if (samples.length < MIN_SAMPLES) return undefined;
  const deviations = deviationsOf(samples, size);
  const usual = upperMedian([...deviations])!;
  if (usual < MIN_GAME_DEVIATION) return undefined;
  const found = findRectangles(new EdgeMap(samples, size), new CalmMap(deviations, size, CALM_DEVIATION * usual), size);
  const rect = found.find((each) => showsCamera(deviations, size, each));
  return (
    rect && {
      x: rect.x / size.width,
      y: rect.y / size.height,
      width: rect.width / size.width,
      height: rect.height / size.height,
    }
  );
}

/** Gray pictures spread over the parts. */
function samplePictures(
  recording: Recording,
  parts: readonly { readonly start: number; readonly end: number }[],
  { width, height }: Size,
  signal: AbortSignal | undefined,
): readonly Uint8Array[] {
  using scaler = new FrameFilter(width, height, 'gray');
  const step = parts.reduce((sum, { start, end }) => sum + end - start, 0) / SAMPLES;
  const samples: Uint8Array[] = [];
  for (const { start, end } of parts)
    for (let t = start + step / 2; t < end; t += step)
      for (const { frame } of recording.framesEvery(step, t, end)) {
        signal?.throwIfAborted();
        samples.push(Uint8Array.from(scaler.pixels(frame, recording.rotation)));
        break;
      }
  return samples;
}

/** How much each pixel deviates from its median over time, in levels. */
function deviationsOf(samples: readonly Uint8Array[], { width, height }: Size): Float32Array {
  const levels = new Uint8Array(samples.length);
  return Float32Array.from({ length: width * height }, (_, at) => {
    for (const [i, sample] of samples.entries()) levels[i] = sample[at]!;
    levels.sort();
    const median = levels[levels.length >> 1]!;
    return levels.reduce((sum, level) => sum + Math.abs(level - median), 0) / levels.length;
  });
}

/** How often there is an edge along lines: sums over columns and rows, so that any side is looked up at once. */
class EdgeMap {
  readonly #size: Size;
  /** By line left of a column and row above which it is summed; and by line above a row and column. */
  readonly #vertical: Float32Array;
  readonly #horizontal: Float32Array;

  constructor(samples: readonly Uint8Array[], size: Size) {
    const { width, height } = (this.#size = size);
    this.#vertical = sumAlong(stepShares(samples, width, height, 1, width), width, height);
    this.#horizontal = sumAlong(stepShares(samples, height, width, width, 1), height, width);
  }

  /** How much more often there is an edge left of column `x` than next to it, between two rows; infinite at the border. */
  vertical(x: number, top: number, bottom: number): number {
    const { width, height } = this.#size;
    if (x <= BORDER || x >= width - BORDER) return Number.POSITIVE_INFINITY;
    const at = x * (height + 1);
    return (this.#vertical[at + bottom]! - this.#vertical[at + top]!) / (bottom - top);
  }

  /** The same above row `y`, between two columns. */
  horizontal(y: number, left: number, right: number): number {
    const { width, height } = this.#size;
    if (y <= BORDER || y >= height - BORDER) return Number.POSITIVE_INFINITY;
    const at = y * (width + 1);
    return (this.#horizontal[at + right]! - this.#horizontal[at + left]!) / (right - left);
  }
}

/**
 * The share of samples in which each pixel differs from the one before it, across `count` lines of `length` pixels.
 *
 * @param across Distance in memory from a line to the next.
 * @param along Distance in memory from a pixel of a line to the next.
 */
function stepShares(
  samples: readonly Uint8Array[],
  count: number,
  length: number,
  across: number,
  along: number,
): Float32Array {
  const shares = new Float32Array(count * length);
  for (let line = 1; line < count; line++)
    for (let i = 0; i < length; i++) {
      const at = line * across + i * along;
      let steps = 0;
      for (const sample of samples) if (Math.abs(sample[at]! - sample[at - across]!) > EDGE_LEVELS) steps++;
      shares[line * length + i] = steps / samples.length;
    }
  return shares;
}

/** Distances of the lines with which a line is compared: texture has steps there, too. */
const NEAR_LINES = [-5, -4, -3, 3, 4, 5];

/** Sums along each line how much its shares are above those of the lines near it. */
function sumAlong(shares: Float32Array, count: number, length: number): Float32Array {
  const sums = new Float32Array(count * (length + 1));
  for (let line = 0; line < count; line++)
    for (let i = 0; i < length; i++) {
      let nearby = 0;
      for (const distance of NEAR_LINES) nearby += shares[(line + distance) * length + i] ?? 0;
      const at = line * (length + 1) + i;
      sums[at + 1] = sums[at]! + shares[line * length + i]! - nearby / NEAR_LINES.length;
    }
  return sums;
}

/** How many pixels are calm, summed so that any rectangle is looked up at once. */
class CalmMap {
  readonly #sums: Float64Array;
  readonly #stride: number;

  constructor(deviations: Float32Array, { width, height }: Size, most: number) {
    const stride = (this.#stride = width + 1);
    this.#sums = new Float64Array(stride * (height + 1));
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const at = (y + 1) * stride + x + 1;
        const above = this.#sums[at - stride]! - this.#sums[at - stride - 1]!;
        this.#sums[at] = this.#sums[at - 1]! + above + (deviations[y * width + x]! <= most ? 1 : 0);
      }
  }

  /** The share of calm pixels. */
  share({ x, y, width, height }: Rect): number {
    const sum = (row: number): number =>
      this.#sums[row * this.#stride + x + width]! - this.#sums[row * this.#stride + x]!;
    return (sum(y + height) - sum(y)) / (width * height);
  }
}

/** Rectangles with edges on all sides that are calm inside, best first. */
function findRectangles(edges: EdgeMap, calm: CalmMap, { width, height }: Size): readonly Rect[] {
  const found: (Rect & { readonly score: number })[] = [];
  const [least, most] = SHARES.height.map((share) => Math.round(share * height)) as [number, number];
  for (let top = 0; top < height - least; top++)
    for (let bottom = top + least; bottom <= Math.min(height, top + most); bottom++) {
      const high = bottom - top;
      const sides = lineNumbers(width).filter((x) => edges.vertical(x, top, bottom) >= MIN_EDGE);
      for (const left of sides)
        for (const right of sides) {
          const wide = right - left;
          if (wide < Math.max(SHARES.width[0] * width, ASPECTS[0] * high)) continue;
          if (wide > Math.min(SHARES.width[1] * width, ASPECTS[1] * high)) continue;
          const ends = Math.min(edges.horizontal(top, left, right), edges.horizontal(bottom, left, right));
          if (ends < MIN_EDGE) continue;
          const rect = { x: left, y: top, width: wide, height: high };
          const calmShare = calm.share(rect) - MIN_CALM_SHARE;
          const edge = Math.min(ends, edges.vertical(left, top, bottom), edges.vertical(right, top, bottom));
          // A rectangle with all sides at the border is the frame.
          if (calmShare > 0 && Number.isFinite(edge))
            found.push({ ...rect, score: edge * calmShare * Math.sqrt(wide * high) });
        }
    }
  return found.toSorted((a, b) => b.score - a.score);
}

function lineNumbers(count: number): number[] {
  return Array.from({ length: count + 1 }, (_, line) => line);
}

/** Whether somebody moves within the rectangle before a background that is calm, but as noisy as a sensor. */
function showsCamera(deviations: Float32Array, { width }: Size, rect: Rect): boolean {
  const inside: number[] = [];
  for (let y = rect.y; y < rect.y + rect.height; y++)
    for (let x = rect.x; x < rect.x + rect.width; x++) inside.push(deviations[y * width + x]!);
  inside.sort((a, b) => a - b);
  const [calmest, median, liveliest] = [0.1, 0.5, 0.8].map((share) => inside[Math.floor(share * inside.length)]!);
  return calmest! >= MIN_NOISE && liveliest! >= Math.max(MIN_MOTION, MIN_LIVELINESS * median!);
}
