import { Frame } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { AudioEncoder, VideoEncoder } from '../src/media/write/encoder.ts';
import { Muxer } from '../src/media/write/muxer.ts';
import { Recording } from '../src/media/write/recording.ts';
import type { Rational } from '../src/time.ts';

export interface FlashClip {
  readonly width?: number;
  readonly height?: number;
  readonly frameRate?: Rational;
  readonly seconds?: number;
  /** Ticks (of 1/90000 s) of each frame, instead of a constant rate. */
  readonly times?: readonly number[];
  readonly quality?: number;
  /** Level of the noise that makes frames cost bits; 0 to 100. */
  readonly noise?: number;
  /** Frequency of the beeps, so that clips can be told apart by ear. */
  readonly pitch?: number;
  readonly sound?: boolean;
}

const BITS = 12;
const BEEP = 0.05;

/**
 * A clip whose every frame carries its number as 12 black and white blocks along its top, and on which, at each whole
 * second, the lower half flashes white for one frame while a beep of 50 ms begins.
 */
export async function writeFlashClip(path: string, clip: FlashClip = {}): Promise<void> {
  const { width = 320, height = 180, frameRate = { num: 30, den: 1 }, seconds = 6 } = clip;
  const timeBase = clip.times ? { num: 1, den: 90_000 } : { num: frameRate.den, den: frameRate.num };
  const count = clip.times?.length ?? Math.round((seconds * frameRate.num) / frameRate.den);
  const rate = 48_000;
  using muxer = new Muxer(path, path.endsWith('.mkv') ? 'matroska' : 'mp4');
  const streams: Parameters<Muxer['write']>[1][] = [];
  using video = new VideoEncoder({ width, height, timeBase, frameRate, quality: clip.quality ?? 18 }, (packet) =>
    muxer.write(packet, streams[0]!, timeBase),
  );
  using sound = new AudioEncoder(rate, (packet) => muxer.write(packet, streams[1]!, { num: 1, den: rate }));
  streams.push(muxer.addStream(video.context, timeBase, frameRate));
  if (clip.sound !== false) {
    streams.push(muxer.addStream(sound.context, { num: 1, den: rate }));
  }
  muxer.start();
  let flashed = -1;
  for (let n = 0; n < count; n++) {
    const ticks = clip.times?.[n] ?? n;
    const t = (ticks * timeBase.num) / timeBase.den;
    const flash = Math.floor(t + 1e-9) > flashed;
    if (flash) flashed = Math.floor(t + 1e-9);
    const picture = drawFrame(width, height, n, flash, clip.noise ?? 0);
    using frame = Frame.fromVideoBuffer(picture, { width, height, format: AV_PIX_FMT_YUV420P, timeBase });
    await video.encode(frame, BigInt(ticks));
  }
  await video.finish();
  if (clip.sound !== false) {
    const samples = beeps(
      Math.round(((clip.times ? clip.times.at(-1)! / 90_000 : seconds) + 0.1) * rate),
      rate,
      clip.pitch ?? 1000,
    );
    sound.encode(samples, samples);
    sound.finish();
  }
  muxer.finish();
}

function drawFrame(width: number, height: number, number: number, flash: boolean, noise: number): Buffer {
  const picture = Buffer.alloc((width * height * 3) / 2, 128);
  picture.fill(60, 0, width * height);
  const block = Math.floor(width / BITS);
  for (let bit = 0; bit < BITS; bit++) {
    const value = (number >> bit) & 1 ? 235 : 16;
    for (let y = 0; y < height / 6; y++) picture.fill(value, y * width + bit * block, y * width + (bit + 1) * block);
  }
  if (noise > 0)
    addNoise(picture.subarray(Math.floor(height / 4) * width, Math.floor(height / 2) * width), number, noise);
  if (flash) picture.fill(235, (height / 2) * width, width * height);
  return picture;
}

function addNoise(pixels: Uint8Array, number: number, level: number): void {
  let seed = number * 7919 + 1;
  for (let i = 0; i < pixels.length; i++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    pixels[i] = 60 + ((seed >>> 16) % level);
  }
}

function beeps(length: number, rate: number, pitch: number): Float32Array {
  const samples = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    const since = (i / rate) % 1;
    if (since < BEEP) samples[i] = 0.5 * Math.sin(2 * Math.PI * pitch * since);
  }
  return samples;
}

/** What a reading of a flash clip, or of a reel cut from some, shows. */
export interface SeenFrame {
  readonly t: number;
  readonly number: number;
  readonly flash: boolean;
}

/** Reads the number and the flash from every frame of a file. */
export function readFrames(path: string): SeenFrame[] {
  using recording = new Recording(path);
  const seen: SeenFrame[] = [];
  for (const { frame, pts } of recording.frames(recording.firstPts, 1n << 60n)) {
    const plane = frame.data![0]!;
    const stride = frame.linesize[0]!;
    const { width, height } = frame;
    const block = Math.floor(width / BITS);
    let number = 0;
    for (let bit = 0; bit < BITS; bit++) {
      if (plane[Math.floor(height / 12) * stride + bit * block + (block >> 1)]! > 125) number |= 1 << bit;
    }
    const flash = plane[Math.floor(height * 0.75) * stride + (width >> 1)]! > 150;
    seen.push({ t: recording.seconds(pts), number, flash });
  }
  return seen;
}

/** Seconds at which beeps begin: the first sample above a quarter of the beep's level after 100 ms below it. */
export function readBeeps(path: string, duration: number): number[] {
  using recording = new Recording(path);
  const rate = 48_000;
  const { left } = recording.readAudio(0, duration, rate);
  const starts: number[] = [];
  let quietSince = -rate;
  for (let i = 0; i < left.length; i++) {
    if (Math.abs(left[i]!) < 0.12) continue;
    if (i - quietSince > rate * 0.1) starts.push(i / rate);
    quietSince = i;
  }
  return starts;
}
