// Measures a live session from glass to glass: ffmpeg draws the time of day into every picture of a recording, encodes it as a
// streaming program does, and sends it; the session reads the time from the picture with the rest of the game's HUD, and the
// difference to the time at which it states it is the delay of everything: encoder, container, network, decoder, reading.
//   node bench/live/glass.ts <recording> <game> [--source srt] [--seconds 20] [--fps 60] [--encoder low|usual] [--json]
// --fps 60 repeats the pictures of a slower recording, except for the clock. --encoder usual: with B-frames and lookahead.
// Needs ffmpeg and the font DejaVu Sans Mono.
import { execFileSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isPropertyStatement } from '../../src/events/statement.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { watch } from '../../src/pipeline/live/watch.ts';
import { createSender, histogram, quantile, type SourceName } from './senders.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', default: 'srt' },
    seconds: { type: 'string', default: '20' },
    fps: { type: 'string', default: '60' },
    encoder: { type: 'string', default: 'low' },
    port: { type: 'string', default: '9160' },
    json: { type: 'boolean', default: false },
  },
});
const [recording = '', game = ''] = positionals;
const name = values.source as SourceName;
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-glass-'));

/** At this size the digits of the font are 50 pixels apart. */
const FONT = 'fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf:fontsize=83:fontcolor=white';
const PITCH = 50;
const HEIGHT = 84;
/** Pixels above the digits. */
const TOP = 10;
/** Hours, minutes, seconds, milliseconds. */
const DIGITS = 9;
const CLOCK = { x: 400, y: 250 };

/** A copy of the game's pack that also reads the clock. */
function makePack(): string {
  const pack = join(folder, 'pack');
  const config = join('configs', game);
  for (const part of [config, `scripts/${game}.js`, join('scripts', game), `dictionary/${game}.json`])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(pack, part), { recursive: true });
  const sheet = join(folder, 'digits.png');
  const digits = `drawtext=${FONT}:text=0123456789:x=0:y=${TOP}`;
  const size = `${10 * PITCH}x${HEIGHT}`;
  run(
    'ffmpeg',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    `color=black:s=${size}:d=1:r=1`,
    '-vf',
    digits,
    '-frames:v',
    '1',
    sheet,
  );
  mkdirSync(join(pack, config, 'fonts'), { recursive: true });
  const atlas = join(pack, config, 'fonts', 'clock.json');
  const cells = ['--sheet', sheet, '--columns', '10', '--rows', '1', '--first', '48', '--chars', '0123456789'];
  const form = ['--pitch', String(PITCH), '--height', String(HEIGHT), '--width', String(PITCH)];
  run(process.execPath, join(root, 'src/cli/launch.js'), 'profile', 'glyphs', game, ...cells, ...form, '--out', atlas);
  const path = join(pack, config, 'profile.json');
  const profile = JSON.parse(readFileSync(path, 'utf8'));
  const { width, height } = profile.reference;
  profile.regions['drawn clock'] = {
    x: CLOCK.x / width,
    y: (CLOCK.y - TOP) / height,
    width: (DIGITS * PITCH) / width,
    height: HEIGHT / height,
  };
  profile.detectors['drawn clock'] = {
    kind: 'text',
    region: 'drawn clock',
    atlas: 'fonts/clock.json',
    interval: 0.05,
    stability: { samples: 1, confidence: 0.6 },
    plausible: { pattern: `\\d{${DIGITS}}` },
  };
  profile.events = [
    ...(profile.events ?? []),
    {
      on: { detector: 'drawn clock', trigger: 'changed' },
      statement: { subject: 'match', property: 'time of day', from: '$previous', to: '$value' },
    },
  ];
  writeFileSync(path, JSON.stringify(profile));
  return pack;
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Milliseconds of the day that the digits HHMMSSmmm name. */
function millisecondsOf(text: string): number {
  const [, hours, minutes, seconds, rest] = /^(\d\d)(\d\d)(\d\d)(\d{3})$/.exec(text.padStart(DIGITS, '0'))!;
  return 1000 * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)) + Number(rest);
}

