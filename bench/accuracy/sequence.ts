// Compares a sequence network in place of the game script with the script, on the same readings, against the truth:
//   node bench/accuracy/sequence.ts <game> <interpreter.json> <clip: video.mp4, truth.json>… [--out folder for logs]
// Clips must not be in the network's training data. Only kinds of events that the network knows are compared.
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { type ChunkReadings, readingsOf } from '../../src/pipeline/reading/chunk-readings.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { type Game, openGame } from '../../src/pipeline/game.ts';
import { fuseStatements, interpretCues, trackCues } from '../../src/pipeline/interpret.ts';
import type { ChunkEndMessage, SampleMessage } from '../../src/pipeline/messages.ts';
import type { SequenceSpec } from '../../src/profile/profile.ts';
import { planSamples } from '../../src/sampling/plan.ts';
import { roundTime } from '../../src/time.ts';
import { type Said, kindOf, matchSaid } from '../../test/truth/match.ts';
import { loadTruth, type Rules } from '../../test/truth/truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: new URL('../out/', import.meta.url).pathname } },
});
const [name, specFile, ...clips] = positionals;
if (name === undefined || specFile === undefined || clips.length === 0)
  throw new TypeError('usage: node bench/accuracy/sequence.ts <game> <interpreter.json> <clip>…');
const spec = JSON.parse(await readFile(specFile, 'utf8')) as SequenceSpec;
const game = await openGame(name);
const { script: _, ...rest } = game;
const sides: Readonly<Record<string, Game>> = {
  script: game,
  network: { ...rest, profile: { ...game.profile, events: [], interpreter: spec } },
};

async function readings(path: string): Promise<ChunkReadings[]> {
  const data = await readFile(path);
  const chunks: ChunkReadings[] = [];
  for (let at = data.indexOf(10) + 1; at + 8 <= data.length; ) {
    const length = data.readUInt32LE(at);
    const text = inflateRawSync(data.subarray(at + 8, at + 8 + length)).toString();
    chunks.push((JSON.parse(text) as { record: ChunkReadings }).record);
    at += 8 + length;
  }
  return chunks;
}

/** The kinds of statements that the network can make. */
const kinds = new Set(
  Object.values(spec.events).map(({ statement }) => kindOf({ from: 0, ...statement } as unknown as Said['statement'])),
);

function declared(video: string): Rules {
  using file = openVideo(video);
  const index = scanPackets(file);
  const timesOf = (interval: number): number[] =>
    planSamples(index, { interval }).map((sample) => roundTime(index.t[sample.frame]!));
  const { profile } = game;
  const interval = profile.sampling?.interval ?? 0.1;
  const rules = Object.entries(profile.detectors).map(([detector, { stability, interval: own }]) => {
    const samples = stability?.samples ?? 2;
    return [detector, { samples, lost: stability?.lost ?? samples, times: timesOf(own ?? interval) }] as const;
  });
  return { ...Object.fromEntries(rules), default: { samples: 2, times: timesOf(interval) } };
}

process.stdout.write(
  '| clip | interpreter | kind | precision | recall | worst time error | cost a minute of video |\n|---|---|---|---|---|---|---|\n',
);
for (const clip of clips) {
  const video = join(clip, 'video.mp4');
  const out = join(values.out, basename(clip));
  const journal = join(out, 'readings.journal');
  if (!(await stat(journal).catch(() => undefined))) await recordLog({ media: video, game: name, out });
  const chunks = await readings(journal);
  const truth = await loadTruth(clip);
  const reduced = truth.reduce(declared(video)).filter((line) => !line.repeat);
  const end = chunks.at(-1)?.t.at(-1) ?? 0;
  for (const [side, variant] of Object.entries(sides)) {
    const events: Said[] = [];
    const start = performance.now();
    const cues = trackCues(samplesOf(chunks, end, Object.keys(variant.profile.detectors)), variant, false);
    for await (const message of fuseStatements(interpretCues(cues, variant), variant)) {
      if (message.type === 'events') events.push(...message.events);
      if (message.type === 'warning') process.stderr.write(`${message.issue.message}\n`);
    }
    const cost = ((performance.now() - start) * 60) / end;
    for (const kind of kinds) {
      const [wanted, own] = [reduced, events].map((lines) =>
        lines.filter(({ statement }) => kindOf(statement) === kind),
      );
      const { pairs, extra, missed } = matchSaid(wanted!, own!, 0.5);
      const worst = pairs.reduce((most, pair) => Math.max(most, Math.abs(pair.truth.t - pair.event.t)), 0);
      process.stdout.write(
        `| ${basename(clip)} | ${side} | ${kind} | ${pairs.length}/${own!.length} | ${pairs.length}/${wanted!.length} | ${worst.toFixed(3)} s | ${cost.toFixed(0)} ms |\n`,
      );
      for (const line of [...extra, ...missed])
        process.stderr.write(
          `  ${basename(clip)} ${side}: ${extra.includes(line as never) ? 'wrong' : 'missed'} ${line.t} ${JSON.stringify(line.statement)}\n`,
        );
    }
  }
}

/** The stored readings of a recording as the stages take them. */
async function* samplesOf(
  chunks: readonly ChunkReadings[],
  end: number,
  detectors: readonly string[],
): AsyncGenerator<SampleMessage | ChunkEndMessage, void, undefined> {
  for (const chunk of chunks) {
    for (const [i, t] of chunk.t.entries())
      yield { type: 'sample', t, readings: [...readingsOf(chunk, i, detectors)], isFrame: true };
    yield { type: 'chunk-end' };
  }
  yield { type: 'chunk-end', end };
}
