import { type Example, learnPrint, LONGEST, type SoundFile } from '../detectors/sound/print.ts';
import { HOP, RATE, Spectrograph, STEP } from '../detectors/sound/spectrum.ts';
import { PlaybyplayError } from '../errors.ts';
import { readAudio } from '../media/audio.ts';
import { originOf } from '../media/packet-index.ts';
import { scanPackets } from '../media/packets.ts';
import { openVideo } from '../media/video.ts';

/** Where a sound is heard in a recording: seconds. */
export interface Occurrence {
  readonly media: string;
  readonly from: number;
  readonly to: number;
}

/** Seconds before an occurrence that tell what else was heard, and after it for examples that come a little later. */
const BEFORE = 0.4;
const AFTER = 0.2;

/** Learns a sound from where it is heard. Throws PlaybyplayError `bad-sound`, and those of reading sound. */
export function learnSound(label: string, occurrences: readonly Occurrence[], track = 0): SoundFile {
  const examples: Example[] = [];
  const origins = new Map<string, number>();
  for (const { media, from, to } of occurrences) {
    if (!(to > from) || to - from > LONGEST * STEP) {
      throw new PlaybyplayError(
        'bad-sound',
        `a sound lasts between 0.03 and ${LONGEST * STEP} s, not ${from} to ${to}`,
        {
          hint: 'Give --from and --to in seconds.',
        },
      );
    }
    let origin = origins.get(media);
    if (origin === undefined) {
      using file = openVideo(media);
      origins.set(media, (origin = originOf(scanPackets(file))));
    }
    examples.push(exampleOf(media, from, to, origin, track));
  }
  return learnPrint(label, examples);
}

function exampleOf(media: string, from: number, to: number, origin: number, track: number): Example {
  const spectrograph = new Spectrograph();
  const frames: Float32Array[] = [];
  const samples: Float32Array[] = [];
  let before = 0;
  const range = { from: Math.max(0, from - BEFORE - 0.05), to: to + AFTER + 0.05 };
  for (const block of readAudio(media, { track, sampleRate: RATE, origin, ...range })) {
    for (const { t, bands, samples: part } of spectrograph.push(block)) {
      if (t < from - BEFORE - STEP / 2 || t >= to + AFTER - STEP / 2) continue;
      frames.push(bands);
      samples.push(part.slice());
      if (t < from - STEP / 2) before++;
    }
  }
  const length = Math.round((to - from) / STEP);
  if (frames.length < before + length)
    throw new PlaybyplayError('bad-sound', `${media} has no sound from ${from.toFixed(2)} to ${to.toFixed(2)} s`);
  // What follows the stretch serves only to slide examples onto each other.
  const recorded = new Float32Array(samples.length * HOP);
  for (const [i, part] of samples.entries()) recorded.set(part, i * HOP);
  return { frames, before, length, recorded: { samples: recorded, start: before * HOP } };
}
