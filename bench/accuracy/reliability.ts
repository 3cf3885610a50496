// Checks the calibration of events: `node bench/accuracy/reliability.ts <folder with clips>… [--out folder] [--fit]`.
// Of the events at a confidence of 0.9, nine in ten should be correct. Compares the logs of `node bench/accuracy/events.ts` (same --out; made if
// missing) with the truth: an event is correct if the truth has the same statement within the tolerance, one to one, however briefly
// shown. Bins hold at least 50 events; neighbouring bins are merged until they do. --fit prints the lines in log-odds (a profile's
// `fusion.calibration`) that calibrate each detector, and the resulting table by cross-validation: each recording, with all its
// renderings, is judged by lines fitted on the others.
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { canonical } from '../../src/evaluate/match.ts';
import type { EventLine } from '../../src/events/log.ts';
import { loadLog } from '../../src/events/reader.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { calibrateConfidence, logOdds } from '../../src/script/confidence.ts';
import { logistic } from '../../src/statistics.ts';
import { calibrationTable } from '../../test/truth/bins.ts';
import { clipsIn } from '../../test/truth/clips.ts';
import { kindOf, matchSaid } from '../../test/truth/match.ts';
import { declaredRules } from '../../test/truth/rules.ts';
import type { TruthLine } from '../../test/truth/series.ts';
import { loadTruth, type Truth } from '../../test/truth/truth.ts';

const USAGE = `usage: node bench/accuracy/reliability.ts <folder>… [--out folder] [--tolerance 0.5] [--by kind|clip|evidence|game] [--json|--fit]
  --by    one table for each kind of event, clip, set of detectors or game (default: all together)
  --json  every event with its confidence and whether it is right, one a line
  --fit   lines for a profile's calibration, and tables before and after on recordings held back`;

interface Judged {
  readonly game: string;
  readonly clip: string;
  readonly kind: string;
  /** The detectors that it rests on. */
  readonly evidence: string;
  readonly t: number;
  readonly text: string;
  readonly confidence: number;
  readonly right: boolean;
  /** The detector of the least sure cue, and that cue's own confidence. */
  readonly weakest: string;
  readonly raw: number;
  /** Recordings with the same truth are renderings of one. */
  readonly recording: string;
}

async function judge(folder: string, outFolder: string, tolerance: number): Promise<Judged[]> {
  const truth = await loadTruth(folder);
  const clip = basename(folder);
  const out = join(outFolder, clip);
  await mkdir(out, { recursive: true });
  if (!(await stat(join(out, 'events.ndjson')).catch(() => undefined)))
    await recordLog({ media: join(folder, 'video.mp4'), game: truth.game, out });
  const { events } = await loadLog(out);
  const own = events.filter(({ statement }) => !truth.untold?.includes(kindOf(statement)));
  const { profile } = await openGame(truth.game);
  const right = rightOf(truth, truth.reduce(declaredRules(join(folder, 'video.mp4'), profile)), own, tolerance);
  const recording = createHash('sha256')
    .update(await readFile(join(folder, 'truth.json')))
    .digest('hex');
  return own.map((event) => ({
    recording,
    ...weakestOf(event),
    game: truth.game,
    clip,
    kind: kindOf(event.statement),
    evidence: [...new Set(event.cues.map(({ detector }) => detector))].toSorted().join(' + '),
    t: event.t,
    text: event.text,
    confidence: event.confidence,
    right: right.has(event),
  }));
}

/** The events of the truth: as a perfect reader of the profile's samples would see them, or as they were drawn. */
function rightOf(
  truth: Truth,
  reduced: readonly TruthLine[],
  events: readonly EventLine[],
  tolerance: number,
): ReadonlySet<EventLine> {
  const seen = matchSaid(reduced, events, tolerance);
  const matched = new Set(seen.pairs.map((pair) => keyOf(pair.truth)));
  const drawn = matchSaid(
    truth.raw.filter((line) => !matched.has(keyOf(line))),
    seen.extra,
    tolerance,
  );
  return new Set([...seen.pairs, ...drawn.pairs].map(({ event }) => event));
}

function keyOf({ t, statement }: TruthLine): string {
  return `${t} ${canonical(statement)}`;
}

