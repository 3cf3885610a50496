import type { Rect } from '../geometry.ts';
import type { Picture, Plane } from '../media/picture.ts';
import { chromaRect, inside } from './crop.ts';

/** Grey levels by which two by two samples may differ on average for what an encoder leaves of the same picture… */
const NOISE = 16;
/** …and no more than this share of what the rectangle has between its darkest and brightest, be it luma or colour. */
const SHARE = 0.2;

/** Sums of two by two samples in a rectangle, plane by plane, and how far each may be from another picture's. */
interface Blocks {
  readonly sums: Uint16Array;
  readonly limit: number;
}

/** The blocks of a rectangle, summed up once a picture for all who ask. */
export class BlockSums {
  readonly #rect: Rect;
  readonly #reads: 'luma' | 'pixels';
  #picture: Picture | undefined;
  #blocks: Blocks | undefined;

  constructor(rect: Rect, reads: 'luma' | 'pixels') {
    this.#rect = rect;
    this.#reads = reads;
  }

  of(picture: Picture): Blocks {
    if (this.#picture !== picture) {
      this.#blocks = blocksOf(picture, this.#rect, this.#reads);
      this.#picture = picture;
    }
    return this.#blocks!;
  }
}

/**
 * Tells whether a region still looks as it did in the picture that was kept, but for what an encoder makes of the same thing at
 * another time. What that picture showed to a detector holds then.
 */
export class Likeness {
  readonly #sums: BlockSums;
  #kept: Blocks | undefined;

  /** Use `Region.likeness`. */
  constructor(sums: BlockSums) {
    this.#sums = sums;
  }

  keep(picture: Picture): void {
    this.#kept = this.#sums.of(picture);
  }

  /** False where nothing was kept, or there is nothing to see. */
  holds(picture: Picture): boolean {
    if (!this.#kept || this.#kept.sums.length === 0) return false;
    const { sums, limit } = this.#kept;
    const now = this.#sums.of(picture).sums;
    for (let i = 0; i < sums.length; i++) {
      const step = sums[i]! - now[i]!;
      if (step > limit || step < -limit) return false;
    }
    return true;
  }
}

function blocksOf(picture: Picture, rect: Rect, reads: 'luma' | 'pixels'): Blocks {
  const chroma = chromaRect(picture, inside(picture, rect));
  const parts: readonly (readonly [Plane, Rect])[] =
    reads === 'luma'
      ? [[picture.y, rect]]
      : [
          [picture.y, rect],
          [picture.u, chroma],
          [picture.v, chroma],
        ];
  const sums = new Uint16Array(parts.reduce((count, [, { width, height }]) => count + half(width) * half(height), 0));
  let range = 0;
  let at = 0;
  for (const [plane, part] of parts) {
    const next = at + half(part.width) * half(part.height);
    range = Math.max(range, sumUp(plane, part, sums.subarray(at, next)));
    at = next;
  }
  return { sums, limit: Math.min(4 * NOISE, SHARE * range) };
}

function half(length: number): number {
  return (length + 1) >> 1;
}

/** Adds up two by two samples, the last row and column twice where they have no partner; returns the range of the sums. */
function sumUp({ data, stride }: Plane, { x, y, width, height }: Rect, out: Uint16Array): number {
  let least = 4 * 255;
  let most = 0;
  let to = 0;
  for (let row = 0; row < height; row += 2) {
    const upper = (y + row) * stride + x;
    const lower = row + 1 < height ? upper + stride : upper;
    for (let column = 0; column < width; column += 2) {
      const right = column + 1 < width ? column + 1 : column;
      const sum = data[upper + column]! + data[upper + right]! + data[lower + column]! + data[lower + right]!;
      out[to++] = sum;
      if (sum < least) least = sum;
      if (sum > most) most = sum;
    }
  }
  return Math.max(0, most - least);
}
