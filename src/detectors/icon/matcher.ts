import type { PreparedCrop } from '../kind.ts';
import { MATCH_WASM } from './match-wasm.ts';
import {
  scoreColorCorrelations,
  copyMoments,
  scoreCorrelations,
  toDeviations,
  scoreDifferences,
  covers,
  isSameScan,
  createMoments,
  reserveMoments,
} from './scores.ts';
import type { Comparison, Measure, Moments, Pattern, Planes } from './scores.ts';
import type { Template } from './template.ts';

export type { Measure, Pattern, Planes };

/** The score of a template at a position of its upper left corner in the crop. */
export interface Match {
  readonly score: number;
  readonly x: number;
  readonly y: number;
}

/** Exports of tools/wasm/match.wat; every argument is an address or a count. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  crosses(
    image: number,
    pitch: number,
    columns: number,
    rows: number,
    products: number,
    eights: number,
    height: number,
    out: number,
  ): void;
  moments(
    image: number,
    pitch: number,
    columns: number,
    rows: number,
    weights: number,
    eights: number,
    height: number,
    sums: number,
    squares: number,
  ): void;
  split(from: number, count: number, red: number, green: number, blue: number): void;
  halve(from: number, pitch: number, columns: number, rows: number, to: number): void;
}

/** Weights are 0…31, so that the sums of a line fit into 32 bits. */
const MAX_WEIGHT = 31;
/** Moments that are kept: templates of one shape are compared at each of a few ranges of positions, one after the other. */
const MAX_KEPT_MOMENTS = 16;
let compiled: WebAssembly.Module | undefined;

/**
 * Matches masked templates against crops with SIMD integer kernels, which give the same scores on every machine. Templates stay in
 * memory after `add`, crops from `load` to the next `clear`.
 */
export class Matcher {
  readonly channels: 1 | 3;
  readonly #kernels: Kernels;
  #end = 16;
  #templatesEnd = 16;
  /** Views of the whole memory, replaced when it grows. */
  #doubles = new Float64Array(0);
  #bytes = new Uint8Array(0);
  /** The buffer of `scanReused`. */
  #scores = new Float64Array(16);
  /** Addresses of the weights: templates of one shape share them. */
  readonly #weights = new Map<string, number>();
  /** Moments of the latest scans since `clear`, the `#scans`-th of them next to be replaced. */
  readonly #moments: Moments[] = [];
  #scans = 0;
  /** Moments of an area that several scans cover in parts. */
  readonly #precomputed: Moments;

