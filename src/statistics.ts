/** Returns the arithmetic mean; NaN without values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
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
