import type { AudioEncoder } from './encoder.ts';
import { normalizeLoudness } from './loudness.ts';
import type { AudioTrack, Recording, StereoAudio } from './recording.ts';
import { secondsIn, type Timeline } from './timeline.ts';

/** Samples per second of a reel's audio. */
export const AUDIO_SAMPLE_RATE = 48_000;

/** How a reel's audio is made. */
export interface AudioMixOptions {
  /** Which audio of the recordings to use; default their first track. */
  readonly audioTrack?: AudioTrack;
  /** Seconds of cross-fade at each joint; default 0.04. */
  readonly crossfade?: number;
  /** Peak limit in decibels below full scale; default −2.3, which leaves room for AAC. */
  readonly ceiling?: number;
  /** Integrated loudness in LUFS, with peaks limited; default −14, `false` to leave it as it is. */
  readonly loudness?: number | false;
}

/** A part of a recording's audio and its place in the reel, in seconds. */
export interface AudioCut {
  readonly recording: Recording;
  readonly start: number;
  readonly end: number;
  /** Position in the reel. */
  readonly offset: number;
}

/** Mixes the audio of a timeline, part by part. */
export function timelineAudio({ cuts, timeBase }: Timeline, options: AudioMixOptions): Iterable<StereoAudio> {
  const audioCuts = cuts.map((cut): AudioCut => {
    const start = cut.recording.seconds(cut.times[0]!);
    const length = secondsIn(cut.length, timeBase);
    return { recording: cut.recording, start, end: start + length, offset: secondsIn(cut.offset, timeBase) };
  });
  const { loudness = -14, ceiling, crossfade } = options;
  const mix = () => mixAudio(audioCuts, AUDIO_SAMPLE_RATE, crossfade);
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
    // From its place in the reel, so that rounding never adds up.
    const length = Math.round((cut.offset + cut.end - cut.start) * rate) - Math.round(cut.offset * rate);
    const before = previous ? fadeSamples(previous, cut, crossfade, rate) : 0;
    const after = next ? fadeSamples(cut, next, crossfade, rate) : 0;
    const whole = cut.recording.readAudio(cut.start - before / rate, cut.start + (length + after) / rate, rate);
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

/** Samples by which a cross-fade reaches beyond the joint of two cuts. */
function fadeSamples(a: AudioCut, b: AudioCut, crossfade: number, rate: number): number {
  const shortest = Math.min(a.end - a.start, b.end - b.start);
  return Math.round((Math.min(crossfade, shortest) / 2) * rate);
}

function isContinuous(a: AudioCut | undefined, b: AudioCut | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.recording.path === b.recording.path && Math.abs(a.end - b.start) < 1e-3
  );
}

/** Reads the audio before a cut's joint, faded in. */
function readHead(cut: AudioCut, samples: number, rate: number, equalPower: boolean): StereoAudio {
  const whole = cut.recording.readAudio(cut.start - samples / rate, cut.start + samples / rate, rate);
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
