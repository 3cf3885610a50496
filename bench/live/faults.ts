// Injects faults into live sessions on the loopback and prints what each session made of them: events and gaps of its log, whether
// the log can be read, how the program ended.
//   node bench/live/faults.ts <recording> <game> [--only name,name] [--seconds 14] [--keep folder]
// --keep: the folder in which the sessions and the log of detect stay.
// Needs ffmpeg and bash. Each case runs the command line in a process of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { EventLine, LogLine } from '../../src/events/log.ts';
import { loadLog } from '../../src/events/reader.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '14' },
    keep: { type: 'string' },
  },
});
const [recording = '', game = ''] = positionals;
const seconds = Number(values.seconds);
const root = join(import.meta.dirname, '../..');
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'playbyplay-faults-'));
const launcher = join(root, 'src/cli/launch.js');

/** What a network does to packets. */
interface Weather {
  /** Share of packets that are lost. */
  readonly loss: number;
  /** Milliseconds of delay, beyond the least, that vary from packet to packet: later ones overtake. */
  readonly jitter: number;
}

/** Numbers from 0 to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Passes UDP packets on in both directions, through bad weather. */
async function relayUdp(from: number, to: number, { loss, jitter }: Weather): Promise<Socket> {
  const random = createRandom(7);
  const socket = createSocket('udp4');
  let sender: number | undefined;
  socket.on('message', (packet, { port }) => {
    if (port !== to) sender = port;
    const target = port === to ? sender : to;
    if (target === undefined || random() < loss) return;
    setTimeout(() => socket.send(packet, target, '127.0.0.1', () => undefined), 5 + jitter * random());
  });
  await new Promise<void>((resolve) => void socket.bind(from, '127.0.0.1', resolve));
  socket.setRecvBufferSize(4 << 20);
  return socket;
}

/** Passes TCP connections on; `cut` breaks all of them. */
async function relayTcp(from: number, to: number): Promise<{ readonly server: Server; cut(): void }> {
  const open = new Set<{ destroy(): void }>();
  const server = createServer((client) => {
    const other = connect(to, '127.0.0.1');
    for (const one of [client, other]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => open.delete(one));
    }
    client.pipe(other).pipe(client);
  });
  await new Promise<void>((resolve) => void server.listen(from, '127.0.0.1', resolve));
  return {
    server,
    cut: () => {
      for (const one of open) one.destroy();
    },
  };
}

/** Lets ffmpeg send; tries again while the session does not listen yet. */
async function send(session: Session, to: readonly string[], from = 0, length = seconds): Promise<ChildProcess> {
  const input = ['-re', '-ss', String(from), '-t', String(length), '-i', recording];
  const known = session.connections();
  for (;;) {
    const child = spawn('ffmpeg', ['-v', 'quiet', ...input, '-map', '0:v', '-c', 'copy', ...to], { stdio: 'ignore' });
    const isGone = new Promise<'gone'>((resolve) => void child.once('exit', () => resolve('gone')));
    for (;;) {
      const state = await Promise.race([isGone, sleep(100)]);
      if (session.connections() > known || session.child.exitCode !== null) return child;
      if (state === 'gone') break;
    }
    await sleep(500);
  }
}

interface Session {
  readonly child: ChildProcess;
  readonly out: string;
  readonly ended: Promise<string>;
  /** How often it was connected so far. */
  connections(): number;
}

/** Starts a session. @param shell Before the command, in a shell. */
function start(name: string, source: readonly string[], shell = '', node: readonly string[] = []): Session {
  const out = join(folder, name);
  const args = [...node, launcher, 'live', ...source, '--game', game, '--out', out, '--quiet'];
  const child =
    shell === ''
      ? spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe'] })
      : spawn('bash', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...args], {
          stdio: ['pipe', 'ignore', 'pipe'],
        });
  let said = '';
  child.stderr.on('data', (text: Buffer) => void (said += text));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      const last = said.trim().split('\n').at(-1) ?? '';
      resolve(
        `${signal ?? `exit ${code}`}${code === 0 || code === null ? '' : `: ${last.replace(out, 'the folder')}`}`,
      );
    });
  });
  return { child, out, ended, connections: () => said.split('Watching').length - 1 };
}

/** Ends a session as Ctrl-C does. */
async function stop({ child, ended }: Session): Promise<string> {
  child.kill('SIGINT');
  return await ended;
}

function isThere(events: readonly EventLine[], text: string, t: number): boolean {
  return events.some((one) => one.text === text && Math.abs(one.t - t) < 0.1);
}

/** A part of the session, in seconds. */
interface Connection {
  readonly from: number;
  readonly to: number;
}

/** The connections of a log that goes to `last` seconds: between them are gaps. */
function findConnections(lines: readonly LogLine[], last: number): readonly Connection[] {
  const breaks = lines.filter((line) => line.type === 'gap').filter(({ reason }) => CONNECTION_ENDS.has(reason));
  return [0, ...breaks.map(({ end }) => end)].map((from, i) => ({ from, to: breaks[i]?.t ?? last }));
}

