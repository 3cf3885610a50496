// Lets the program watch a recording by every kind of source that this machine has, and compares the events with those of `detect`.
//   node bench/live/sources.ts <recording> <game> [--seconds 14] [--only http,hls,rtsp,rtp,screen,window,camera,stdin,mkv]
// Needs ffmpeg; `rtsp` needs the Debian packages python3-gi, gir1.2-gst-rtsp-server-1.0 and gstreamer1.0-plugins-good (-bad);
// `screen` and `window` need Xvfb, ffplay and xwininfo.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadLog } from '../../src/events/reader.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, seconds: { type: 'string', default: '14' } },
});
const [recording = '', game = ''] = positionals;
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-sources-'));
const launcher = join(import.meta.dirname, '../../src/cli/launch.js');
const clip = join(folder, 'clip.mp4');
spawnSync('ffmpeg', ['-v', 'error', '-i', recording, '-t', values.seconds, '-map', '0:v', '-c', 'copy', clip]);
let port = 9700 + (process.pid % 50) * 4;
const children: ChildProcess[] = [];

function run(command: string, args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  const child = spawn(command, args, { stdio: [stdin, 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

function ffmpeg(...output: readonly string[]): ChildProcess {
  return run('ffmpeg', ['-v', 'error', '-re', '-i', clip, ...output]);
}

const copy = ['-c', 'copy'];
/** Seconds that a session may take to begin where other programs use the machine. */
const MAX_START_SECONDS = 20;

interface Watched {
  readonly child: ChildProcess;
  readonly out: string;
  readonly said: () => string;
  readonly ended: Promise<string>;
}

function watch(name: string, source: readonly string[], env: Readonly<Record<string, string>> = {}): Watched {
  const out = join(folder, name);
  const child = spawn(process.execPath, [launcher, 'live', ...source, '--game', game, '--out', out, '--quiet'], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  let said = '';
  child.stderr!.on('data', (text: Buffer) => void (said += text));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code) => resolve(code === 0 ? 'exit 0' : `exit ${code}: ${said.trim().split('\n').at(-1)}`));
  });
  return { child, out, said: () => said, ended };
}

/** Ends a session when its connection is over. */
async function stopWhenLost({ child, ended, said }: Watched): Promise<string> {
  const patience = performance.now() + 1000 * (seconds + MAX_START_SECONDS);
  while (child.exitCode === null && !said().includes('Lost:') && performance.now() < patience) await sleep(100);
  child.kill('SIGINT');
  return await ended;
}

async function countEvents(out: string) {
  const log = await loadLog(join(out, 'events.ndjson')).catch(() => undefined);
  const lines = log?.lines ?? [];
  return {
    events: lines.filter(({ type }) => type === 'event').length,
    last: Math.max(0, ...lines.map((line) => ('end' in line ? line.end : 0))),
    gaps: lines.flatMap((line) =>
      line.type === 'gap' ? [`${line.t.toFixed(1)}–${line.end.toFixed(1)} ${line.reason}`] : [],
    ),
  };
}

/** A display of its own that shows the recording. */
async function withScreen(watchIt: (display: string) => Promise<void>): Promise<void> {
  const display = `:${60 + (process.pid % 30)}`;
  const server = run('Xvfb', [display, '-screen', '0', '1280x720x24']);
  await sleep(1500);
  await watchIt(display);
  server.kill();
}

function play(display: string): ChildProcess {
  // A still first picture meanwhile: the session needs a second or two to start. (ffplay's own filters make it leave out pictures.)
  const padded = join(folder, 'padded.mkv');
  const still = [
    '-vf',
    'tpad=start_mode=clone:start_duration=6',
    '-an',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-crf',
    '10',
  ];
  spawnSync('ffmpeg', ['-v', 'error', '-y', '-i', clip, ...still, padded]);
  const args = ['-v', 'error', '-autoexit', '-noborder', '-left', '0', '-top', '0', '-window_title', 'playbyplay'];
  const child = spawn('ffplay', [...args, padded], {
    env: { ...process.env, DISPLAY: display, SDL_AUDIODRIVER: 'dummy' },
    stdio: 'ignore',
  });
  children.push(child);
  return child;
}

const RTSP_SERVER = `
import gi, sys
gi.require_version('Gst', '1.0'); gi.require_version('GstRtspServer', '1.0')
from gi.repository import Gst, GstRtspServer, GLib
Gst.init(None)
server = GstRtspServer.RTSPServer(); server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch('( filesrc location=%s ! qtdemux ! h264parse config-interval=-1 ! rtph264pay name=pay0 pt=96 )' % sys.argv[2])
server.get_mount_points().add_factory('/game', factory); server.attach(None)
GLib.MainLoop().run()
`;

const cases: Readonly<Record<string, () => Promise<Watched & { readonly ending: string }>>> = {
  async stdin() {
    const session = watch('stdin', ['-']);
    ffmpeg(...copy, '-f', 'matroska', 'pipe:1').stdout!.pipe(session.child.stdin!);
    return { ...session, ending: await session.ended };
  },
  async mkv() {
    const path = join(folder, 'growing.mkv');
    ffmpeg(...copy, path);
    await sleep(1000);
    const session = watch('mkv', [path, '--idle', '4']);
    return { ...session, ending: await session.ended };
  },
  async http() {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'video/mp2t' });
      ffmpeg(...copy, '-f', 'mpegts', 'pipe:1').stdout!.pipe(response);
    });
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    const session = watch('http', [`http://127.0.0.1:${port}/live`]);
    const ending = await stopWhenLost(session);
    server.close();
    return { ...session, ending };
  },
  async hls() {
    const server = createServer((request, response) => {
      const file = createReadStream(join(folder, 'hls', request.url ?? ''));
      file.on('error', () => response.writeHead(404).end()).pipe(response);
    });
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    spawnSync('mkdir', ['-p', join(folder, 'hls')]);
    const list = ['-f', 'hls', '-hls_time', '2', '-hls_list_size', '0', '-hls_playlist_type', 'event'];
    ffmpeg(...copy, ...list, join(folder, 'hls', 'live.m3u8'));
    await sleep(5000);
    const session = watch('hls', [`http://127.0.0.1:${port}/live.m3u8`]);
    const ending = await stopWhenLost(session);
    server.close();
    return { ...session, ending };
  },
  async rtsp() {
    run('/usr/bin/python3', ['-c', RTSP_SERVER, String(port), clip]);
    await sleep(2000);
    const session = watch('rtsp', [`rtsp://127.0.0.1:${port}/game`]);
    return { ...session, ending: await stopWhenLost(session) };
  },
  async rtp() {
    const session = watch('rtp', [`rtp://127.0.0.1:${port}`, '--stall', '5']);
    await sleep(3000);
    ffmpeg(...copy, '-f', 'rtp_mpegts', `rtp://127.0.0.1:${port}?pkt_size=1316`);
    return { ...session, ending: await stopWhenLost(session) };
  },
  async screen() {
    let session: Watched | undefined;
    let ending = '';
    await withScreen(async (display) => {
      const player = play(display);
      await sleep(1500);
      session = watch('screen', [`screen:${display}`, '--size', '1280x720', '--fps', '35']);
      await Promise.race([new Promise((resolve) => void player.once('exit', resolve)), sleep(1000 * (seconds + 30))]);
      session.child.kill('SIGINT');
      ending = await session.ended;
    });
    return { ...session!, ending };
  },
  async window() {
    let session: Watched | undefined;
    let ending = '';
    await withScreen(async (display) => {
      play(display);
      let id: string | undefined;
      for (let i = 0; i < 100 && !id; i++) {
        await sleep(200);
        const args = ['-name', 'playbyplay', '-display', display];
        id = /Window id: (0x[\da-f]+)/.exec(spawnSync('xwininfo', args, { encoding: 'utf8' }).stdout)?.[1];
      }
      session = watch('window', [`window:${id}`, '--fps', '35'], { DISPLAY: display });
      ending = await stopWhenLost(session);
    });
    return { ...session!, ending };
  },
  async camera() {
    const session = watch('camera', ['camera:/dev/video0']);
    return { ...session, ending: await session.ended };
  },
};

const reference = join(folder, 'detect');
spawnSync(process.execPath, [launcher, 'detect', clip, '--game', game, '--out', reference, '--quiet']);
process.stdout.write('| source | events | log goes to, s | gaps | end |\n|---|---|---|---|---|\n');
process.stdout.write(`| detect | ${(await countEvents(reference)).events} | | | |\n`);
const only = values.only === '' ? Object.keys(cases) : values.only.split(',');
for (const name of only) {
  const { out, ending } = await cases[name]!();
  const { events, last, gaps } = await countEvents(out);
  process.stdout.write(`| ${name} | ${events} | ${last.toFixed(1)} | ${gaps.join('; ') || '–'} | ${ending} |\n`);
  for (const child of children.splice(0)) child.kill();
  port += 2;
}
rmSync(folder, { recursive: true, force: true });
process.exit();
