import type { PreparedCrop } from '../kind.ts';
import { MATCH_WASM } from './match-wasm.ts';
import type { Template } from './template.ts';

/** Where and how well a template fits. Positions are of its top left corner in the crop. */
export interface Match {
  readonly score: number;
  readonly x: number;
  readonly y: number;
}

/**
 * `correlation`: masked normalised cross-correlation, −1…1. The channels' means are taken out one by one, their deviations correlated
 * together: brightness, contrast and a tint of the whole screen do not matter, but which channel varies does.
 * `difference`: 1 − the masked root-mean-square difference in units of half the range, at least 0: colours must be the same.
 */
export type Measure = 'correlation' | 'difference';

/** A template in the matcher's memory. W is the sum of weights; sums over pixels are per channel. */
export interface Pattern {
  readonly width: number;
  readonly height: number;
  readonly eights: number;
  /** Addresses. */
  readonly weights: number;
  readonly products: readonly number[];
  readonly total: number;
  /** Σ weight · level and Σ weight · level². */
  readonly sums: readonly number[];
  readonly squares: readonly number[];
  /** Root of the weighted mean of squared deviations. */
  readonly spread: number;
}

/** A crop in the matcher's memory, a plane per channel. */
export interface Planes {
  readonly width: number;
  readonly height: number;
  readonly pitch: number;
  readonly addresses: readonly number[];
}

interface Kernels {
  readonly memory: WebAssembly.Memory;
  scan(
    image: number,
    pitch: number,
    columns: number,
    rows: number,
    weights: number,
    products: number,
    eights: number,
    height: number,
    out: number,
  ): void;
}

/** Weights are 0…31: a line's sums then fit into 32 bits. */
const HEAVIEST = 31;
/** Levels of standard deviation below which an area is too flat to be called similar to anything. */
const FLAT = 2;

let compiled: WebAssembly.Module | undefined;

/**
 * Matches masked templates against crops, with SIMD, in integers: the same scores on every machine. Templates stay in
 * memory from `add` on, crops from `load` to the next `clear`.
 */
export class Matcher {
  readonly channels: 1 | 3;
  readonly #kernels: Kernels;
  #end = 16;
  #templatesEnd = 16;
  /** All of the memory; made anew when it has grown. */
  #doubles = new Float64Array(0);
  /** Of the positions that `best` looks at. */
  #scores = new Float64Array(16);

