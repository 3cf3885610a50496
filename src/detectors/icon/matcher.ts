import type { PreparedCrop } from '../kind.ts';
import { MATCH_WASM } from './match-wasm.ts';
import {
  colorCorrelations,
  copyPart,
  correlations,
  deviations,
  differences,
  hold,
  newMoments,
  readyFor,
} from './scores.ts';
import type { Look, Measure, Moments, Pattern, Planes } from './scores.ts';
import type { Template } from './template.ts';

export type { Measure, Pattern, Planes };

/** Where and how well a template fits. Positions are of its top left corner in the crop. */
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

/** Weights are 0…31: a line's sums then fit into 32 bits. */
const HEAVIEST = 31;
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
  #bytes = new Uint8Array(0);
  /** Of the positions that `best` looks at. */
  #scores = new Float64Array(16);
  /** Where weights are that were taken in: templates of one shape share theirs. */
  readonly #weights = new Map<string, number>();
  readonly #moments: Moments;
  /** Those of more positions than are asked for at once. */
  readonly #wide: Moments;

  constructor(channels: 1 | 3) {
    this.channels = channels;
    compiled ??= new WebAssembly.Module(Buffer.from(MATCH_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
    this.#moments = newMoments(channels);
    this.#wide = newMoments(channels);
  }

  /** Takes a template in; grey (BT.709 luma) for one channel. All templates come before the first crop. */
  add(template: Template): Pattern {
    const { width, height } = template;
    const eights = (width + 7) >> 3;
    const size = eights * 8 * height;
    const weights = new Int16Array(size);
    const total = weigh(template, 8 * eights, weights);
    const planes = Array.from({ length: this.channels }, (_, k) =>
      multiply(template, this.channels === 3 ? k : undefined, 8 * eights, weights),
    );
    const sums = planes.map(({ sum }) => sum);
    const squares = planes.map((plane) => plane.squares);
    const variance = squares.reduce((sum, square, k) => sum + square / total - (sums[k]! / total) ** 2, 0);
    const pattern: Pattern = {
      width,
      height,
      eights,
      weights: this.#shared(new Uint8Array(weights.buffer)),
      products: planes.map(({ products }) => this.#put(new Uint8Array(products.buffer))),
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
    if (this.channels === 3) {
      // Behind the planes, where nothing is kept.
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

  /** Half the size in both directions: means of 2×2 levels (edges cut). */
  halve({ width: from, height: rows, pitch, addresses: planes }: Planes): Planes {
    const [width, height] = [from >> 1, rows >> 1];
    const addresses = planes.map((plane) => {
      const at = this.#take(width * height);
      if (width > 0 && height > 0) this.#kernels.halve(plane, pitch, width, height, at);
      return at;
    });
    return { width, height, pitch: width, addresses };
  }

  /** Forgets all crops. */
  clear(): void {
    this.#end = this.#templatesEnd;
    this.#moments.look = undefined;
    this.#wide.look = undefined;
  }

  /**
   * Works out what all templates of this one's weights share at these positions, for looks at some of them: those of several templates
   * overlap.
   */
  share(
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
    this.#workOut(this.#wide, { planes, pattern, measure, left, top, columns, rows }, out, each);
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

  /** The same, in memory that the next search takes, and that may be longer. */
  look(
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

  /** The same into `scores`, which may be longer. */
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
    // Sums of a channel, and of the next; a few positions more than asked for are written.
    const each = 8 * (count + 4);
    this.#reserve(out + 3 * each);
    const moments = this.#momentsOf({ planes, pattern, measure, left, top, columns, rows }, out, each);
    const { products, eights, height } = pattern;
    for (let k = 0; k < addresses.length; k++) {
      const image = addresses[k]! + top * pitch + left;
      this.#kernels.crosses(image, pitch, columns, rows, products[k]!, eights, height, out + k * each);
    }
    const sums = this.#doubles;
    const first = out / 8;
    if (measure !== 'correlation') differences(sums, first, each / 8, count, pattern, moments, scores);
    else if (this.channels === 1) correlations(sums, first, count, pattern, moments, scores);
    else colorCorrelations(sums, first, each / 8, count, pattern, moments, scores);
  }

  /** What all templates of these weights share at these positions; kept until others are asked for. */
  #momentsOf(look: Look, out: number, each: number): Moments {
    const known = this.#moments;
    const isKnown = hold(known, look) && known.look!.columns === look.columns && known.look!.rows === look.rows;
    this.#memory();
    if (isKnown) return known;
    if (hold(this.#wide, look)) copyPart(this.#wide, known, look);
    else this.#workOut(known, look, out, each);
    return known;
  }

  /** `out`: where sums may be written, those of squares `each` bytes behind. */
  #workOut(into: Moments, look: Look, out: number, each: number): void {
    const { planes, pattern, measure, left, top, columns, rows } = look;
    const { weights, eights, height, total } = pattern;
    readyFor(into, look);
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
    if (measure === 'correlation') deviations(spreads, count, this.channels);
  }

  /** The best position in `from … to`, the first of equals. */
  best(
    planes: Planes,
    pattern: Pattern,
    measure: Measure,
    xs: readonly [number, number],
    ys: readonly [number, number],
  ): Match {
    const scores = this.look(planes, pattern, measure, xs, ys);
    const columns = xs[1] - xs[0] + 1;
    const count = columns * (ys[1] - ys[0] + 1);
    let most = 0;
    for (let n = 1; n < count; n++) if (scores[n]! > scores[most]!) most = n;
    return { score: scores[most]!, x: xs[0] + (most % columns), y: ys[0] + Math.floor(most / columns) };
  }

  #shared(bytes: Uint8Array): number {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const known = this.#weights.get(key);
    if (known !== undefined) return known;
    const at = this.#put(bytes);
    this.#weights.set(key, at);
    return at;
  }

  #put(bytes: Uint8Array): number {
    const at = this.#take(bytes.length);
    this.#memory().set(bytes, at);
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

  /** All of the memory, as bytes and as doubles. It grows by whole pages, so it is a whole number of doubles. */
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

/** Writes the weights of a template's pixels, rows `pitch` apart; their sum. */
function weigh({ width, mask }: Template, pitch: number, weights: Int16Array): number {
  let total = 0;
  for (let i = 0, x = 0, at = 0; i < mask.length; i++, at++) {
    if (x === width) {
      x = 0;
      at += pitch - width;
    }
    x++;
    const weight = Math.round((mask[i]! * HEAVIEST) / 255);
    weights[at] = weight;
    total += weight;
  }
  return total;
}

/** A template's levels of one channel (undefined: grey) times their weights, and the weighted sums of the levels and of their squares. */
function multiply(
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