function weakestOf({ cues, confidence }: EventLine): Pick<Judged, 'weakest' | 'raw'> {
  const [least] = cues.toSorted((a, b) => a.confidence - b.confidence);
  return least ? { weakest: least.detector, raw: least.confidence } : { weakest: '', raw: confidence };
}

type Line = readonly [offset: number, slope: number];

/** What is expected before any event: no shift and the detector's own slope, loosely. */
const LOOSE = { offset: 2, slope: 0.5 };

/** The likeliest line through confidences in log-odds (maximum a posteriori, Newton's method). */
function fitted(events: readonly Judged[]): Line {
  let [offset, slope] = [0, 1];
  const points = events.map(({ raw, right }) => ({ x: logOdds(raw), y: Number(right) }));
  for (let round = 0; round < 50; round++) {
    let [go, gs] = [offset / LOOSE.offset ** 2, (slope - 1) / LOOSE.slope ** 2];
    let [oo, os, ss] = [1 / LOOSE.offset ** 2, 0, 1 / LOOSE.slope ** 2];
    for (const { x, y } of points) {
      const p = logistic(offset + slope * x);
      const w = p * (1 - p);
      go += p - y;
      gs += (p - y) * x;
      oo += w;
      os += w * x;
      ss += w * x * x;
    }
    const determinant = oo * ss - os * os;
    offset -= (ss * go - os * gs) / determinant;
    slope -= (oo * gs - os * go) / determinant;
  }
  return [offset, slope];
}

function linesOf(events: readonly Judged[]): Map<string, Line> {
  const groups = Map.groupBy(events, ({ game, weakest }) => `${game} ${weakest}`);
  return new Map([...groups].map(([name, own]) => [name, fitted(own)]));
}

/** The events with the confidence that lines fitted on other recordings give them. */
function heldBack(events: readonly Judged[]): readonly Judged[] {
  return [...new Set(events.map(({ recording }) => recording))].flatMap((recording) => {
    const lines = linesOf(events.filter((event) => event.recording !== recording));
    const own = events.filter((event) => event.recording === recording);
    return own.map((event) => ({
      ...event,
      confidence: calibrateConfidence(event.raw, lines.get(`${event.game} ${event.weakest}`)),
    }));
  });
}

function reportFit(events: readonly Judged[]): void {
  for (const [game, own] of Map.groupBy(events, (event) => event.game)) {
    const lines = [...linesOf(own)].map(([name, [offset, slope]]) => [
      name.slice(game.length + 1),
      [offset, slope].map((number) => Math.round(number * 100) / 100),
    ]);
    process.stdout.write(`${game}: ${JSON.stringify(Object.fromEntries(lines))}\n\n`);
    const plain = own.map((event) => ({ ...event, confidence: event.raw }));
    process.stdout.write(`${table(`${game}, the least cue's own confidence`, plain)}\n`);
    process.stdout.write(`${table(`${game}, by lines fitted on other recordings`, heldBack(own))}\n`);
  }
}

function table(name: string, events: readonly Judged[]): string {
  const squares = events.reduce((sum, { confidence, right }) => sum + (confidence - Number(right)) ** 2, 0);
  const head = `## ${name}, ${events.length} events, Brier score ${(squares / events.length).toFixed(4)}`;
  return `${head}\n\n${calibrationTable(events, 'events')}\n`;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: new URL('../out/', import.meta.url).pathname },
    tolerance: { type: 'string', default: '0.5' },
    by: { type: 'string', default: 'all' },
    json: { type: 'boolean', default: false },
    fit: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const groupings: Readonly<Record<string, (event: Judged) => string>> = {
  all: () => 'all games',
  game: ({ game }) => game,
  kind: ({ game, kind }) => `${game}: ${kind}`,
  clip: ({ clip }) => clip,
  evidence: ({ game, evidence }) => `${game}: ${evidence}`,
};
const grouping = groupings[values.by];
if (values.help || positionals.length === 0 || grouping === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = values.help ? 0 : 2;
} else {
  const events: Judged[] = [];
  for (const clip of (await Promise.all(positionals.map(clipsIn))).flat()) {
    process.stderr.write(`${clip}\n`);
    events.push(...(await judge(clip, resolve(values.out), Number(values.tolerance))));
  }
  if (values.fit) reportFit(events);
  else if (values.json) for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
  else for (const [name, own] of Map.groupBy(events, grouping)) process.stdout.write(`${table(name, own)}\n`);
}