  constructor(channels: 1 | 3) {
    this.channels = channels;
    compiled ??= new WebAssembly.Module(Buffer.from(MATCH_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
  }

  /** Takes a template in; grey (BT.709 luma) for one channel. All templates come before the first crop. */
  add({ width, height, rgb, mask }: Template): Pattern {
    const eights = (width + 7) >> 3;
    const size = eights * 8 * height;
    const weights = new Int16Array(size);
    const products = Array.from({ length: this.channels }, () => new Int16Array(size));
    const sums = products.map(() => 0);
    const squares = products.map(() => 0);
    let total = 0;
    for (let i = 0; i < mask.length; i++) {
      const weight = Math.round((mask[i]! * HEAVIEST) / 255);
      const at = Math.floor(i / width) * eights * 8 + (i % width);
      weights[at] = weight;
      total += weight;
      for (let k = 0; k < this.channels; k++) {
        const level = this.channels === 3 ? rgb[3 * i + k]! : greyLevel(rgb, 3 * i);
        products[k]![at] = weight * level;
        sums[k]! += weight * level;
        squares[k]! += weight * level * level;
      }
    }
    const variance = squares.reduce((sum, square, k) => sum + square / total - (sums[k]! / total) ** 2, 0);
    const pattern: Pattern = {
      width,
      height,
      eights,
      weights: this.#put(new Uint8Array(weights.buffer)),
      products: products.map((plane) => this.#put(new Uint8Array(plane.buffer))),
      total,
      sums,
      squares,
      spread: Math.sqrt(Math.max(0, variance)),
    };
    this.#templatesEnd = this.#end;
    return pattern;
  }

  /** Takes a crop in, plane by plane; grey where the matcher has one channel. */
  load({ data, width, height, channels }: PreparedCrop): Planes {
    const count = width * height;
    const addresses = Array.from({ length: this.channels }, () => this.#take(count));
    const memory = new Uint8Array(this.#kernels.memory.buffer);
    if (this.channels === 3) {
      const [red, green, blue] = addresses as [number, number, number];
      for (let i = 0, at = 0; i < count; i++, at += 3) {
        memory[red + i] = data[at]!;
        memory[green + i] = data[at + 1]!;
        memory[blue + i] = data[at + 2]!;
      }
    } else {
      const [grey] = addresses as [number];
      for (let i = 0, at = 0; i < count; i++, at += channels)
        memory[grey + i] = channels === 1 ? data[at]! : greyLevel(data, at);
    }
    return { width, height, pitch: width, addresses };
  }

  /** Forgets all crops. */
  clear(): void {
    this.#end = this.#templatesEnd;
  }

  /** The scores of all positions in `from … to` (inclusive) of both axes, row by row. The pattern must fit everywhere in it. */
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

  /** The same into `scores`, which may be longer. */
  #scan(
    { pitch, addresses }: Planes,
    pattern: Pattern,
    measure: Measure,
    [left, right]: readonly [number, number],
    [top, bottom]: readonly [number, number],
    scores: Float64Array,
  ): void {
    const [columns, rows] = [right - left + 1, bottom - top + 1];
    const count = columns * rows;
    const out = (this.#end + 7) & ~7;
    this.#reserve(out + count * 24 * this.channels);
    const { weights, products, eights, height } = pattern;
    for (let k = 0; k < addresses.length; k++) {
      const image = addresses[k]! + top * pitch + left;
      this.#kernels.scan(image, pitch, columns, rows, weights, products[k]!, eights, height, out + k * count * 24);
    }
    const { buffer } = this.#kernels.memory;
    // The memory grows by whole pages, so it is a whole number of doubles.
    if (this.#doubles.buffer !== buffer) this.#doubles = new Float64Array(buffer);
    const sums = this.#doubles;
    const first = out / 8;
    if (measure === 'correlation' && this.channels === 1) correlations(sums, first, count, pattern, scores);
    else if (measure === 'correlation') colorCorrelations(sums, first, count, pattern, scores);
    else for (let n = 0; n < count; n++) scores[n] = difference(sums, first, n, count, pattern);
  }

  /** The best position in `from … to`, the first of equals. */
  best(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    xs: readonly [number, number],
    ys: readonly [number, number],
  ): Match {
    const columns = xs[1] - xs[0] + 1;
    const count = columns * (ys[1] - ys[0] + 1);
    if (this.#scores.length < count) this.#scores = new Float64Array(count);
    const scores = this.#scores;
    this.#scan(planes, pattern, measure, xs, ys, scores);
    let most = 0;
    for (let n = 1; n < count; n++) if (scores[n]! > scores[most]!) most = n;
    return { score: scores[most]!, x: xs[0] + (most % columns), y: ys[0] + Math.floor(most / columns) };
  }

  #put(bytes: Uint8Array): number {
    const at = this.#take(bytes.length);
    new Uint8Array(this.#kernels.memory.buffer).set(bytes, at);
    return at;
  }

  /** So many bytes at a multiple of 16, with room to read a vector past their end. */
  #take(bytes: number): number {
    const at = this.#end;
    this.#end = (at + bytes + 31) & ~15;
    this.#reserve(this.#end);
    return at;
  }

  #reserve(end: number): void {
    const missing = end - this.#kernels.memory.buffer.byteLength;
    if (missing > 0) this.#kernels.memory.grow(Math.ceil(missing / 65536));
  }
}

/** The score of position n from the kernel's sums: product · level, weight · level, weight · level², for each channel. */
function difference(sums: Float64Array, first: number, n: number, count: number, pattern: Pattern): number {
  const { total } = pattern;
  const channels = pattern.sums.length;
  let squares = 0;
  for (let k = 0; k < channels; k++) {
    const at = first + 3 * (k * count + n);
    squares += sums[at + 2]! - 2 * sums[at]! + pattern.squares[k]!;
  }
  return Math.max(0, 1 - Math.sqrt(squares / total / channels) / 128);
}

/** Correlations of three channels together, without anything made for a position: there are hundreds for every sample. */
function colorCorrelations(
  sums: Float64Array,
  first: number,
  count: number,
  { total, sums: [red, green, blue], spread }: Pattern,
  scores: Float64Array,
): void {
  const least = FLAT * Math.sqrt(3);
  const own = Math.max(spread, least);
  for (let n = 0, r = first; n < count; n++, r += 3) {
    const g = r + 3 * count;
    const b = g + 3 * count;
    const meanR = sums[r + 1]! / total;
    const meanG = sums[g + 1]! / total;
    const meanB = sums[b + 1]! / total;
    const cross = sums[r]! - red! * meanR + (sums[g]! - green! * meanG) + (sums[b]! - blue! * meanB);
    const variance =
      sums[r + 2]! / total -
      meanR * meanR +
      (sums[g + 2]! / total - meanG * meanG) +
      (sums[b + 2]! / total - meanB * meanB);
    scores[n] = cross / total / (own * Math.max(Math.sqrt(Math.max(0, variance)), least));
  }
}

/** The same for the correlations of one channel: a search over whole frames has millions of them. */
function correlations(
  sums: Float64Array,
  first: number,
  count: number,
  { total, sums: own, spread }: Pattern,
  scores: Float64Array,
): void {
  const levels = own[0]!;
  const divisor = total * Math.max(spread, FLAT);
  for (let n = 0, at = first; n < count; n++, at += 3) {
    const mean = sums[at + 1]! / total;
    const variance = sums[at + 2]! / total - mean * mean;
    scores[n] = (sums[at]! - levels * mean) / (divisor * (variance > FLAT * FLAT ? Math.sqrt(variance) : FLAT));
  }
}

/** BT.709 luma, rounded. */
function greyLevel(rgb: Uint8Array, at: number): number {
  return (13933 * rgb[at]! + 46871 * rgb[at + 1]! + 4732 * rgb[at + 2]! + 32768) >> 16;
}

/** Half the size in both directions: means of 2×2 pixels (edges cut). */
export function halved(crop: PreparedCrop): PreparedCrop {
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
