import type { FromSchema, Schema } from '../../schema/from-schema.ts';

const FILE = { type: 'string', format: 'asset' } as const satisfies Schema;

/** JSON Schema of the options of `sound` detectors. */
export const SOUND_SCHEMA = {
  type: 'object',
  required: ['of'],
  properties: {
    of: { enum: ['clip', 'loud', 'onset', 'voice'], description: 'What is listened for.' },
    clips: {
      type: 'object',
      minProperties: 1,
      maxProperties: 64,
      description: 'Learnt sounds (files) by what they are called.',
      additionalProperties: { oneOf: [FILE, { type: 'array', items: FILE, minItems: 1, maxItems: 16 }] },
    },
    likeness: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.55,
      description: 'Of `clip`: least likeness of a sound that is known by its spectrogram.',
    },
    clear: {
      type: 'number',
      minimum: 3,
      maximum: 1000,
      default: 10,
      description: 'Of `clip`: how many times the usual answer a sound that is known by its waveform must give.',
    },
    within: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      default: 15,
      description: 'Of `clip`: dB by which it may be louder or quieter than learnt.',
    },
    over: {
      enum: ['momentary', 'short-term'],
      default: 'momentary',
      description: 'Of `loud`: loudness of the last 400 ms, or of the last 3 s: a bang, or a stretch that is louder.',
    },
    rise: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      description: 'Of `loud`: LU above the median of the last ten seconds (6). Of `onset`: dB (4).',
    },
    least: {
      type: 'number',
      minimum: -120,
      maximum: 0,
      description: 'Of `loud` (−50) and `voice` (−45): the least loudness, in LUFS.',
    },
    apart: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      description: 'The least time between two occurrences, in seconds.',
    },
    track: {
      type: 'integer',
      minimum: 0,
      maximum: 63,
      default: 0,
      description: 'Sound track of the recording, counted from 0.',
    },
  },
} as const satisfies Schema;

/** Options of the kind. */
export type SoundOptions = FromSchema<typeof SOUND_SCHEMA>;

/** What a sound detector listens for. */
export type SoundOf = SoundOptions['of'];

/** What loudness is measured over: 400 ms or 3 s (momentary and short-term loudness of EBU R128). */
export type LoudnessOver = NonNullable<SoundOptions['over']>;
