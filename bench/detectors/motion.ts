// Evaluates motion detectors on recordings with cuts, fades, flashes and freezes at known times, and on the unedited ones (not with
// --edits): `node bench/detectors/motion.ts <clip folder>… [--keep folder] [--edits]`. Needs the ffmpeg command.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { cuesOf, makeshiftProfile } from '../../test/fixtures/cues.ts';

/** Stretches that stand still besides: what is found frozen in them is right. */
type Still = readonly [from: number, to: number];

interface Happening {
  readonly kind: string;
  readonly value: string;
  readonly t: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, edits: { type: 'boolean', default: false } },
});
if (positionals.length === 0) {
  process.stderr.write('usage: node bench/detectors/motion.ts <clip folder>… [--keep folder]\n');
  process.exit(2);
}

const whole = { x: 0, y: 0, width: 1, height: 0.84 };
const of = (name: string, more: object = {}): object => ({ kind: 'motion', region: 'view', of: name, ...more });
const profile = await makeshiftProfile(
  { view: whole },
  {
    cut: of('cut', { interval: 0.05 }),
    fade: of('fade'),
    flash: of('flash'),
    burst: of('burst'),
    black: of('black', { stability: { samples: 3 } }),
    freeze: of('freeze', { stability: { samples: 5, lost: 2 } }),
    way: of('movement', { directions: true, stability: { samples: 3 } }),
  },
);

/** Pixels of a picture of 360 lines. */
function heights(count: number): number {
  return count * 360;
}

function seconds(t: number | undefined): string {
  return t === undefined ? '' : `${t.toFixed(2)} s`;
}

/** The segments of an edit, of 6 s each, and what happens in it. */
function edit(
  media: string,
  duration: number,
): {
  inputs: string[];
  filter: string;
  truth: Happening[];
  still: Still[];
} {
  const still: Still[] = [];
  const inputs: string[] = [];
  const parts: string[] = [];
  const truth: Happening[] = [];
  let t = 0;
  const from = (share: number): number => Math.round((2 + share * (duration - 10)) * 10) / 10;
  const add = (share: number, length: number, filters: string): void => {
    const start = from(share);
    inputs.push('-ss', String(start), '-t', String(length), '-i', media);
    parts.push(`[${parts.length}:v]fps=30,scale=640:360${filters}[p${parts.length}]`);
    t += length;
  };
  // Two flashes, then cuts between parts of the recording.
  for (const at of [2, 4.2]) truth.push({ kind: 'flash', value: 'bright', t: at });
  add(0, 6, ",eq=brightness=0.35:enable='between(t,2,2.14)+between(t,4.2,4.45)'");
  for (const share of [0.9, 0.3, 0.7]) {
    truth.push({ kind: 'cut', value: 'cut', t });
    add(share, 5, '');
  }
  // Out to black, black, in again; out to white and in at once.
  truth.push({ kind: 'cut', value: 'cut', t });
  truth.push({ kind: 'fade', value: 'out', t: t + 3 }, { kind: 'black', value: 'black', t: t + 3.9 });
  still.push([t + 3.9, t + 5.3]);
  add(0.5, 5.2, ',fade=out:st=3:d=1');
  truth.push({ kind: 'fade', value: 'in', t });
  add(0.15, 5, ',fade=in:st=0:d=1.2');
  truth.push({ kind: 'cut', value: 'cut', t }, { kind: 'fade', value: 'out', t: t + 2.5 });
  add(0.6, 3.2, ',fade=out:st=2.5:d=0.7:color=white');
  truth.push({ kind: 'fade', value: 'in', t });
  add(0.4, 5, ',fade=in:st=0:d=0.6:color=white');
  // Stands still for 2 s, goes on.
  truth.push({ kind: 'cut', value: 'cut', t }, { kind: 'freeze', value: 'frozen', t: t + 2 });
  add(0.8, 2, ',tpad=stop_mode=clone:stop_duration=2');
  t += 2;
  // A still picture that the camera goes over at known speeds.
  const pan = (share: number, x: string, y: string): void => {
    truth.push({ kind: 'cut', value: 'cut', t });
    const move = `,select='eq(n,0)',loop=loop=149:size=1,setpts=N/30/TB,scale=960:540,crop=640:360:x='${x}':y='${y}'`;
    add(share, 5, move);
  };
  // Content goes left at 0.2 heights a second, stands, goes right.
  truth.push({ kind: 'way', value: 'left', t: t + 1 });
  still.push([t, t + 1], [t + 2.8, t + 5]);
  pan(0.25, `if(lt(t,1),0,if(lt(t,3),(t-1)*${heights(0.2)},2*${heights(0.2)}))`, '50');
  truth.push({ kind: 'way', value: 'down', t: t + 1 }, { kind: 'burst', value: 'burst', t: t + 4 });
  still.push([t, t + 1], [t + 2.8, t + 4], [t + 4.2, t + 5]);
  pan(0.65, `if(lt(t,4),0,min(300,(t-4)*${heights(2.5)}))`, `if(lt(t,1),150,max(6,150-(t-1)*${heights(0.2)}))`);
  const filter = `${parts.join(';')};${parts.map((_, i) => `[p${i}]`).join('')}concat=n=${parts.length}:v=1:a=0[v]`;
  return { inputs, filter, truth, still };
}

