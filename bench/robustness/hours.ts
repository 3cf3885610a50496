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
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeChangingGame, makeChangingRecording } from './changing-recording.ts';

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

const recording = makeChangingRecording({
  folder,
  minutes: 60 * Number(values.hours),
  fps: Number(values.fps),
  group: values.fps === '1' ? 10 : 60,
});
const out = join(folder, 'log');
const options = [
  '--game',
  makeChangingGame(folder, Number(values.interval)),
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
