// Streams a recording over a simulated network while a live session watches what arrives, and lets the session adjust the stream:
// an encoder runs in real time, the network loses and delays its frames, the frame log is written as frames go, and settings come
// back by Server-Sent Events. Both ways, with constant settings and adjusted, go over the same network.
//   node bench/live/adjust.ts <recording> <game> [--network mobile] [--seed 5] [--seconds 60] [--bitrate 8M] [--json]
// Prints the quality of the stream and the events that were seen. The recording has 30 pictures a second and is repeated where it
// is shorter. Needs ffmpeg.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Codec, CodecContext, FormatContext, Frame, Log, Packet, Rational, type Stream } from 'node-av/lib';
import {
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  FF_ENCODER_LIBX264,
} from 'node-av/constants';
import { bitrate as parseBitrate } from '../../src/cli/options.ts';
import { describeSettings, type StreamSettings } from '../../src/quality/control/settings.ts';
import { makeScenario, type Network, StreamSimulator } from '../../src/quality/control/simulation.ts';
import { scoreFiles } from '../../src/quality/score.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    network: { type: 'string', default: 'mobile' },
    seed: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    bitrate: { type: 'string', default: '8M' },
    json: { type: 'boolean', default: false },
  },
});
Log.setLevel(AV_LOG_QUIET);
const [recording = '', game = ''] = positionals;
const seconds = Number(values.seconds);
const launcher = join(import.meta.dirname, '../../src/cli/launch.js');
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-adjust-'));
const FPS = 30;
const START: StreamSettings = {
  bitrate: parseBitrate(values.bitrate),
  width: 1280,
  height: 720,
  fps: FPS,
  preset: 'veryfast',
};
const TICKS = 90_000;

/** Decodes the recording in the size that is asked for, a picture of 1/30 s after the other. */
class PictureSource {
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  #pictures: AsyncGenerator<Buffer, void, undefined> | undefined;
  #size = '';
  #read = 0;

  async next({ width, height }: StreamSettings): Promise<Buffer> {
    if (this.#size !== `${width}x${height}`) this.#start(width, height);
    this.#read++;
    const { value } = await this.#pictures!.next();
    if (!value) throw new Error('ffmpeg gives no more pictures');
    return value;
  }

  #start(width: number, height: number): void {
    this.stop();
    this.#size = `${width}x${height}`;
    const input = ['-stream_loop', '-1', '-i', recording, '-ss', String(this.#read / FPS), '-s', this.#size];
    this.#child = spawn('ffmpeg', ['-v', 'error', ...input, '-pix_fmt', 'yuv420p', '-f', 'rawvideo', 'pipe:1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#pictures = splitPictures(this.#child.stdout, (width * height * 3) / 2);
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
  }
}

/** Yields pieces of `length` bytes. */
async function* splitPictures(stream: Readable, length: number): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size < length) continue;
    let rest = Buffer.concat(pieces);
    for (; rest.length >= length; rest = rest.subarray(length)) yield rest.subarray(0, length);
    pieces = [rest];
    size = rest.length;
  }
}

function check(code: number, what: string): void {
  if (code < 0) throw new Error(`${what}: ${code}`);
}

/** An encoder as streaming programs use it: every frame comes out at once, and the bitrate changes while it runs. */
class LiveEncoder {
  #context: CodecContext | undefined;
  #settings: StreamSettings | undefined;
  readonly #frame = new Frame();
  readonly packet = new Packet();

  constructor() {
    this.packet.alloc();
  }

  get context(): CodecContext {
    return this.#context!;
  }

  /** Encodes a picture to `packet`, and returns its size in bytes. */
  encode(settings: StreamSettings, picture: Buffer, milliseconds: number, isKey: boolean): number {
    if (settings !== this.#settings) this.#configure(settings);
    const frame = this.#frame;
    frame.alloc();
    frame.width = settings.width;
    frame.height = settings.height;
    frame.format = AV_PIX_FMT_YUV420P;
    check(frame.fromBuffer(picture), 'picture');
    frame.pts = BigInt(Math.round((milliseconds * TICKS) / 1000));
    frame.pictType = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    check(this.context.sendFrameSync(frame), 'send');
    frame.unref();
    this.packet.unref();
    check(this.context.receivePacketSync(this.packet), 'receive');
    return this.packet.size;
  }

  #configure(settings: StreamSettings): void {
    const { width, height, fps, bitrate } = settings;
    const isSame = this.#settings?.width === width && this.#settings.height === height && this.#settings.fps === fps;
    this.#settings = settings;
    if (isSame) {
      // x264 takes a new rate while it runs.
      this.context.bitRate = BigInt(bitrate);
      this.context.rcMaxRate = BigInt(bitrate);
      this.context.rcBufferSize = bitrate / 4;
      return;
    }
    this.#context?.freeContext();
    const codec = Codec.findEncoderByName(FF_ENCODER_LIBX264)!;
    const context = new CodecContext();
    context.allocContext3(codec);
    context.width = width;
    context.height = height;
    context.pixelFormat = AV_PIX_FMT_YUV420P;
    context.timeBase = new Rational(1, TICKS);
    context.framerate = new Rational(fps, 1);
    context.gopSize = 2 * fps;
    context.bitRate = BigInt(bitrate);
    context.rcMaxRate = BigInt(bitrate);
    context.rcBufferSize = bitrate / 4;
    context.threadCount = 1;
    for (const [key, value] of Object.entries({ preset: 'veryfast', tune: 'zerolatency' }))
      check(context.setOption(key, value), key);
    check(context.open2Sync(codec), 'encoder');
    this.#context = context;
  }
}

