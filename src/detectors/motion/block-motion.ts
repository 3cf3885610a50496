import type { Sketch } from '../kind.ts';
import { findFarDisplacement, likelyDisplacements, type Displacement } from './displacement.ts';
import { brightness, UNITS_PER_LEVEL } from './sketch.ts';

/** What changed between two samples. Motion is that of the picture's content: right and down are positive. */
export interface Movement {
  /** Seconds between the two samples. */
  readonly seconds: number;
  /** Mean grey level now, 0 to 255, and its standard deviation over the region. */
  readonly level: number;
  readonly contrast: number;
  /** Mean absolute difference of the two samples, in grey levels. */
  readonly difference: number;
  /** The same after subtracting the mean of each sample, without changes of brightness. */
  readonly change: number;
  /** Velocity of the picture as a whole, in heights of the region per second; undefined if there is too little structure. */
  readonly x?: number;
  readonly y?: number;
  /** Growth of the picture from its centre: 1 doubles it each second. */
  readonly zoom?: number;
  /** Share of the structure that moves differently from the whole. */
  readonly parts?: number;
  /** Upper quartile of its speed relative to the whole, in heights of the region per second. */
  readonly speed?: number;
  /** Share of the structure that the sample before does not have nearby. */
  readonly lost: number;
  /** A letter of `BLOCKS` for each block, row by row. */
  readonly blocks?: string;
  /** For strokes: the levels of the places, one character each (stroke.ts). */
  readonly levels?: string;
  /** For motion vectors: seconds to the picture that they lead to. */
  readonly over?: number;
}

/** The classes of blocks: without structure, found in place, found elsewhere, not found. */
export const BLOCKS = { plain: '.', still: 's', moved: 'm', lost: 'l' } as const;

/** Side of a block, in cells of the sketch. */
const BLOCK_SIZE = 8;
/** Cells around each candidate displacement that are searched. */
const SEARCH_RADIUS = 1;
/** Maximum steps of the hill climb from the best of them. */
const MAX_CLIMB_STEPS = 4;
/** Standard deviation, in grey levels, below which a block has no structure. */
const MIN_STRUCTURE_LEVELS = 2.5;
/** Correlation from which a block is found. */
const FOUND_CORRELATION = 0.75;
/** Correlation below which a block that moves with the whole is lost. */
const LOST_CORRELATION = 0.5;
/** The same for a block that moves differently: a lower correlation may be due to other content that looks similar. */
const SEPARATE_CORRELATION = 0.9;
/** Share of lost structure from which farther displacements are searched. */
const FAR_SEARCH_LOST_SHARE = 0.6;
/** Distance from the global motion, in cells, from which a block moves differently. */
const SEPARATE_DISTANCE = 1.2;

/** A square of 8 × 8 cells and its displacement since the sample before. */
export interface Block {
  /** Centre, in cells from the centre of the sketch. */
  readonly x: number;
  readonly y: number;
  readonly displacement: Displacement;
  /** Correlation with the block that it came from. */
  readonly correlation: number;
}

/**
 * Measures the movement between two sketches of a region. Phase correlation gives candidate displacements; each block with structure is
 * searched around them by normalised correlation, which ignores brightness; the global motion and zoom are fitted to the blocks found.
 */
export function measureMovement(before: Sketch, now: Sketch): Movement {
  const light = measureLight(before, now);
  const { difference } = light;
  const candidates: Displacement[] = [{ x: 0, y: 0 }];
  if (difference > 0) {
    for (const displacement of likelyDisplacements(before, now, 3))
      if (displacement.x !== 0 || displacement.y !== 0) candidates.push(displacement);
  }
  const found = estimateMotion(before, now, candidates, difference === 0);
  if (found.lost < FAR_SEARCH_LOST_SHARE) return { ...light, ...found };
  // A turn by half a picture has no peak in the correlation: compares the part that both samples show.
  const far = findFarDisplacement(before, now);
  const again = far ? estimateMotion(before, now, [...candidates, far], false) : found;
  return { ...light, ...(again.lost < found.lost ? again : found) };
}

