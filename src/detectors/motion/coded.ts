import type { Rect } from '../../geometry.ts';
import type { MotionVectors } from '../../media/picture.ts';
import type { Sketch } from '../kind.ts';
import { cellOf } from './sketch.ts';
import { type Block, structuredBlocks, summedUp, type Ways } from './flow.ts';

/** What the codec's motion vectors say of a region, and how far they lead. */
export interface CodedWays extends Ways {
  /** Seconds to the picture that the vectors lead to. */
  readonly over: number;
}

/**
 * Seconds over which the blocks' ways are told in cells, so that the same limits hold as between samples: vectors mostly
 * lead to the next picture, in which nothing moves by a cell.
 */
const SPAN = 0.1;
/** Share of a block's area that is predicted from another picture, below which the block counts as lost. */
const PREDICTED = 0.5;
/** Share of that area that goes the block's way, from which it has one; and cells within which it does. */
const AGREED = 0.6;
const NEAR = 1.2;
/** Of a block whose vectors contradict each other: neither found nor lost. */
const UNDECIDED = 0.6;

/**
 * The ways of the whole and of its parts by the codec's vectors in the place of a search: of each block of the sketch that has
 * structure (vectors elsewhere are what is cheapest to write) the median of its vectors. Undefined where they tell no way.
 */
export function codedWays(sketch: Sketch, rect: Rect, vectors: MotionVectors | undefined): CodedWays | undefined {
  if (!vectors) return undefined;
  const size = cellOf(rect);
  const tiles = structuredBlocks(sketch);
  const members = gather(sketch, rect, size, vectors);
  const blocks = tiles.map(({ column, row, ...middle }): Block => {
    const own = members.get(row * sketch.width + column) ?? [];
    const area = own.reduce((sum, i) => sum + vectors.area[i]!, 0);
    const shift = {
      x: (medianBy(own, vectors.acrossPerSecond, vectors.area) * SPAN) / size,
      y: (medianBy(own, vectors.downPerSecond, vectors.area) * SPAN) / size,
    };
    const agreed = own.reduce((sum, i) => {
      const dx = (vectors.acrossPerSecond[i]! * SPAN) / size - shift.x;
      const dy = (vectors.downPerSecond[i]! * SPAN) / size - shift.y;
      return Math.hypot(dx, dy) <= NEAR ? sum + vectors.area[i]! : sum;
    }, 0);
    const predicted = area / (8 * size) ** 2;
    return { ...middle, shift, likeness: predicted < PREDICTED ? 0 : agreed < AGREED * area ? UNDECIDED : 1 };
  });
  const ways = summedUp(sketch, blocks, SPAN);
  return ways.x === undefined ? undefined : { ...ways, over: vectors.over };
}

/** The vectors of each block, by row × width + column of its first cell. */
function gather({ width, height }: Sketch, rect: Rect, size: number, { x, y }: MotionVectors): Map<number, number[]> {
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

/** The value with half of the weight on either side. */
function medianBy(own: readonly number[], values: Float32Array, weights: Float32Array): number {
  const sorted = own.toSorted((a, b) => values[a]! - values[b]!);
  const half = own.reduce((sum, i) => sum + weights[i]!, 0) / 2;
  let sum = 0;
  for (const i of sorted) {
    sum += weights[i]!;
    if (sum >= half) return values[i]!;
  }
  return 0;
}