/** What the recordings hold besides, without anybody having noted it. */
const UNTOLD = new Set(['way', 'burst', 'flash']);

/** Pairs found and true ones of a kind, nearest first, within the tolerance. */
function pair(found: readonly Happening[], truth: readonly Happening[], tolerance: number) {
  const pairs = truth
    .flatMap((one) => found.map((other) => ({ one, other, apart: Math.abs(one.t - other.t) })))
    .filter(({ one, other, apart }) => one.value === other.value && apart <= tolerance)
    .toSorted((a, b) => a.apart - b.apart);
  const used = new Set<Happening>();
  const errors: number[] = [];
  for (const { one, other, apart } of pairs) {
    if (used.has(one) || used.has(other)) continue;
    used.add(one).add(other);
    errors.push(apart);
  }
  return {
    errors,
    missed: truth.filter((one) => !used.has(one)),
    extra: found.filter((one) => !used.has(one)),
  };
}

/** Seconds of a recording's picture. */
function durationOf(media: string): number {
  using file = openVideo(media);
  return scanPackets(file).t.at(-1) ?? 0;
}

/** What is found in a recording as it is, in a line. */
async function untouched(clip: string): Promise<string> {
  const { cues, duration } = await cuesOf(join(clip, 'video.mp4'), profile);
  const counts = Map.groupBy(
    cues.filter(({ trigger, detector }) => trigger !== 'lost' && detector !== 'way'),
    ({ detector, value }) => `${detector} ${String(value)}`,
  );
  const shares = [...counts].map(
    ([what, list]) =>
      `${what} ${list.length} (${list.map(({ t, confidence }) => `${t.toFixed(1)}:${confidence.toFixed(2)}`).join(' ')})`,
  );
  return `- ${basename(clip)} (${duration.toFixed(0)} s): ${shares.join(', ')}`;
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'motion-'));
mkdirSync(folder, { recursive: true });
const totals = new Map<string, { found: number; truth: number; right: number; errors: number[]; wrong: string[] }>();
const plain: string[] = [];
let [cost, read] = [0, 0];
for (const clip of positionals) {
  const media = join(clip, 'video.mp4');
  if (!values.edits) plain.push(await untouched(clip));
  const { inputs, filter, truth, still } = edit(media, durationOf(media));
  const made = join(folder, `${basename(clip)}.mp4`);
  if (!existsSync(made)) {
    const args = ['-v', 'error', '-y', ...inputs, '-filter_complex', filter, '-map', '[v]'];
    const coded = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24', '-g', '60', '-threads', '2', made];
    const { status, stderr } = spawnSync('ffmpeg', [...args, ...coded], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ffmpeg cannot make ${made}: ${stderr}`);
  }
  const before = process.cpuUsage();
  const { cues, samples } = await cuesOf(made, profile);
  const { user, system } = process.cpuUsage(before);
  cost += (user + system) / 1000;
  read += samples;
  for (const kind of ['cut', 'fade', 'flash', 'black', 'freeze', 'way', 'burst']) {
    const found = cues
      .filter(({ detector, trigger }) => detector === kind && trigger !== 'lost')
      .map(({ t, value, detector }) => ({ t, value: String(value), kind: detector }))
      .filter(({ t }) => kind !== 'freeze' || !still.some(([from, to]) => t >= from - 0.15 && t <= to));
    const wanted = truth.filter((one) => one.kind === kind);
    // The game's own camera, lamps and blows have no truth: of those only the recall counts.
    const { errors, missed, extra } = pair(found, wanted, kind === 'fade' ? 0.4 : 0.25);
    const total = totals.get(kind) ?? { found: 0, truth: 0, right: 0, errors: [], wrong: [] };
    totals.set(kind, total);
    total.found += found.length;
    total.truth += wanted.length;
    total.right += errors.length;
    total.errors.push(...errors);
    const describe = (list: readonly Happening[], what: string) =>
      list.map(({ value, t }) => `${what} ${value} ${t.toFixed(2)} in ${basename(clip)}`);
    total.wrong.push(...describe(missed, 'missed'));
    if (!UNTOLD.has(kind)) total.wrong.push(...describe(extra, 'false'));
  }
}
if (values.keep === undefined) rmSync(folder, { recursive: true });
process.stdout.write('| what | precision | recall | median time error | worst |\n|---|---|---|---|---|\n');
for (const [kind, { found, truth, right, errors }] of totals) {
  const sorted = errors.toSorted((a, b) => a - b);
  const precision = UNTOLD.has(kind) ? '–' : `${right}/${found}`;
  process.stdout.write(
    `| ${kind} | ${precision} | ${right}/${truth} | ${seconds(sorted[sorted.length >> 1])} | ${seconds(sorted.at(-1))} |\n`,
  );
}
process.stdout.write(`\n${(cost / read).toFixed(2)} ms of CPU a sample, decoding included (${read} samples)\n\n`);
for (const [kind, { wrong }] of totals) for (const line of wrong) process.stdout.write(`- ${kind}: ${line}\n`);
process.stdout.write(`\nIn the untouched recordings (camera ways left out):\n\n${plain.join('\n')}\n`);
