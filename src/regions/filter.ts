import { gaussian, toKernel, lanczos, normalize } from '../compute/quantize/kernel.ts';
import type { Arithmetic } from '../compute/quantize/cost.ts';
import { convertIfWorthwhile } from '../compute/quantize/cost.ts';
import { quantizeKernel } from '../compute/quantize/quantize.ts';
import type { Crop } from './crop.ts';
import { FILTER_WASM } from './filter-wasm.ts';
import { instantiateWasm, reserveMemory, type WasmFunction } from './wasm.ts';

/** A separable filter for crops of one shape. */
export interface SeparableFilter {
  /** The arithmetic that it runs in. */
  readonly arithmetic: Arithmetic;
  run(crop: Crop): Crop;
}

/** Largest difference of fixed-point from real weights, in levels before rounding, over both passes. */
const MAX_DEVIATION_LEVELS = 0.5;

/**
 * Compiles a filter of columns by `down`, then of rows by `across`. It runs in 16-bit integers with SIMD where the cost model says
 * that this is cheaper and the converted weights are close enough, else in doubles. Weights sum to exactly 1 in both passes, so
 * that flat areas keep their level, and results do not depend on the machine.
 */
export function separableFilter(shape: Omit<Crop, 'data'>, across: Taps, down: Taps): SeparableFilter {
  const { width, height, channels } = shape;
  const [columns, rows] = [across.starts.length, down.starts.length];
  const operation = {
    products: channels * rows * (width * down.length + columns * across.length),
    samples: channels * (width * height + width * rows + columns * rows),
  };
  const fixed = convertIfWorthwhile(operation, {
    convert: () => ({ across: fixedTaps(across), down: fixedTaps(down) }),
    deviation: (taps) => 255 * (taps.across.deviation + taps.down.deviation),
    tolerance: MAX_DEVIATION_LEVELS,
  });
  if (fixed) return { arithmetic: 'fixed', run: (crop) => filterBySimd(crop, fixed.across, fixed.down) };
  return { arithmetic: 'float', run: (crop) => filterByFloats(crop, across, down) };
}

/** Filters in doubles. */
export function filterByFloats({ data, width: columns, channels }: Crop, across: Taps, down: Taps): Crop {
  const [width, height] = [across.starts.length, down.starts.length];
  const line = columns * channels;
  const sums = new Float64Array(line);
  const out = new Uint8ClampedArray(width * height * channels);
  let to = 0;
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let k = 0; k < down.length; k++) {
      const weight = down.weights[y * down.length + k]!;
      const from = (down.starts[y]! + k) * line;
      for (let x = 0; x < line; x++) sums[x]! += weight * data[from + x]!;
    }
    for (let i = 0; i < width; i++) {
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        let at = across.starts[i]! * channels + channel;
        for (let k = 0, w = i * across.length; k < across.length; k++, at += channels, w++)
          sum += across.weights[w]! * sums[at]!;
        out[to++] = sum;
      }
    }
  }
  return { data: new Uint8Array(out.buffer), width, height, channels };
}

/** A 1-D resampling filter: output sample i is the weighted sum of `length` input samples from `starts[i]`. */
export interface Taps {
  readonly length: number;
  readonly starts: Int32Array;
  /** `length` weights per output sample; they sum to 1. */
  readonly weights: Float64Array;
}

/** Taps in fixed point: weights fit into 16 bits and sum to exactly 2^shift per output sample. */
export interface FixedTaps {
  readonly length: number;
  readonly starts: Int32Array;
  readonly weights: Int32Array;
  readonly shift: number;
  /** Largest sum of differences from the real weights over an output sample. */
  readonly deviation: number;
}

/** 2^14 · 1.6, the overshoot of Lanczos weights, fits into 16 bits, and sums of products with 14-bit levels into 32. */
const MAX_SHIFT = 14;

/**
 * Computes taps that resample a line: output sample i lies at (i + ½) · step − ½ of the input. The filter widens when it shrinks, so
 * that every input sample counts; beyond an end its last sample is repeated.
 *
 * @param step Input samples per output sample.
 */
