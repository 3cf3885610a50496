import type { Rect, Size } from '../../geometry.ts';
import type { MotionVectors, Picture } from '../../media/picture.ts';
import type { Sketch } from '../kind.ts';
import { Fft } from '../../compute/fft.ts';

/** Maximum size of a sketch in cells: resolves turns by an eighth of a degree and is compared within a millisecond. */
const MAX_COLUMNS = 96;
const MAX_ROWS = 64;
/** Sketches store levels in 64ths of a grey level. */
export const UNITS_PER_LEVEL = 64;

/** Side of the square cells of a region's sketch, in pixels. */
function cellSize({ width, height }: Size): number {
  return Math.max(1, Math.ceil(Math.max(width / MAX_COLUMNS, height / MAX_ROWS)));
}

/**
 * Averages the luma of a part of a picture over square cells, as full-range grey in 64ths of a level. In cells at least six pixels
 * high every other row is skipped.
 */
export function createSketch(picture: Picture, rect: Rect): Sketch {
  const size = cellSize(rect);
  const width = Math.floor(rect.width / size);
  const height = Math.floor(rect.height / size);
  const data = new Uint16Array(width * height);
  const { data: luma, stride } = picture.y;
  const rowStep = size >= 6 ? 2 : 1;
  const rows = Math.ceil(size / rowStep);
  const [zero, scale] = picture.color.fullRange ? [0, UNITS_PER_LEVEL] : [16, (UNITS_PER_LEVEL * 255) / 219];
  const per = scale / (rows * size);
  const sums = new Uint32Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let row = 0; row < size; row += rowStep) {
      let at = (rect.y + y * size + row) * stride + rect.x;
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (const end = at + size; at < end; at++) sum += luma[at]!;
        sums[x]! += sum;
      }
    }
    for (let x = 0; x < width; x++) {
      const level = Math.round((sums[x]! - zero * rows * size) * per);
      data[y * width + x] = level < 0 ? 0 : level > 255 * UNITS_PER_LEVEL ? 255 * UNITS_PER_LEVEL : level;
    }
  }
  return { t: picture.t, width, height, data };
}

/** Mean level and standard deviation, in grey levels. */
export function brightness({ data }: Sketch): { readonly level: number; readonly contrast: number } {
  let [sum, squares] = [0, 0];
  for (const value of data) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / data.length;
  const variance = Math.max(0, squares / data.length - mean * mean);
  return { level: mean / UNITS_PER_LEVEL, contrast: Math.sqrt(variance) / UNITS_PER_LEVEL };
}

/** A displacement in cells of the sketch: the position now of what was at (0, 0) before. */
interface Displacement {
  readonly x: number;
  readonly y: number;
}

/** Size of the transformed picture. */
const WIDTH = 64;
const HEIGHT = 32;
const rows = new Fft(WIDTH);
const columns = new Fft(HEIGHT);

/**
 * Finds the most likely displacements of a whole picture by phase correlation (Kuglin and Hines 1975) at half the sketch's
 * resolution: even numbers of cells, most likely first.
 */
function likelyDisplacements(before: Sketch, now: Sketch, count: number): Displacement[] {
  // Transforms both real pictures as one complex picture; symmetry separates them.
  const re = windowed(before);
  const im = windowed(now);
  transform(re, im, false);
  const crossRe = new Float64Array(WIDTH * HEIGHT);
  const crossIm = new Float64Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const a = y * WIDTH + x;
      const b = ((HEIGHT - y) % HEIGHT) * WIDTH + ((WIDTH - x) % WIDTH);
      const beforeRe = (re[a]! + re[b]!) / 2;
      const beforeIm = (im[a]! - im[b]!) / 2;
      const nowRe = (im[a]! + im[b]!) / 2;
      const nowIm = (re[b]! - re[a]!) / 2;
      const real = nowRe * beforeRe + nowIm * beforeIm;
      const imaginary = nowIm * beforeRe - nowRe * beforeIm;
      const size = Math.hypot(real, imaginary);
      if (size < 1e-9) continue;
      // Between plain and phase correlation: weak frequencies are mostly noise.
      const weight = Math.sqrt(size);
      crossRe[a] = real / weight;
      crossIm[a] = imaginary / weight;
    }
  }
  transform(crossRe, crossIm, true);
  return findPeaks(crossRe, count);
}

