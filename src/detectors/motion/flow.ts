import type { Sketch } from '../kind.ts';
import { farShift, likelyShifts, type Shift } from './shift.ts';
import { lightOf, UNITS } from './sketch.ts';

/** What changed between two samples. Ways are those of the picture's content: right and down are positive. */
export interface Movement {
  /** Seconds between the two samples. */
  readonly seconds: number;
  /** Mean grey level now, 0 to 255, and its standard deviation over the region. */
  readonly level: number;
  readonly contrast: number;
  /** Mean absolute difference of the two samples, in grey levels. */
  readonly difference: number;
  /** The same without what is only light: of levels less the mean of each sample. */
  readonly change: number;
  /** Way of the picture as a whole, in heights of the region a second; undefined where there is too little structure. */
  readonly x?: number;
  readonly y?: number;
  /** How fast the picture grows from its middle: 1 is doubling each second. */
  readonly zoom?: number;
  /** Share of the structure that moves otherwise than the whole, and how fast (the upper quartile, relative to the whole). */
  readonly parts?: number;
  readonly speed?: number;
  /** Share of the structure that is found nowhere near where it could have come from; 0 where there is none. */
  readonly lost: number;
  /** Block by block, row by row, a letter of `BLOCKS`. */
  readonly blocks?: string;
  /** Of patterns over more than two samples: the levels of its places, a character each (stroke.ts). */
  readonly levels?: string;
  /** By the codec's vectors: the seconds to the picture that they lead to, over which the ways were measured. */
  readonly over?: number;
}

/** What becomes of a block: it has no structure, is found at its place, is found elsewhere, is lost. */
export const BLOCKS = { plain: '.', still: 's', moved: 'm', lost: 'l' } as const;

const BLOCK = 8;
/** Cells around each guess that are searched, and steps uphill from the best of them. */
const REACH = 1;
const CLIMB = 4;
/** A block with less deviation than this, in grey levels, is plain. */
const STRUCTURE = 2.5;
/** Correlation from which a block is found again, and below which it is lost. */
const FOUND = 0.75;
const LOST = 0.5;
/** Correlation from which a block is believed to go its own way; below, it only looks like something that was there. */
const SURE = 0.9;
/** Share of structure lost from which it is looked for farther away. */
const DOUBTFUL = 0.6;
/** Cells from the way of the whole that make a way of its own. */
const APART = 1.2;

/** A square of 8 × 8 cells and where it came from. */
export interface Block {
  /** Middle, in cells from the middle of the sketch. */
  readonly x: number;
  readonly y: number;
  readonly shift: Shift;
  readonly likeness: number;
}

/**
 * Compares two sketches of a region: the way of the whole by phase correlation, then blocks of 8 × 8 cells, each searched
 * around the likeliest ways (normalised correlation, so that light does not matter); the whole's way and zoom are fitted to
 * the blocks found again. A pure function of both.
 */
export function movementOf(before: Sketch, now: Sketch): Movement {
  const light = lightBetween(before, now);
  const { difference } = light;
  const guesses: Shift[] = [{ x: 0, y: 0 }];
  if (difference > 0) {
    for (const shift of likelyShifts(before, now, 3)) if (shift.x !== 0 || shift.y !== 0) guesses.push(shift);
  }
  const found = waysOf(before, now, guesses, difference === 0);
  if (found.lost < DOUBTFUL) return { ...light, ...found };
  // A turn by half a picture has no peak among the likely ways: the rest that both show is looked for.
  const far = farShift(before, now);
  const again = far ? waysOf(before, now, [...guesses, far], false) : found;
  return { ...light, ...(again.lost < found.lost ? again : found) };
}

/** What changed without any way being looked for. */
export function lightBetween(
  before: Sketch,
  now: Sketch,
): Pick<Movement, 'seconds' | 'level' | 'contrast' | 'difference' | 'change'> {
  const { level, contrast } = lightOf(now);
  const difference = differenceOf(before, now);
  const change = difference === 0 ? 0 : changeOf(before, now, (level - lightOf(before).level) * UNITS);
  return { seconds: now.t - before.t, level, contrast, difference, change };
}

/** How the whole and its parts go. */
export type Ways = Pick<Movement, 'x' | 'y' | 'zoom' | 'parts' | 'speed' | 'lost' | 'blocks'>;

/** The ways of the whole and of its parts, by blocks that are looked for around the guesses. */
function waysOf(before: Sketch, now: Sketch, guesses: readonly Shift[], same: boolean): Ways {
  return summedUp(now, matchBlocks(before, now, guesses, same), now.t - before.t);
}

