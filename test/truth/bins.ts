import { proportion } from '../../src/evaluate/statistics.ts';

/** What was said at a confidence, and whether it was right. */
export interface Judged {
  readonly confidence: number;
  readonly right: boolean;
}

interface Bin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly right: number;
  readonly sum: number;
}

const EDGES = [0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.000001];
const LEAST = 50;

/** A table of bins of confidence: the share of correct ones, and its distance from the mean confidence. */
export function calibrationTable(list: readonly Judged[], what: string): string {
  const rows = binned(list).map(({ low, high, count, right, sum }) => {
    const mean = sum / count;
    const interval = proportion(right, count);
    const off = mean < interval.low ? interval.low - mean : mean > interval.high ? interval.high - mean : 0;
    const cells = [
      `${low}–${Math.min(1, high)}`,
      mean.toFixed(4),
      count,
      (right / count).toFixed(4),
      `${interval.low.toFixed(4)}–${interval.high.toFixed(4)}`,
      off === 0 ? '' : off.toFixed(4),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = `| confidence | mean | ${what} | right | 95 % interval | off by |\n|---|---|---|---|---|---|`;
  return [head, ...rows].join('\n');
}

/** What was said by confidence, from the surest down; a bin with few takes in the next. */
function binned(list: readonly Judged[]): Bin[] {
  const bins: Bin[] = [];
  for (let k = EDGES.length - 2; k >= 0; k--) {
    const [low, high] = [EDGES[k]!, EDGES[k + 1]!];
    const inside = list.filter(({ confidence }) => confidence >= low && confidence < high);
    const own: Bin = {
      low,
      high,
      count: inside.length,
      right: inside.filter(({ right }) => right).length,
      sum: inside.reduce((sum, { confidence }) => sum + confidence, 0),
    };
    const last = bins.at(-1);
    if (last && last.count < LEAST) bins[bins.length - 1] = joined(last, own);
    else bins.push(own);
  }
  const [last, before] = [bins.at(-1), bins.at(-2)];
  if (last && before && last.count < LEAST) bins.splice(-2, 2, joined(before, last));
  return bins.filter(({ count }) => count > 0);
}

function joined(a: Bin, b: Bin): Bin {
  return { low: b.low, high: a.high, count: a.count + b.count, right: a.right + b.right, sum: a.sum + b.sum };
}
