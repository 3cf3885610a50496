/**
 * Memory and open files of `detect` over hours of recording.
 *
 *   node bench/robustness/hours.ts [--hours 10] [--fps 1] [--interval 1] [--plan full|adaptive] [--workers 1]
 *
 * The recording is low in resolution, so that hours take minutes: a minute of changing colours and a bar, repeated by copying
 * packets. Resident memory and the number of open files are read from /proc every half second. Compares the median of the fifth
 * tenth of the run with that of the last tenth (before, V8 lets its heap grow to its working size); exit code 1 if memory grew by more than 10 % or
 * a file was left open. Needs Linux and the command ffmpeg.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '10' },
    fps: { type: 'string', default: '1' },
    interval: { type: 'string', default: '1' },
    plan: { type: 'string', default: 'full' },
    workers: { type: 'string', default: '1' },
  },
});
const MAX_GROWTH = 1.1;
/** Threads of the pool start late, too. */
const MAX_MORE_FILES = 2;
const INTERVAL_MS = 500;
const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');
const folder = mkdtempSync(join(tmpdir(), 'hours-'));

function ffmpeg(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** A recording in which a colour and the length of a bar change every few seconds. */
function makeRecording(): string {
  const [minute, list, long] = ['minute.mp4', 'list.txt', 'long.mp4'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const source = `color=s=160x90:r=${values.fps}:d=60:c=black,format=yuv420p,drawbox=w=80:h=45:t=fill:c=red:enable='lt(mod(t,10),5)',drawbox=x=80:y=70:w='8+8*mod(floor(t/3),8)':h=10:t=fill:c=white`;
  ffmpeg(
    '-f',
    'lavfi',
    '-i',
    source,
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    values.fps === '1' ? '10' : '60',
    '-bf',
    '0',
    minute,
  );
  writeFileSync(list, `file '${minute}'\n`.repeat(Number(values.hours) * 60));
  ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', long);
  return long;
}

/** A game with a detector of each of two kinds, and an event for every change. */
function makePack(): string {
  const pack = join(folder, 'pack');
  mkdirSync(pack);
  const profile = {
    format: 'playbyplay/profile/1',
    game: 'hours',
    title: 'Hours',
    version: '1',
    reference: { width: 160, height: 90 },
    dictionaries: [],
    sampling: { interval: Number(values.interval) },
    regions: { lamp: { x: 0, y: 0, width: 0.4, height: 0.4 }, bar: { x: 0.5, y: 0.8, width: 0.4, height: 0.08 } },
    detectors: {
      lamp: { kind: 'color', region: 'lamp', colors: { on: '#ff0000', off: '#000000' }, stability: { samples: 1 } },
      bar: { kind: 'bar', region: 'bar', fill: ['#ffffff'], stability: { samples: 1 } },
    },
    events: [
      { on: { detector: 'lamp', trigger: 'changed', match: 'on' }, statement: { subject: 'player', action: 'die' } },
      {
        on: { detector: 'bar', trigger: 'changed' },
        statement: { subject: 'player', property: 'health', from: '$previous', to: '$value' },
      },
    ],
  };
  writeFileSync(join(pack, 'profile.json'), JSON.stringify(profile));
  return pack;
}

interface Sample {
  readonly megabytes: number;
  readonly files: number;
}

function sampleProcess(pid: number): Sample | undefined {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined
      ? undefined
      : { megabytes: Number(kilobytes) / 1024, files: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

const recording = makeRecording();
const out = join(folder, 'log');
const options = [
  '--game',
  makePack(),
  '--place',
  'default',
  '--plan',
  values.plan,
  '--workers',
  values.workers,
  '--out',
  out,
  '--quiet',
];
const start = performance.now();
const child = spawn(process.execPath, [launch, 'detect', recording, ...options], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const samples: Sample[] = [];
const timer = setInterval(() => {
  const sample = sampleProcess(child.pid ?? 0);
  if (sample) samples.push(sample);
}, INTERVAL_MS);
const exit = await new Promise((resolve) => child.on('close', resolve));
clearInterval(timer);
if (exit !== 0) throw new Error(`detect ended with ${String(exit)}`);
const lines = readFileSync(join(out, 'events.ndjson'), 'utf8').split('\n');
const events = lines.filter((line) => line.startsWith('{"type":"event"')).length;
const tenth = Math.max(1, Math.floor(samples.length / 10));
const [early, late] = [samples.slice(4 * tenth, 5 * tenth), samples.slice(-tenth)];
const of = (part: readonly Sample[], name: keyof Sample): number => median(part.map((sample) => sample[name]));
const tenths = Array.from({ length: 10 }, (_, i) => samples.slice(i * tenth, (i + 1) * tenth)).filter(
  (part) => part.length > 0,
);
const growth = of(late, 'megabytes') / of(early, 'megabytes');
const more = of(late, 'files') - of(early, 'files');
console.log(
  '| Hours | Frames/s | Interval, s | Plan | Events | Run, s | Samples | MB early | MB late | MB peak | Ratio | Files early | Files late |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|---|---|---|');
console.log(
  `| ${[
    values.hours,
    values.fps,
    values.interval,
    values.plan,
    events,
    ((performance.now() - start) / 1000).toFixed(0),
    samples.length,
    of(early, 'megabytes').toFixed(0),
    of(late, 'megabytes').toFixed(0),
    Math.max(...samples.map(({ megabytes }) => megabytes)).toFixed(0),
    growth.toFixed(3),
    of(early, 'files'),
    of(late, 'files'),
  ].join(' | ')} |`,
);
console.log(`MB by tenth of the run: ${tenths.map((part) => of(part, 'megabytes').toFixed(0)).join(', ')}`);
console.log(`Files by tenth of the run: ${tenths.map((part) => of(part, 'files')).join(', ')}`);
rmSync(folder, { recursive: true });
if (events === 0 || growth > MAX_GROWTH || more > MAX_MORE_FILES) process.exitCode = 1;