export function resamplingTaps(input: number, output: number, step: number, filter: 'linear' | 'lanczos'): Taps {
  const width = Math.max(1, step);
  const radius = (filter === 'linear' ? 1 : 3) * width;
  return makeTaps(
    input,
    output,
    radius,
    (i) => (i + 0.5) * step - 0.5,
    (distance) => (filter === 'linear' ? Math.max(0, 1 - Math.abs(distance / width)) : lanczos(distance / width, 3)),
  );
}

/** Computes the taps of a Gaussian of standard deviation `sigma` samples, cut at 3σ. */
export function gaussianTaps(size: number, sigma: number): Taps {
  const kernel = gaussian(sigma);
  const radius = (kernel.length - 1) / 2;
  return makeTaps(
    size,
    size,
    radius + 0.5,
    (i) => i,
    (distance) => kernel[Math.round(distance) + radius] ?? 0,
  );
}

function makeTaps(
  input: number,
  output: number,
  radius: number,
  centre: (i: number) => number,
  weight: (distance: number) => number,
): Taps {
  const length = Math.min(input, Math.ceil(2 * radius) + 1);
  const starts = new Int32Array(output);
  const weights = new Float64Array(length * output);
  for (let i = 0; i < output; i++) {
    const at = centre(i);
    const start = Math.min(input - length, Math.max(0, Math.ceil(at - radius)));
    starts[i] = start;
    const row = Array.from({ length }, () => 0);
    for (let j = Math.ceil(at - radius); j <= at + radius; j++) {
      row[Math.min(input - 1, Math.max(0, j)) - start]! += weight(j - at);
    }
    weights.set(normalize(row), i * length);
  }
  return { length, starts, weights };
}

/** Converted rows by their weights: filters of one kernel for several sizes share nearly all. */
const convertedRows = new Map<string, { readonly mantissas: Int32Array; readonly shift: number }>();
const MAX_CACHED_ROWS = 4096;

/** Converts taps to fixed point with compute/quantize: each output sample's weights sum to exactly 1, and all share one shift. */
export function fixedTaps({ length, starts, weights }: Taps): FixedTaps {
  const rows: { readonly mantissas: Int32Array; readonly shift: number }[] = [];
  if (convertedRows.size > MAX_CACHED_ROWS) convertedRows.clear();
  for (let i = 0; i < starts.length; i++) {
    if (i > 0 && equalsPrevious(weights, i * length, length)) {
      rows.push(rows[i - 1]!);
      continue;
    }
    const row = weights.subarray(i * length, (i + 1) * length);
    // Phases repeat but for rounding noise.
    const key = Array.from(row, (value) => value.toFixed(9)).join(' ');
    const made = convertedRows.get(key) ?? quantizeRow(row);
    convertedRows.set(key, made);
    rows.push(made);
  }
  const shift = Math.max(0, ...rows.map((row) => row.shift));
  const fixed = new Int32Array(weights.length);
  let deviation = 0;
  for (const [i, row] of rows.entries()) {
    let sum = 0;
    for (let k = 0; k < length; k++) {
      const weight = row.mantissas[k]! * 2 ** (shift - row.shift);
      fixed[i * length + k] = weight;
      sum += Math.abs(weight / 2 ** shift - weights[i * length + k]!);
    }
    deviation = Math.max(deviation, sum);
  }
  return { length, starts, weights: fixed, shift, deviation };
}

/** Whether the row at `at` equals the one before it, as all do away from the ends of a filter that keeps its size. */
function equalsPrevious(weights: Float64Array, at: number, length: number): boolean {
  for (let k = at; k < at + length; k++) if (weights[k] !== weights[k - length]) return false;
  return true;
}

/** Quantizes a row with as many mantissa bits as its largest weight leaves up to `MAX_SHIFT`. */
function quantizeRow(row: Float64Array): { readonly mantissas: Int32Array; readonly shift: number } {
  const largest = Math.max(...row.map(Math.abs));
  const mantissaBits = Math.max(6, Math.min(15, MAX_SHIFT + Math.floor(Math.log2(largest)) + 1));
  const { mantissas, exponents, sum } = quantizeKernel(toKernel(Array.from(row)), { mantissaBits });
  if (sum !== 1) throw new RangeError(`a filter of ${row.length} taps cannot sum to 1 in ${mantissaBits} bits`);
  return { mantissas, shift: -exponents[0]! };
}

