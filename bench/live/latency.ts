// Measures a live session: time from the arrival of a frame to what follows from it, time from the frame that an event is dated by
// to its sentence, samples left out, memory, open files and threads.
//   node bench/live/latency.ts <recording> <game> [--source file|pipe|srt|rtmp|tcp|udp] [--seconds 20] [--speed 1]
//     [--compress 1] [--slow 0] [--relief 0] [--loop] [--json]
// --speed: how many times faster than real time ffmpeg sends; --compress: plays the recording so many times faster, so that one of
// 30 pictures a second has 60; --slow: ms that every sample takes longer, up to --relief seconds of the recording. Needs ffmpeg.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { type SampleTiming, watch } from '../../src/pipeline/live/watch.ts';
import { createSender, histogram, quantile, type SourceName } from './senders.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', default: 'file' },
    seconds: { type: 'string', default: '20' },
    speed: { type: 'string', default: '1' },
    compress: { type: 'string', default: '1' },
    slow: { type: 'string', default: '0' },
    relief: { type: 'string', default: '0' },
    port: { type: 'string', default: '9150' },
    loop: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [recording = '', game = ''] = positionals;
const name = values.source as SourceName;
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-latency-'));
const loop = values.loop ? ['-stream_loop', '-1'] : [];
const scale = 1 / Number(values.compress);
const input = ['-readrate', values.speed, ...loop, '-itsscale', String(scale), '-i', recording, '-t', values.seconds];
const { source, listens, start } = createSender(name, {
  input,
  codec: ['-c', 'copy'],
  folder,
  port: Number(values.port),
});

const opened = await openGame(game);
const stop = new AbortController();
const timings: SampleTiming[] = [];
const arrivals = new Map<number, number>();
const delays: Record<'early' | 'event', number[]> = { early: [], event: [] };
/** Early statements about the sample that is being read: their times in the recording and when they were stated. */
let stated: { readonly t: number; readonly now: number }[] = [];
const waited: number[] = [];
const answered: number[] = [];
const resources: { t: number; rss: number; handles: number; threads: number }[] = [];
const slow = Number(values.slow) / 1000;
let gaps = 0;
/** Where the last gap ends, in seconds of the recording. */
let lastGapEnd: number | undefined;
let sender: ChildProcess | undefined = listens || name === 'udp' ? undefined : start();
if (!sender)
  setTimeout(() => {
    sender = start();
    sender.once('exit', () => setTimeout(() => stop.abort(), 2500));
  }, 2000);
if (name === 'file') await sleep(1000);

/** What was sent before the session was there is read at once, and says nothing about latency. */
function isSteady(t: number): boolean {
  return t > (timings[0]?.t ?? 0) + 3;
}

const messages = watch(parseLiveSource(source, { listen: listens }), opened, {
  identity: '0'.repeat(32),
  idleSeconds: 3,
  signal: stop.signal,
  slowdownSeconds: (t) => (Number(values.relief) > 0 && t > Number(values.relief) ? 0 : slow),
  ...(sender?.stdout && { stdin: sender.stdout }),
  onSample(timing) {
    timings.push(timing);
    arrivals.set(timing.t, timing.arrived);
    for (const { t, now } of isSteady(timing.t) ? stated : []) {
      waited.push(1000 * (timing.t - t));
      answered.push(now - timing.arrived);
    }
    stated = [];
  },
});
try {
  for await (const message of messages) {
    if (message.type === 'gap') {
      gaps++;
      lastGapEnd = message.end;
    }
    if (message.type === 'progress' && Math.round(message.done) % 5 === 0)
      resources.push({
        t: message.done,
        rss: process.memoryUsage().rss / 2 ** 20,
        handles: readdirSync('/proc/self/fd').length,
        threads: Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]),
      });
    if (message.type !== 'early' && message.type !== 'event') continue;
    const now = performance.now();
    if (message.type === 'early') stated.push({ t: message.t, now });
    const arrived = arrivals.get(message.t);
    if (arrived !== undefined && isSteady(message.t)) delays[message.type].push(now - arrived);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
sender?.kill();
rmSync(folder, { recursive: true });

const steady = timings.filter(({ t }) => isSteady(t));
const whole = steady.map(({ arrived, done }) => done - arrived);
const rows = {
  'frame arrived → all that follows given out': whole,
  'of that: arrived → decoded': steady.map(({ arrived, decoded }) => decoded - arrived),
  'of that: reading, rules, script': steady.map(({ decoded, done }) => done - decoded),
  'frame that dates an event → stated': delays.early,
  'of that: seconds of the recording until it is stable': waited,
  'of that: frame that makes it stable → stated': answered,
  'frame that dates an event → in the log': delays.event,
};
const figures = Object.entries(rows).map(([row, list]) => ({
  row,
  n: list.length,
  p50: Math.round(quantile(list, 0.5)),
  p95: Math.round(quantile(list, 0.95)),
  max: Math.round(quantile(list, 1)),
}));
const left = timings.at(-1)?.left ?? 0;
const behind = Math.max(0, ...timings.map(({ lag }) => lag));
const summary = {
  source: name,
  load: Number(loadavg()[0]!.toFixed(1)),
  samples: timings.length,
  left,
  gaps,
  lastGapEnd,
  behind: Number(behind.toFixed(2)),
  behindAtEnd: Number((timings.at(-1)?.lag ?? 0).toFixed(2)),
  recovered: timings.findLast(({ lag }) => lag > 0.5)?.t,
  histogram: histogram(whole, [10, 20, 50, 100, 200, 300, 500, 1000, Number.POSITIVE_INFINITY]),
  figures,
};
const text = [
  `${name}, ${values.seconds} s at ${values.speed}× real time, compressed ${values.compress}×, each sample ${values.slow} ms slower; load of the machine ${summary.load}`,
  '',
  '| ms | n | p50 | p95 | max |',
  '|---|---|---|---|---|',
  ...figures.map(({ row, n, p50, p95, max }) => `| ${row} | ${n} | ${p50} | ${p95} | ${max} |`),
  '',
  `histogram of the first row, ms: ${summary.histogram}`,
  `samples read ${timings.length}, left out ${left}, gap lines ${gaps}, the last ends at ${lastGapEnd?.toFixed(1) ?? '–'} s; most behind ${summary.behind} s, more than 0.5 s until ${summary.recovered?.toFixed(1) ?? '–'} s, at the end ${summary.behindAtEnd} s`,
  `memory, open files, threads: ${resources
    .filter((_, i) => i % Math.ceil(resources.length / 8) === 0)
    .map(({ t, rss, handles, threads }) => `${Math.round(t)} s: ${Math.round(rss)} MiB ${handles} ${threads}`)
    .join('; ')}`,
];
process.stdout.write(values.json ? `${JSON.stringify(summary)}\n` : `${text.join('\n')}\n`);
process.exit();
