// Compares each detector's readings with the truth, sample by sample: `node bench/accuracy/readings.ts <clip>… [--out folder]`.
// Uses the readings that `node bench/accuracy/events.ts` (same --out) left in each clip's journal.
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openGame } from '../../src/pipeline/game.ts';
import { ALIASES, drawn, journalRecords, shown } from '../../test/truth/journal.ts';
import { valueAt } from '../../test/truth/series.ts';
import { loadTruth } from '../../test/truth/truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: new URL('../out/', import.meta.url).pathname } },
});
if (positionals.length === 0) {
  process.stderr.write(
    'usage: node bench/accuracy/readings.ts <clip folder>… [--out folder of bench/accuracy/events.ts]\n',
  );
  process.exitCode = 2;
}
for (const folder of positionals) {
  const truth = await loadTruth(folder);
  const { profile } = await openGame(truth.game);
  const records = await journalRecords(join(values.out, basename(folder), 'readings.journal'));
  process.stdout.write(
    `## ${basename(folder)}\n\n| detector | samples | right | of these below the stability's confidence | unreadable | wrong | most frequent |\n|---|---|---|---|---|---|---|\n`,
  );
  for (const [d, name] of Object.keys(profile.detectors).entries()) {
    const series = truth.series[ALIASES[name] ?? name];
    if (!series) continue;
    const count = { samples: 0, right: 0, unsure: 0, unreadable: 0 };
    const wrong = new Map<string, number>();
    for (const { t, observations, seen } of records) {
      for (const [i, time] of t.entries()) {
        const observation = observations[seen[i]![d]!];
        if (!observation) continue;
        const [got, want] = [shown(observation), drawn(truth.game, name, valueAt(series, time))];
        count.samples++;
        if (got === want) {
          count.right++;
          if (observation.confidence < (profile.detectors[name]!.stability?.confidence ?? 0.8)) count.unsure++;
        } else if (got === undefined) count.unreadable++;
        else {
          const sure = observation.confidence.toFixed(2);
          const key = `${want} as ${got} (${sure} at ${time.toFixed(1)} s)`.replaceAll('null', 'nothing');
          wrong.set(key, (wrong.get(key) ?? 0) + 1);
        }
      }
    }
    const part = (n: number): string => `${n} (${((100 * n) / Math.max(1, count.samples)).toFixed(2)} %)`;
    const misses = [...wrong]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, 6)
      .map(([key]) => key);
    const bad = count.samples - count.right - count.unreadable;
    process.stdout.write(
      `| ${name} | ${count.samples} | ${part(count.right)} | ${part(count.unsure)} | ${part(count.unreadable)} | ${part(bad)} | ${misses.join('; ')} |\n`,
    );
  }
  process.stdout.write('\n');
}