/** What the blocks of a sketch come to that went their ways within so many seconds. */
export function summedUp(now: Sketch, blocks: readonly Block[], seconds: number): Ways {
  const fates = (isLost: (block: Block) => boolean): string => fatesOf(now, blocks, isLost);
  if (blocks.length < 4) return { lost: 0, blocks: fates(() => false) };
  const found = blocks.filter(({ likeness }) => likeness >= FOUND);
  if (found.length < 4)
    return { lost: 1 - found.length / blocks.length, blocks: fates(({ likeness }) => likeness < FOUND) };
  const whole = fit(found);
  const off = (block: Block): number => distance(block, whole);
  const isLost = (block: Block): boolean => block.likeness < (off(block) > 2 * APART ? SURE : LOST);
  const lost = blocks.filter(isLost).length / blocks.length;
  const apart = found.filter((block) => !isLost(block)).map(off);
  const perSecond = 1 / (seconds * now.height);
  const own = apart.filter((cells) => cells > APART).toSorted((a, b) => a - b);
  return {
    x: whole.x * perSecond,
    y: whole.y * perSecond,
    zoom: whole.zoom / seconds,
    parts: own.length / blocks.length,
    speed: (own[Math.floor(own.length * 0.75)] ?? 0) * perSecond,
    lost,
    blocks: fates(isLost),
  };
}

/** Cells that a block may move and still be at its place. */
const STILL = 0.5;

function fatesOf({ width, height }: Sketch, blocks: readonly Block[], isLost: (block: Block) => boolean): string {
  const across = Math.floor(width / BLOCK);
  const letters: string[] = Array.from({ length: across * Math.floor(height / BLOCK) }, () => BLOCKS.plain);
  for (const block of blocks) {
    const column = Math.floor((block.x + width / 2) / BLOCK);
    const row = Math.floor((block.y + height / 2) / BLOCK);
    const still = Math.hypot(block.shift.x, block.shift.y) < STILL;
    letters[row * across + column] = isLost(block) ? BLOCKS.lost : still ? BLOCKS.still : BLOCKS.moved;
  }
  return letters.join('');
}

function differenceOf(before: Sketch, now: Sketch): number {
  let sum = 0;
  for (let i = 0; i < now.data.length; i++) sum += Math.abs(now.data[i]! - before.data[i]!);
  return sum / (now.data.length * UNITS);
}

/** The mean absolute difference of levels less the mean of each picture, in grey levels. */
function changeOf(before: Sketch, now: Sketch, lighter: number): number {
  let sum = 0;
  for (let i = 0; i < now.data.length; i++) sum += Math.abs(now.data[i]! - before.data[i]! - lighter);
  return sum / (now.data.length * UNITS);
}

/** Sums of a sketch and of its squares from the corner, to have those of any block by four look-ups. */
interface Sums {
  readonly plain: Float64Array;
  readonly squares: Float64Array;
  readonly stride: number;
}