  constructor(channels: 1 | 3) {
    this.channels = channels;
    compiled ??= new WebAssembly.Module(Buffer.from(MATCH_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
    this.#precomputed = createMoments(channels);
  }

  /** Stores a template; gray (BT.709 luma) for one channel. All templates must be added before the first crop. */
  add(template: Template): Pattern {
    const { width, height } = template;
    const eights = (width + 7) >> 3;
    const size = eights * 8 * height;
    const weights = new Int16Array(size);
    const total = writeWeights(template, 8 * eights, weights);
    const planes = Array.from({ length: this.channels }, (_, k) =>
      weightLevels(template, this.channels === 3 ? k : undefined, 8 * eights, weights),
    );
    const sums = planes.map(({ sum }) => sum);
    const squares = planes.map((plane) => plane.squares);
    const variance = squares.reduce((sum, square, k) => sum + square / total - (sums[k]! / total) ** 2, 0);
    const pattern: Pattern = {
      width,
      height,
      eights,
      weights: this.#storeWeights(new Uint8Array(weights.buffer)),
      products: planes.map(({ products }) => this.#store(new Uint8Array(products.buffer))),
      total,
      sums,
      squares,
      spread: Math.sqrt(Math.max(0, variance)),
    };
    this.#templatesEnd = this.#end;
    return pattern;
  }

  /** Stores the planes of a crop; gray if the matcher has one channel. */
  load({ data, width, height, channels }: PreparedCrop): Planes {
    const count = width * height;
    const addresses = Array.from({ length: this.channels }, () => this.#allocate(count));
    if (this.channels === 3) {
      // In the free memory behind the planes.
      this.#reserve(this.#end + 3 * count + 48);
      this.#memory().set(data.length === 3 * count ? data : data.subarray(0, 3 * count), this.#end);
      const [red, green, blue] = addresses as [number, number, number];
      if (count > 0) this.#kernels.split(this.#end, count, red, green, blue);
    } else {
      const memory = this.#memory();
      const [grey] = addresses as [number];
      for (let i = 0, at = 0; i < count; i++, at += channels)
        memory[grey + i] = channels === 1 ? data[at]! : greyLevel(data, at);
    }
    return { width, height, pitch: width, addresses };
  }

  /** Halves planes by averaging 2×2 levels; an odd last row or column is dropped. */
  halve({ width: from, height: rows, pitch, addresses: planes }: Planes): Planes {
    const [width, height] = [from >> 1, rows >> 1];
    const addresses = planes.map((plane) => {
      const at = this.#allocate(width * height);
      if (width > 0 && height > 0) this.#kernels.halve(plane, pitch, width, height, at);
      return at;
    });
    return { width, height, pitch: width, addresses };
  }

  /** Forgets all crops. */
  clear(): void {
    this.#end = this.#templatesEnd;
    for (const moments of this.#moments) moments.comparison = undefined;
    this.#scans = 0;
    this.#precomputed.comparison = undefined;
  }

  /**
   * Computes the moments that all templates with the weights of this one share at these positions, for scans of parts of them.
   */
  precomputeMoments(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    [left, right]: readonly [number, number],
    [top, bottom]: readonly [number, number],
  ): void {
    const [columns, rows] = [right - left + 1, bottom - top + 1];
    const out = (this.#end + 7) & ~7;
    const each = 8 * (columns * rows + 4);
    this.#reserve(out + 2 * each);
    this.#memory();
    this.#computeMoments(this.#precomputed, { planes, pattern, measure, left, top, columns, rows }, out, each);
  }

  /**
   * Computes the scores of a pattern at a range of positions, row by row.
   *
   * @param xs First and last position (inclusive); the pattern must fit at all of them.
   */
  scan(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    xs: readonly [number, number],
    ys: readonly [number, number],
  ): Float64Array {
    const scores = new Float64Array((xs[1] - xs[0] + 1) * (ys[1] - ys[0] + 1));
    this.#scan(planes, pattern, measure, xs, ys, scores);
    return scores;
  }

  /** The same in a buffer that the next scan reuses, and that may be longer. */
  scanReused(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    xs: readonly [number, number],
    ys: readonly [number, number],
  ): Float64Array {
    const count = (xs[1] - xs[0] + 1) * (ys[1] - ys[0] + 1);
    if (this.#scores.length < count) this.#scores = new Float64Array(count);
    this.#scan(planes, pattern, measure, xs, ys, this.#scores);
    return this.#scores;
  }

  #scan(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    [left, right]: readonly [number, number],
    [top, bottom]: readonly [number, number],
    scores: Float64Array,
  ): void {
    const [columns, rows] = [right - left + 1, bottom - top + 1];
    const count = columns * rows;
    const { pitch, addresses } = planes;
    const out = (this.#end + 7) & ~7;
    // The kernels write sums of a few positions beyond the last one.
    const each = 8 * (count + 4);
    this.#reserve(out + 3 * each);
    const moments = this.#momentsFor({ planes, pattern, measure, left, top, columns, rows }, out, each);
    const { products, eights, height } = pattern;
    for (let k = 0; k < addresses.length; k++) {
      const image = addresses[k]! + top * pitch + left;
      this.#kernels.crosses(image, pitch, columns, rows, products[k]!, eights, height, out + k * each);
    }
    const sums = this.#doubles;
    const first = out / 8;
    if (measure !== 'correlation') scoreDifferences(sums, first, each / 8, count, pattern, moments, scores);
    else if (this.channels === 1) scoreCorrelations(sums, first, count, pattern, moments, scores);
    else scoreColorCorrelations(sums, first, each / 8, count, pattern, moments, scores);
  }

  /** The moments that all templates with these weights share at these positions; those of the latest scans are kept. */
  #momentsFor(comparison: Comparison, out: number, each: number): Moments {
    this.#memory();
    const known = this.#moments.find((moments) => isSameScan(moments, comparison));
    if (known) return known;
    const moments = (this.#moments[this.#scans++ % MAX_KEPT_MOMENTS] ??= createMoments(this.channels));
    if (covers(this.#precomputed, comparison)) copyMoments(this.#precomputed, moments, comparison);
    else this.#computeMoments(moments, comparison, out, each);
    return moments;
  }

  /** @param out Address at which the kernel writes sums, and `each` bytes behind it sums of squares. */
  #computeMoments(into: Moments, comparison: Comparison, out: number, each: number): void {
    const { planes, pattern, measure, left, top, columns, rows } = comparison;
    const { weights, eights, height, total } = pattern;
    reserveMoments(into, comparison);
    const count = columns * rows;
    const { means, spreads } = into;
    const { pitch, addresses } = planes;
    const [sums, squares] = [out / 8, (out + each) / 8];
    spreads.fill(0, 0, count);
    for (let k = 0; k < addresses.length; k++) {
      const image = addresses[k]! + top * pitch + left;
      this.#kernels.moments(image, pitch, columns, rows, weights, eights, height, out, out + each);
      const mean = means[k]!;
      const doubles = this.#doubles;
      if (measure === 'correlation')
        for (let n = 0; n < count; n++) {
          const own = doubles[sums + n]! / total;
          mean[n] = own;
          spreads[n]! += doubles[squares + n]! / total - own * own;
        }
      else for (let n = 0; n < count; n++) mean[n] = doubles[squares + n]!;
    }
    if (measure === 'correlation') toDeviations(spreads, count, this.channels);
  }

  /** Finds the best position in a range, the first of equal ones. */
  best(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    xs: readonly [number, number],
    ys: readonly [number, number],
  ): Match {
    const scores = this.scanReused(planes, pattern, measure, xs, ys);
    const columns = xs[1] - xs[0] + 1;
    const count = columns * (ys[1] - ys[0] + 1);
    let best = 0;
    for (let n = 1; n < count; n++) if (scores[n]! > scores[best]!) best = n;
    return { score: scores[best]!, x: xs[0] + (best % columns), y: ys[0] + Math.floor(best / columns) };
  }

  #storeWeights(bytes: Uint8Array): number {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const known = this.#weights.get(key);
    if (known !== undefined) return known;
    const at = this.#store(bytes);
    this.#weights.set(key, at);
    return at;
  }

  #store(bytes: Uint8Array): number {
    const at = this.#allocate(bytes.length);
    this.#memory().set(bytes, at);
    return at;
  }

  /** Allocates bytes at a multiple of 16, so that a vector can be read past their end. */
  #allocate(bytes: number): number {
    const at = this.#end;
    this.#end = (at + bytes + 31) & ~15;
    this.#reserve(this.#end);
    return at;
  }

  #reserve(end: number): void {
    const missing = end - this.#kernels.memory.buffer.byteLength;
    if (missing > 0) this.#kernels.memory.grow(Math.ceil(missing / 65536));
  }

  /** Returns the whole memory as bytes, and renews the views after it has grown. */
  #memory(): Uint8Array {
    const { buffer } = this.#kernels.memory;
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#doubles = new Float64Array(buffer);
    }
    return this.#bytes;
  }
}

/** BT.709 luma, rounded. */
function greyLevel(rgb: Uint8Array, at: number): number {
  return (13933 * rgb[at]! + 46871 * rgb[at + 1]! + 4732 * rgb[at + 2]! + 32768) >> 16;
}

/** Halves a crop by averaging 2×2 pixels; an odd last row or column is dropped. */
export function halve(crop: PreparedCrop): PreparedCrop {
  const { data, channels } = crop;
  const [width, height] = [crop.width >> 1, crop.height >> 1];
  const out = new Uint8Array(width * height * channels);
  const line = crop.width * channels;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 2 * y * line + 2 * x * channels;
      for (let k = 0; k < channels; k++) {
        const sum = data[at + k]! + data[at + channels + k]! + data[at + line + k]! + data[at + line + channels + k]!;
        out[to++] = (sum + 2) >> 2;
      }
    }
  }
  return { data: out, width, height, channels };
}

