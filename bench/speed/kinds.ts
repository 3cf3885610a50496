// Measures the cost of a sample by detector kind: processor time of all detectors of a kind in a game's profile, skipping unchanged regions
// as in a real run. With --streams, the cost of sidecar files instead: an hour of keys, heart rate and subtitles.
//   node bench/speed/kinds.ts <game> <recording> [--from 5] [--seconds 10] [--interval 0.1]
//   node bench/speed/kinds.ts --streams
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { readStream } from '../../src/detectors/stream/read-stream.ts';
import { follow } from '../../src/detectors/stream/index.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { compileProfile } from '../../src/pipeline/compile-profile.ts';
import { SampleReader } from '../../src/pipeline/reading/sample-reader.ts';
import type { DetectorSpec, Profile } from '../../src/profile/profile.ts';
import { planSamples } from '../../src/sampling/plan.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    interval: { type: 'string', default: '0.1' },
    streams: { type: 'boolean' },
  },
});
if (values.streams) {
  streams();
  process.exit(0);
}
const [game, media] = positionals;
if (game === undefined || media === undefined) {
  process.stderr.write(
    'usage: node bench/speed/kinds.ts <game> <recording> [--from 5] [--seconds 10] [--interval 0.1]\n',
  );
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
for (const chunk of splitIntoChunks(index, { minSeconds: 2 })) {
  const wanted = frames.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
  if (wanted.length === 0) continue;
  for (const item of decodeFrames(file, index, chunk, wanted)) {
    if (isGap(item)) continue;
    using picture = item;
    samples++;
    for (const [kind, detectors] of byKind) {
      let reader = readers.get(kind);
      if (!reader) {
        const alone = { ...profile, detectors, screens: {}, modes: {}, sequences: {} } as unknown as Profile;
        reader = await SampleReader.open(await compileProfile({ profile: alone, assets }), picture);
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

function clock(t: number): string {
  return `${new Date(1000 * t).toISOString().slice(11, 19)},000`;
}

function csv(head: string, rows: readonly string[]): string {
  return `${head}\n${rows.join('\n')}\n`;
}

/** Reads made-up files of an hour, each written out and read as text: medians of nine. */
function streams(): void {
  const hour = 3600;
  const keys = Array.from(
    { length: 5 * hour },
    (_, i) => `${(i / 5).toFixed(2)},${'wasd'[(i >> 1) % 4]!},${i % 2 ? 'up' : 'down'}`,
  );
  const pulse = Array.from({ length: hour }, (_, i) => `${i},${80 + Math.round(20 * Math.sin(i / 60))}`);
  const words = Array.from(
    { length: hour / 3 },
    (_, i) => `${i + 1}\n${clock(3 * i)} --> ${clock(3 * i + 2)}\nline ${i}\n`,
  );
  const files = [
    ['key', csv('t,key,action', keys), 'keys.csv'],
    ['rate', csv('t,key,action', keys), 'keys.csv'],
    ['value', csv('t,hr', pulse), 'heart.csv'],
    ['text', words.join('\n'), 'talk.srt'],
  ] as const;
  process.stdout.write(
    '| stream | records | readings | CPU for an hour | a sample of 0.1 s |\n|---|---|---|---|---|\n',
  );
  for (const [of, text, name] of files) {
    const times: number[] = [];
    let [records, readings] = [0, 0];
    for (let turn = 0; turn < 9; turn++) {
      const before = process.cpuUsage();
      const { entries } = readStream(text, name);
      readings = follow({ stream: 'it', of }, entries).length;
      records = entries.length;
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    const cost = times.toSorted((a, b) => a - b)[4]!;
    process.stdout.write(
      `| ${of} | ${records} | ${readings} | ${cost.toFixed(0)} ms | ${((1000 * cost) / (10 * hour)).toFixed(2)} µs |\n`,
    );
  }
}
