import { atLoudness } from './loudness.ts';
import type { SoundEncoder } from './encoder.ts';
import type { Sound } from './recorded-sound.ts';
import type { AudioTrack } from './recording.ts';
import { mixSound, type SoundCut } from './sound.ts';
import { secondsIn, type Timeline } from './timeline.ts';

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
export function soundOf(timeline: Timeline, options: SoundOptions): Generator<Sound> {
  const cuts = soundCuts(timeline);
  const mix = { rate: SOUND_RATE, ...(options.crossfade !== undefined && { crossfade: options.crossfade }) };
  const { loudness = -14, ceiling } = options;
  return loudness === false
    ? mixSound(cuts, mix)
    : atLoudness(() => mixSound(cuts, mix), SOUND_RATE, loudness, ceiling);
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