/** Writes the weights of a template's pixels in rows of `pitch`; returns their sum. */
function writeWeights({ width, mask }: Template, pitch: number, weights: Int16Array): number {
  let total = 0;
  for (let i = 0, x = 0, at = 0; i < mask.length; i++, at++) {
    if (x === width) {
      x = 0;
      at += pitch - width;
    }
    x++;
    const weight = Math.round((mask[i]! * MAX_WEIGHT) / 255);
    weights[at] = weight;
    total += weight;
  }
  return total;
}

/** Multiplies the levels of one channel (undefined: gray) by their weights; sums the products and the weighted squares. */
function weightLevels(
  { width, height, rgb }: Template,
  channel: number | undefined,
  pitch: number,
  weights: Int16Array,
): { readonly products: Int16Array; readonly sum: number; readonly squares: number } {
  const products = new Int16Array(weights.length);
  const count = width * height;
  let sum = 0;
  let squares = 0;
  for (let i = 0, x = 0, at = 0; i < count; i++, at++) {
    if (x === width) {
      x = 0;
      at += pitch - width;
    }
    x++;
    const weight = weights[at]!;
    const level = channel === undefined ? greyLevel(rgb, 3 * i) : rgb[3 * i + channel]!;
    products[at] = weight * level;
    sum += weight * level;
    squares += weight * level * level;
  }
  return { products, sum, squares };
}
