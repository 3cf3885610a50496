// Labels of a recorded clip from its truth: `node test/truth/labels.ts <clip folder>… [--every 0.5] > labels.ndjson`.
// A line for every text detector of the profile and every so many seconds at which truth knows what is drawn; not within
// a frame of a change, for there truth is known to a frame only. For `bench/detectors/glyphs.ts` and `playbyplay profile glyphs`.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openGame } from '../../src/pipeline/game.ts';
import { ALIASES, drawn } from './journal.ts';
import { valueAt } from './series.ts';
import { gridTimes, loadTruth } from './truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '0.5' }, help: { type: 'boolean', short: 'h', default: false } },
});
if (values.help || positionals.length === 0) {
  process.stderr.write('usage: node test/truth/labels.ts <clip folder>… [--every 0.5] > labels.ndjson\n');
  process.exitCode = values.help ? 0 : 2;
}
for (const folder of positionals) {
  const truth = await loadTruth(folder);
  const { profile } = await openGame(truth.game);
  const media = join(resolve(folder), 'video.mp4');
  const names = Object.keys(profile.detectors).filter((name) => profile.detectors[name]!.kind === 'text');
  for (const t of gridTimes(truth.fps, truth.frames, Number(values.every))) {
    for (const detector of names) {
      const series = truth.series[ALIASES[detector] ?? detector];
      if (!series || series.length === 0) continue;
      const [before, now, after] = [-1, 0, 1].map((frames) => valueAt(series, t + frames / truth.fps));
      const text = before === now && after === now ? drawn(truth.game, detector, now!) : null;
      if (text !== null) process.stdout.write(`${JSON.stringify({ media, t, detector, text: String(text) })}\n`);
    }
  }
}
