// Accuracy on recordings with truth: `node bench/accuracy/events.ts <folder with clips>…` (a clip: video.mp4 and truth.json).
import { mkdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadLog } from '../../src/events/reader.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { messageOf } from '../../src/errors.ts';
import { canonical } from '../../src/evaluate/match.ts';
import { proportion } from '../../src/evaluate/statistics.ts';
import { type Judged, calibrationTable } from '../../test/truth/bins.ts';
import { clipsIn } from '../../test/truth/clips.ts';
import { type Said, kindOf, matchSaid } from '../../test/truth/match.ts';
import type { TruthLine } from '../../test/truth/series.ts';
import { declaredRules } from '../../test/truth/rules.ts';
import { type Truth, loadTruth } from '../../test/truth/truth.ts';

const USAGE = `usage: node bench/accuracy/events.ts <folder>… [--out folder] [--keep] [--plan full|adaptive] [--tolerance 0.5] [--json]
Runs detection on every clip (a folder with video.mp4 and truth.json) in the folders and compares the events with the truth.
  --out        where the logs go (default bench/out)      --keep     use logs that are already there
  --tolerance  seconds between truth and event            --quiet    do not list misses`;

/** Counts of one kind of event in one or more clips. */
interface Tally {
  truth: number;
  found: number;
  events: number;
  /** Events that truth knows but that lived too short for the declared rule, or repeat a standing message. */
  beyond: number;
  raw: number;
  rawFound: number;
  repeats: number;
  repeatsFound: number;
  /** Distance in time of matched events from reduced truth, seconds. */
  errors: number[];
}

interface ClipResult {
  readonly clip: string;
  readonly game: string;
  readonly interval: number;
  readonly kinds: Map<string, Tally>;
  /** Every event with its logged confidence; right where truth has it. */
  readonly judged: readonly Judged[];
  readonly problems: readonly string[];
}

const emptyTally = (): Tally => ({
  truth: 0,
  found: 0,
  events: 0,
  beyond: 0,
  raw: 0,
  rawFound: 0,
  repeats: 0,
  repeatsFound: 0,
  errors: [],
});

async function measure(folder: string, options: Options): Promise<ClipResult> {
  const truth = await loadTruth(folder);
  const video = join(folder, 'video.mp4');
  const clip = basename(folder);
  const out = join(options.out, clip);
  await mkdir(out, { recursive: true });
  const kept = options.keep && (await stat(join(out, 'events.ndjson')).catch(() => undefined));
  if (!kept) await recordLog({ media: video, game: truth.game, out, plan: options.plan });
  const { events } = await loadLog(out, { withoutTentative: true });
  const { profile } = await openGame(truth.game);
  const rules = declaredRules(video, profile);
  const interval = profile.sampling?.interval ?? 0.1;
  return { clip, game: truth.game, interval, ...compare(truth, truth.reduce(rules), events, options.tolerance) };
}

function ofKind<T extends Said>(lines: readonly T[], kind: string): T[] {
  return lines.filter((line) => kindOf(line.statement) === kind);
}

/** An event of the log. */
type Sure = Said & { readonly confidence: number };

function compare(truth: Truth, reduced: readonly TruthLine[], events: readonly Sure[], tolerance: number) {
  const judged: Judged[] = [];
  const kinds = new Map<string, Tally>();
  const problems: string[] = [];
  for (const kind of new Set([...truth.raw, ...events].map((line) => kindOf(line.statement)))) {
    if (truth.untold?.includes(kind)) continue;
    const tally = emptyTally();
    const wanted = ofKind(reduced, kind).filter((line) => !line.repeat);
    const raw = ofKind(truth.raw, kind);
    const own = ofKind(events, kind);
    const matched = matchSaid(wanted, own, tolerance);
    // Truth that reduction left out explains further events, whether a reader could be expected to see it or not.
    const explained = matchSaid(
      raw.filter((line) => !matched.pairs.some((pair) => pair.truth.t === line.t && same(pair.truth, line))),
      matched.extra,
      tolerance,
    );
    const once = raw.filter((line) => !line.repeat);
    const again = raw.filter((line) => line.repeat);
    Object.assign(tally, {
      truth: wanted.length,
      found: matched.pairs.length,
      events: own.length,
      beyond: explained.pairs.length,
      raw: once.length,
      rawFound: matchSaid(once, own, tolerance).pairs.length,
      repeats: again.length,
      repeatsFound: matchSaid(
        again,
        explained.pairs.map((pair) => pair.event),
        tolerance,
      ).pairs.length,
      errors: matched.pairs.map((pair) => Math.abs(pair.truth.t - pair.event.t)),
    } satisfies Tally);
    kinds.set(kind, tally);
    const right = new Set([...matched.pairs, ...explained.pairs].map((pair) => pair.event));
    for (const event of own) judged.push({ confidence: event.confidence, right: right.has(event) });
    for (const line of matched.missed) problems.push(`missed ${describe(line)}`);
    for (const line of explained.extra) problems.push(`wrong  ${describe(line)}`);
  }
  return { kinds, judged, problems: problems.toSorted((a, b) => a.slice(7, 17).localeCompare(b.slice(7, 17))) };
}

