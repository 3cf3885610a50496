// What a sample costs, kind of detector by kind: processor time of all detectors of a kind in a game's profile together, regions that did not
// change passed over as in a real run.
//   node bench/kinds.ts <game> <recording> [--from 5] [--seconds 10] [--interval 0.1]
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { isProblem, readPictures } from '../src/media/decode.ts';
import { chunksOf, scanPackets } from '../src/media/packets.ts';
import { openVideo } from '../src/media/video.ts';
import { openGame } from '../src/pipeline/game.ts';
import { SampleReader } from '../src/pipeline/sample-reader.ts';
import type { DetectorSpec, Profile } from '../src/profile/profile.ts';
import { planSamples } from '../src/sampling/plan.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    interval: { type: 'string', default: '0.1' },
  },
});
const [game, media] = positionals;
if (game === undefined || media === undefined) {
  process.stderr.write('usage: node bench/kinds.ts <game> <recording> [--from 5] [--seconds 10] [--interval 0.1]\n');
  process.exit(2);
}
const { profile, assets } = await openGame(game);
const byKind = new Map<string, Record<string, DetectorSpec>>();
for (const [name, { when: _, after: _after, ...spec }] of Object.entries(profile.detectors) as [string, DetectorSpec][])
  byKind.set(spec.kind, { ...byKind.get(spec.kind), [name]: spec as DetectorSpec });
const [from, to] = [Number(values.from), Number(values.from) + Number(values.seconds)];
using file = openVideo(media);
const index = scanPackets(file);
const frames = planSamples(index, { interval: Number(values.interval) })
  .map(({ frame }) => frame)
  .filter((frame) => index.t[frame]! >= from && index.t[frame]! < to);
const readers = new Map<string, SampleReader>();
const spent = new Map<string, number>();
let samples = 0;
for (const chunk of chunksOf(index, { minSeconds: 2 })) {
  const wanted = frames.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
  if (wanted.length === 0) continue;
  for (const item of readPictures(file, index, chunk, wanted)) {
    if (isProblem(item)) continue;
    using picture = item;
    samples++;
    for (const [kind, detectors] of byKind) {
      let reader = readers.get(kind);
      if (!reader) {
        const alone = { ...profile, detectors, screens: {}, modes: {}, sequences: {} } as unknown as Profile;
        reader = await SampleReader.open(alone, assets, picture);
        readers.set(kind, reader);
      }
      const due = Object.keys(detectors).map(() => 1);
      const before = process.cpuUsage();
      await reader.read(picture, due);
      const { user, system } = process.cpuUsage(before);
      // The first samples also compile.
      if (samples > 5) spent.set(kind, (spent.get(kind) ?? 0) + user + system);
    }
  }
}
process.stdout.write(
  `${basename(media)}: ${samples} samples\n\n| kind | detectors | CPU a sample, all of them | each |\n|---|---|---|---|\n`,
);
for (const [kind, detectors] of byKind) {
  const [count, each] = [Object.keys(detectors).length, (spent.get(kind) ?? 0) / 1000 / Math.max(1, samples - 5)];
  process.stdout.write(`| ${kind} | ${count} | ${each.toFixed(2)} ms | ${(each / count).toFixed(3)} ms |\n`);
}