/** Fraction bits that the first of two passes keeps: levels with overshoot then fit into 16 bits. */
export const FRACTION_BITS = 6;

/** Exports of tools/wasm/filter.wat. */
interface FilterKernels extends Record<'widen' | 'combine' | 'transpose16' | 'transpose8', WasmFunction> {
  readonly memory: WebAssembly.Memory;
}

/** One instance per thread: calls are synchronous, so that they can share its memory. */
let filterKernels: FilterKernels | undefined;

/** Taps as the kernel reads them: weights in pairs of 16 bits, an odd last one with 0. */
interface PackedTaps {
  readonly starts: Int32Array;
  readonly weights: Int16Array;
  readonly pairs: number;
}

const packedTaps = new WeakMap<FixedTaps, PackedTaps>();

function packTaps(taps: FixedTaps): PackedTaps {
  const known = packedTaps.get(taps);
  if (known) return known;
  const { starts, weights, length } = taps;
  const pairs = (length + 1) >> 1;
  const made = { starts, weights: new Int16Array(2 * pairs * starts.length), pairs };
  for (let i = 0; i < starts.length; i++)
    made.weights.set(weights.subarray(i * length, (i + 1) * length), 2 * pairs * i);
  packedTaps.set(taps, made);
  return made;
}

/** Allocates the kernel's memory, at multiples of 16 bytes with room to read past the end. */
class Allocator {
  end = 16;

  take(bytes: number): number {
    const at = this.end;
    this.end = (at + bytes + 47) & ~15;
    return at;
  }
}

const padded = (samples: number): number => (samples + 7) & ~7;

/**
 * Filters columns by `down`, then rows by `across`, in integers with 128-bit SIMD. Each pass rounds once, halves upwards: the first
 * to `FRACTION_BITS` fraction bits, the second to whole levels.
 */
export function filterBySimd(crop: Crop, across: FixedTaps, down: FixedTaps): Crop {
  const kernels = (filterKernels ??= instantiateWasm(FILTER_WASM) as unknown as FilterKernels);
  const { channels } = crop;
  const [columns, rows] = [packTaps(across), packTaps(down)];
  const [width, height] = [across.starts.length, down.starts.length];
  const pitch = 2 * padded(crop.width * channels);
  const turnedPitch = 2 * padded(height * channels);
  const layout = new Allocator();
  const data = layout.take(crop.data.length);
  // The partner of an odd tap, a line further on, has weight 0 but is read.
  const wide = layout.take(pitch * (crop.height + 1));
  const narrow = layout.take(pitch * height);
  const turned = layout.take(turnedPitch * (crop.width + 1));
  const result = layout.take((turnedPitch / 2) * width);
  const out = layout.take(width * height * channels);
  const taps = [rows, columns].map(({ starts, weights }) => ({
    starts: layout.take(starts.byteLength),
    weights: layout.take(weights.byteLength),
  }));
  reserveMemory(kernels.memory, layout.end);
  const memory = new Uint8Array(kernels.memory.buffer);
  memory.set(crop.data, data);
  for (const [i, { starts, weights }] of [rows, columns].entries()) {
    memory.set(new Uint8Array(starts.buffer, starts.byteOffset, starts.byteLength), taps[i]!.starts);
    memory.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength), taps[i]!.weights);
  }
  const line = crop.width * channels;
  kernels.widen(data, line, crop.height, wide, pitch);
  kernels.combine(
    wide,
    pitch,
    taps[0]!.starts,
    taps[0]!.weights,
    rows.pairs,
    height,
    line,
    narrow,
    pitch,
    down.shift - FRACTION_BITS,
    0,
  );
  kernels.transpose16(narrow, pitch, crop.width, height, channels, turned, turnedPitch);
  kernels.combine(
    turned,
    turnedPitch,
    taps[1]!.starts,
    taps[1]!.weights,
    columns.pairs,
    width,
    height * channels,
    result,
    turnedPitch / 2,
    across.shift + FRACTION_BITS,
    1,
  );
  kernels.transpose8(result, turnedPitch / 2, height, width, channels, out);
  return { data: memory.slice(out, out + width * height * channels), width, height, channels };
}
