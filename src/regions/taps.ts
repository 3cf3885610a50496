import { gaussian, kernelOf, lanczos, normalised } from '../compute/quantize/kernel.ts';
import { quantizeKernel } from '../compute/quantize/quantize.ts';

/** What each output sample of a line is made of: `length` neighbouring input samples from `starts[i]`, weighted. */
export interface Taps {
  readonly length: number;
  readonly starts: Int32Array;
  /** `length` weights per output sample; they sum to 1. */
  readonly weights: Float64Array;
}

/** Taps in fixed point: weights are to be divided by 2^shift, sum to exactly that, and fit into 16 bits. */
export interface FixedTaps {
  readonly length: number;
  readonly starts: Int32Array;
  readonly weights: Int32Array;
  readonly shift: number;
  /** Largest difference from the real weights, added up over an output sample. */
  readonly deviation: number;
}

/** 2^14 · 1.6 (the overshoot of Lanczos' weights) fits into 16 bits, and sums of products with 14-bit levels into 32. */
const MAX_SHIFT = 14;

/**
 * Weights that resample a line: the output's sample i lies at (i + ½) · step − ½ of the input. A filter is widened when it
 * shrinks, so that every input sample counts. Samples beyond an end count as the end's.
 * @param step input samples per output sample.
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

/** Weights of a Gaussian of standard deviation `sigma` samples, cut at 3σ. */
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
    weights.set(normalised(row), i * length);
  }
  return { length, starts, weights };
}

/** Rows that were converted, by their weights: filters of one kernel for pictures of several sizes share nearly all. */
const converted = new Map<string, { readonly mantissas: Int32Array; readonly shift: number }>();
const MOST_ROWS = 4096;

/** Taps in fixed point: each output sample's weights sum to exactly 1 (compute/quantize), and all share one shift. */
export function fixedTaps({ length, starts, weights }: Taps): FixedTaps {
  const rows: { readonly mantissas: Int32Array; readonly shift: number }[] = [];
  if (converted.size > MOST_ROWS) converted.clear();
  for (let i = 0; i < starts.length; i++) {
    if (i > 0 && repeats(weights, i * length, length)) {
      rows.push(rows[i - 1]!);
      continue;
    }
    const row = weights.subarray(i * length, (i + 1) * length);
    // Phases repeat; they differ by rounding noise only.
    const key = Array.from(row, (value) => value.toFixed(9)).join(' ');
    const made = converted.get(key) ?? quantized(row);
    converted.set(key, made);
    rows.push(made);
  }
  const shift = rows.reduce((most, row) => Math.max(most, row.shift), 0);
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

/** Whether a row from `at` on is the one before it: away from the ends of a line all rows of a filter that keeps its size are. */
function repeats(weights: Float64Array, at: number, length: number): boolean {
  for (let k = at; k < at + length; k++) if (weights[k] !== weights[k - length]) return false;
  return true;
}

/** As many mantissa bits as the largest weight leaves up to `MAX_SHIFT`. */
function quantized(row: Float64Array): { readonly mantissas: Int32Array; readonly shift: number } {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const mantissaBits = Math.max(6, Math.min(15, MAX_SHIFT + Math.floor(Math.log2(largest)) + 1));
  const { mantissas, exponents, sum } = quantizeKernel(kernelOf(Array.from(row)), { mantissaBits });
  if (sum !== 1) throw new RangeError(`a filter of ${row.length} taps cannot sum to 1 in ${mantissaBits} bits`);
  return { mantissas, shift: -exponents[0]! };
}
