import { instantiateWasm, reserveMemory, type WasmFunction } from '../../regions/wasm.ts';
import type { Atlas } from './atlas.ts';
import { GLYPH_WASM } from './glyph-wasm.ts';
import type { LineImage } from './line-image.ts';

/** Exports of tools/wasm/glyph.wat that sum pixels. */
interface SumKernels extends Record<'sums' | 'join' | 'integrate' | 'integrateOne', WasmFunction> {
  readonly memory: WebAssembly.Memory;
}

const DOUBLE = 8;
const FLOAT = 4;
const VECTOR = 16;

/** Doubles of an entry of a one-plane integral image: the sum of all levels left and above, and that of their squares. */
export const PAIR = 2;

/** Integral image of a picture of one plane, equal to the bit to what plain code sums up. */
export class GlyphIntegral {
  readonly #kernels = instantiateWasm(GLYPH_WASM) as unknown as SumKernels;
  #floats = new Float32Array(this.#kernels.memory.buffer);
  /** `PAIR` doubles an entry, one row and one column more than the picture; valid until the next `look`. */
  sums = new Float64Array(0);

  /** Sums up a picture. */
  look({ data, width, height }: LineImage): void {
    const size = width * height;
    const tables = (FLOAT * size + 2 * VECTOR - 1) & ~(VECTOR - 1);
    const entries = (width + 1) * (height + 1);
    const { memory } = this.#kernels;
    reserveMemory(memory, tables + DOUBLE * PAIR * entries);
    const { buffer } = memory;
    if (this.#floats.buffer !== buffer) this.#floats = new Float32Array(buffer);
    this.#floats.set(data.length === size ? data : data.subarray(0, size));
    this.#kernels.integrateOne(0, width, height, tables);
    if (this.sums.buffer !== buffer || this.sums.byteOffset !== tables || this.sums.length < PAIR * entries)
      this.sums = new Float64Array(buffer, tables, PAIR * entries);
  }
}

/** Bytes of a picture's pixel, and of a glyph's. */
const PIXEL_BYTES = 16;
const RECORD_BYTES = 24;
/** Doubles of an entry of three-plane integral images: the sums of each plane, and, `SQUARES` further on, of their squares. */
export const ENTRY = 8;
/** Offset of the sums of squares in an entry. */
export const SQUARES = 4;
/** Doubles from one kind of a glyph's sums to the next. */
export const LANES = 4;

/** Sums over glyphs' pixels and over rectangles in luma, Cb and Cr at once, equal to the bit to what plain code sums up. */
export class GlyphPlanes {
  readonly #atlas: Atlas;
  readonly #kernels = instantiateWasm(GLYPH_WASM) as unknown as SumKernels;
  /** Address of each glyph's pixels. */
  readonly #records: readonly number[];
  readonly #image: number;
  #tables = 0;
  #floats = new Float32Array(0);
  #width = 0;
  /** Sums of the glyph added last: `LANES` doubles of each kind. */
  sums: Float64Array;
  /** Integral images, `ENTRY` doubles an entry. */
  integral = new Float64Array(0);

  constructor(atlas: Atlas) {
    this.#atlas = atlas;
    let end = PIXEL_BYTES + 5 * LANES * DOUBLE;
    this.#records = atlas.glyphs.map(({ dx }) => {
      const at = end;
      end += RECORD_BYTES * dx.length;
      return at;
    });
    this.#image = (end + PIXEL_BYTES) & ~(PIXEL_BYTES - 1);
    reserveMemory(this.#kernels.memory, this.#image);
    this.sums = new Float64Array(this.#kernels.memory.buffer, PIXEL_BYTES, 5 * LANES);
  }

  /** Copies a picture and sums it up. */
  look({ data, chroma, width, height }: LineImage): void {
    const [cb, cr] = chroma!;
    const size = width * height;
    this.#tables = this.#image + PIXEL_BYTES * (size + 1);
    const entries = (width + 1) * (height + 1);
    reserveMemory(this.#kernels.memory, this.#tables + DOUBLE * ENTRY * entries);
    const { buffer } = this.#kernels.memory;
    if (this.sums.buffer !== buffer) this.sums = new Float64Array(buffer, PIXEL_BYTES, 5 * LANES);
    if (this.#width !== width) this.#layOut(width);
    if (this.#floats.buffer !== buffer) this.#floats = new Float32Array(buffer);
    // The planes go where the integral image, written last, overwrites them.
    const [first, second, third] = [
      this.#tables,
      this.#tables + FLOAT * size,
      this.#tables + 2 * FLOAT * size,
    ] as const;
    this.#copy(data, size, first);
    this.#copy(cb, size, second);
    this.#copy(cr, size, third);
    this.#kernels.join(first, second, third, size, this.#image);
    this.#kernels.integrate(this.#image, width, height, this.#tables);
    if (
      this.integral.buffer !== buffer ||
      this.integral.byteOffset !== this.#tables ||
      this.integral.length < ENTRY * entries
    )
      this.integral = new Float64Array(buffer, this.#tables, ENTRY * entries);
  }

  #copy(plane: Float32Array, size: number, at: number): void {
    this.#floats.set(plane.length === size ? plane : plane.subarray(0, size), at / FLOAT);
  }

  /** Sums up a glyph's pixels at (x, y) into `sums`. */
  add(index: number, x: number, y: number): void {
    const from = this.#image + PIXEL_BYTES * (y * this.#width + x);
    this.#kernels.sums(from, this.#records[index]!, this.#atlas.glyphs[index]!.dx.length, PIXEL_BYTES);
  }

  /** Writes the glyphs' pixels for pictures of this width. */
  #layOut(width: number): void {
    this.#width = width;
    const view = new DataView(this.#kernels.memory.buffer);
    for (const [n, { dx, dy, weight, level }] of this.#atlas.glyphs.entries())
      for (let i = 0, at = this.#records[n]!; i < dx.length; i++, at += RECORD_BYTES) {
        view.setInt32(at, PIXEL_BYTES * (dy[i]! * width + dx[i]!), true);
        view.setFloat64(at + FLOAT + FLOAT, weight[i]!, true);
        view.setFloat64(at + FLOAT + FLOAT + DOUBLE, level[i]!, true);
      }
  }
}
