import type { Kernel, NestedNumbers } from './kernel.ts';
import { exactSum, kernelOf } from './kernel.ts';
import type { QuantizedKernel, QuantizeOptions } from './quantize.ts';
import { quantizeKernel } from './quantize.ts';

/**
 * The one-dimensional factors of a kernel that is their outer product, one per axis; undefined for one that is not. Factors
 * after the first sum to 1 where they can (else their largest value is 1), so that each keeps a simple sum of its own.
 * @param tolerance by how much a coefficient may differ from the product, relative to the largest.
 */
export function separate(nested: NestedNumbers | Kernel, tolerance = 1e-9): readonly number[][] | undefined {
  const kernel = kernelOf(nested);
  const { shape, data } = kernel;
  const largest = data.reduce((best, value, i) => (Math.abs(value) > Math.abs(data[best]!) ? i : best), 0);
  const peak = data[largest]!;
  if (peak === 0) return undefined;
  // A product is known by the lines through any of its values that is not 0.
  const lines = shape.map((length, axis) => {
    const stride = shape.slice(axis + 1).reduce((product, size) => product * size, 1);
    const base = largest - (Math.floor(largest / stride) % length) * stride;
    return Array.from({ length }, (_, i) => data[base + i * stride]! / peak);
  });
  let scale = peak;
  const factors = lines.map((line, axis) => {
    if (axis === 0) return line;
    const sum = exactSum(line);
    const unit = Math.abs(sum) > 1e-6 ? sum : 1;
    scale *= unit;
    return line.map((value) => value / unit);
  });
  factors[0] = factors[0]!.map((value) => value * scale);
  const product = factors.reduce<number[]>((outer, line) => outer.flatMap((a) => line.map((b) => a * b)), [1]);
  return product.every((value, i) => Math.abs(value - data[i]!) <= tolerance * Math.abs(peak)) ? factors : undefined;
}

/** A separable kernel in fixed point: one quantized factor per axis. */
export interface SeparatedKernel {
  readonly factors: readonly QuantizedKernel[];
  /** The sum of the product's coefficients: the product of the factors' sums. */
  readonly sum: number;
  /** Largest error of a coefficient of the product. */
  readonly maxError: number;
}

/** Quantizes each factor of a separable kernel, so that the product keeps its sum too; undefined for one that is not separable. */
export function quantizeSeparable(
  nested: NestedNumbers | Kernel,
  options: QuantizeOptions = {},
): SeparatedKernel | undefined {
  const kernel = kernelOf(nested);
  const factors = separate(kernel)?.map((factor) => quantizeKernel(factor, options));
  if (!factors) return undefined;
  const product = factors.reduce<number[]>(
    (outer, { mantissas, exponents }) =>
      outer.flatMap((a) => Array.from(mantissas, (m, i) => a * m * 2 ** exponents[i]!)),
    [1],
  );
  return {
    factors,
    sum: factors.reduce((total, factor) => total * factor.sum, 1),
    maxError: product.reduce((most, value, i) => Math.max(most, Math.abs(value - kernel.data[i]!)), 0),
  };
}
