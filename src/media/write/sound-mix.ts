import type { SoundEncoder } from './encoder.ts';
import { normalizeLoudness } from './loudness.ts';
import type { Sound } from './recorded-sound.ts';
import type { Recording, AudioTrack } from './recording.ts';
import { secondsIn, type Timeline } from './timeline.ts';

/** A stretch of a recording's sound and where it stands in the reel. Seconds; the joints are where stretches meet. */
export interface SoundCut {
  readonly recording: Recording;
  readonly start: number;
  readonly end: number;
  /** Position in the reel. */
  readonly offset: number;
}

export interface MixOptions {
  readonly rate: number;
  /** Seconds over which neighbouring stretches are mixed, half on either side of the joint; default 0.04. */
  readonly crossfade?: number;
  /** Factor on every sample; default 1. */
  readonly gain?: number;
}

/**
 * The sound of a reel, one stretch after the other, without a gap or an overlap in samples. Around a joint the two
 * sounds are mixed with equal power: each recording runs on beyond its cut, so nothing is shifted against the picture.
 */
export function* mixSound(cuts: readonly SoundCut[], options: MixOptions): Generator<Sound> {
  const { rate } = options;
  const fade = options.crossfade ?? 0.04;
  let tail: Sound | undefined;
  for (const [index, cut] of cuts.entries()) {
    const length = samplesOf(cut, rate);
    const before = index === 0 ? 0 : reach(cuts[index - 1]!, cut, fade, rate);
    const next = cuts[index + 1];
    const after = next ? reach(cut, next, fade, rate) : 0;
    const whole = cut.recording.sound(cut.start - before / rate, cut.start + (length + after) / rate, rate);
    const sound = {
      left: whole.left.subarray(before, before + length),
      right: whole.right.subarray(before, before + length),
    };
    const smooth = !continues(cuts[index - 1], cut);
    if (before > 0) fadeIn(whole, before, smooth);
    else ramp(sound, 0, Math.min(length, Math.round(rate * 0.005)), false);
    if (after > 0) fadeOut(whole, before + length, after, !continues(cut, next));
    else ramp(sound, length, Math.min(length, Math.round(rate * 0.02)), true);
    if (tail) add(sound, tail, 0);
    if (next && after > 0) add(sound, headOf(next, after, rate, !continues(cut, next)), length - after);
    tail =
      after > 0 ? { left: whole.left.slice(before + length), right: whole.right.slice(before + length) } : undefined;
    scale(sound, options.gain ?? 1);
    yield sound;
  }
}

/** Samples of a cut: from its place in the reel, so that rounding never adds up. */
function samplesOf(cut: SoundCut, rate: number): number {
  return Math.round((cut.offset + cut.end - cut.start) * rate) - Math.round(cut.offset * rate);
}

function reach(a: SoundCut, b: SoundCut, fade: number, rate: number): number {
  const shortest = Math.min(a.end - a.start, b.end - b.start);
  return Math.round((Math.min(fade, shortest) / 2) * rate);
}

function continues(a: SoundCut | undefined, b: SoundCut | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.recording.path === b.recording.path && Math.abs(a.end - b.start) < 1e-3
  );
}

/** What of `cut` is heard before its joint, faded in. */
function headOf(cut: SoundCut, reachSamples: number, rate: number, smooth: boolean): Sound {
  const whole = cut.recording.sound(cut.start - reachSamples / rate, cut.start + reachSamples / rate, rate);
  fadeIn(whole, reachSamples, smooth);
  return { left: whole.left.subarray(0, reachSamples), right: whole.right.subarray(0, reachSamples) };
}

/** Weight at `x` of 0…1 through a fade: equal power between different sounds, linear where one sound simply goes on. */
function weight(x: number, smooth: boolean): number {
  return smooth ? Math.sin((x * Math.PI) / 2) : x;
}

/** Fades in over the first 2·n samples, so that the joint lies in the middle of the fade. */
function fadeIn(sound: Sound, n: number, smooth: boolean): void {
  const length = Math.min(2 * n, sound.left.length);
  for (let i = 0; i < length; i++) {
    const w = weight((i + 0.5) / (2 * n), smooth);
    sound.left[i]! *= w;
    sound.right[i]! *= w;
  }
}

/** Fades out over the 2·n samples around `joint`. */
function fadeOut(sound: Sound, joint: number, n: number, smooth: boolean): void {
  for (let i = Math.max(0, joint - n); i < Math.min(joint + n, sound.left.length); i++) {
    const w = weight(1 - (i - (joint - n) + 0.5) / (2 * n), smooth);
    sound.left[i]! *= w;
    sound.right[i]! *= w;
  }
}

/** A short ramp at the reel's own beginning or end, against clicks. */
function ramp(sound: Sound, at: number, n: number, out: boolean): void {
  for (let i = 0; i < n; i++) {
    const position = out ? at - 1 - i : at + i;
    sound.left[position]! *= (i + 0.5) / n;
    sound.right[position]! *= (i + 0.5) / n;
  }
}

function add(target: Sound, source: Sound, at: number): void {
  const n = Math.min(source.left.length, target.left.length - at);
  for (let i = 0; i < n; i++) {
    target.left[at + i]! += source.left[i]!;
    target.right[at + i]! += source.right[i]!;
  }
}

function scale(sound: Sound, gain: number): void {
  if (gain === 1) return;
  for (let i = 0; i < sound.left.length; i++) {
    sound.left[i]! *= gain;
    sound.right[i]! *= gain;
  }
}

export const SOUND_RATE = 48_000;

export interface SoundOptions {
  /** Which sound of the recordings is heard; default their first track. */
  readonly audioTrack?: AudioTrack;
  /** Seconds of cross-fade at each joint; default 0.04. */
  readonly crossfade?: number;
  /** What samples are kept under, in decibels below full scale; default −2.3, which leaves room for AAC. */
  readonly ceiling?: number;
  /** Integrated loudness in LUFS, peaks limited; default −14, `false` leaves it as it is. */
  readonly loudness?: number | false;
}

function soundCuts({ cuts, timeBase }: Timeline): SoundCut[] {
  return cuts.map((cut) => {
    const start = cut.recording.seconds(cut.times[0]!);
    const length = secondsIn(cut.length, timeBase);
    return { recording: cut.recording, start, end: start + length, offset: secondsIn(cut.offset, timeBase) };
  });
}

/** The sound of a whole timeline. */
export function timelineSound(timeline: Timeline, options: SoundOptions): Generator<Sound> {
  const cuts = soundCuts(timeline);
  const mix = { rate: SOUND_RATE, ...(options.crossfade !== undefined && { crossfade: options.crossfade }) };
  const { loudness = -14, ceiling } = options;
  return loudness === false
    ? mixSound(cuts, mix)
    : normalizeLoudness(() => mixSound(cuts, mix), SOUND_RATE, loudness, ceiling);
}

/** Gives the encoder sound up to a time, so that picture and sound reach the muxer side by side. */
export function feedInto(encoder: SoundEncoder, chunks: Iterator<Sound>): (t: number) => void {
  let done = false;
  return (t) => {
    while (!done && encoder.position < t * encoder.rate) {
      const next = chunks.next();
      if (next.done) done = true;
      else encoder.encode(next.value.left, next.value.right);
    }
  };
}