const same = (a: Said, b: Said): boolean => canonical(a.statement) === canonical(b.statement);

function describe({ t, statement }: Said): string {
  return `${t.toFixed(3).padStart(9)}  ${JSON.stringify(statement)}`;
}

const percent = (hits: number, of: number): string => (of === 0 ? '–' : `${((100 * hits) / of).toFixed(1)} %`);

function counted(hits: number, of: number): string {
  const { low, high } = proportion(hits, of);
  return `${hits}/${of} ${percent(hits, of)}${of === 0 ? '' : ` [${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}]`}`;
}

function row(kind: string, tally: Tally, step: number): string {
  const { truth, found, events, beyond, raw, rawFound, repeats, repeatsFound, errors } = tally;
  const worst = errors.length === 0 ? '–' : `${Math.max(...errors).toFixed(3)} s`;
  const within = errors.filter((error) => error <= step + 1e-6).length;
  const again = repeats === 0 ? '' : `${repeatsFound}/${repeats}`;
  const cells = [
    kind,
    counted(found, events - beyond),
    counted(found, truth),
    percent(rawFound, raw),
    percent(within, errors.length),
    worst,
    again,
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEAD =
  '| kind | precision | recall (reduced truth) | recall (raw) | within one sample | worst time error | repeated messages |\n|---|---|---|---|---|---|---|';

function report(results: readonly ClipResult[], quiet: boolean): string {
  const lines: string[] = [];
  for (const game of new Set(results.map((result) => result.game))) {
    const clips = results.filter((result) => result.game === game);
    lines.push(`## ${game}, ${clips.length} clips pooled (95 % Wilson intervals)`, '', HEAD);
    for (const [kind, tally] of pool(clips)) lines.push(row(kind, tally, clips[0]!.interval));
    lines.push('');
  }
  for (const game of new Set(results.map((result) => result.game))) {
    const judged = results.flatMap((result) => (result.game === game ? result.judged : []));
    lines.push(`## ${game}: logged confidence of events`, '', calibrationTable(judged, 'events'), '');
  }
  for (const { clip, kinds, problems, interval } of results) {
    lines.push(`### ${clip}`, '', HEAD, ...[...kinds].map(([kind, tally]) => row(kind, tally, interval)), '');
    if (!quiet && problems.length > 0) lines.push('```', ...problems, '```', '');
  }
  return lines.join('\n');
}

function pool(results: readonly ClipResult[]): Map<string, Tally> {
  const pooled = new Map<string, Tally>();
  for (const { kinds } of results) {
    for (const [kind, tally] of kinds) {
      const sum = pooled.get(kind) ?? emptyTally();
      for (const key of ['truth', 'found', 'events', 'beyond', 'raw', 'rawFound', 'repeats', 'repeatsFound'] as const)
        sum[key] += tally[key];
      sum.errors.push(...tally.errors);
      pooled.set(kind, sum);
    }
  }
  return pooled;
}

interface Options {
  readonly out: string;
  readonly keep: boolean;
  readonly plan: 'full' | 'adaptive';
  readonly tolerance: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: new URL('../out/', import.meta.url).pathname },
    keep: { type: 'boolean', default: false },
    plan: { type: 'string', default: 'full' },
    tolerance: { type: 'string', default: '0.5' },
    quiet: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help || positionals.length === 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = values.help ? 0 : 2;
} else {
  const plan = values.plan === 'adaptive' ? 'adaptive' : 'full';
  const options: Options = { out: resolve(values.out), keep: values.keep, plan, tolerance: Number(values.tolerance) };
  const clips = (await Promise.all(positionals.map(clipsIn))).flat();
  const results: ClipResult[] = [];
  for (const clip of clips) {
    process.stderr.write(`${clip}\n`);
    try {
      results.push(await measure(clip, options));
    } catch (error) {
      process.stderr.write(`  left out: ${messageOf(error)}\n`);
      process.exitCode = 1;
    }
  }
  const printed = values.json
    ? JSON.stringify(results.map((result) => ({ ...result, kinds: Object.fromEntries(result.kinds) })))
    : report(results, values.quiet);
  process.stdout.write(`${printed}\n`);
}
