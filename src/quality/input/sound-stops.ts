import { PlaybyplayError } from '../../errors.ts';
import { type AudioRange, AudioReader } from '../../media/audio.ts';
import { quantile } from '../../statistics.ts';

/** Enough for the level of a game's sound. */
const SAMPLE_RATE = 8000;
const STEP_SECONDS = 0.01;
/** Sound before and after a span by which it is judged. */
const CONTEXT_SECONDS = 0.5;
/** Buffers play on for so long after the stream has stopped, and fill again before it goes on. */
const BUFFER_SECONDS = 0.1;
/** Least level at which something is heard, and the highest of silence, in decibels below full scale. */
const HEARD_DB = -55;
const SILENT_DB = -80;
/** Shorter spans leave too little between the buffers. */
const MIN_SPAN_SECONDS = 0.3;

/** A span of a recording in seconds. */
export interface SoundSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Says of each span whether the sound is heard before and after it and silent within: where the picture stands still at the same
 * time, the stream stopped. A scene that stands by itself still sounds, or was silent before. Nothing is said of recordings without
 * sound, nor of short spans.
 *
 * @param spans In order of time.
 */
export function findSoundStops(
  path: string,
  spans: readonly SoundSpan[],
  { origin, signal }: Pick<AudioRange, 'origin' | 'signal'>,
): readonly boolean[] {
  if (spans.every((span) => span.end - span.start < MIN_SPAN_SECONDS)) return spans.map(() => false);
  try {
    using reader = new AudioReader(path);
    return spans.map((span) => span.end - span.start >= MIN_SPAN_SECONDS && stops(reader, span, { origin, signal }));
  } catch (error) {
    // Without a track, or with one that cannot be decoded, the picture alone decides.
    if (error instanceof PlaybyplayError) return spans.map(() => false);
    throw error;
  }
}

function stops(
  reader: AudioReader,
  { start, end }: SoundSpan,
  options: Pick<AudioRange, 'origin' | 'signal'>,
): boolean {
  const from = Math.max(0, start - CONTEXT_SECONDS);
  const to = end + CONTEXT_SECONDS;
  const power = new Float64Array(Math.ceil((to - from) / STEP_SECONDS));
  const counts = new Uint32Array(power.length);
  for (const { t, samples } of reader.read({ ...options, from, to, sampleRate: SAMPLE_RATE }))
    for (const [i, sample] of samples.entries()) {
      const step = Math.floor((t - from + i / SAMPLE_RATE) / STEP_SECONDS);
      if (step < 0 || step >= power.length) continue;
      power[step]! += sample * sample;
      counts[step]!++;
    }
  const levelsOf = (first: number, last: number): number[] => {
    const levels: number[] = [];
    for (let step = Math.ceil((first - from) / STEP_SECONDS); step < (last - from) / STEP_SECONDS - 1; step++)
      if (counts[step]) levels.push(10 * Math.log10(Math.max(1e-12, power[step]! / counts[step]!)));
    return levels;
  };
  const within = levelsOf(start + BUFFER_SECONDS, end - BUFFER_SECONDS);
  const around = [levelsOf(from, start), levelsOf(end, to)];
  return (
    within.length > 0 &&
    Math.max(...within) <= SILENT_DB &&
    around.every((levels) => levels.length > 0 && quantile(levels, 0.75) >= HEARD_DB)
  );
}
