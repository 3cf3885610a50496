// Runs a live session of many hours in compressed time: ffmpeg sends a recording over and over on standard input, as fast as the
// program reads it, with everything on: log, server with a listener, ring buffer with clips. Memory, open files and threads of the
// program are written to a table each ten minutes of the stream.
//   node bench/live/soak.ts <recording> <game> <table.csv> [--hours 10] [--offset 80000]
// --offset: seconds at which the clock of the stream begins; that of MPEG-TS starts anew at 95443 s. Needs ffmpeg.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { hours: { type: 'string', default: '10' }, offset: { type: 'string', default: '80000' } },
});
const [recording = '', game = '', table = ''] = positionals;
const seconds = 3600 * Number(values.hours);
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-soak-'));
const triggers = join(folder, 'triggers.json');
const clip = { query: 'player dies', pause: 1800, do: [{ action: 'clip', before: 5, after: 1 }] };
writeFileSync(triggers, JSON.stringify({ format: 'playbyplay/triggers/1', triggers: [clip] }));
const input = ['-stream_loop', '-1', '-i', recording, '-map', '0:v', '-t', String(seconds)];
const output = ['-c', 'copy', '-output_ts_offset', values.offset, '-f', 'mpegts', 'pipe:1'];
const sender = spawn('ffmpeg', ['-v', 'error', ...input, ...output], { stdio: ['ignore', 'pipe', 'inherit'] });
const launcher = join(import.meta.dirname, '../../src/cli/launch.js');
const options = ['--game', game, '--read-all', '--out', join(folder, 'log'), '--http', '0', '--triggers', triggers];
const program = spawn(process.execPath, [launcher, 'live', '-', ...options, '--quiet'], {
  stdio: [sender.stdout, 'ignore', 'pipe'],
});
sender.stdout.destroy();
const ended = new Promise<void>((resolve) => void program.once('exit', () => resolve()));

/** Figures of the program that the system knows. */
function figures(): readonly (string | number)[] {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${program.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const own = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return [
    ((Number(stat[11]) + Number(stat[12])) / 100).toFixed(0),
    ...['VmRSS', 'RssAnon', 'VmHWM'].map((name) => (own(name) / 1024).toFixed(1)),
    readdirSync(`/proc/${program.pid}/fd`).length,
    own('Threads'),
  ];
}

const started = performance.now();
writeFileSync(table, 'hours,seconds,cpu,rss,anonymous,most,files,threads,events,early,gaps,clips\n');
let clips = 0;
const counts = { event: 0, early: 0, gap: 0 };

/** Listens to the program's server until it ends. */
async function listen(address: string): Promise<void> {
  let next = 0;
  const [response] = (await once(get(`${address}/events`), 'response')) as [IncomingMessage];
  for await (const line of createInterface(response)) {
    if (!line.startsWith('data: ')) continue;
    const message: { type: string; state?: { t: number } } = JSON.parse(line.slice(6));
    if (message.type === 'event' || message.type === 'early' || message.type === 'gap') counts[message.type]++;
    const t = message.state?.t ?? 0;
    if (t < next) continue;
    next = 600 * (Math.floor(t / 600) + 1);
    const passed = ((performance.now() - started) / 1000).toFixed(0);
    const row = [(t / 3600).toFixed(2), passed, ...figures(), ...Object.values(counts), clips];
    appendFileSync(table, `${row.join(',')}\n`);
  }
}

for await (const line of createInterface(program.stderr)) {
  const address = /^Overlay: (.*)\/overlay$/.exec(line)?.[1];
  if (address) void listen(address).catch(() => undefined);
  else if (line.startsWith('Clip:')) clips++;
  else process.stderr.write(`${line}\n`);
}
await ended;
rmSync(folder, { recursive: true });