function transform(re: Float64Array, im: Float64Array, inverse: boolean): void {
  for (let y = 0; y < HEIGHT; y++) {
    const from = y * WIDTH;
    const [a, b] = [re.subarray(from, from + WIDTH), im.subarray(from, from + WIDTH)];
    if (inverse) rows.inverse(a, b);
    else rows.forward(a, b);
  }
  const a = new Float64Array(HEIGHT);
  const b = new Float64Array(HEIGHT);
  for (let x = 0; x < WIDTH; x++) {
    for (let y = 0; y < HEIGHT; y++) {
      a[y] = re[y * WIDTH + x]!;
      b[y] = im[y * WIDTH + x]!;
    }
    if (inverse) columns.inverse(a, b);
    else columns.forward(a, b);
    for (let y = 0; y < HEIGHT; y++) {
      re[y * WIDTH + x] = a[y]!;
      im[y * WIDTH + x] = b[y]!;
    }
  }
}

/** Halves the sketch, subtracts its mean and applies a sine window. */
function windowed({ data, width, height }: Sketch): Float64Array {
  const out = new Float64Array(WIDTH * HEIGHT);
  const across = Math.min(WIDTH, width >> 1);
  const down = Math.min(HEIGHT, height >> 1);
  let mean = 0;
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const at = 2 * y * width + 2 * x;
      const value = data[at]! + data[at + 1]! + data[at + width]! + data[at + width + 1]!;
      out[y * WIDTH + x] = value;
      mean += value;
    }
  }
  mean /= across * down;
  for (let y = 0; y < down; y++) {
    const vertical = Math.sin((Math.PI * (y + 0.5)) / down);
    for (let x = 0; x < across; x++) {
      const at = y * WIDTH + x;
      out[at] = (out[at]! - mean) * vertical * Math.sin((Math.PI * (x + 0.5)) / across);
    }
  }
  return out;
}

function findPeaks(surface: Float64Array, count: number): Displacement[] {
  const found: { at: number; value: number }[] = [];
  for (let at = 0; at < surface.length; at++) {
    const value = surface[at]!;
    if (found.length === count && value <= found[count - 1]!.value) continue;
    const x = at % WIDTH;
    const y = (at / WIDTH) | 0;
    let isPeak = true;
    for (let dy = -1; dy <= 1 && isPeak; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const other = ((y + dy + HEIGHT) % HEIGHT) * WIDTH + ((x + dx + WIDTH) % WIDTH);
        if (other !== at && surface[other]! > value) {
          isPeak = false;
          break;
        }
      }
    }
    if (!isPeak) continue;
    const place = found.findIndex((one) => one.value < value);
    found.splice(place < 0 ? found.length : place, 0, { at, value });
    if (found.length > count) found.pop();
  }
  return found.map(({ at }) => {
    const x = at % WIDTH;
    const y = (at / WIDTH) | 0;
    return { x: 2 * (x >= WIDTH / 2 ? x - WIDTH : x), y: 2 * (y >= HEIGHT / 2 ? y - HEIGHT : y) };
  });
}

/** Downscaling factor of the search for far displacements. */
const FAR_SCALE = 3;
/** Maximum far displacements, as shares of width and height. */
const MAX_FAR_X = 0.6;
const MAX_FAR_Y = 0.5;
/** Minimum share of the picture in which both overlap. */
const MIN_OVERLAP = 0.35;

/**
 * Finds the displacement with the highest normalised correlation of the overlap, at a third of the sketch's resolution. It finds
 * displacements too far for phase correlation; undefined if no correlation is positive.
 */
function findFarDisplacement(before: Sketch, now: Sketch): Displacement | undefined {
  const [a, b] = [downscale(before), downscale(now)];
  const { width, height } = a;
  const [across, down] = [Math.floor(width * MAX_FAR_X), Math.floor(height * MAX_FAR_Y)];
  let best: Displacement | undefined;
  let highest = 0;
  for (let dy = -down; dy <= down; dy++) {
    for (let dx = -across; dx <= across; dx++) {
      if ((width - Math.abs(dx)) * (height - Math.abs(dy)) < MIN_OVERLAP * width * height) continue;
      const correlation = overlapCorrelation(a, b, dx, dy);
      if (correlation <= highest) continue;
      highest = correlation;
      best = { x: FAR_SCALE * dx, y: FAR_SCALE * dy };
    }
  }
  return best;
}

interface Downscaled {
  readonly width: number;
  readonly height: number;
  readonly data: Float64Array;
}

function downscale({ data, width: from, height: lines }: Sketch): Downscaled {
  const [width, height] = [Math.floor(from / FAR_SCALE), Math.floor(lines / FAR_SCALE)];
  const out = new Float64Array(width * height);
  for (let y = 0; y < FAR_SCALE * height; y++) {
    const to = Math.floor(y / FAR_SCALE) * width;
    for (let x = 0; x < FAR_SCALE * width; x++) out[to + Math.floor(x / FAR_SCALE)]! += data[y * from + x]!;
  }
  return { width, height, data: out };
}

