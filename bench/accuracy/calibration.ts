// Checks the calibration of readings: `node bench/accuracy/calibration.ts <clip>… [--out folder]`.
// Uses the readings that `node bench/accuracy/events.ts` (same --out) left in each clip's journal: of readings at a confidence of 0.9, nine
// in ten should be correct. Samples next to a change of the truth are left out, because the truth is exact to one frame only. Bins
// hold at least 50 readings; neighbouring bins are merged until they do.
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openGame } from '../../src/pipeline/game.ts';
import { type Judged, calibrationTable } from '../../test/truth/bins.ts';
import { ALIASES, drawn, journalRecords, shown } from '../../test/truth/journal.ts';
import { valueAt } from '../../test/truth/series.ts';
import { loadTruth } from '../../test/truth/truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: new URL('../out/', import.meta.url).pathname } },
});
if (positionals.length === 0) {
  process.stderr.write(
    'usage: node bench/accuracy/calibration.ts <clip folder>… [--out folder of bench/accuracy/events.ts]\n',
  );
  process.exitCode = 2;
}

/** Confidence and rightness of every reading, by game and detector. */
const all = new Map<string, Judged[]>();
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

for (const [name, list] of all) process.stdout.write(`## ${name}\n\n${calibrationTable(list, 'readings')}\n\n`);
