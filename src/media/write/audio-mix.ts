import type { AudioEncoder } from './encoder.ts';
import type { AudioTrack, Recording, StereoAudio } from './recording.ts';
import { secondsIn, type Timeline } from './timeline.ts';
import { type Music, prepareMusic } from './music.ts';
import { LoudnessMeter } from './loudness-meter.ts';

/** Samples per second of a reel's audio. */
export const AUDIO_SAMPLE_RATE = 48_000;

/** How a reel's audio is made. */
export interface AudioMixOptions {
  /** Which audio of the recordings to use; default their first track. */
  readonly audioTrack?: AudioTrack | undefined;
  /** Seconds of cross-fade at each joint; default 0.04. */
  readonly crossfade?: number | undefined;
  /** Peak limit in decibels below full scale; default −2.3, which leaves room for AAC. */
  readonly ceiling?: number | undefined;
  /** Integrated loudness in LUFS, with peaks limited; default −14, `false` to leave it as it is. */
  readonly loudness?: number | false | undefined;
  /** Music under, or over, the sound of the recordings. */
  readonly music?: Music | undefined;
}

/** A part of a recording's audio and its place in the reel, in seconds. */
interface AudioCut {
  readonly recording: Recording;
  readonly start: number;
  readonly end: number;
  /** Position in the reel. */
  readonly offset: number;
  /** Seconds of the recording per second of the reel; slower sound is deeper. Default 1. */
  readonly speed?: number;
}

/** Mixes the audio of a timeline, part by part. */
export function timelineAudio({ cuts, timeBase, length }: Timeline, options: AudioMixOptions): Iterable<StereoAudio> {
  const audioCuts = cuts.map((cut): AudioCut => {
    const start = cut.recording.seconds(cut.times[0]!);
    const { recording, speed } = cut;
    const end = start + secondsIn(cut.length, timeBase) * speed;
    return { recording, start, end, speed, offset: secondsIn(cut.offset, timeBase) };
  });
  const { loudness = -14, ceiling, crossfade } = options;
  const game = () => mixAudio(audioCuts, AUDIO_SAMPLE_RATE, crossfade);
  const { music } = options;
  const seconds = secondsIn(length, timeBase);
  const mix = music ? prepareMusic(game, music, seconds, AUDIO_SAMPLE_RATE) : game;
  return loudness === false ? mix() : normalizeLoudness(mix, AUDIO_SAMPLE_RATE, loudness, ceiling);
}

/**
 * Creates a function that gives the encoder audio up to a time, so that picture and audio reach the muxer side by side.
 */
export function createAudioFeed(encoder: AudioEncoder, parts: Iterable<StereoAudio>): (t: number) => void {
  const iterator = parts[Symbol.iterator]();
  let isDone = false;
  return (t) => {
    while (!isDone && encoder.position < t * encoder.rate) {
      const next = iterator.next();
      if (next.done) isDone = true;
      else encoder.encode(next.value.left, next.value.right);
    }
  };
}

/**
 * Joins parts of recordings without a gap or overlap in samples. Around a joint both are mixed with equal power: each
 * recording continues beyond its cut, so nothing shifts against the picture.
 *
 * @param rate Samples per second.
 * @param crossfade Seconds over which neighbours are mixed, half on either side of the joint.
 */
export function* mixAudio(cuts: readonly AudioCut[], rate: number, crossfade = 0.04): Generator<StereoAudio> {
  let tail: StereoAudio | undefined;
  for (const [index, cut] of cuts.entries()) {
    const previous = cuts[index - 1];
    const next = cuts[index + 1];
    const { speed = 1 } = cut;
    // From its place in the reel, so that rounding never adds up.
    const length = Math.round((cut.offset + (cut.end - cut.start) / speed) * rate) - Math.round(cut.offset * rate);
    const before = previous ? fadeSamples(previous, cut, crossfade, rate) : 0;
    const after = next ? fadeSamples(cut, next, crossfade, rate) : 0;
    const whole = readSamples(cut, -before, length + after, rate);
    const part = {
      left: whole.left.subarray(before, before + length),
      right: whole.right.subarray(before, before + length),
    };
    if (before > 0) fadeIn(whole, before, !isContinuous(previous, cut));
    else ramp(part, 0, Math.min(length, Math.round(rate * 0.005)), false);
    if (after > 0) fadeOut(whole, before + length, after, !isContinuous(cut, next));
    else ramp(part, length, Math.min(length, Math.round(rate * 0.02)), true);
    if (tail) add(part, tail, 0);
    if (next && after > 0) add(part, readHead(next, after, rate, !isContinuous(cut, next)), length - after);
    tail =
      after > 0 ? { left: whole.left.slice(before + length), right: whole.right.slice(before + length) } : undefined;
    yield part;
  }
}

