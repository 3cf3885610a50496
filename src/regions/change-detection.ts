import type { Rect } from '../geometry.ts';
import type { Picture, Plane } from '../media/picture.ts';
import { chromaRect, cropLuma, cropPlanes, requireInside, sameLuma, samePixels } from './crop.ts';

/** What is compared: luma alone, or all planes. */
export type ComparedSamples = 'luma' | 'pixels';

/** Changes in a row after which only every `RESTLESS_COPY_INTERVAL`-th picture is copied for comparison. */
const RESTLESS_CHANGES = 16;
const RESTLESS_COPY_INTERVAL = 4;

/** Tracks the samples of a rectangle for all gates on it: its version grows whenever they change. */
export class SampleTracker {
  readonly #rect: Rect;
  readonly #same: typeof sameLuma;
  readonly #copy: typeof cropLuma;
  #picture: Picture | undefined;
  #previous: Uint8Array | undefined;
  #hasPrevious = false;
  #changesInRow = 0;
  #version = 0;

  constructor(rect: Rect, compared: ComparedSamples) {
    this.#rect = rect;
    this.#same = compared === 'luma' ? sameLuma : samePixels;
    this.#copy = compared === 'luma' ? cropLuma : cropPlanes;
  }

  /** Returns the version after this picture; compares it once however often it is asked. */
  versionAt(picture: Picture): number {
    if (picture === this.#picture) return this.#version;
    this.#picture = picture;
    if (this.#hasPrevious && this.#same(picture, this.#rect, this.#previous!)) {
      this.#changesInRow = 0;
      return this.#version;
    }
    // Over scenery that always moves copies do not pay: a picture that is not compared counts as changed.
    this.#hasPrevious = ++this.#changesInRow <= RESTLESS_CHANGES || this.#changesInRow % RESTLESS_COPY_INTERVAL === 0;
    if (this.#hasPrevious) this.#previous = this.#copy(picture, this.#rect, this.#previous);
    return ++this.#version;
  }
}

/**
 * Tells one reader whether the samples of a rectangle have changed since it last asked. Equality is exact, so that a reading kept
 * behind the gate is the one that this very picture would give.
 */
export class ChangeGate {
  readonly #tracker: SampleTracker;
  #seen = 0;

  /** Created by `Region.gate`. */
  constructor(tracker: SampleTracker) {
    this.#tracker = tracker;
  }

  /** Whether the samples changed since this gate last asked; true for the first picture. */
  changed(picture: Picture): boolean {
    const version = this.#tracker.versionAt(picture);
    if (version === this.#seen) return false;
    this.#seen = version;
    return true;
  }

  /** Makes the next picture count as changed. */
  reset(): void {
    this.#seen = 0;
  }
}

/** Largest mean difference, in grey levels per sample, that compression alone may cause in a block of 2 × 2 samples. */
const MAX_NOISE_LEVELS = 16;
/** The same as a share of the rectangle's range of levels. */
const MAX_NOISE_SHARE = 0.2;

/** Sums of 2 × 2 samples, plane by plane, and by how much each may differ in a similar picture. */
interface Blocks {
  readonly sums: Uint16Array;
  readonly limit: number;
}

/** Computes the block sums of a rectangle, once a picture for all gates on it. */
export class BlockSums {
  readonly #rect: Rect;
  readonly #compared: ComparedSamples;
  #picture: Picture | undefined;
  #blocks: Blocks | undefined;

  constructor(rect: Rect, compared: ComparedSamples) {
    this.#rect = rect;
    this.#compared = compared;
  }

  at(picture: Picture): Blocks {
    if (this.#picture !== picture) {
      this.#blocks = sumBlocks(picture, this.#rect, this.#compared);
      this.#picture = picture;
    }
    return this.#blocks!;
  }
}

/**
 * Tells whether a region still looks as it did in a remembered picture, but for what compression makes of the same content at
 * another time. What a detector of shapes read from that picture then still holds.
 */
export class SimilarityGate {
  readonly #sums: BlockSums;
  #remembered: Blocks | undefined;

  /** Created by `Region.similarityGate`. */
  constructor(sums: BlockSums) {
    this.#sums = sums;
  }

  /** Remembers the picture that later ones are compared with. */
  remember(picture: Picture): void {
    this.#remembered = this.#sums.at(picture);
  }

  /** Whether the picture is similar; false where none is remembered or the region is empty. */
  matches(picture: Picture): boolean {
    if (!this.#remembered || this.#remembered.sums.length === 0) return false;
    const { sums, limit } = this.#remembered;
    const now = this.#sums.at(picture).sums;
    for (let i = 0; i < sums.length; i++) {
      const difference = sums[i]! - now[i]!;
      if (difference > limit || difference < -limit) return false;
    }
    return true;
  }
}

function sumBlocks(picture: Picture, rect: Rect, compared: ComparedSamples): Blocks {
  const chroma = chromaRect(picture, requireInside(picture, rect));
  const parts: (readonly [Plane, Rect])[] = [[picture.y, rect]];
  if (compared === 'pixels') parts.push([picture.u, chroma], [picture.v, chroma]);
  const sums = new Uint16Array(parts.reduce((count, [, { width, height }]) => count + half(width) * half(height), 0));
  let range = 0;
  let at = 0;
  for (const [plane, part] of parts) {
    const next = at + half(part.width) * half(part.height);
    range = Math.max(range, sumPlane(plane, part, sums.subarray(at, next)));
    at = next;
  }
  return { sums, limit: Math.min(4 * MAX_NOISE_LEVELS, MAX_NOISE_SHARE * range) };
}

function half(length: number): number {
  return (length + 1) >> 1;
}

/** Sums 2 × 2 samples, the last row and column doubled where they have no partner; returns the range of the sums. */
function sumPlane({ data, stride }: Plane, { x, y, width, height }: Rect, out: Uint16Array): number {
  let lowest = 4 * 255;
  let highest = 0;
  let to = 0;
  for (let row = 0; row < height; row += 2) {
    const upper = (y + row) * stride + x;
    const lower = row + 1 < height ? upper + stride : upper;
    for (let column = 0; column < width; column += 2) {
      const right = column + 1 < width ? column + 1 : column;
      const sum = data[upper + column]! + data[upper + right]! + data[lower + column]! + data[lower + right]!;
      out[to++] = sum;
      if (sum < lowest) lowest = sum;
      if (sum > highest) highest = sum;
    }
  }
  return Math.max(0, highest - lowest);
}