/** Seconds by which a connection began before the recording: a stream is joined at some keyframe, or sent from its middle. */
function findShift(events: readonly EventLine[]): number {
  let best = 0;
  let most = 0;
  for (const one of events)
    for (const { t, text } of detected) {
      if (text !== one.text) continue;
      const same = detected.filter((other) => isThere(events, other.text, other.t + one.t - t)).length;
      if (same > most) [best, most] = [one.t - t, same];
    }
  return best;
}

async function report(name: string, { out }: Pick<Session, 'out'>, ending: string): Promise<void> {
  const log = await loadLog(join(out, 'events.ndjson')).catch(() => undefined);
  const lines = log?.lines ?? [];
  const gaps = lines.flatMap((line) =>
    line.type === 'gap' ? [`${line.t.toFixed(1)}–${line.end.toFixed(1)} ${line.reason}`] : [],
  );
  const shown = gaps.length > 3 ? [...gaps.slice(0, 3), `and ${gaps.length - 3} more`] : gaps;
  const last = Math.max(0, ...lines.map((line) => ('end' in line ? line.end : 0)));
  const events = lines.filter((line) => line.type === 'event');
  const isMissing = (t: number): boolean =>
    lines.some((line) => line.type === 'gap' && t > line.t - NEAR_GAP && t < line.end + NEAR_GAP);
  const expected = findConnections(lines, last).flatMap(({ from, to }) => {
    const shift = findShift(events.filter(({ t }) => t >= from && t <= to));
    const sent = detected.map(({ t, text }) => ({ t: t + shift, text }));
    return sent.filter(({ t }) => t >= from && t <= to && !isMissing(t));
  });
  const found = expected.filter(({ t, text }) => isThere(events, text, t));
  for (const one of expected)
    if (!found.includes(one)) process.stderr.write(`${name}: not found at ${one.t.toFixed(2)} s: ${one.text}\n`);
  const count = log ? `${events.length} | ${found.length} of ${expected.length}` : 'unreadable | –';
  process.stdout.write(`| ${name} | ${count} | ${last.toFixed(1)} | ${shown.join('; ') || '–'} | ${ending} |\n`);
}

/** Reasons of the gaps between two connections. */
const CONNECTION_ENDS: ReadonlySet<string> = new Set([
  'the sender ended the connection',
  'the connection ended',
  'the program was not running',
]);
/** Seconds around a gap in which the confirmation of an event may be missing. */
const NEAR_GAP = 0.5;
const reference = join(folder, 'detect');
const range = ['--to', values.seconds, '--out', reference, '--quiet'];
spawnSync(process.execPath, [launcher, 'detect', recording, '--game', game, ...range]);
const detected = (await loadLog(join(reference, 'events.ndjson'))).lines.filter((line) => line.type === 'event');

let port = 9400 + (process.pid % 100) * 4;

/** Sends by UDP, which neither repeats nor sorts packets, through bad weather. */
async function sendUdp(
  name: string,
  title: string,
  weather: Weather,
  { protocol, format } = { protocol: 'udp', format: 'mpegts' },
): Promise<void> {
  // The next port is that of RTCP.
  const to = port + 400;
  const session = start(name, [`${protocol}://127.0.0.1:${to}`]);
  const relay = await relayUdp(port, to, weather);
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-g', '35'];
  await send(session, [...video, '-f', format, `${protocol}://127.0.0.1:${port}?pkt_size=1316`]);
  await sleep(1000 * seconds + 4000);
  await report(title, session, await stop(session));
  relay.close();
}