/** Measures brightness and difference without motion. */
export function measureLight(
  before: Sketch,
  now: Sketch,
): Pick<Movement, 'seconds' | 'level' | 'contrast' | 'difference' | 'change'> {
  const { level, contrast } = brightness(now);
  const difference = meanDifference(before, now);
  const change = difference === 0 ? 0 : meanChange(before, now, (level - brightness(before).level) * UNITS_PER_LEVEL);
  return { seconds: now.t - before.t, level, contrast, difference, change };
}

/** Motion of the whole and of its parts. */
export type Motion = Pick<Movement, 'x' | 'y' | 'zoom' | 'parts' | 'speed' | 'lost' | 'blocks'>;

function estimateMotion(before: Sketch, now: Sketch, candidates: readonly Displacement[], same: boolean): Motion {
  return summarizeBlocks(now, matchBlocks(before, now, candidates, same), now.t - before.t);
}

/** Fits the motion of the whole to the displacements of blocks over so many seconds. */
export function summarizeBlocks(now: Sketch, blocks: readonly Block[], seconds: number): Motion {
  const classify = (isLost: (block: Block) => boolean): string => classifyBlocks(now, blocks, isLost);
  if (blocks.length < 4) return { lost: 0, blocks: classify(() => false) };
  const found = blocks.filter(({ correlation }) => correlation >= FOUND_CORRELATION);
  if (found.length < 4)
    return {
      lost: 1 - found.length / blocks.length,
      blocks: classify(({ correlation }) => correlation < FOUND_CORRELATION),
    };
  const whole = fitGlobalMotion(found);
  const separation = (block: Block): number => distance(block, whole);
  const isLost = (block: Block): boolean =>
    block.correlation < (separation(block) > 2 * SEPARATE_DISTANCE ? SEPARATE_CORRELATION : LOST_CORRELATION);
  const lost = blocks.filter(isLost).length / blocks.length;
  const separations = found.filter((block) => !isLost(block)).map(separation);
  const perSecond = 1 / (seconds * now.height);
  const separate = separations.filter((cells) => cells > SEPARATE_DISTANCE).toSorted((a, b) => a - b);
  return {
    x: whole.x * perSecond,
    y: whole.y * perSecond,
    zoom: whole.zoom / seconds,
    parts: separate.length / blocks.length,
    speed: (separate[Math.floor(separate.length * 0.75)] ?? 0) * perSecond,
    lost,
    blocks: classify(isLost),
  };
}

/** Displacement, in cells, below which a block is in place. */
const STILL_DISTANCE = 0.5;

function classifyBlocks(
  { width, height }: Sketch,
  blocks: readonly Block[],
  isLost: (block: Block) => boolean,
): string {
  const across = Math.floor(width / BLOCK_SIZE);
  const letters: string[] = Array.from({ length: across * Math.floor(height / BLOCK_SIZE) }, () => BLOCKS.plain);
  for (const block of blocks) {
    const column = Math.floor((block.x + width / 2) / BLOCK_SIZE);
    const row = Math.floor((block.y + height / 2) / BLOCK_SIZE);
    const still = Math.hypot(block.displacement.x, block.displacement.y) < STILL_DISTANCE;
    letters[row * across + column] = isLost(block) ? BLOCKS.lost : still ? BLOCKS.still : BLOCKS.moved;
  }
  return letters.join('');
}

function meanDifference(before: Sketch, now: Sketch): number {
  let sum = 0;
  for (let i = 0; i < now.data.length; i++) sum += Math.abs(now.data[i]! - before.data[i]!);
  return sum / (now.data.length * UNITS_PER_LEVEL);
}

/** Mean absolute difference of levels after subtracting the mean of each picture, in grey levels. */
function meanChange(before: Sketch, now: Sketch, brightening: number): number {
  let sum = 0;
  for (let i = 0; i < now.data.length; i++) sum += Math.abs(now.data[i]! - before.data[i]! - brightening);
  return sum / (now.data.length * UNITS_PER_LEVEL);
}

/** Integral images of a sketch and of its squares, which give the sums of any block by four look-ups. */
interface IntegralImages {
  readonly plain: Float64Array;
  readonly squares: Float64Array;
  readonly stride: number;
}

