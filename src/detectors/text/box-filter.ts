import type { Rect } from '../../geometry.ts';
import type { Plane } from '../../media/picture.ts';
import { instantiateWasm, reserveMemory, type WasmFunction } from '../../regions/wasm.ts';
import { BOX_WASM } from './box-wasm.ts';

/** A plane's contribution: a rectangle of it in (fractional) pixels, and a factor of its levels. */
export interface Part {
  readonly plane: Plane;
  readonly rect: Rect;
  readonly weight: number;
}

/** Coverage of output cells by source samples along one axis: cell i averages count[i] samples from first[i], with weights that sum to 1. */
interface Coverage {
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** `stride` weights per output cell. */
  readonly weights: Float32Array;
  readonly stride: number;
}

/** Computes the box filter of [start, start + length) into `cells` equal cells; samples outside 0…limit − 1 repeat the edge. */
function computeCoverage(start: number, length: number, cells: number, limit: number): Coverage {
  const step = length / cells;
  const stride = Math.ceil(step) + 2;
  const first = new Int32Array(cells);
  const count = new Int32Array(cells);
  const weights = new Float32Array(cells * stride);
  for (let i = 0; i < cells; i++) {
    const from = start + i * step;
    const to = from + step;
    const low = Math.floor(from);
    const lowest = Math.min(Math.max(low, 0), limit - 1);
    first[i] = lowest;
    let last = lowest;
    for (let sample = low; sample < to; sample++) {
      const part = Math.min(to, sample + 1) - Math.max(from, sample);
      if (part <= 1e-9) continue;
      const at = Math.min(Math.max(sample, 0), limit - 1);
      weights[i * stride + (at - lowest)]! += part / step;
      last = at;
    }
    count[i] = last - lowest + 1;
  }
  return { first, count, weights, stride };
}

/** Exports of tools/wasm/box.wat. */
interface Kernels extends Record<'down' | 'across', WasmFunction> {
  readonly memory: WebAssembly.Memory;
}

/** A coverage in the kernel's memory, and the samples that it spans. */
interface StoredCoverage {
  readonly length: number;
  readonly cells: number;
  readonly limit: number;
  readonly first: number;
  readonly count: number;
  readonly weights: number;
  readonly stride: number;
  readonly low: number;
  readonly high: number;
}

/** Coverages that are stored; a recording, whose regions do not move, needs few. */
const MAX_COVERAGES = 256;
/** Bytes of a sample of an intermediate row; rows that are filtered at once. */
const SAMPLE_BYTES = 4;
const ROWS_AT_ONCE = 4;
/** Row width from which a native copy beats a loop. */
const MIN_NATIVE_ROW = 64;

/** Box-filters planes with SIMD. One instance per thread: between calls its memory holds coverages alone. */
class BoxFilter {
  readonly #kernels = instantiateWasm(BOX_WASM) as unknown as Kernels;
  #bytes = new Uint8Array(this.#kernels.memory.buffer);
  /** By start: a profile has dozens, and each reading needs several. */
  #stored = new Map<number, StoredCoverage[]>();
  #storedCount = 0;
  #end = 16;

  run(parts: readonly Part[], width: number, height: number, offset: number, out: Float32Array): void {
    if (this.#storedCount > MAX_COVERAGES) {
      this.#stored.clear();
      this.#storedCount = 0;
      this.#end = 16;
    }
    const coverages = parts.map(({ plane, rect }) => this.#coverages(plane, rect, width, height));
    const size = width * height;
    const result = this.#end;
    const levels = aligned(result + 4 * size);
    let end = levels;
    for (const { across, down } of coverages) {
      const columns = padded(across.high - across.low);
      const lines = aligned(levels + columns * (down.high - down.low));
      end = Math.max(end, lines + SAMPLE_BYTES * columns * (height + 3 + ROWS_AT_ONCE));
    }
    this.#reserve(end + 16);
    const cells = new Float32Array(this.#kernels.memory.buffer, result, size).fill(offset);
    for (const [i, { plane, weight }] of parts.entries()) {
      const { across, down } = coverages[i]!;
      const columns = padded(across.high - across.low);
      const lines = aligned(levels + columns * (down.high - down.low));
      this.#copy(plane, across, down, columns, levels);
      const scratch = lines + SAMPLE_BYTES * columns * (height + 3);
      // Coverages count from the plane's corner, the copy begins at the first row that is needed.
      const corner = levels - down.low * columns;
      this.#kernels.down(
        corner,
        columns,
        columns >> 3,
        down.first,
        down.count,
        down.weights,
        4 * down.stride,
        height,
        lines,
      );
      this.#kernels.across(
        lines,
        SAMPLE_BYTES * columns,
        across.first,
        across.count,
        across.weights,
        4 * across.stride,
        width,
        height,
        result,
        weight,
        scratch,
        scratch - ROWS_AT_ONCE * SAMPLE_BYTES * across.low,
      );
    }
    out.set(cells);
  }

  #copy({ data, stride }: Plane, across: StoredCoverage, down: StoredCoverage, pitch: number, to: number): void {
    const width = across.high - across.low;
    const bytes = this.#bytes;
    for (let row = down.low, at = to; row < down.high; row++, at += pitch) {
      const from = row * stride + across.low;
      // Planes are Buffers, whose own `subarray` is slower.
      if (width >= MIN_NATIVE_ROW) bytes.set(new Uint8Array(data.buffer, data.byteOffset + from, width), at);
      else for (let i = 0; i < width; i++) bytes[at + i] = data[from + i]!;
    }
  }

  #coverages(
    plane: Plane,
    rect: Rect,
    width: number,
    height: number,
  ): { across: StoredCoverage; down: StoredCoverage } {
    return {
      across: this.#coverage(rect.x, rect.width, width, plane.width),
      down: this.#coverage(rect.y, rect.height, height, plane.height),
    };
  }

  #coverage(start: number, length: number, cells: number, limit: number): StoredCoverage {
    const here = this.#stored.get(start) ?? [];
    for (const one of here) if (one.length === length && one.cells === cells && one.limit === limit) return one;
    const { first, count, weights, stride } = computeCoverage(start, length, cells, limit);
    const made: StoredCoverage = {
      length,
      cells,
      limit,
      first: this.#store(first),
      count: this.#store(count),
      weights: this.#store(weights),
      stride,
      low: first[0]!,
      high: first[cells - 1]! + count[cells - 1]!,
    };
    here.push(made);
    this.#stored.set(start, here);
    this.#storedCount++;
    return made;
  }

  #store({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): number {
    const at = this.#end;
    this.#end = aligned(at + byteLength);
    this.#reserve(this.#end);
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    return at;
  }

  #reserve(end: number): void {
    const { memory } = this.#kernels;
    reserveMemory(memory, end);
    if (this.#bytes.buffer !== memory.buffer) this.#bytes = new Uint8Array(memory.buffer);
  }
}

const padded = (columns: number): number => (columns + 7) & ~7;
const aligned = (bytes: number): number => (bytes + 15) & ~15;

let loaded: BoxFilter | undefined;

/**
 * Writes `offset` plus the box-filtered parts to `out`, `width` × `height`, row after row. Columns are filtered in single precision,
 * then rows in double.
 */
export function boxFilter(
  parts: readonly Part[],
  width: number,
  height: number,
  offset: number,
  out: Float32Array,
): void {
  if (width === 0 || height === 0) return;
  loaded ??= new BoxFilter();
  loaded.run(parts, width, height, offset, out);
}
