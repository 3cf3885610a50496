// Runs a live session of many hours in compressed time: ffmpeg sends a recording over and over on standard input, as fast as the
// session reads it, with everything on: log, server with a listener, ring buffer with clips. Memory, open files and threads are
// written to a table each ten minutes of the stream.
//   node bench/live/soak.ts <recording> <game> <table.csv> [--hours 10] [--offset 80000]
// --offset: seconds at which the clock of the stream begins; that of MPEG-TS starts anew at 95443 s. Needs ffmpeg.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LiveUses } from '../../src/live/uses.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { recordLive } from '../../src/pipeline/live/record-live.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { hours: { type: 'string', default: '10' }, offset: { type: 'string', default: '80000' } },
});
const [recording = '', name = '', table = ''] = positionals;
const seconds = 3600 * Number(values.hours);
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-soak-'));
const input = ['-stream_loop', '-1', '-i', recording, '-map', '0:v', '-t', String(seconds)];
const output = ['-c', 'copy', '-output_ts_offset', values.offset, '-f', 'mpegts', 'pipe:1'];
const sender = spawn('ffmpeg', ['-v', 'error', ...input, ...output], { stdio: ['ignore', 'pipe', 'inherit'] });
const game = await openGame(name);
const uses = await LiveUses.open({
  game: game.profile.game,
  dictionary: game.dictionary,
  folder,
  triggers: {
    format: 'playbyplay/triggers/1',
    triggers: [{ query: 'player dies', pause: 1800, do: [{ action: 'clip', before: 5, after: 1 }] }],
  },
  server: { port: 0 },
  onProblem: (message) => void process.stderr.write(`${message}\n`),
});
const listener = new AbortController();
const response = await fetch(`${uses.server!.address}/events`, { signal: listener.signal });
let heard = 0;
void (async () => {
  for await (const part of response.body!) heard += part.length;
})().catch(() => undefined);

let events = 0;
let early = 0;
let gaps = 0;
let next = 0;
const started = performance.now();
writeFileSync(table, 'hours,seconds,cpu,rss,heap,external,files,threads,events,early,gaps,heard\n');
const messages = recordLive(parseLiveSource('-'), game, {
  out: folder,
  stdin: sender.stdout,
  readsAll: true,
  onPacket: (packet) => uses.keep(packet),
});
for await (const message of messages) {
  uses.add(message);
  if (message.type === 'event') events++;
  else if (message.type === 'early') early++;
  else if (message.type === 'gap') gaps++;
  if (message.type !== 'progress' || message.done < next) continue;
  next = 600 * (Math.floor(message.done / 600) + 1);
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const row = [
    (message.done / 3600).toFixed(2),
    ((performance.now() - started) / 1000).toFixed(0),
    ((user + system) / 1e6).toFixed(0),
    ...[rss, heapUsed, external].map((bytes) => (bytes / 2 ** 20).toFixed(1)),
    readdirSync('/proc/self/fd').length,
    /Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1],
    events,
    early,
    gaps,
    heard,
  ];
  appendFileSync(table, `${row.join(',')}\n`);
}
listener.abort();
await uses[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });
process.exit();
