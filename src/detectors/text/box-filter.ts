import type { Rect } from '../../geometry.ts';
import type { Plane } from '../../media/picture.ts';
import { BOX_WASM } from './box-wasm.ts';

/** A plane's part in a filtered picture: what rectangle of it (pixels, fractions allowed), and what its levels are multiplied by. */
export interface Part {
  readonly plane: Plane;
  readonly rect: Rect;
  readonly weight: number;
}

/** Coverage of output cells by source samples along one axis: for output i, samples first[i]… with weights summing to 1. */
export interface Coverage {
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** `stride` an output cell. */
  readonly weights: Float32Array;
  readonly stride: number;
}

/** Box filter of [start, start + length) into `cells` equal cells; samples outside 0…limit−1 repeat the edge. */
function coverageOf(start: number, length: number, cells: number, limit: number): Coverage {
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

/** Exports of tools/wasm/box.wat; every argument is an address or a count, but `scale`. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  down(
    from: number,
    pitch: number,
    blocks: number,
    first: number,
    count: number,
    weights: number,
    stride: number,
    height: number,
    to: number,
  ): void;
  across(
    from: number,
    pitch: number,
    first: number,
    count: number,
    weights: number,
    stride: number,
    width: number,
    height: number,
    to: number,
    scale: number,
    scratch: number,
    zero: number,
  ): void;
}

/** A coverage in the kernel's memory, and which samples it reaches. */
interface Placed {
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

/** Regions stay where they are, so that a recording needs few; beyond this many all are made anew. */
const MOST_COVERAGES = 256;
/** Bytes of a sample of a line; lines that are filtered at once. */
const LINE = 4;
const WOVEN = 4;
/** From this width on a native copy of a row beats a loop. */
const NATIVE_ROW = 64;

/** Box-filters planes, with SIMD. One instance a thread; its memory is free for every call but for the coverages. */
class BoxFilter {
  readonly #kernels: Kernels;
  #bytes: Uint8Array;
  /** By where they start: a profile has dozens, and each reading asks for several. */
  #placed = new Map<number, Placed[]>();
  #coverings = 0;
  #end = 16;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(BOX_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(module).exports as unknown as Kernels;
    this.#bytes = new Uint8Array(this.#kernels.memory.buffer);
  }

  run(parts: readonly Part[], width: number, height: number, offset: number, out: Float32Array): void {
    if (this.#coverings > MOST_COVERAGES) {
      this.#placed.clear();
      this.#coverings = 0;
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
      end = Math.max(end, lines + LINE * columns * (height + 3 + WOVEN));
    }
    this.#reserve(end + 16);
    const cells = new Float32Array(this.#kernels.memory.buffer, result, size).fill(offset);
    for (const [i, { plane, weight }] of parts.entries()) {
      const { across, down } = coverages[i]!;
      const columns = padded(across.high - across.low);
      const lines = aligned(levels + columns * (down.high - down.low));
      this.#copy(plane, across, down, columns, levels);
      const scratch = lines + LINE * columns * (height + 3);
      // Coverages count from the plane's corner, copies begin where they are first needed.
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
        LINE * columns,
        across.first,
        across.count,
        across.weights,
        4 * across.stride,
        width,
        height,
        result,
        weight,
        scratch,
        scratch - WOVEN * LINE * across.low,
      );
    }
    out.set(cells);
  }

  #copy({ data, stride }: Plane, across: Placed, down: Placed, pitch: number, to: number): void {
    const width = across.high - across.low;
    const bytes = this.#bytes;
    for (let row = down.low, at = to; row < down.high; row++, at += pitch) {
      const from = row * stride + across.low;
      // A buffer's own `subarray` takes longer.
      if (width >= NATIVE_ROW) bytes.set(new Uint8Array(data.buffer, data.byteOffset + from, width), at);
      else for (let i = 0; i < width; i++) bytes[at + i] = data[from + i]!;
    }
  }

  #coverages(plane: Plane, rect: Rect, width: number, height: number): { across: Placed; down: Placed } {
    return {
      across: this.#coverage(rect.x, rect.width, width, plane.width),
      down: this.#coverage(rect.y, rect.height, height, plane.height),
    };
  }

  #coverage(start: number, length: number, cells: number, limit: number): Placed {
    const here = this.#placed.get(start) ?? [];
    for (const one of here) if (one.length === length && one.cells === cells && one.limit === limit) return one;
    const { first, count, weights, stride } = coverageOf(start, length, cells, limit);
    const made: Placed = {
      length,
      cells,
      limit,
      first: this.#keep(first),
      count: this.#keep(count),
      weights: this.#keep(weights),
      stride,
      low: first[0]!,
      high: first[cells - 1]! + count[cells - 1]!,
    };
    here.push(made);
    this.#placed.set(start, here);
    this.#coverings++;
    return made;
  }

  #keep({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): number {
    const at = this.#end;
    this.#end = aligned(at + byteLength);
    this.#reserve(this.#end);
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    return at;
  }

  #reserve(end: number): void {
    const { memory } = this.#kernels;
    if (end > memory.buffer.byteLength) memory.grow(Math.ceil((end - memory.buffer.byteLength) / 65_536));
    if (this.#bytes.buffer !== memory.buffer) this.#bytes = new Uint8Array(memory.buffer);
  }
}

const padded = (columns: number): number => (columns + 7) & ~7;
const aligned = (bytes: number): number => (bytes + 15) & ~15;

let loaded: BoxFilter | undefined;

/**
 * `offset` plus the box-filtered parts, in `out` (`width` × `height`, row after row). Each part is filtered along columns in
 * single precision, then along rows in double.
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
