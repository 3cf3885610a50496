import { ClipListener } from '../../detectors/sound/clips.ts';
import { readFingerprint, type SoundFile } from '../../detectors/sound/fingerprint.ts';
import { SAMPLE_RATE, Spectrogram } from '../../detectors/sound/spectrogram.ts';
import type { AudioObservation } from '../../detectors/kind.ts';
import { readAudio } from '../../media/audio.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { learnSound } from '../../pipeline/authoring/learn-sound.ts';
import type { RecordingPictures } from './recording.ts';

/** A part of a recording in which a sound is heard, in seconds. */
export interface SoundRange {
  readonly from: number;
  readonly to: number;
}

/** A sound that was learnt, and where else it is heard. */
export interface LearnedSound {
  readonly file: SoundFile;
  /** Its waveform is known: it is found below other sounds, too. Otherwise its spectrogram is. */
  readonly isByWaveform: boolean;
  /** Where the recording has it, those it was learnt from included. */
  readonly found: readonly { readonly t: number; readonly confidence: number }[];
}

/** Occurrences that are listed. */
const MAX_FOUND = 500;

/**
 * Learns a sound from the parts of a recording in which somebody marked it, and listens for it in all of the recording, as a
 * detector of the pack will.
 *
 * @throws PlaybyplayError `bad-sound` where a part has no sound or is too long.
 */
export async function learnMarkedSound(
  { path, index, duration }: RecordingPictures,
  label: string,
  ranges: readonly SoundRange[],
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((share: number) => void) | undefined;
  } = {},
): Promise<LearnedSound> {
  const file = learnSound(
    label,
    ranges.map(({ from, to }) => ({ media: path, from, to })),
  );
  const print = readFingerprint(JSON.stringify(file), label);
  const listener = new ClipListener([print]);
  const spectrogram = new Spectrogram();
  const found: { t: number; confidence: number }[] = [];
  const take = (heard: readonly AudioObservation[]): void => {
    for (const { t, observation } of heard)
      if (observation.state === 'seen' && found.length < MAX_FOUND)
        found.push({ t, confidence: observation.confidence });
  };
  const range = { sampleRate: SAMPLE_RATE, stereo: true, origin: originSeconds(index), signal: options.signal };
  for (const block of readAudio(path, range)) {
    for (const frame of spectrogram.push(block)) take(listener.hear(frame));
    options.onProgress?.(Math.min(1, block.t / Math.max(duration, 1e-9)));
  }
  take(listener.pause());
  return { file, isByWaveform: (file.waves ?? []).length > 0, found: found.toSorted((a, b) => a.t - b.t) };
}
