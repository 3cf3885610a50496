// Whether confidence means what it says: `node bench/calibration.ts <clip>… [--out folder]`.
// Uses the readings that `node bench/accuracy.ts` (same --out) left in each clip's journal: what is read at a confidence of
// 0.9 should be right nine times in ten. Samples next to a change of the truth are left out: there the truth is known to a
// frame only. Bins hold at least 50 readings; neighbouring bins are joined until they do.
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { share } from '../src/evaluate/statistics.ts';
import { openGame } from '../src/pipeline/game.ts';
import { ALIASES, drawn, journalRecords, shown } from './truth/journal.ts';
import { valueAt } from './truth/series.ts';
import { loadTruth } from './truth/truth.ts';

const EDGES = [0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.000001];
const LEAST = 50;

interface Bin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly right: number;
  readonly sum: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: new URL('out/', import.meta.url).pathname } },
});
if (positionals.length === 0) {
  process.stderr.write('usage: node bench/calibration.ts <clip folder>… [--out folder of bench/accuracy.ts]\n');
  process.exitCode = 2;
}

/** Confidence and rightness of every reading, by game and detector. */
const all = new Map<string, { confidence: number; right: boolean }[]>();
for (const folder of positionals) {
  const truth = await loadTruth(folder);
  const { profile } = await openGame(truth.game);
  const records = await journalRecords(join(values.out, basename(folder), 'readings.journal'));
  for (const [d, name] of Object.keys(profile.detectors).entries()) {
    const series = truth.series[ALIASES[name] ?? name];
    if (!series) continue;
    const list = all.get(`${truth.game} ${name}`) ?? [];
    all.set(`${truth.game} ${name}`, list);
    for (const { t, observations, seen } of records) {
      for (const [i, time] of t.entries()) {
        const observation = observations[seen[i]![d]!];
        if (!observation || observation.state === 'unreadable') continue;
        const [before, now, after] = [-1, 0, 1].map((frames) => valueAt(series, time + frames / truth.fps));
        if (before !== now || after !== now) continue;
        const right = shown(observation) === drawn(truth.game, name, now!);
        list.push({ confidence: observation.confidence, right });
      }
    }
  }
}

for (const [name, list] of all) {
  process.stdout.write(
    `## ${name}\n\n| confidence | mean | readings | right | 95 % interval | off by |\n|---|---|---|---|---|---|\n`,
  );
  for (const { low, high, count, right, sum } of binned(list)) {
    const mean = sum / count;
    const interval = share(right, count);
    const off = mean < interval.low ? interval.low - mean : mean > interval.high ? interval.high - mean : 0;
    const cells = [
      `${low}–${Math.min(1, high)}`,
      mean.toFixed(4),
      count,
      (right / count).toFixed(4),
      `${interval.low.toFixed(4)}–${interval.high.toFixed(4)}`,
      off === 0 ? '' : off.toFixed(4),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
  process.stdout.write('\n');
}

/** The readings by confidence, from the surest down; a bin with few takes in the next. */
function binned(list: readonly { readonly confidence: number; readonly right: boolean }[]): Bin[] {
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