function integralImages({ data, width, height }: Sketch): IntegralImages {
  const stride = width + 1;
  const plain = new Float64Array(stride * (height + 1));
  const squares = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    let [sum, square] = [0, 0];
    for (let x = 0; x < width; x++) {
      const value = data[y * width + x]!;
      sum += value;
      square += value * value;
      const at = (y + 1) * stride + x + 1;
      plain[at] = plain[at - stride]! + sum;
      squares[at] = squares[at - stride]! + square;
    }
  }
  return { plain, squares, stride };
}

/** Lists the blocks with structure: centre, in cells from the centre of the sketch, and first cell. */
export function structuredBlocks(now: Sketch): (Displacement & { readonly column: number; readonly row: number })[] {
  const { width, height } = now;
  const { plain, squares, stride } = integralImages(now);
  const found: (Displacement & { readonly column: number; readonly row: number })[] = [];
  for (let row = (height % BLOCK_SIZE) >> 1; row + BLOCK_SIZE <= height; row += BLOCK_SIZE) {
    for (let column = (width % BLOCK_SIZE) >> 1; column + BLOCK_SIZE <= width; column += BLOCK_SIZE) {
      const sum = blockSum(plain, stride, column, row);
      const energy = blockSum(squares, stride, column, row) - sum ** 2 / BLOCK_SIZE ** 2;
      if (energy < (MIN_STRUCTURE_LEVELS * UNITS_PER_LEVEL) ** 2 * BLOCK_SIZE ** 2) continue;
      found.push({ x: column + BLOCK_SIZE / 2 - width / 2, y: row + BLOCK_SIZE / 2 - height / 2, column, row });
    }
  }
  return found;
}

function blockSum(sums: Float64Array, stride: number, x: number, y: number): number {
  const top = y * stride + x;
  const bottom = top + BLOCK_SIZE * stride;
  return sums[bottom + BLOCK_SIZE]! - sums[bottom]! - sums[top + BLOCK_SIZE]! + sums[top]!;
}

/** Finds the displacement of every block with structure. */
function matchBlocks(before: Sketch, now: Sketch, candidates: readonly Displacement[], same: boolean): Block[] {
  const { width, height } = now;
  const sumsBefore = integralImages(before);
  const sumsNow = same ? sumsBefore : integralImages(now);
  const area = BLOCK_SIZE * BLOCK_SIZE;
  const least = (MIN_STRUCTURE_LEVELS * UNITS_PER_LEVEL) ** 2 * area;
  const blocks: Block[] = [];
  const left = (width % BLOCK_SIZE) >> 1;
  const top = (height % BLOCK_SIZE) >> 1;
  for (let y = top; y + BLOCK_SIZE <= height; y += BLOCK_SIZE) {
    for (let x = left; x + BLOCK_SIZE <= width; x += BLOCK_SIZE) {
      const sum = blockSum(sumsNow.plain, sumsNow.stride, x, y);
      const energy = blockSum(sumsNow.squares, sumsNow.stride, x, y) - (sum * sum) / area;
      if (energy < least) continue;
      const middle = { x: x + BLOCK_SIZE / 2 - width / 2, y: y + BLOCK_SIZE / 2 - height / 2 };
      if (same) {
        blocks.push({ ...middle, displacement: { x: 0, y: 0 }, correlation: 1 });
        continue;
      }
      const correlation = (dx: number, dy: number): number => {
        const [fromX, fromY] = [x - dx, y - dy];
        if (fromX < 0 || fromY < 0 || fromX + BLOCK_SIZE > width || fromY + BLOCK_SIZE > height) return -1;
        const other = blockSum(sumsBefore.plain, sumsBefore.stride, fromX, fromY);
        const otherEnergy = blockSum(sumsBefore.squares, sumsBefore.stride, fromX, fromY) - (other * other) / area;
        if (otherEnergy < least / 16) return -1;
        const product = products(now, x, y, before, fromX, fromY) - (sum * other) / area;
        return product / Math.sqrt(energy * otherEnergy);
      };
      const best = searchDisplacement(correlation, candidates);
      if (best) blocks.push({ ...middle, ...best });
    }
  }
  return blocks;
}

function products(a: Sketch, ax: number, ay: number, b: Sketch, bx: number, by: number): number {
  let sum = 0;
  for (let row = 0; row < BLOCK_SIZE; row++) {
    const p = (ay + row) * a.width + ax;
    const q = (by + row) * b.width + bx;
    for (let i = 0; i < BLOCK_SIZE; i++) sum += a.data[p + i]! * b.data[q + i]!;
  }
  return sum;
}

