/** An operation on real operands: a convolution, a resampling. */
export interface Operation {
  /** Multiplications and additions. */
  readonly products: number;
  /** Samples read and written. */
  readonly samples: number;
}

/** What an operation costs in one arithmetic. */
export interface Cost {
  readonly nanoseconds: number;
  /** Memory for samples between the passes. */
  readonly bytes: number;
}

export type Arithmetic = 'float' | 'fixed';

/** Nanoseconds to start, per product and per sample, and bytes per sample. */
export interface CostModel {
  readonly start: number;
  readonly product: number;
  readonly sample: number;
  readonly bytes: number;
}

/**
 * Measured on one core of the machine that the figures of `bench/speed/regions.ts` come from (which prints this table): doubles in
 * plain code, and 16-bit integers with SIMD, whose call and copies cost more to start.
 */
export const COSTS: Readonly<Record<Arithmetic, CostModel>> = {
  float: { start: 800, product: 1.05, sample: 0.75, bytes: 8 },
  fixed: { start: 2000, product: 0.03, sample: 1.2, bytes: 2 },
};

/** What `operation` will cost. */
export function estimate(operation: Operation, arithmetic: Arithmetic, costs = COSTS): Cost {
  const { start, product, sample, bytes } = costs[arithmetic];
  return {
    nanoseconds: start + product * operation.products + sample * operation.samples,
    bytes: bytes * operation.samples,
  };
}

/** Conditions of a conversion. */
export interface Conversion<Converted> {
  /** Nanoseconds that fixed point must save to be worth converting for; default 0. */
  readonly threshold?: number;
  /** Converts every operand of the operation. Called only past the threshold. */
  readonly convert: () => Converted;
  /** Checked again after the conversion: by how much a result may differ then (in the unit of `tolerance`). */
  readonly deviation: (converted: Converted) => number;
  readonly tolerance: number;
}

/** The operands in fixed point where that is worth it and accurate enough; undefined: stay with floats. */
export function convertIfWorthwhile<Converted>(
  operation: Operation,
  { threshold = 0, convert, deviation, tolerance }: Conversion<Converted>,
): Converted | undefined {
  const saved = estimate(operation, 'float').nanoseconds - estimate(operation, 'fixed').nanoseconds;
  if (saved <= threshold) return undefined;
  const converted = convert();
  return deviation(converted) <= tolerance ? converted : undefined;
}
