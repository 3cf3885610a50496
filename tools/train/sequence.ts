// Cues of recordings with known events as tensors to train a network for `interpreter` with (docs/games/networks.md):
//   node tools/train/sequence.ts <game> <interpreter.json> <folder for logs and tensors> <clip: video.mp4, truth.json>…
// Watches each clip with the profile (logs that are there already are kept), turns the readings into cues as the program does, and
// marks the ticks at which truth has each kind of event: a line a clip, {"clip", "kinds", "on", "width", "ticks", "rows", "cues", "truth"}.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { loadTruth } from '../../test/truth/truth.ts';
import type { Cue } from '../../src/cues/cue.ts';
import { CueStream } from '../../src/cues/cue-stream.ts';
import { createTracker, type Tracker } from '../../src/cues/tracker.ts';
import { loadKind } from '../../src/detectors/registry.ts';
import { canonical } from '../../src/evaluate/match.ts';
import type { Statement } from '../../src/events/statement.ts';
import { type ChunkReadings, readingsOf } from '../../src/pipeline/reading/chunk-readings.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { resolveInterval } from '../../src/profile/defaults.ts';
import type { SequenceSpec } from '../../src/profile/profile.ts';
import { fillStatement } from '../../src/script/mapping.ts';
import { CueTable } from '../../src/script/cue-features.ts';

/** Seconds between an event and the cue that it is about, at most. */
const NEAR = 0.3;

async function* chunksIn(path: string): AsyncGenerator<ChunkReadings> {
  const data = await readFile(path);
  let at = data.indexOf(10) + 1;
  while (at + 8 <= data.length) {
    const length = data.readUInt32LE(at);
    const text = inflateRawSync(data.subarray(at + 8, at + 8 + length)).toString();
    yield (JSON.parse(text) as { record: ChunkReadings }).record;
    at += 8 + length;
  }
}

const [game, specFile, out, ...clips] = process.argv.slice(2);
if (game === undefined || specFile === undefined || out === undefined || clips.length === 0)
  throw new TypeError('usage: node tools/train/sequence.ts <game> <interpreter.json> <folder> <clip>…');
const { profile, assets } = await openGame(game);
const names = Object.keys(profile.detectors);
const spec = JSON.parse(await readFile(specFile, 'utf8')) as SequenceSpec;
const tick = spec.tick ?? 0.05;

/** The cues of a recording, as the program makes them of its readings. */
async function cuesOf(journal: string): Promise<Cue[]> {
  const trackers = new Map<string, Tracker>();
  for (const name of names) {
    const detector = profile.detectors[name]!;
    const kind = await loadKind(detector.kind);
    const interval = resolveInterval(profile, name);
    trackers.set(
      name,
      kind.track ? await kind.track(name, detector, interval, assets) : createTracker(name, detector, interval),
    );
  }
  const stream = new CueStream(trackers);
  const cues: Cue[] = [];
  let last = 0;
  for await (const chunk of chunksIn(journal)) {
    for (const [i, t] of chunk.t.entries()) {
      last = t;
      cues.push(...stream.sample(t, readingsOf(chunk, i, names)).moments.flatMap((moment) => moment.cues));
    }
  }
  return [...cues, ...stream.end(last).moments.flatMap((moment) => moment.cues)];
}

/** For each kind with a detector: which of its cues are such events by truth. One event is one cue, nearest pairs first. */
function marked(
  cues: readonly Cue[],
  truth: readonly { t: number; statement: Statement }[],
): { tick: number; kind: number }[] {
  const table = new CueTable(spec.detectors, tick);
  const marks: { tick: number; kind: number }[] = [];
  for (const [kind, name] of spec.kinds.entries()) {
    const event = spec.events[name];
    if (event?.on === undefined) continue;
    const own = cues.filter(({ detector }) => detector === event.on);
    const pairs = own
      .flatMap((cue) => {
        const said = canonical(fillStatement(event.statement, cue) as Statement);
        return truth
          .filter(({ t, statement }) => Math.abs(t - cue.t) <= NEAR && canonical(statement) === said)
          .map((line) => ({ cue, line, apart: Math.abs(line.t - cue.t) }));
      })
      .toSorted((a, b) => a.apart - b.apart);
    const taken = new Set<unknown>();
    for (const { cue, line } of pairs) {
      if (taken.has(cue) || taken.has(line)) continue;
      taken.add(cue).add(line);
      marks.push({ tick: table.tickOf(cue.t), kind });
    }
  }
  return marks;
}

await mkdir(out, { recursive: true });
const lines: string[] = [];
for (const clip of clips) {
  const folder = join(out, basename(clip));
  const journal = join(folder, 'readings.journal');
  if (!(await stat(journal).catch(() => undefined)))
    await recordLog({ media: join(clip, 'video.mp4'), game, out: folder });
  const cues = await cuesOf(journal);
  const { raw } = await loadTruth(clip);
  const table = new CueTable(spec.detectors, tick);
  for (const cue of cues) table.add(cue);
  const ticks = table.tickOf(cues.at(-1)?.t ?? 0) + 40;
  const rows = Array.from({ length: ticks }, (_, i) =>
    Array.from(table.take(i, i + 1), (x) => Math.round(1e5 * x) / 1e5),
  );
  const own = spec.kinds.flatMap((kind) => {
    const on = spec.events[kind]?.on;
    return cues
      .filter(({ detector }) => detector === on)
      .map((cue) => ({ tick: table.tickOf(cue.t), kind: spec.kinds.indexOf(kind) }));
  });
  lines.push(
    JSON.stringify({
      clip: basename(clip),
      kinds: spec.kinds,
      on: spec.kinds.map((kind) => spec.detectors.indexOf(spec.events[kind]?.on ?? '')),
      width: table.width,
      ticks,
      rows,
      cues: own,
      truth: marked(cues, raw),
    }),
  );
  process.stdout.write(`${basename(clip)}: ${cues.length} cues, ${ticks} ticks\n`);
}
await writeFile(join(out, 'sequences.ndjson'), `${lines.join('\n')}\n`);
