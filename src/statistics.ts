/** Returns the sum; 0 without values. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the arithmetic mean; NaN without values. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Rounds to a number of decimals. */
export function roundTo(value: number, decimals: number): number {
  const unit = 10 ** decimals;
  return Math.round(value * unit) / unit;
}

/** Returns the value, or the bound that it exceeds. */
export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** The logistic function: the probability of log-odds. */
export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/**
 * Returns a quantile, linearly interpolated between order statistics (type 7 of Hyndman and Fan).
 *
 * @param values In any order.
 * @param share 0 for the minimum, 0.5 for the median, 1 for the maximum.
 * @throws RangeError without values.
 */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('A quantile needs at least one value');
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
}

/** Returns the median, the mean of the middle two of an even number of values. @throws RangeError without values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the middle value, the greater one of an even number; undefined without values. Unlike `median` it is one of the values. */
export function upperMedian(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Whether a series rises or falls. */
export interface Trend {
  /** Kendall's rank correlation with time (tau-a): 1 where every value is greater than those before it, -1 where it is less. */
  readonly tau: number;
  /** How often a series without a trend would show one as clear, either way: 0…1. */
  readonly probability: number;
}

/**
 * Tests a series for a trend: the test of Mann (1945) and Kendall (1975) with the correction for ties and for continuity, by
 * its normal approximation.
 *
 * @param values In order of time.
 */
export function kendallTrend(values: readonly number[]): Trend {
  const n = values.length;
  let score = 0;
  for (let later = 1; later < n; later++)
    for (let earlier = 0; earlier < later; earlier++) score += Math.sign(values[later]! - values[earlier]!);
  const ties = sum([...Map.groupBy(values, (value) => value).values()].map(({ length }) => varianceTerm(length)));
  const variance = (varianceTerm(n) - ties) / 18;
  if (variance === 0) return { tau: 0, probability: 1 };
  const z = (score - Math.sign(score)) / Math.sqrt(variance);
  return { tau: (2 * score) / (n * (n - 1)), probability: 2 * (1 - normalDistribution(Math.abs(z))) };
}

function varianceTerm(count: number): number {
  return count * (count - 1) * (2 * count + 5);
}

/** Standard normal distribution function of z ≥ 0 (Abramowitz and Stegun 7.1.26, error below 1.5e-7). */
export function normalDistribution(z: number): number {
  const t = 1 / (1 + 0.3275911 * (z / Math.SQRT2));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return 1 - 0.5 * series * Math.exp((-z * z) / 2);
}

/** The z below which a standard normal variable lies with a probability between 0 and 1, by bisection of {@link normalDistribution}. */
export function normalQuantile(probability: number): number {
  if (probability < 0.5) return -normalQuantile(1 - probability);
  let [low, high] = [0, 10];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalDistribution(middle) < probability) low = middle;
    else high = middle;
  }
  return low;
}
