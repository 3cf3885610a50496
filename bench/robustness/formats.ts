/**
 * Reads a recording in other formats and compares the events with the ground truth.
 *
 *   node bench/robustness/formats.ts <clip>… [--only expression] [--seconds 12] [--group files] [--keep folder]
 *
 * The first seconds of a clip (a folder with video.mp4 and truth.json) are converted to other containers, codecs, colours,
 * layouts and speeds (ffmpeg, see format-cases.ts). Reports per copy how many of the events that a perfect reader sees are
 * detected, how far off in time, and which events neither the truth nor the original recording has.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { EventLine, LogLine } from '../../src/events/log.ts';
import { openVideo } from '../../src/media/video.ts';
import { openGame } from '../../src/pipeline/game.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { CASES, type FormatCase } from './format-cases.ts';
import { kindOf, matchSaid, type Said } from '../../test/truth/match.ts';
import { declaredRules } from '../../test/truth/rules.ts';
import { loadTruth, type Truth } from '../../test/truth/truth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    group: { type: 'string' },
    seconds: { type: 'string', default: '12' },
    keep: { type: 'string' },
    plan: { type: 'string', default: 'full' },
    verbose: { type: 'boolean', default: false },
  },
});
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'formats-'));
mkdirSync(folder, { recursive: true });
const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');
const only = new RegExp(values.only);
/** Two events within so many seconds are the same. */
const NEAR = 0.5;

interface Outcome {
  readonly status: number | null;
  readonly events: readonly EventLine[];
  readonly gaps: number;
  readonly said: string;
}

function ffmpeg(args: readonly string[]): string | undefined {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args], { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim().split('\n').at(-1);
}

function detect(file: string, game: string): Outcome {
  const out = join(folder, 'log');
  rmSync(out, { recursive: true, force: true });
  const args = [
    launch,
    'detect',
    file,
    '--game',
    game,
    '--workers',
    '1',
    '--out',
    out,
    '--quiet',
    '--plan',
    values.plan,
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  let lines: LogLine[] = [];
  try {
    const text = readFileSync(join(out, 'events.ndjson'), 'utf8');
    lines = text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as LogLine); // biome-ignore format: one step a line says no more
  } catch {
    // The file was rejected, so there is no log.
  }
  const events = lines.flatMap((line) => (line.type === 'event' ? [line] : []));
  return { status, events, gaps: lines.filter((line) => line.type === 'gap').length, said: stderr.trim() };
}

for (const clip of positionals) {
  const truth = await loadTruth(clip);
  const source = join(folder, `${truth.game}.mkv`);
  ffmpeg(['-t', values.seconds, '-i', join(clip, 'video.mp4'), '-c', 'copy', source]);
  const { profile } = await openGame(truth.game);
  const base = { truth, source, profile, events: detect(source, truth.game).events };
  console.log(`${truth.game}: ${base.events.length} events in ${values.seconds} s of ${clip}`);
  for (const one of CASES)
    if (only.test(one.name) && (values.group === undefined || one.group === values.group))
      console.log(judge(one, base));
}
if (values.keep === undefined) rmSync(folder, { recursive: true });

/** The original recording: its truth and its events. */
interface Base {
  readonly truth: Truth;
  readonly source: string;
  readonly profile: Profile;
  readonly events: readonly EventLine[];
}

function judge(one: FormatCase, { truth, source, profile, events: plain }: Base): string {
  const file = join(folder, `case.${one.end}`);
  const { before = [], inputs = [], args, at = (t: number) => t, expect = 'all' } = one;
  const failed = ffmpeg([...before, '-i', source, ...inputs, ...args, file]);
  if (failed) return `? ${one.name}: not made: ${failed}`;
  const { status, events, gaps, said } = detect(file, truth.game);
  const moved = <T extends Said>(lines: readonly T[]): T[] =>
    lines.flatMap((line) => {
      const t = at(line.t);
      return t === undefined ? [] : [{ ...line, t }];
    });
  const isInTruth = (line: Said): boolean => !truth.untold?.includes(kindOf(line.statement));
  const until = Number(values.seconds) - NEAR / 2;
  const rules = declaredRules(one.at ? source : readable(file, source), profile);
  const wanted = moved(truth.reduce(rules).filter((line) => !line.repeat && line.t < until && isInTruth(line)));
  const matched = matchSaid(wanted, events, NEAR);
  // Events that a perfect reader may miss, and those of the original recording, do not count as false.
  const known = matchSaid(moved([...truth.raw, ...plain]), matched.extra, NEAR);
  const worst = Math.max(0, ...matched.pairs.map((pair) => Math.abs(pair.truth.t - pair.event.t)));
  const invented = known.extra;
  const missed = matched.missed;
  const bad =
    status === null ||
    invented.length > 0 ||
    (expect === 'all' && missed.length > 0) ||
    (expect === 'none' && events.length > 0);
  const head = `${bad ? '!' : ' '} ${one.name.padEnd(48)} ${matched.pairs.length}/${wanted.length}, beyond ${known.pairs.length}, invented ${invented.length}, worst ${worst.toFixed(3)} s, gaps ${gaps}, exit ${status}`;
  const lines = [
    ...said.split('\n').filter((line) => line !== '' && !/^\d+ events? in/.test(line)).map((line) => `stderr ${line.trim()}`), // biome-ignore format: one step a line says no more
    ...(expect === 'none' ? [] : missed).map(
      ({ t, statement }) => `missed ${t.toFixed(2)} ${JSON.stringify(statement)}`,
    ),
    ...invented.map(({ t, text, confidence }) => `other  ${t.toFixed(2)} ${text} (${confidence})`),
  ];
  return [head, ...lines.slice(0, bad || values.verbose ? 40 : 8).map((line) => `    ${line}`)].join('\n');
}

/** Returns the copy, or the recording where the copy cannot be probed. */
function readable(file: string, source: string): string {
  try {
    using _ = openVideo(file);
    return file;
  } catch {
    return source;
  }
}
