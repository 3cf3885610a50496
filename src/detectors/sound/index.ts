import { integer, number, oneOf, positive } from '../../schema/build.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import type { Cue } from '../../cues/cue.ts';
import type { Tracker } from '../../cues/tracker.ts';
import { PlaybyplayError } from '../../errors.ts';
import type { Assets, AudioListenerKind, Listener, Reading } from '../kind.ts';
import { LoudListener, OnsetListener } from './activity.ts';
import { ClipListener } from './clips.ts';
import { readFingerprint } from './fingerprint.ts';
import { VoiceListener } from './voice.ts';

const FILE = { type: 'string', format: 'asset' } as const satisfies Schema;

/** JSON Schema of the options of `sound` detectors. */
const SOUND_SCHEMA = {
  type: 'object',
  required: ['of'],
  properties: {
    of: oneOf(['clip', 'loud', 'onset', 'voice'], 'What is listened for.'),
    clips: {
      type: 'object',
      minProperties: 1,
      maxProperties: 64,
      description: 'Learned sounds (files) by what they are called.',
      additionalProperties: { oneOf: [FILE, { type: 'array', items: FILE, minItems: 1, maxItems: 16 }] },
    },
    likeness: number([0, 1], 'Of `clip`: least likeness of a sound that is known by its spectrogram.', 0.55),
    clear: number(
      [3, 1000],
      'Of `clip`: how many times the usual answer a sound that is known by its waveform must give.',
      10,
    ),
    within: positive(60, 'Of `clip`: dB by which it may be louder or quieter than learned.', 15),
    over: oneOf(
      ['momentary', 'short-term'],
      'Of `loud`: loudness of the last 400 ms, or of the last 3 s: a bang, or a stretch that is louder.',
      'momentary',
    ),
    rise: positive(60, 'Of `loud`: LU above the median of the last ten seconds (6). Of `onset`: dB (4).'),
    least: number([-120, 0], 'Of `loud` (−50) and `voice` (−45): the least loudness, in LUFS.'),
    apart: positive(60, 'The least time between two occurrences, in seconds.'),
    track: integer([0, 63], 'Sound track of the recording, counted from 0.', 0),
  },
} as const satisfies Schema;

/** Options of the kind. */
type SoundOptions = FromSchema<typeof SOUND_SCHEMA>;

/** What loudness is measured over: 400 ms or 3 s (momentary and short-term loudness of EBU R128). */
export type LoudnessOver = NonNullable<SoundOptions['over']>;

/**
 * Recognizes sounds in a sound track, which is analyzed once from beginning to end, so that readings do not depend on chunks. A reading at t
 * depends on at most ten seconds before it and the length of the longest clip after it.
 */
export const kind: AudioListenerKind<SoundOptions> = {
  input: 'audio',
  name: 'sound',
  description:
    'What is heard in a sound track. `of` says what is listened for: `clip` (learned sounds, see `playbyplay profile sound`: reads what each is called, one `found` cue an occurrence), `onset` (something begins to sound: one `found` cue each), `loud` (loudness by EBU R128, momentary or short-term, rises `rise` LU, 6 by default, above the median of the last ten seconds), `voice` (`speech`, or `shout` where it is loud). `rise` is 4 dB by default for onsets, `apart` 0.08 s. It has no region. If a recording has no sound, `detect` says so and reads the rest.',
  schema: SOUND_SCHEMA,
  listen,
  async track(name, spec) {
    return new SoundTracker(name, spec.stability?.confidence ?? 0, spec.of === 'clip' || spec.of === 'onset');
  },
};

async function listen(options: SoundOptions, assets: Assets): Promise<Listener> {
  const { of, rise, least, apart } = options;
  switch (of) {
    case 'loud':
      return new LoudListener(rise ?? 6, least ?? -50, options.over);
    case 'onset':
      return new OnsetListener(rise ?? 4, apart ?? 0.08);
    case 'voice':
      return new VoiceListener(least ?? -45);
    default: {
      const files = Object.entries(options.clips ?? {}).flatMap(([label, paths]) =>
        [paths].flat().map((path) => ({ label, path: path as string })),
      );
      if (files.length === 0)
        throw new PlaybyplayError(
          'bad-sound',
          'a sound detector with `of: clip` needs `clips`: learned sounds by name',
        );
      const prints = await Promise.all(
        files.map(async ({ label, path }) => ({
          ...readFingerprint(Buffer.from(await assets.read(path)).toString('utf8'), path),
          label,
        })),
      );
      return new ClipListener(prints, options);
    }
  }
}

/** Turns sound events into one `found` cue each, and states into `found` and `lost`. */
class SoundTracker implements Tracker {
  readonly #detector: string;
  readonly #threshold: number;
  readonly #moments: boolean;
  #state: Cue['value'];

  constructor(detector: string, threshold: number, moments: boolean) {
    this.#detector = detector;
    this.#threshold = threshold;
    this.#moments = moments;
  }

  push({ t, observation }: Reading): Cue[] {
    const { confidence } = observation;
    if (observation.state === 'unreadable' || confidence < this.#threshold) return [];
    const base = { t, detector: this.#detector, confidence };
    if (observation.state === 'absent') {
      const previous = this.#state;
      this.#state = undefined;
      return previous === undefined ? [] : [{ ...base, trigger: 'lost', previous }];
    }
    const { value, detail } = observation;
    if (!this.#moments) this.#state = value;
    return [{ ...base, trigger: 'found', value, ...(detail === undefined ? {} : { detail }) }];
  }

  end(): Cue[] {
    return [];
  }

  pendingSince(): undefined {
    return undefined;
  }
}
