import { Recording, type AudioTrack } from './recording.ts';

/** How loud a recording is over time. */
export interface SoundLevels {
  /** Seconds from one level to the next; level i covers [i · step, (i + 1) · step). */
  readonly step: number;
  /** Root mean square of both channels in decibels below full scale; −100 for silence. */
  readonly levels: Float32Array;
}

const STEP = 0.02;
const RATE = 16_000;
const CHUNK = 30;
const SILENCE = -100;

/** The sound levels of a whole recording, or of nothing where it has no sound. Memory: 50 numbers a second. */
export function measureSoundLevels(
  path: string,
  duration: number,
  signal?: AbortSignal,
  track?: AudioTrack,
): SoundLevels | undefined {
  using recording = new Recording(path, track);
  if (!recording.hasSound) return undefined;
  const levels = new Float32Array(Math.ceil(duration / STEP)).fill(SILENCE);
  const samples = STEP * RATE;
  for (let start = 0; start < duration; start += CHUNK) {
    signal?.throwIfAborted();
    const { left, right } = recording.sound(start, Math.min(duration, start + CHUNK), RATE);
    const first = Math.round(start / STEP);
    for (let i = 0; i * samples < left.length && first + i < levels.length; i++) {
      let power = 0;
      const end = Math.min(left.length, (i + 1) * samples);
      for (let n = i * samples; n < end; n++) power += left[n]! ** 2 + right[n]! ** 2;
      const mean = power / (2 * (end - i * samples));
      levels[first + i] = mean > 1e-10 ? 10 * Math.log10(mean) : SILENCE;
    }
  }
  return { step: STEP, levels };
}

/** Mean level from `start` to `end` seconds, by power. */
export function meanLevel({ step, levels }: SoundLevels, start: number, end: number): number {
  const from = Math.max(0, Math.floor(start / step));
  const to = Math.min(levels.length, Math.ceil(end / step));
  if (to <= from) return SILENCE;
  let power = 0;
  for (let i = from; i < to; i++) power += 10 ** (levels[i]! / 10);
  return Math.max(SILENCE, 10 * Math.log10(power / (to - from)));
}

/**
 * The quietest moment from `earliest` to `latest` (seconds): the middle of the 100 ms of least level, the one nearest
 * to `wanted` where several are within a decibel. `wanted` itself where the sound hardly varies (3 dB).
 */
export function findQuietMoment(envelope: SoundLevels, earliest: number, wanted: number, latest: number): number {
  const half = 0.05;
  const candidates: { t: number; level: number }[] = [];
  for (let t = earliest; t <= latest + 1e-9; t += envelope.step) {
    candidates.push({ t, level: meanLevel(envelope, t - half, t + half) });
  }
  const levels = candidates.map(({ level }) => level);
  const least = Math.min(...levels);
  if (candidates.length === 0 || Math.max(...levels) - least < 3) return wanted;
  const quiet = candidates.filter(({ level }) => level <= least + 1);
  return quiet.toSorted((a, b) => Math.abs(a.t - wanted) - Math.abs(b.t - wanted))[0]!.t;
}