/** Reads samples of the reel from a cut, counted from its beginning. More samples per second of slow sound make it deeper. */
function readSamples({ recording, start, speed = 1 }: AudioCut, from: number, to: number, rate: number): StereoAudio {
  return recording.readAudio(start + (from * speed) / rate, start + (to * speed) / rate, rate / speed);
}

/** Samples by which a cross-fade reaches beyond the joint of two cuts. */
function fadeSamples(a: AudioCut, b: AudioCut, crossfade: number, rate: number): number {
  const shortest = Math.min((a.end - a.start) / (a.speed ?? 1), (b.end - b.start) / (b.speed ?? 1));
  return Math.round((Math.min(crossfade, shortest) / 2) * rate);
}

function isContinuous(a: AudioCut | undefined, b: AudioCut | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.recording.path === b.recording.path && Math.abs(a.end - b.start) < 1e-3
  );
}

/** Reads the audio before a cut's joint, faded in. */
function readHead(cut: AudioCut, samples: number, rate: number, equalPower: boolean): StereoAudio {
  const whole = readSamples(cut, -samples, samples, rate);
  fadeIn(whole, samples, equalPower);
  return { left: whole.left.subarray(0, samples), right: whole.right.subarray(0, samples) };
}

/** Gain at `x` of 0…1 through a fade: equal power between different sounds, linear where one continues. */
function fadeGain(x: number, equalPower: boolean): number {
  return equalPower ? Math.sin((x * Math.PI) / 2) : x;
}

/** Fades in over the first 2·n samples, so that the joint lies in the middle of the fade. */
function fadeIn(audio: StereoAudio, n: number, equalPower: boolean): void {
  const length = Math.min(2 * n, audio.left.length);
  for (let i = 0; i < length; i++) applyGain(audio, i, fadeGain((i + 0.5) / (2 * n), equalPower));
}

/** Fades out over the 2·n samples around `joint`. */
function fadeOut(audio: StereoAudio, joint: number, n: number, equalPower: boolean): void {
  for (let i = Math.max(0, joint - n); i < Math.min(joint + n, audio.left.length); i++)
    applyGain(audio, i, fadeGain(1 - (i - (joint - n) + 0.5) / (2 * n), equalPower));
}

/** A short ramp at the reel's beginning or end, against clicks. */
function ramp(audio: StereoAudio, at: number, n: number, isEnd: boolean): void {
  for (let i = 0; i < n; i++) applyGain(audio, isEnd ? at - 1 - i : at + i, (i + 0.5) / n);
}

function applyGain({ left, right }: StereoAudio, i: number, gain: number): void {
  left[i]! *= gain;
  right[i]! *= gain;
}

function add(target: StereoAudio, source: StereoAudio, at: number): void {
  const n = Math.min(source.left.length, target.left.length - at);
  for (let i = 0; i < n; i++) {
    target.left[at + i]! += source.left[i]!;
    target.right[at + i]! += source.right[i]!;
  }
}

/** Default limit of peaks, in decibels relative to full scale. It leaves room for peaks between samples and for AAC. */
const DEFAULT_CEILING_DB = -2.3;
/** What is quieter than the target by more than this is meant to be quiet. */
const MAX_GAIN = 10 ** (24 / 20);
const MAX_PASSES = 5;
const TOLERANCE_LU = 0.1;

