import { OnsetListener } from '../../detectors/sound/activity.ts';
import { type Example, learnFingerprint, MAX_FRAMES, type SoundFile } from '../../detectors/sound/fingerprint.ts';
import { FRAME_SAMPLES, SAMPLE_RATE, Spectrogram, FRAME_SECONDS } from '../../detectors/sound/spectrogram.ts';
import { PlaybyplayError } from '../../errors.ts';
import { readAudio } from '../../media/audio.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';

/** A part of a recording with a sound, in seconds. */
export interface Occurrence {
  readonly media: string;
  readonly from: number;
  readonly to: number;
}

/** Seconds read before an occurrence, for the background, and after it, to align examples that come later. */
const LEAD_IN_SECONDS = 0.4;
const LEAD_OUT_SECONDS = 0.2;

const MAX_OCCURRENCES = 32;
/** Seconds from the start of an occurrence to its onset, and between two onsets. */
const ONSET_LEAD_SECONDS = 0.03;
const MIN_ONSET_DISTANCE_SECONDS = 0.05;
/** Rise of an onset; small, as a burst is loud already. */
const MIN_ONSET_RISE_DB = 2.5;

/**
 * Finds occurrences of a repeated sound: every onset in the given parts. Other sounds among them do no harm, as learning uses
 * what most occurrences have in common.
 *
 * @param length Length of an occurrence in seconds.
 * @throws PlaybyplayError `bad-sound` if there is no onset, and as reading sound does.
 */
export function findOccurrences(parts: readonly Occurrence[], length: number, track = 0): Occurrence[] {
  const found: Occurrence[] = [];
  for (const { media, from, to } of parts) {
    using file = openVideo(media);
    const origin = originSeconds(scanPackets(file));
    const onsets = new OnsetListener(MIN_ONSET_RISE_DB, MIN_ONSET_DISTANCE_SECONDS);
    const spectrograph = new Spectrogram();
    const range = { from: Math.max(0, from - 1), to: to + 0.2 };
    for (const block of readAudio(media, { track, sampleRate: SAMPLE_RATE, origin, ...range }))
      for (const frame of spectrograph.push(block))
        for (const { t } of onsets.hear(frame))
          if (t >= from && t <= to)
            found.push({ media, from: Math.max(0, t - ONSET_LEAD_SECONDS), to: t - ONSET_LEAD_SECONDS + length });
  }
  if (found.length === 0)
    throw new PlaybyplayError('bad-sound', 'no sound begins in the given part of the recording', {
      hint: 'Give --from and --to around a part that contains it.',
    });
  const step = Math.max(1, found.length / MAX_OCCURRENCES);
  return found.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

/**
 * Learns a sound from its occurrences.
 *
 * @throws PlaybyplayError `bad-sound`, and as reading sound does.
 */
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
    examples.push(readExample(media, from, to, origin, track));
  }
  return learnFingerprint(label, examples);
}

function readExample(media: string, from: number, to: number, origin: number, track: number): Example {
  const spectrograph = new Spectrogram();
  const frames: Float32Array[] = [];
  const samples: Float32Array[] = [];
  let before = 0;
  const range = { from: Math.max(0, from - LEAD_IN_SECONDS - 0.05), to: to + LEAD_OUT_SECONDS + 0.05 };
  for (const block of readAudio(media, { track, sampleRate: SAMPLE_RATE, origin, ...range })) {
    for (const { t, bands, samples: part } of spectrograph.push(block)) {
      if (t < from - LEAD_IN_SECONDS - FRAME_SECONDS / 2 || t >= to + LEAD_OUT_SECONDS - FRAME_SECONDS / 2) continue;
      frames.push(bands);
      samples.push(part.slice());
      if (t < from - FRAME_SECONDS / 2) before++;
    }
  }
  const length = Math.round((to - from) / FRAME_SECONDS);
  if (frames.length < before + length)
    throw new PlaybyplayError('bad-sound', `${media} has no sound from ${from.toFixed(2)} to ${to.toFixed(2)} s`);
  // The lead-out serves only to align the examples.
  const recorded = new Float32Array(samples.length * FRAME_SAMPLES);
  for (const [i, part] of samples.entries()) recorded.set(part, i * FRAME_SAMPLES);
  return { frames, before, length, recorded: { samples: recorded, start: before * FRAME_SAMPLES } };
}
