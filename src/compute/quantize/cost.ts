/** The size of an operation such as a convolution or a resampling. */
export interface Operation {
  /** Multiplications and additions. */
  readonly products: number;
  /** Samples read and written. */
  readonly samples: number;
}

/** The estimated cost of an operation. */
export interface Cost {
  readonly nanoseconds: number;
  /** Memory for intermediate samples. */
  readonly bytes: number;
}

/** Number format of a filter: doubles, or 16-bit integers. */
export type Arithmetic = 'float' | 'fixed';

/** Cost of one arithmetic: nanoseconds per call, per product and per sample, and bytes per sample. */
export interface CostModel {
  readonly start: number;
  readonly product: number;
  readonly sample: number;
  readonly bytes: number;
}

/**
 * Measured with `bench/speed/regions.ts`, which prints this table, on one CPU core: doubles in plain code, and 16-bit integers with
 * SIMD, which cost more per call.
 */
export const COSTS: Readonly<Record<Arithmetic, CostModel>> = {
  float: { start: 800, product: 1.05, sample: 0.75, bytes: 8 },
  fixed: { start: 2000, product: 0.03, sample: 1.2, bytes: 2 },
};

/** Estimates what an operation costs in one arithmetic. */
export function estimateCost(operation: Operation, arithmetic: Arithmetic, costs = COSTS): Cost {
  const { start, product, sample, bytes } = costs[arithmetic];
  return {
    nanoseconds: start + product * operation.products + sample * operation.samples,
    bytes: bytes * operation.samples,
  };
}

/** How operands are converted to fixed point, and when that is accepted. */
export interface Conversion<Converted> {
  /** Nanoseconds that fixed point must save; default 0. */
  readonly threshold?: number;
  /** Converts all operands. Called only if enough time is saved. */
  readonly convert: () => Converted;
  /** Returns by how much results differ after the conversion, in the unit of `tolerance`. */
  readonly deviation: (converted: Converted) => number;
  readonly tolerance: number;
}

/**
 * Converts the operands of an operation to fixed point if the cost model says that it saves enough time and the result is
 * accurate enough. Returns undefined otherwise.
 */
export function convertIfWorthwhile<Converted>(
  operation: Operation,
  { threshold = 0, convert, deviation, tolerance }: Conversion<Converted>,
): Converted | undefined {
  const saved = estimateCost(operation, 'float').nanoseconds - estimateCost(operation, 'fixed').nanoseconds;
  if (saved <= threshold) return undefined;
  const converted = convert();
  return deviation(converted) <= tolerance ? converted : undefined;
}
