// Measures a live session: time from the arrival of a frame to what follows from it, time from the frame that an event is dated by
// to its sentence, samples left out, memory, open files and threads.
//   node bench/live/latency.ts <recording> <game> [--source file|pipe|srt|rtmp|tcp|udp] [--seconds 20] [--speed 1] [--slow 0]
// --speed: how many times faster than real time ffmpeg sends; --slow: ms that every sample takes longer. Needs ffmpeg.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { type SampleTiming, watch } from '../../src/pipeline/live/watch.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', default: 'file' },
    seconds: { type: 'string', default: '20' },
    speed: { type: 'string', default: '1' },
    slow: { type: 'string', default: '0' },
    port: { type: 'string', default: '9150' },
    loop: { type: 'boolean', default: false },
  },
});
const [recording = '', game = ''] = positionals;
const { source, port } = values;
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-latency-'));
const growing = join(folder, 'growing.ts');
const addresses: Readonly<Record<string, readonly [from: string, to: readonly string[]]>> = {
  file: [growing, ['-f', 'mpegts', '-flush_packets', '1', growing]],
  pipe: ['-', ['-f', 'mpegts', '-flush_packets', '1', 'pipe:1']],
  srt: [`srt://127.0.0.1:${port}`, ['-f', 'mpegts', `srt://127.0.0.1:${port}?mode=caller`]],
  rtmp: [`rtmp://127.0.0.1:${port}/live/key`, ['-f', 'flv', `rtmp://127.0.0.1:${port}/live/key`]],
  tcp: [`tcp://127.0.0.1:${port}`, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`]],
  udp: [`udp://127.0.0.1:${port}`, ['-f', 'mpegts', `udp://127.0.0.1:${port}?pkt_size=1316`]],
};
const [from, to] = addresses[source]!;
const listens = ['srt', 'rtmp', 'tcp'].includes(source);

function send(): ChildProcess {
  const loop = values.loop ? ['-stream_loop', '-1'] : [];
  const input = ['-readrate', values.speed, ...loop, '-t', values.seconds, '-i', recording];
  return spawn('ffmpeg', ['-v', 'error', '-y', ...input, '-c', 'copy', ...to], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const opened = await openGame(game);
const stop = new AbortController();
const timings: SampleTiming[] = [];
const arrivals = new Map<number, number>();
const delays: Record<'early' | 'event', number[]> = { early: [], event: [] };
const resources: { t: number; rss: number; handles: number; threads: number }[] = [];
let gaps = 0;
let sender: ChildProcess | undefined = listens || source === 'udp' ? undefined : send();
if (!sender)
  setTimeout(() => {
    sender = send();
    sender.once('exit', () => setTimeout(() => stop.abort(), 2500));
  }, 3000);
else sender.once('exit', () => void (source === 'file' ? undefined : undefined));
if (source === 'file') await sleep(1500);

const messages = watch(parseLiveSource(from, { listen: listens }), opened, {
  identity: '0'.repeat(32),
  idleSeconds: 3,
  signal: stop.signal,
  slowdownSeconds: Number(values.slow) / 1000,
  ...(sender?.stdout && source === 'pipe' && { stdin: sender.stdout }),
  onSample(timing) {
    timings.push(timing);
    arrivals.set(timing.t, timing.arrived);
  },
});
try {
  for await (const message of messages) {
    if (message.type === 'gap') gaps++;
    if (message.type === 'progress' && Math.round(message.done) % 5 === 0)
      resources.push({
        t: message.done,
        rss: process.memoryUsage().rss / 2 ** 20,
        handles: readdirSync('/proc/self/fd').length,
        threads: Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]),
      });
    if (message.type !== 'early' && message.type !== 'event') continue;
    const arrived = arrivals.get(message.t);
    if (arrived !== undefined) delays[message.type].push(performance.now() - arrived);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
sender?.kill();
rmSync(folder, { recursive: true });

function share(list: readonly number[], part: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN);
}

function row(name: string, list: readonly number[]): string {
  return `| ${name} | ${list.length} | ${share(list, 0.5)} | ${share(list, 0.95)} | ${share(list, 1)} |`;
}

// What was sent before the session was there is read at once, and says nothing about latency.
const steady = timings.filter(({ t }) => t > (timings[0]?.t ?? 0) + 3);
const whole = steady.map(({ arrived, done }) => done - arrived);
const bounds = [10, 20, 50, 100, 200, 500, 1000, Number.POSITIVE_INFINITY];
const lines = [
  `${source}, ${values.seconds} s at ${values.speed}× real time, each sample ${values.slow} ms slower; load of the machine ${loadavg()[0]!.toFixed(1)}`,
  '',
  '| ms | n | p50 | p95 | max |',
  '|---|---|---|---|---|',
  row('frame arrived → all that follows given out', whole),
  row(
    'of that: arrived → decoded',
    steady.map(({ arrived, decoded }) => decoded - arrived),
  ),
  row(
    'of that: reading, rules, script',
    steady.map(({ decoded, done }) => done - decoded),
  ),
  row('frame that dates an event → stated', delays.early),
  row('frame that dates an event → in the log', delays.event),
  '',
  `histogram of the first row: ${bounds.map((most, i) => `<${most} ms: ${whole.filter((one) => one < most && one >= (bounds[i - 1] ?? 0)).length}`).join(', ')}`,
  `samples read ${timings.length}, left out ${timings.at(-1)?.left ?? 0}, gap lines ${gaps}, most behind ${Math.max(0, ...timings.map(({ lag }) => lag)).toFixed(2)} s, at the end ${(timings.at(-1)?.lag ?? 0).toFixed(2)} s`,
  `memory, open files, threads: ${resources
    .filter((_, i) => i % Math.ceil(resources.length / 8) === 0)
    .map(({ t, rss, handles, threads }) => `${Math.round(t)} s: ${Math.round(rss)} MiB ${handles} ${threads}`)
    .join('; ')}`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exit();
