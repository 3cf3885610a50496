import { GLYPH_WASM } from './glyph-wasm.ts';
import type { LineImage } from './line-image.ts';

/** The export of tools/wasm/glyph.wat that adds up one plane; all arguments are addresses or counts. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  integrateOne(image: number, width: number, height: number, out: number): void;
}

const DOUBLE = 8;
const FLOAT = 4;
const VECTOR = 16;
/** Doubles of an entry: the sum of all levels left and above, and that of their squares. */
export const PAIR = 2;

let compiled: WebAssembly.Module | undefined;

/** Sums over rectangles of a picture of one plane: to the bit what plain code adds up. */
export class GlyphIntegral {
  readonly #kernels: Kernels;
  #floats: Float32Array;
  /** `PAIR` doubles an entry, one row and one column more than the picture; holds until the next `look`. */
  sums = new Float64Array(0);

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(GLYPH_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
    this.#floats = new Float32Array(this.#kernels.memory.buffer);
  }

  /** Adds a picture up. */
  look({ data, width, height }: LineImage): void {
    const size = width * height;
    const tables = (FLOAT * size + 2 * VECTOR - 1) & ~(VECTOR - 1);
    const entries = (width + 1) * (height + 1);
    const { memory } = this.#kernels;
    const missing = tables + DOUBLE * PAIR * entries - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
    const { buffer } = memory;
    if (this.#floats.buffer !== buffer) this.#floats = new Float32Array(buffer);
    this.#floats.set(data.length === size ? data : data.subarray(0, size));
    this.#kernels.integrateOne(0, width, height, tables);
    if (this.sums.buffer !== buffer || this.sums.byteOffset !== tables || this.sums.length < PAIR * entries)
      this.sums = new Float64Array(buffer, tables, PAIR * entries);
  }
}