/** Finds the best displacement near the candidates, refined to fractions of cells; undefined if all lead out of the picture. */
function searchDisplacement(
  correlation: (dx: number, dy: number) => number,
  candidates: readonly Displacement[],
): { displacement: Displacement; correlation: number } | undefined {
  let best = { x: 0, y: 0 };
  let highest = -1;
  const take = (x: number, y: number): void => {
    const value = correlation(x, y);
    if (value <= highest) return;
    highest = value;
    best = { x, y };
  };
  for (const candidate of candidates) {
    for (let y = candidate.y - SEARCH_RADIUS; y <= candidate.y + SEARCH_RADIUS; y++) {
      for (let x = candidate.x - SEARCH_RADIUS; x <= candidate.x + SEARCH_RADIUS; x++) take(x, y);
    }
  }
  if (highest <= -1) return undefined;
  // Follows blocks that move differently from all candidates.
  for (let step = 0; step < MAX_CLIMB_STEPS; step++) {
    const { x, y } = best;
    take(x - 1, y);
    take(x + 1, y);
    take(x, y - 1);
    take(x, y + 1);
    if (best.x === x && best.y === y) break;
  }
  const { x, y } = best;
  const displacement = {
    x: x + parabolaPeak(correlation(x - 1, y), highest, correlation(x + 1, y)),
    y: y + parabolaPeak(correlation(x, y - 1), highest, correlation(x, y + 1)),
  };
  return { displacement, correlation: highest };
}

/** The maximum of the parabola through three neighbouring values, relative to the middle one. */
function parabolaPeak(left: number, middle: number, right: number): number {
  if (left <= -1 || right <= -1) return 0;
  const bend = left - 2 * middle + right;
  if (bend >= -1e-12) return 0;
  const offset = (0.5 * (left - right)) / bend;
  return Math.max(-0.5, Math.min(0.5, offset));
}

interface GlobalMotion extends Displacement {
  readonly zoom: number;
}

/** Distance, in cells, between the displacement of a block and the global motion. */
function distance({ x, y, displacement }: Block, whole: GlobalMotion): number {
  return Math.hypot(displacement.x - whole.x - whole.zoom * x, displacement.y - whole.y - whole.zoom * y);
}

/**
 * Fits motion and zoom to the majority of blocks: the candidate that most blocks agree with (the displacement of any block, or a fit to
 * all, as the blocks of a growing picture share no displacement), then least squares over those blocks.
 */
function fitGlobalMotion(blocks: readonly Block[]): GlobalMotion {
  const candidates: GlobalMotion[] = [
    ...blocks.map(({ displacement }) => ({ ...displacement, zoom: 0 })),
    leastSquares(blocks),
  ];
  let whole = candidates[0]!;
  let support = -1;
  for (const candidate of candidates) {
    let count = 0;
    for (const block of blocks) if (distance(block, candidate) <= SEPARATE_DISTANCE) count++;
    if (count <= support) continue;
    support = count;
    whole = candidate;
  }
  for (let round = 0; round < 2; round++) {
    const { x, y, zoom } = whole;
    const near = blocks.filter((block) => distance(block, { x, y, zoom }) <= SEPARATE_DISTANCE);
    if (near.length < 4) break;
    whole = leastSquares(near);
  }
  return whole;
}

function leastSquares(blocks: readonly Block[]): GlobalMotion {
  const mean = (of: (block: Block) => number): number =>
    blocks.reduce((sum, block) => sum + of(block), 0) / blocks.length;
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)];
  const [sx, sy] = [mean(({ displacement }) => displacement.x), mean(({ displacement }) => displacement.y)];
  let [along, spread] = [0, 0];
  for (const { x, y, displacement } of blocks) {
    along += (x - mx) * (displacement.x - sx) + (y - my) * (displacement.y - sy);
    spread += (x - mx) ** 2 + (y - my) ** 2;
  }
  const zoom = spread > 16 * blocks.length ? along / spread : 0;
  return { x: sx - zoom * mx, y: sy - zoom * my, zoom };
}
