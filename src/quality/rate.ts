const standardRates = [24, 25, 30, 35, 48, 50, 60, 72, 75, 90, 100, 120, 144, 165, 240];

/** The standard frame rate nearest to the upper end of the rates seen; undefined where none is above 0. */
export function standardRate(rates: readonly number[]): number | undefined {
  const sorted = rates.filter((rate) => rate > 0).toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length * 0.9)];
  if (high === undefined) return undefined;
  const near = standardRates.toSorted((a, b) => Math.abs(a - high) - Math.abs(b - high))[0]!;
  return Math.abs(near - high) / near < 0.08 ? near : Math.max(1, Math.round(high));
}