const drawn = `drawtext=${FONT}:text='%{gmtime\\:%H%M%S%3N}':x=${CLOCK.x}:y=${CLOCK.y}:box=1:boxcolor=black:boxborderw=12`;
const rate = ['-b:v', '6M', '-maxrate', '6M', '-bufsize', '6M', '-g', '120'];
const encoder =
  values.encoder === 'low'
    ? ['-preset', 'ultrafast', '-tune', 'zerolatency', ...rate]
    : ['-preset', 'superfast', '-bf', '2', ...rate];
const { source, listens, start } = createSender(name, {
  input: ['-re', '-stream_loop', '-1', '-i', recording, '-t', values.seconds],
  codec: ['-vf', `fps=${values.fps},${drawn}`, '-c:v', 'libx264', '-threads', '1', '-pix_fmt', 'yuv420p', ...encoder],
  folder,
  port: Number(values.port),
});
const opened = await openGame(makePack());
const stop = new AbortController();
const delays: number[] = [];
/** `performance.now()` at which a sentence was stated, by the time of its sample; and when the packets of samples arrived. */
const stated = new Map<number, number>();
const arrivals = new Map<number, number>();
let misread = 0;
let left = 0;
let samples = 0;
const begin = (): ChildProcess => {
  const child = start();
  child.once('exit', () => setTimeout(() => stop.abort(), 2500));
  return child;
};
let sender: ChildProcess | undefined = listens || name === 'udp' ? undefined : begin();
if (!sender) setTimeout(() => void (sender = begin()), 2000);
if (name === 'file') await sleep(1000);
let first: number | undefined;
const messages = watch(parseLiveSource(source, { listen: listens }), opened, {
  identity: '0'.repeat(32),
  idleSeconds: 3,
  signal: stop.signal,
  ...(sender?.stdout && { stdin: sender.stdout }),
  onSample: ({ t, arrived, left: count }) => {
    left = count;
    samples++;
    arrivals.set(t, arrived);
  },
});
try {
  for await (const message of messages) {
    if (message.type !== 'early' || !isPropertyStatement(message.statement)) continue;
    const { property, to } = message.statement;
    if (property !== 'time of day') continue;
    first ??= message.t;
    if (message.t < first + 3) continue;
    const delay = (Date.now() % 86_400_000) - millisecondsOf(String(to));
    if (delay < 0 || delay > 60_000) misread++;
    else {
      delays.push(delay);
      stated.set(message.t, performance.now());
    }
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
sender?.kill();
rmSync(folder, { recursive: true });
const own = [...stated].flatMap(([t, now]) => (arrivals.has(t) ? [now - arrivals.get(t)!] : []));
const summary = {
  source: name,
  fps: Number(values.fps),
  encoder: values.encoder,
  load: Number(loadavg()[0]!.toFixed(1)),
  n: delays.length,
  p50: Math.round(quantile(delays, 0.5)),
  p95: Math.round(quantile(delays, 0.95)),
  max: Math.round(quantile(delays, 1)),
  ownP50: Math.round(quantile(own, 0.5)),
  ownP95: Math.round(quantile(own, 0.95)),
  misread,
  samples,
  left,
  histogram: histogram(delays, [50, 100, 200, 300, 500, 1000, Number.POSITIVE_INFINITY]),
};
process.stdout.write(
  values.json
    ? `${JSON.stringify(summary)}\n`
    : `${name}, ${values.fps} pictures a second, encoder ${values.encoder}; load of the machine ${summary.load}\n` +
        `glass to sentence, ms: n ${summary.n}, p50 ${summary.p50}, p95 ${summary.p95}, max ${summary.max}; ${summary.histogram}\n` +
        `of that since the packet arrived, ms: p50 ${summary.ownP50}, p95 ${summary.ownP95}\n` +
        `clocks misread ${misread}, samples read ${samples}, left out ${left}\n`,
);
process.exit();