function sumsOf({ data, width, height }: Sketch): Sums {
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

/** Middles of the blocks that have structure, in cells from the middle of the sketch, with the first cell of each. */
export function structuredBlocks(now: Sketch): (Shift & { readonly column: number; readonly row: number })[] {
  const { width, height } = now;
  const { plain, squares, stride } = sumsOf(now);
  const found: (Shift & { readonly column: number; readonly row: number })[] = [];
  for (let row = (height % BLOCK) >> 1; row + BLOCK <= height; row += BLOCK) {
    for (let column = (width % BLOCK) >> 1; column + BLOCK <= width; column += BLOCK) {
      const sum = blockSum(plain, stride, column, row);
      const energy = blockSum(squares, stride, column, row) - sum ** 2 / BLOCK ** 2;
      if (energy < (STRUCTURE * UNITS) ** 2 * BLOCK ** 2) continue;
      found.push({ x: column + BLOCK / 2 - width / 2, y: row + BLOCK / 2 - height / 2, column, row });
    }
  }
  return found;
}

function blockSum(sums: Float64Array, stride: number, x: number, y: number): number {
  const top = y * stride + x;
  const bottom = top + BLOCK * stride;
  return sums[bottom + BLOCK]! - sums[bottom]! - sums[top + BLOCK]! + sums[top]!;
}

/** Every block of the sketch now that has structure, with where it was before. */
function matchBlocks(before: Sketch, now: Sketch, guesses: readonly Shift[], same: boolean): Block[] {
  const { width, height } = now;
  const sumsBefore = sumsOf(before);
  const sumsNow = same ? sumsBefore : sumsOf(now);
  const area = BLOCK * BLOCK;
  const least = (STRUCTURE * UNITS) ** 2 * area;
  const blocks: Block[] = [];
  const left = (width % BLOCK) >> 1;
  const top = (height % BLOCK) >> 1;
  for (let y = top; y + BLOCK <= height; y += BLOCK) {
    for (let x = left; x + BLOCK <= width; x += BLOCK) {
      const sum = blockSum(sumsNow.plain, sumsNow.stride, x, y);
      const energy = blockSum(sumsNow.squares, sumsNow.stride, x, y) - (sum * sum) / area;
      if (energy < least) continue;
      const middle = { x: x + BLOCK / 2 - width / 2, y: y + BLOCK / 2 - height / 2 };
      if (same) {
        blocks.push({ ...middle, shift: { x: 0, y: 0 }, likeness: 1 });
        continue;
      }
      const likeness = (dx: number, dy: number): number => {
        const [fromX, fromY] = [x - dx, y - dy];
        if (fromX < 0 || fromY < 0 || fromX + BLOCK > width || fromY + BLOCK > height) return -1;
        const other = blockSum(sumsBefore.plain, sumsBefore.stride, fromX, fromY);
        const otherEnergy = blockSum(sumsBefore.squares, sumsBefore.stride, fromX, fromY) - (other * other) / area;
        if (otherEnergy < least / 16) return -1;
        const product = products(now, x, y, before, fromX, fromY) - (sum * other) / area;
        return product / Math.sqrt(energy * otherEnergy);
      };
      const best = search(likeness, guesses);
      if (best) blocks.push({ ...middle, ...best });
    }
  }
  return blocks;
}

function products(a: Sketch, ax: number, ay: number, b: Sketch, bx: number, by: number): number {
  let sum = 0;
  for (let row = 0; row < BLOCK; row++) {
    const p = (ay + row) * a.width + ax;
    const q = (by + row) * b.width + bx;
    for (let i = 0; i < BLOCK; i++) sum += a.data[p + i]! * b.data[q + i]!;
  }
  return sum;
}

/** The best shift near the guesses, refined between cells; undefined where all guesses lead out of the picture. */
function search(
  likeness: (dx: number, dy: number) => number,
  guesses: readonly Shift[],
): { shift: Shift; likeness: number } | undefined {
  let best = { x: 0, y: 0 };
  let most = -1;
  const take = (x: number, y: number): void => {
    const value = likeness(x, y);
    if (value <= most) return;
    most = value;
    best = { x, y };
  };
  for (const guess of guesses) {
    for (let y = guess.y - REACH; y <= guess.y + REACH; y++) {
      for (let x = guess.x - REACH; x <= guess.x + REACH; x++) take(x, y);
    }
  }
  if (most <= -1) return undefined;
  // A block with a way of its own is followed uphill.
  for (let step = 0; step < CLIMB; step++) {
    const { x, y } = best;
    take(x - 1, y);
    take(x + 1, y);
    take(x, y - 1);
    take(x, y + 1);
    if (best.x === x && best.y === y) break;
  }
  const { x, y } = best;
  const shift = {
    x: x + vertex(likeness(x - 1, y), most, likeness(x + 1, y)),
    y: y + vertex(likeness(x, y - 1), most, likeness(x, y + 1)),
  };
  return { shift, likeness: most };
}

/** Where the parabola through three neighbouring values is highest, relative to the middle one. */
function vertex(left: number, middle: number, right: number): number {
  if (left <= -1 || right <= -1) return 0;
  const bend = left - 2 * middle + right;
  if (bend >= -1e-12) return 0;
  const offset = (0.5 * (left - right)) / bend;
  return Math.max(-0.5, Math.min(0.5, offset));
}

interface Whole extends Shift {
  readonly zoom: number;
}

/** How far a block is, in cells, from where the whole's way leads. */
function distance({ x, y, shift }: Block, whole: Whole): number {
  return Math.hypot(shift.x - whole.x - whole.zoom * x, shift.y - whole.y - whole.zoom * y);
}

/**
 * The way and zoom that most blocks agree on: the best of the blocks' own ways and of a fit to all (a growing picture has
 * no way that many share), then least squares over those near it.
 */
function fit(blocks: readonly Block[]): Whole {
  const guesses: Whole[] = [...blocks.map(({ shift }) => ({ ...shift, zoom: 0 })), leastSquares(blocks)];
  let whole = guesses[0]!;
  let most = -1;
  for (const guess of guesses) {
    let count = 0;
    for (const block of blocks) if (distance(block, guess) <= APART) count++;
    if (count <= most) continue;
    most = count;
    whole = guess;
  }
  for (let round = 0; round < 2; round++) {
    const { x, y, zoom } = whole;
    const near = blocks.filter((block) => distance(block, { x, y, zoom }) <= APART);
    if (near.length < 4) break;
    whole = leastSquares(near);
  }
  return whole;
}

function leastSquares(blocks: readonly Block[]): Whole {
  const mean = (of: (block: Block) => number): number =>
    blocks.reduce((sum, block) => sum + of(block), 0) / blocks.length;
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)];
  const [sx, sy] = [mean(({ shift }) => shift.x), mean(({ shift }) => shift.y)];
  let [along, spread] = [0, 0];
  for (const { x, y, shift } of blocks) {
    along += (x - mx) * (shift.x - sx) + (y - my) * (shift.y - sy);
    spread += (x - mx) ** 2 + (y - my) ** 2;
  }
  const zoom = spread > 16 * blocks.length ? along / spread : 0;
  return { x: sx - zoom * mx, y: sy - zoom * my, zoom };
}
