// What each reader of the HUD read, sample by sample, against truth: `node bench/readings.ts <clip>… [--out folder]`.
// Uses the readings that `node bench/accuracy.ts` (same --out) left in each clip's journal.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import type { Observation } from '../src/detectors/kind.ts';
import type { ChunkReadings } from '../src/pipeline/chunk-readings.ts';
import { openGame } from '../src/pipeline/game.ts';
import { type Shown, valueAt } from './truth/series.ts';
import { loadTruth } from './truth/truth.ts';

/** The records of a journal: a line of JSON, then frames of length, checksum and deflated JSON. */
async function journalRecords(path: string): Promise<ChunkReadings[]> {
  const data = await readFile(path);
  const records: ChunkReadings[] = [];
  let at = data.indexOf(10) + 1;
  while (at + 8 <= data.length) {
    const length = data.readUInt32LE(at);
    const text = inflateRawSync(data.subarray(at + 8, at + 8 + length)).toString();
    records.push((JSON.parse(text) as { record: ChunkReadings }).record);
    at += 8 + length;
  }
  return records;
}

/** Names of detectors that read what truth calls otherwise. */
const ALIASES: Readonly<Record<string, string>> = { 'own score': 'score' };

/** OpenArena draws neither an armor of 0 (of ammunition it does) nor an icon for weapons without ammunition. */
function drawn(game: string, detector: string, value: Shown): Shown {
  if (game !== 'openarena') return value;
  const isHidden = (detector === 'armor' && value === 0) || value === 'gauntlet' || value === 'grappling hook';
  return isHidden ? null : value;
}

function shown(observation: Observation): Shown | undefined {
  if (observation.state === 'unreadable') return undefined;
  return observation.state === 'absent' ? null : (observation.value as Shown);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: new URL('out/', import.meta.url).pathname } },
});
if (positionals.length === 0) {
  process.stderr.write('usage: node bench/readings.ts <clip folder>… [--out folder of bench/accuracy.ts]\n');
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
