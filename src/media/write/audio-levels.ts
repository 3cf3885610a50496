import type { AudioTrack } from './recording.ts';

/** How loud a recording is over time. */
export interface AudioLevels {
  /** Seconds from one level to the next; level i covers [i · step, (i + 1) · step). */
  readonly step: number;
  /** Root mean square of both channels in decibels below full scale; −100 for silence. */
  readonly levels: Float32Array;
}

const STEP_SECONDS = 0.02;
const SAMPLE_RATE = 16_000;
const BATCH_SECONDS = 30;
const SILENCE_DB = -100;

/**
 * Measures the audio levels of a whole recording: 50 numbers per second.
 *
 * @param duration Length of the recording in seconds.
 * @returns Levels; undefined where the recording has no audio.
 */
export async function measureAudioLevels(
  path: string,
  duration: number,
  signal?: AbortSignal,
  track?: AudioTrack,
): Promise<AudioLevels | undefined> {
  // FFmpeg is loaded where there is a recording: scenes are chosen from logs alone, too.
  const { Recording } = await import('./recording.ts');
  using recording = new Recording(path, track);
  if (!recording.hasAudio) return undefined;
  const levels = new Float32Array(Math.ceil(duration / STEP_SECONDS)).fill(SILENCE_DB);
  const samples = STEP_SECONDS * SAMPLE_RATE;
  for (let start = 0; start < duration; start += BATCH_SECONDS) {
    signal?.throwIfAborted();
    const { left, right } = recording.readAudio(start, Math.min(duration, start + BATCH_SECONDS), SAMPLE_RATE);
    const first = Math.round(start / STEP_SECONDS);
    for (let i = 0; i * samples < left.length && first + i < levels.length; i++) {
      let power = 0;
      const end = Math.min(left.length, (i + 1) * samples);
      for (let n = i * samples; n < end; n++) power += left[n]! ** 2 + right[n]! ** 2;
      const mean = power / (2 * (end - i * samples));
      levels[first + i] = mean > 1e-10 ? 10 * Math.log10(mean) : SILENCE_DB;
    }
  }
  return { step: STEP_SECONDS, levels };
}

/** Returns the mean level from `start` to `end` seconds, by power, in decibels. */
export function meanLevel({ step, levels }: AudioLevels, start: number, end: number): number {
  const from = Math.max(0, Math.floor(start / step));
  const to = Math.min(levels.length, Math.ceil(end / step));
  if (to <= from) return SILENCE_DB;
  let power = 0;
  for (let i = from; i < to; i++) power += 10 ** (levels[i]! / 10);
  return Math.max(SILENCE_DB, 10 * Math.log10(power / (to - from)));
}

/**
 * Finds the quietest moment from `earliest` to `latest` (seconds): the middle of the 100 ms with the lowest level, of
 * those within a decibel the one nearest to `wanted`. Returns `wanted` where the level varies by less than 3 dB.
 */
export function findQuietMoment(audio: AudioLevels, earliest: number, wanted: number, latest: number): number {
  const half = 0.05;
  const candidates: { t: number; level: number }[] = [];
  for (let t = earliest; t <= latest + 1e-9; t += audio.step) {
    candidates.push({ t, level: meanLevel(audio, t - half, t + half) });
  }
  const levels = candidates.map(({ level }) => level);
  const lowest = Math.min(...levels);
  if (candidates.length === 0 || Math.max(...levels) - lowest < 3) return wanted;
  const quiet = candidates.filter(({ level }) => level <= lowest + 1);
  return quiet.toSorted((a, b) => Math.abs(a.t - wanted) - Math.abs(b.t - wanted))[0]!.t;
}