const cases: Readonly<Record<string, () => Promise<void>>> = {
  async none() {
    const at = port;
    const session = start('none', [`tcp://127.0.0.1:${at}`, '--listen']);
    await send(session, ['-f', 'mpegts', `tcp://127.0.0.1:${at}`]);
    await sleep(1000 * seconds + 2000);
    await report('none', session, await stop(session));
  },
  udp: () => sendUdp('udp', 'UDP, 0.1 % lost, a keyframe each second', { loss: 0.001, jitter: 0 }),
  reorder: () => sendUdp('reorder', 'UDP, 20 ms jitter with reordering', { loss: 0, jitter: 20 }),
  rtp: () =>
    sendUdp(
      'rtp',
      'RTP, 20 ms jitter with reordering',
      { loss: 0, jitter: 20 },
      { protocol: 'rtp', format: 'rtp_mpegts' },
    ),
  async srt() {
    const session = start('srt', [`srt://127.0.0.1:${port + 1}`, '--listen']);
    const relay = await relayUdp(port, port + 1, { loss: 0.05, jitter: 30 });
    await send(session, ['-f', 'mpegts', `srt://127.0.0.1:${port}?mode=caller&latency=300000`]);
    await sleep(1000 * seconds + 4000);
    await report('SRT, 5 % lost, 30 ms jitter with reordering', session, await stop(session));
    relay.close();
  },
  async cut() {
    const session = start('cut', [`tcp://127.0.0.1:${port + 1}`, '--listen']);
    const relay = await relayTcp(port, port + 1);
    const first = await send(session, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`]);
    await sleep(500 * seconds);
    relay.cut();
    first.kill();
    await sleep(2500);
    await send(session, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`], seconds / 2, seconds / 2);
    await sleep(500 * seconds + 2500);
    await report('TCP connection broken, again after 2.5 s', session, await stop(session));
    relay.server.close();
    relay.cut();
  },
  async suspend() {
    const session = start('suspend', [`tcp://127.0.0.1:${port}`, '--listen']);
    await send(session, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`]);
    await sleep(300 * seconds);
    session.child.kill('SIGSTOP');
    await sleep(8000);
    session.child.kill('SIGCONT');
    await sleep(700 * seconds + 2000);
    await report('suspended for 8 s (SIGSTOP) while the sender goes on', session, await stop(session));
  },
  async kill() {
    const first = start('kill', [`tcp://127.0.0.1:${port}`, '--listen']);
    const sender = await send(first, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`]);
    await sleep(600 * seconds);
    first.child.kill('SIGKILL');
    await first.ended;
    sender.kill();
    const before = readFileSync(join(first.out, 'events.ndjson'), 'utf8');
    const early = readFileSync(join(first.out, 'early.ndjson'), 'utf8');
    const second = start('kill', [`tcp://127.0.0.1:${port}`, '--listen']);
    await send(second, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`], seconds / 2, seconds / 2);
    await sleep(500 * seconds + 2000);
    const ending = await stop(second);
    // The header is the one line that changes: at the end it has the duration.
    const [, ...lines] = before.slice(0, before.lastIndexOf('\n') + 1).split('\n');
    const keepsLog = readFileSync(join(second.out, 'events.ndjson'), 'utf8').includes(lines.join('\n'));
    const keepsEarly = readFileSync(join(second.out, 'early.ndjson'), 'utf8').startsWith(early);
    await report(
      'killed (kill -9), started again',
      second,
      `${ending}; lines ${keepsLog && keepsEarly ? 'kept' : 'LOST'}`,
    );
  },
  async full() {
    // Blocks of 1024 bytes: about as many lines as a few events have.
    const session = start('full', [`tcp://127.0.0.1:${port}`, '--listen'], 'ulimit -f 6');
    await send(session, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`]);
    const ending = await Promise.race([session.ended, sleep(1000 * seconds + 8000).then(() => stop(session))]);
    await report('disk full (file size limited to 6 KiB)', session, ending);
  },
  async clock() {
    const back = 'const now = Date.now; setTimeout(() => { Date.now = () => now() - 3600000; }, 6000);';
    const hook = ['--import', `data:text/javascript,${encodeURIComponent(back)}`];
    const session = start('clock', [`tcp://127.0.0.1:${port}`, '--listen'], '', hook);
    await send(session, ['-f', 'mpegts', `tcp://127.0.0.1:${port}`]);
    await sleep(1000 * seconds + 2000);
    await report('clock of the machine set back by an hour', session, await stop(session));
  },
  async change() {
    // A third of the recording as it is, then smaller pictures, then another codec: one stream. Parts of whole seconds keep the
    // times of the frames, and so those of the samples, as in the recording.
    const third = Math.floor(seconds / 3);
    const parts = [
      ['-c', 'copy'],
      ['-vf', 'scale=960:540', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30'],
      ['-vf', 'scale=960:540', '-c:v', 'mpeg2video', '-b:v', '6M', '-g', '15'],
    ].map((codec, i) => {
      const path = join(folder, `part${i}.ts`);
      const input = ['-ss', String(i * third), '-t', String(third), '-i', recording];
      const shift = ['-output_ts_offset', String(i * third)];
      spawnSync('ffmpeg', ['-v', 'error', '-y', ...input, '-map', '0:v', ...codec, ...shift, '-f', 'mpegts', path], {
        stdio: 'inherit',
      });
      return path;
    });
    const session = start('change', ['-', '--read-all']);
    for (const part of parts) session.child.stdin?.write(readFileSync(part));
    session.child.stdin?.end();
    await report('smaller pictures after a third, another codec after two', session, await session.ended);
  },
};

process.stdout.write(
  '| fault | events | those of detect outside gaps | log goes to, s | gaps | end |\n|---|---|---|---|---|---|\n',
);
const only = values.only === '' ? Object.keys(cases) : values.only.split(',');
for (const name of only) {
  await cases[name]!();
  port += 2;
}
if (values.keep === undefined) rmSync(folder, { recursive: true });
process.exit();