/**
 * Applies a gain and keeps samples under a ceiling: the gain falls within 5 ms before a peak that would exceed it and
 * recovers over 100 ms. `flush` returns what is held back for the look-ahead, so nothing is delayed.
 */
export class Limiter {
  readonly #gain: number;
  readonly #ceiling: number;
  readonly #lookAhead: number;
  readonly #recovery: number;
  #left: Float32Array = new Float32Array(0);
  #right: Float32Array = new Float32Array(0);
  #current: number;

  constructor(rate: number, gain: number, ceiling = 10 ** (DEFAULT_CEILING_DB / 20)) {
    this.#gain = gain;
    this.#ceiling = ceiling;
    this.#lookAhead = Math.round(rate * 0.005);
    this.#recovery = 1 - Math.exp(-1 / (0.1 * rate));
    this.#current = gain;
  }

  /** Adds samples; returns those that are finished. */
  push({ left, right }: StereoAudio): StereoAudio {
    this.#left = joined(this.#left, left);
    this.#right = joined(this.#right, right);
    return this.#take(Math.max(0, this.#left.length - this.#lookAhead));
  }

  /** Returns the samples that are left. */
  flush(): StereoAudio {
    return this.#take(this.#left.length);
  }

  #peaksOver(level: number): { at: number; peak: number }[] {
    const peaks: { at: number; peak: number }[] = [];
    for (let i = 0; i < this.#left.length; i++) {
      const peak = Math.max(Math.abs(this.#left[i]!), Math.abs(this.#right[i]!));
      if (peak > level) peaks.push({ at: i, peak });
    }
    return peaks;
  }

  #take(count: number): StereoAudio {
    const left = new Float32Array(count);
    const right = new Float32Array(count);
    const peaks = this.#peaksOver(this.#ceiling / this.#gain);
    let next = 0;
    for (let i = 0; i < count; i++) {
      while (next < peaks.length && peaks[next]!.at < i) next++;
      // The steepest descent that meets every peak ahead in time.
      let step = Math.max(0, this.#gain - this.#current) * this.#recovery;
      for (let h = next; h < peaks.length && peaks[h]!.at <= i + this.#lookAhead; h++) {
        const { at, peak } = peaks[h]!;
        if (peak * (this.#current + step) <= this.#ceiling) continue;
        step = Math.min(step, (this.#ceiling / peak - this.#current) / (at - i + 1));
      }
      this.#current += step;
      left[i] = this.#left[i]! * this.#current;
      right[i] = this.#right[i]! * this.#current;
    }
    this.#left = this.#left.slice(count);
    this.#right = this.#right.slice(count);
    return { left, right };
  }
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * Brings audio to an integrated loudness with limited peaks.
 *
 * @param createAudio Starts the audio from the beginning; called once per pass.
 * @param rate Samples per second.
 * @param target Integrated loudness in LUFS.
 * @param ceiling Limit of peaks in decibels relative to full scale.
 */
export function* normalizeLoudness(
  createAudio: () => Iterable<StereoAudio>,
  rate: number,
  target: number,
  ceiling = DEFAULT_CEILING_DB,
): Generator<StereoAudio> {
  let gain = 1;
  // Limiting reduces loudness, so the gain is corrected by measuring the result.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const meter = new LoudnessMeter(rate);
    for (const part of pass === 0 ? createAudio() : limited(createAudio(), rate, gain, ceiling)) meter.add(part);
    const measured = meter.integrated;
    if (measured === undefined || Math.abs(target - measured) < TOLERANCE_LU) break;
    gain = Math.min(gain * 10 ** ((target - measured) / 20), MAX_GAIN);
  }
  yield* limited(createAudio(), rate, gain, ceiling);
}

function* limited(audio: Iterable<StereoAudio>, rate: number, gain: number, ceiling: number): Generator<StereoAudio> {
  const limiter = new Limiter(rate, gain, 10 ** (ceiling / 20));
  for (const part of audio) yield limiter.push(part);
  yield limiter.flush();
}
