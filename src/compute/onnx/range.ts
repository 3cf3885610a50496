/** Bounds of a number that is not known before the run, both inclusive. Exact where they are equal. */
export interface Range {
  readonly lo: number;
  readonly hi: number;
}

/** The range of any number. */
export const UNKNOWN: Range = { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY };

/** The range of one number. */
export function exactly(value: number): Range {
  return { lo: value, hi: value };
}

/** Whether the number is known. */
export function isExact({ lo, hi }: Range): boolean {
  return lo === hi;
}

/** The smallest range that holds both. */
export function join(a: Range, b: Range): Range {
  return { lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) };
}

/** Applies a function that is monotone in each argument, such as a sum or a product. */
export function combine(a: Range, b: Range, apply: (a: number, b: number) => number): Range {
  const corners = [apply(a.lo, b.lo), apply(a.lo, b.hi), apply(a.hi, b.lo), apply(a.hi, b.hi)];
  if (corners.some(Number.isNaN)) return UNKNOWN;
  return { lo: Math.min(...corners), hi: Math.max(...corners) };
}

/** Quotient; unknown where the divisor can be zero. */
export function divide(a: Range, b: Range): Range {
  return b.lo <= 0 && b.hi >= 0 ? UNKNOWN : combine(a, b, (x, y) => x / y);
}

/** Applies an increasing function. */
export function increasing({ lo, hi }: Range, apply: (value: number) => number): Range {
  const range = { lo: apply(lo), hi: apply(hi) };
  return Number.isNaN(range.lo) || Number.isNaN(range.hi) ? UNKNOWN : range;
}

/** A range of sizes: whole numbers from 0. */
export function asSize({ lo, hi }: Range): Range {
  return { lo: Math.max(0, Math.floor(lo)), hi: Math.max(0, Math.floor(hi)) };
}