/** Correlation of `b` with `a` displaced by whole cells, over their overlap. */
function overlapCorrelation(a: Downscaled, b: Downscaled, dx: number, dy: number): number {
  const { width, height } = a;
  const [left, right] = [Math.max(0, dx), Math.min(width, width + dx)];
  const [top, bottom] = [Math.max(0, dy), Math.min(height, height + dy)];
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    const back = (y - dy) * width - dx;
    for (let x = left; x < right; x++) {
      const p = a.data[back + x]!;
      const q = b.data[y * width + x]!;
      sumA += p;
      sumB += q;
      squaresA += p * p;
      squaresB += q * q;
      products += p * q;
    }
  }
  const count = (right - left) * (bottom - top);
  const spread = (squaresA - (sumA * sumA) / count) * (squaresB - (sumB * sumB) / count);
  return spread > 0 ? (products - (sumA * sumB) / count) / Math.sqrt(spread) : 0;
}

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
interface Block {
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
  const change =
    difference === 0 ? 0 : meanDifference(before, now, (level - brightness(before).level) * UNITS_PER_LEVEL);
  return { seconds: now.t - before.t, level, contrast, difference, change };
}

/** Motion of the whole and of its parts. */
type Motion = Pick<Movement, 'x' | 'y' | 'zoom' | 'parts' | 'speed' | 'lost' | 'blocks'>;

function estimateMotion(before: Sketch, now: Sketch, candidates: readonly Displacement[], same: boolean): Motion {
  return summarizeBlocks(now, matchBlocks(before, now, candidates, same), now.t - before.t);
}

/** Fits the motion of the whole to the displacements of blocks over so many seconds. */
function summarizeBlocks(now: Sketch, blocks: readonly Block[], seconds: number): Motion {
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

/** Mean absolute difference of levels, in grey levels, after subtracting a brightening in 64ths of one. */
function meanDifference(before: Sketch, now: Sketch, brightening = 0): number {
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

/** A block with structure: centre, in cells from the centre of the sketch, and first cell. */
interface StructuredBlock extends Displacement {
  readonly column: number;
  readonly row: number;
  /** Sum of its levels, and sum of the squares of their differences from the mean. */
  readonly sum: number;
  readonly energy: number;
}

/** Lists the blocks with structure. */
function structuredBlocks(now: Sketch, { plain, squares, stride } = integralImages(now)): StructuredBlock[] {
  const { width, height } = now;
  const found: StructuredBlock[] = [];
  for (let row = (height % BLOCK_SIZE) >> 1; row + BLOCK_SIZE <= height; row += BLOCK_SIZE) {
    for (let column = (width % BLOCK_SIZE) >> 1; column + BLOCK_SIZE <= width; column += BLOCK_SIZE) {
      const sum = blockSum(plain, stride, column, row);
      const energy = blockSum(squares, stride, column, row) - sum ** 2 / BLOCK_SIZE ** 2;
      if (energy < (MIN_STRUCTURE_LEVELS * UNITS_PER_LEVEL) ** 2 * BLOCK_SIZE ** 2) continue;
      const middle = { x: column + BLOCK_SIZE / 2 - width / 2, y: row + BLOCK_SIZE / 2 - height / 2 };
      found.push({ ...middle, column, row, sum, energy });
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
  return structuredBlocks(now, sumsNow).flatMap(({ column: x, row: y, sum, energy, ...middle }): Block[] => {
    if (same) return [{ ...middle, displacement: { x: 0, y: 0 }, correlation: 1 }];
    const correlation = (dx: number, dy: number): number => {
      const [fromX, fromY] = [x - dx, y - dy];
      if (fromX < 0 || fromY < 0 || fromX + BLOCK_SIZE > width || fromY + BLOCK_SIZE > height) return -1;
      const other = blockSum(sumsBefore.plain, sumsBefore.stride, fromX, fromY);
      const otherEnergy = blockSum(sumsBefore.squares, sumsBefore.stride, fromX, fromY) - (other * other) / area;
      if (otherEnergy < least / 16) return -1;
      const product = blockProduct(now, x, y, before, fromX, fromY) - (sum * other) / area;
      return product / Math.sqrt(energy * otherEnergy);
    };
    const best = searchDisplacement(correlation, candidates);
    return best ? [{ ...middle, ...best }] : [];
  });
}

function blockProduct(a: Sketch, ax: number, ay: number, b: Sketch, bx: number, by: number): number {
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
  const blocks = tiles.map(({ column, row, x, y }): Block => {
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
      x,
      y,
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