/** Writes packets to a growing file, each at once. */
class GrowingFile {
  readonly #format = new FormatContext();
  #stream: Stream | undefined;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  write(packet: Packet, encoder: CodecContext): void {
    this.#stream ??= this.#open(encoder);
    packet.streamIndex = this.#stream.index;
    packet.rescaleTs(encoder.timeBase, this.#stream.timeBase);
    check(this.#format.writeFrameSync(packet), 'write');
    this.#format.pb?.flushSync();
  }

  #open(encoder: CodecContext): Stream {
    check(this.#format.allocOutputContext2(null, 'mpegts', this.#path), 'muxer');
    const stream = this.#format.newStream();
    check(stream.codecpar.fromContext(encoder), 'parameters');
    stream.timeBase = encoder.timeBase;
    check(this.#format.openOutputSync(), 'open');
    check(this.#format.writeHeaderSync(), 'header');
    return stream;
  }

  close(): void {
    check(this.#format.writeTrailerSync(), 'trailer');
    this.#format.closeOutputSync();
  }
}

/** Streams once, and returns what the session said and how good the stream was. */
async function run(name: string, adjusts: boolean) {
  const [video, frames, out] = ['ts', 'ndjson', 'playbyplay'].map((end) => join(folder, `${name}.${end}`));
  const { fps, width, height, bitrate: targetBitrate } = START;
  writeFileSync(frames!, `${JSON.stringify({ fps, width, height, targetBitrate })}\n`);
  const adjust = adjusts ? ['--adjust', '500k-20M'] : [];
  const args = [video!, '--game', game, '--out', out!, '--frames', frames!, ...adjust, '--http', '0', '--idle', '5s'];
  const live = spawn(process.execPath, [launcher, 'live', ...args, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  live.stdout.resume();
  const simulator = new StreamSimulator(makeScenario(Number(values.seed), seconds, values.network as Network), START);
  const decisions: string[] = [];
  const listening = new AbortController();
  void (async () => {
    const address = await addressIn(live.stderr);
    const { body } = await fetch(`${address}/events`, { signal: listening.signal });
    let text = '';
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks.filter((one) => one.startsWith('event: settings'))) {
        const message = JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as { settings: StreamSettings; text: string };
        decisions.push(`${simulator.t.toFixed(1)} s: ${message.text}`);
        simulator.apply(message.settings);
      }
    }
  })().catch(() => undefined);
  const [source, encoder, file] = [new PictureSource(), new LiveEncoder(), new GrowingFile(video!)];
  const begin = performance.now();
  let picture = await source.next(START);
  let isKeyNeeded = true;
  let behind = 0;
  for (;;) {
    const settings = simulator.settings;
    const record = simulator.next((now, captured) => 8 * encoder.encode(now, picture, captured, isKeyNeeded));
    if (!record) break;
    // What arrives is written when it arrives; frames after a lost one cannot be decoded until the next keyframe.
    const arrival = record.received === undefined ? record.captured! : record.received - 4_000_000;
    const wait = begin + arrival - performance.now();
    behind = Math.max(behind, -wait);
    if (wait > 0) await sleep(wait);
    if (record.encoded !== undefined) {
      const hasArrived = record.decoded !== undefined;
      if (hasArrived && (!isKeyNeeded || encoder.packet.isKeyframe)) {
        file.write(encoder.packet, encoder.context);
        isKeyNeeded = false;
      } else isKeyNeeded = true;
    }
    appendFileSync(frames!, `${JSON.stringify(record)}\n`);
    for (let i = FPS / settings.fps; i > 0; i--) picture = await source.next(simulator.settings);
  }
  source.stop();
  file.close();
  await once(live, 'close');
  listening.abort();
  const [scored] = await scoreFiles([frames!]);
  const log = readFileSync(join(out!, 'events.ndjson'), 'utf8');
  return {
    name,
    total: Math.round(10 * (scored!.quality.total ?? 0)) / 10,
    lost: simulator.lost,
    megabits: Math.round(simulator.sentBits / seconds / 1e5) / 10,
    events: log.split('\n').filter((line) => line.startsWith('{"type":"event"')).length,
    settings: describeSettings(simulator.settings),
    secondsBehind: Math.round(behind) / 1000,
    decisions,
  };
}

/** The address that a session prints. */
async function addressIn(stderr: Readable): Promise<string> {
  let text = '';
  return await new Promise((resolve, reject) => {
    stderr.on('data', (piece) => {
      text += String(piece);
      const [, address] = /Overlay: (\S+)\/overlay/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    stderr.once('end', () => reject(new Error(`the session has ended: ${text}`)));
  });
}

const results = [await run('constant', false), await run('adjusted', true)];
rmSync(folder, { recursive: true });
if (values.json) console.log(JSON.stringify({ load: loadavg()[0], results }, undefined, 2));
else {
  console.log(`${values.network}, seed ${values.seed}, ${seconds} s, load ${loadavg()[0]!.toFixed(1)}`);
  for (const { decisions, ...row } of results) {
    console.log(
      Object.entries(row)
        .map(([key, value]) => `${key} ${value}`)
        .join(', '),
    );
    for (const decision of decisions) console.log(`  ${decision}`);
  }
}
