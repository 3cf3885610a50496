import type { Atlas } from './atlas.ts';
import { GLYPH_WASM } from './glyph-wasm.ts';
import type { LineImage } from './line-image.ts';

/** Exports of tools/wasm/glyph.wat that work on three planes; all arguments are addresses or counts. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  sums(image: number, glyph: number, pixels: number, out: number): void;
  join(a: number, b: number, c: number, pixels: number, out: number): void;
  integrate(image: number, width: number, height: number, out: number): void;
}

const DOUBLE = 8;
const FLOAT = 4;
/** Bytes of a picture's pixel, of a glyph's, and of an entry of the integral images. */
const PIXEL = 16;
const RECORD = 24;
/** Doubles of an entry of the integral images: the sums of each plane, and, so many further on, of their squares. */
export const ENTRY = 8;
export const SQUARES = 4;
/** Doubles from one kind of a glyph's sums to the next. */
export const LANES = 4;

let compiled: WebAssembly.Module | undefined;

/** Sums over glyphs' pixels and over rectangles of a picture in luma and both colour differences at once: to the bit what plain code adds up. */
export class GlyphPlanes {
  readonly #atlas: Atlas;
  readonly #kernels: Kernels;
  /** Address of each glyph's record. */
  readonly #records: readonly number[];
  readonly #image: number;
  #tables = 0;
  #floats = new Float32Array(0);
  #width = 0;
  /** Of the glyph that was asked for last: `LANES` doubles of each kind. */
  sums: Float64Array;
  /** Integral images, `ENTRY` doubles an entry. */
  integral = new Float64Array(0);

  constructor(atlas: Atlas) {
    compiled ??= new WebAssembly.Module(Buffer.from(GLYPH_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
    this.#atlas = atlas;
    let end = PIXEL + 5 * LANES * DOUBLE;
    this.#records = atlas.glyphs.map(({ dx }) => {
      const at = end;
      end += RECORD * dx.length;
      return at;
    });
    this.#image = (end + PIXEL) & ~(PIXEL - 1);
    this.#reserve(this.#image);
    this.sums = new Float64Array(this.#kernels.memory.buffer, PIXEL, 5 * LANES);
  }

  /** Takes a picture over and adds it up. */
  look({ data, chroma, width, height }: LineImage): void {
    const [cb, cr] = chroma!;
    const size = width * height;
    this.#tables = this.#image + PIXEL * (size + 1);
    const entries = (width + 1) * (height + 1);
    this.#reserve(this.#tables + DOUBLE * ENTRY * entries);
    const { buffer } = this.#kernels.memory;
    if (this.sums.buffer !== buffer) this.sums = new Float64Array(buffer, PIXEL, 5 * LANES);
    if (this.#width !== width) this.#layOut(width);
    if (this.#floats.buffer !== buffer) this.#floats = new Float32Array(buffer);
    // The tables, which come after, have room for them.
    const [first, second, third] = [
      this.#tables,
      this.#tables + FLOAT * size,
      this.#tables + 2 * FLOAT * size,
    ] as const;
    this.#keep(data, size, first);
    this.#keep(cb, size, second);
    this.#keep(cr, size, third);
    this.#kernels.join(first, second, third, size, this.#image);
    this.#kernels.integrate(this.#image, width, height, this.#tables);
    if (
      this.integral.buffer !== buffer ||
      this.integral.byteOffset !== this.#tables ||
      this.integral.length < ENTRY * entries
    )
      this.integral = new Float64Array(buffer, this.#tables, ENTRY * entries);
  }

  #keep(plane: Float32Array, size: number, at: number): void {
    this.#floats.set(plane.length === size ? plane : plane.subarray(0, size), at / FLOAT);
  }

  /** Adds up a glyph's pixels at (x, y). */
  add(index: number, x: number, y: number): void {
    const from = this.#image + PIXEL * (y * this.#width + x);
    this.#kernels.sums(from, this.#records[index]!, this.#atlas.glyphs[index]!.dx.length, PIXEL);
  }

  /** Glyphs' records, for pictures of this width. */
  #layOut(width: number): void {
    this.#width = width;
    const view = new DataView(this.#kernels.memory.buffer);
    for (const [n, { dx, dy, weight, level }] of this.#atlas.glyphs.entries())
      for (let i = 0, at = this.#records[n]!; i < dx.length; i++, at += RECORD) {
        view.setInt32(at, PIXEL * (dy[i]! * width + dx[i]!), true);
        view.setFloat64(at + FLOAT + FLOAT, weight[i]!, true);
        view.setFloat64(at + FLOAT + FLOAT + DOUBLE, level[i]!, true);
      }
  }

  #reserve(end: number): void {
    const { memory } = this.#kernels;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  }
}
