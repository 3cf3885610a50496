import { OnsetListener } from '../../detectors/sound/activity.ts';
import { type Example, learnFingerprint, MAX_FRAMES, type SoundFile } from '../../detectors/sound/fingerprint.ts';
import { FRAME_SAMPLES, SAMPLE_RATE, Spectrogram, FRAME_SECONDS } from '../../detectors/sound/spectrogram.ts';
import { PlaybyplayError } from '../../errors.ts';
import { readAudio } from '../../media/audio.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';

/** Where a sound is heard in a recording: seconds. */
export interface Occurrence {
  readonly media: string;
  readonly from: number;
  readonly to: number;
}

/** Seconds before an occurrence that tell what else was heard, and after it for examples that come a little later. */
const BEFORE = 0.4;
const AFTER = 0.2;

/** Most occurrences that are taken from long stretches, seconds before an onset at which one begins, and how far apart onsets lie. */
const MOST = 32;
const LEAD = 0.03;
const APART = 0.05;
/** dB by which something must rise to be an onset, in a burst, where it is loud already. */
const RISE = 2.5;

/**
 * The occurrences in stretches that hold a sound again and again, `length` seconds each: wherever something begins to sound. Those at
 * which it does not do no harm; learning takes what occurrences have in common. Throws PlaybyplayError `bad-sound` where there is none, and those of reading sound.
 */
export function occurrencesIn(stretches: readonly Occurrence[], length: number, track = 0): Occurrence[] {
  const found: Occurrence[] = [];
  for (const { media, from, to } of stretches) {
    using file = openVideo(media);
    const origin = originSeconds(scanPackets(file));
    const onsets = new OnsetListener(RISE, APART);
    const spectrograph = new Spectrogram();
    const range = { from: Math.max(0, from - 1), to: to + 0.2 };
    for (const block of readAudio(media, { track, sampleRate: SAMPLE_RATE, origin, ...range }))
      for (const frame of spectrograph.push(block))
        for (const { t } of onsets.hear(frame))
          if (t >= from && t <= to) found.push({ media, from: Math.max(0, t - LEAD), to: t - LEAD + length });
  }
  if (found.length === 0)
    throw new PlaybyplayError('bad-sound', 'nothing begins to sound in what was given', {
      hint: 'Give --from and --to about a stretch in which it is heard.',
    });
  const step = Math.max(1, found.length / MOST);
  return found.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

/** Learns a sound from where it is heard. Throws PlaybyplayError `bad-sound`, and those of reading sound. */
export function learnSound(label: string, occurrences: readonly Occurrence[], track = 0): SoundFile {
  const examples: Example[] = [];
  const origins = new Map<string, number>();
  for (const { media, from, to } of occurrences) {
    if (!(to > from) || to - from > MAX_FRAMES * FRAME_SECONDS) {
      throw new PlaybyplayError(
        'bad-sound',
        `a sound lasts between 0.03 and ${MAX_FRAMES * FRAME_SECONDS} s, not ${from} to ${to}`,
        {
          hint: 'Give --from and --to in seconds.',
        },
      );
    }
    let origin = origins.get(media);
    if (origin === undefined) {
      using file = openVideo(media);
      origins.set(media, (origin = originSeconds(scanPackets(file))));
    }
    examples.push(exampleOf(media, from, to, origin, track));
  }
  return learnFingerprint(label, examples);
}

function exampleOf(media: string, from: number, to: number, origin: number, track: number): Example {
  const spectrograph = new Spectrogram();
  const frames: Float32Array[] = [];
  const samples: Float32Array[] = [];
  let before = 0;
  const range = { from: Math.max(0, from - BEFORE - 0.05), to: to + AFTER + 0.05 };
  for (const block of readAudio(media, { track, sampleRate: SAMPLE_RATE, origin, ...range })) {
    for (const { t, bands, samples: part } of spectrograph.push(block)) {
      if (t < from - BEFORE - FRAME_SECONDS / 2 || t >= to + AFTER - FRAME_SECONDS / 2) continue;
      frames.push(bands);
      samples.push(part.slice());
      if (t < from - FRAME_SECONDS / 2) before++;
    }
  }
  const length = Math.round((to - from) / FRAME_SECONDS);
  if (frames.length < before + length)
    throw new PlaybyplayError('bad-sound', `${media} has no sound from ${from.toFixed(2)} to ${to.toFixed(2)} s`);
  // What follows the stretch serves only to slide examples onto each other.
  const recorded = new Float32Array(samples.length * FRAME_SAMPLES);
  for (const [i, part] of samples.entries()) recorded.set(part, i * FRAME_SAMPLES);
  return { frames, before, length, recorded: { samples: recorded, start: before * FRAME_SAMPLES } };
}
