import { mean, normalDistribution } from '../statistics.ts';

/** Ranks from 1; equal values share the mean of their ranks. */
export function ranks(values: readonly number[]): number[] {
  const order = values.map((value, i) => [value, i] as const).toSorted((a, b) => a[0] - b[0]);
  const result = values.map(() => 0);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]![0] === order[from]![0]) to++;
    for (let i = from; i < to; i++) result[order[i]![1]] = (from + 1 + to) / 2;
    from = to;
  }
  return result;
}

/** Pearson correlation; NaN if a series is constant. */
function pearson(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (const [i, value] of a.entries()) {
    ab += (value - ma) * (b[i]! - mb);
    aa += (value - ma) ** 2;
    bb += (b[i]! - mb) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

/** Spearman rank correlation. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  return pearson(ranks(a), ranks(b));
}

/** Kendall rank correlation (τ-b, corrected for ties). */
export function kendall(a: readonly number[], b: readonly number[]): number {
  let score = 0;
  let untiedA = 0;
  let untiedB = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = i + 1; j < a.length; j++) {
      const x = Math.sign(a[i]! - a[j]!);
      const y = Math.sign(b[i]! - b[j]!);
      score += x * y;
      untiedA += x * x;
      untiedB += y * y;
    }
  }
  return score / Math.sqrt(untiedA * untiedB);
}

/**
 * Mann–Whitney test of whether `b` tends to be greater than `a`: the share of pairs in which it is (ties count half),
 * and the two-sided p by normal approximation, corrected for ties and continuity.
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): { superiority: number; p: number } {
  const n = a.length;
  const m = b.length;
  const rank = ranks([...a, ...b]);
  const sum = rank.slice(n).reduce((total, value) => total + value, 0);
  const u = sum - (m * (m + 1)) / 2;
  const counts = new Map<number, number>();
  for (const value of rank) counts.set(value, (counts.get(value) ?? 0) + 1);
  const ties = [...counts.values()].reduce((total, t) => total + t ** 3 - t, 0);
  const all = n + m;
  const variance = ((n * m) / 12) * (all + 1 - ties / (all * (all - 1)));
  const away = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5);
  const p = variance > 0 ? 2 * (1 - normalDistribution(away / Math.sqrt(variance))) : 1;
  return { superiority: u / (n * m), p: Math.min(1, p) };
}

/** Count, mean, minimum and maximum of values; `undefined` is ignored. */
export class RunningStatistics {
  count = 0;
  sum = 0;
  least = Number.POSITIVE_INFINITY;
  most = Number.NEGATIVE_INFINITY;

  add(value: number | undefined): void {
    if (value === undefined) return;
    this.count++;
    this.sum += value;
    if (value < this.least) this.least = value;
    if (value > this.most) this.most = value;
  }

  merge(other: RunningStatistics): void {
    this.count += other.count;
    this.sum += other.sum;
    this.least = Math.min(this.least, other.least);
    this.most = Math.max(this.most, other.most);
  }

  /** Mean; NaN without values. */
  get mean(): number {
    return this.sum / this.count;
  }
}
