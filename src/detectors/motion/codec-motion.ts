import type { Rect } from '../../geometry.ts';
import type { MotionVectors } from '../../media/picture.ts';
import type { Sketch } from '../kind.ts';
import { cellSize } from './sketch.ts';
import { type Block, structuredBlocks, summarizeBlocks, type Motion } from './block-motion.ts';

/** The motion of a region by the codec's motion vectors. */
export interface CodecMotion extends Motion {
  /** Seconds to the picture that the vectors lead to. */
  readonly over: number;
}

/**
 * Displacements are scaled to this duration, so that the same thresholds hold as between samples: most vectors lead to the next
 * picture, over which nothing moves by a cell.
 */
const REFERENCE_SECONDS = 0.1;
/** Share of a block's area predicted from another picture, below which the block counts as lost. */
const MIN_PREDICTED_SHARE = 0.5;
/** Share of that area with about the median displacement, below which the vectors of a block contradict each other. */
const MIN_AGREEING_SHARE = 0.6;
/** Distance from the median, in cells, up to which a vector agrees with it. */
const MAX_AGREEING_DISTANCE = 1.2;
/** Correlation of a block with contradictory vectors: it is neither found nor lost. */
const CONTRADICTORY_CORRELATION = 0.6;

/**
 * Estimates motion from the codec's vectors instead of a search: the displacement of each block with structure is the median of its
 * vectors. Elsewhere encoders choose the vectors that are cheapest to write. Undefined if too few blocks have vectors.
 */
export function readCodecMotion(
  sketch: Sketch,
  rect: Rect,
  vectors: MotionVectors | undefined,
): CodecMotion | undefined {
  if (!vectors) return undefined;
  const size = cellSize(rect);
  const tiles = structuredBlocks(sketch);
  const members = assignVectors(sketch, rect, size, vectors);
  const blocks = tiles.map(({ column, row, ...middle }): Block => {
    const own = members.get(row * sketch.width + column) ?? [];
    const area = own.reduce((sum, i) => sum + vectors.area[i]!, 0);
    const displacement = {
      x: (weightedMedian(own, vectors.acrossPerSecond, vectors.area) * REFERENCE_SECONDS) / size,
      y: (weightedMedian(own, vectors.downPerSecond, vectors.area) * REFERENCE_SECONDS) / size,
    };
    const agreed = own.reduce((sum, i) => {
      const dx = (vectors.acrossPerSecond[i]! * REFERENCE_SECONDS) / size - displacement.x;
      const dy = (vectors.downPerSecond[i]! * REFERENCE_SECONDS) / size - displacement.y;
      return Math.hypot(dx, dy) <= MAX_AGREEING_DISTANCE ? sum + vectors.area[i]! : sum;
    }, 0);
    const predicted = area / (8 * size) ** 2;
    return {
      ...middle,
      displacement,
      correlation:
        predicted < MIN_PREDICTED_SHARE ? 0 : agreed < MIN_AGREEING_SHARE * area ? CONTRADICTORY_CORRELATION : 1,
    };
  });
  const ways = summarizeBlocks(sketch, blocks, REFERENCE_SECONDS);
  return ways.x === undefined ? undefined : { ...ways, over: vectors.over };
}

/** Assigns the vectors to blocks, by row × width + column of their first cell. */
function assignVectors(
  { width, height }: Sketch,
  rect: Rect,
  size: number,
  { x, y }: MotionVectors,
): Map<number, number[]> {
  const [left, top] = [(width % 8) >> 1, (height % 8) >> 1];
  const members = new Map<number, number[]>();
  for (let i = 0; i < x.length; i++) {
    const column = Math.floor(((x[i]! - rect.x) / size - left) / 8);
    const row = Math.floor(((y[i]! - rect.y) / size - top) / 8);
    if (column < 0 || row < 0 || 8 * column + left + 8 > width || 8 * row + top + 8 > height) continue;
    const key = (8 * row + top) * width + 8 * column + left;
    const own = members.get(key);
    if (own) own.push(i);
    else members.set(key, [i]);
  }
  return members;
}

/** The value with half of the weight on each side. */
function weightedMedian(own: readonly number[], values: Float32Array, weights: Float32Array): number {
  const sorted = own.toSorted((a, b) => values[a]! - values[b]!);
  const half = own.reduce((sum, i) => sum + weights[i]!, 0) / 2;
  let sum = 0;
  for (const i of sorted) {
    sum += weights[i]!;
    if (sum >= half) return values[i]!;
  }
  return 0;
}
