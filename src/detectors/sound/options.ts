/** What a sound detector listens for. */
export type SoundOf = 'clip' | 'loud' | 'onset' | 'voice';

/** What loudness is measured over: 400 ms or 3 s (EBU R128's M and S). */
export type LoudnessOver = 'momentary' | 'short-term';

/** Options of the kind. */
export interface SoundOptions {
  readonly of: SoundOf;
  /** Of `clip`: learnt sounds by what they are called, each one file or several. */
  readonly clips?: Readonly<Record<string, string | readonly string[]>>;
  /** Of `clip`, for sounds that are known by their spectrogram: least likeness. */
  readonly likeness?: number;
  /** Of `clip`, for sounds that are known by their waveform: how many times the usual answer tells. */
  readonly clear?: number;
  /** Of `clip`: dB by which it may be louder or quieter than learnt. The player's own sounds keep their level. */
  readonly within?: number;
  /** Of `loud`: LU by which it must be louder than the last ten seconds; of `onset`: dB. */
  readonly rise?: number;
  /** Of `loud`. */
  readonly over?: LoudnessOver;
  /** Of `loud`: least loudness, of `voice`: least momentary loudness, in LUFS. */
  readonly least?: number;
  /** Seconds between two that are told apart. */
  readonly apart?: number;
  /** Sound track of the recording, counted from 0. */
  readonly track?: number;
}

const FILE = { type: 'string', format: 'asset' } as const;

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
    within: { type: 'number', exclusiveMinimum: 0, maximum: 60, default: 15 },
    over: {
      enum: ['momentary', 'short-term'],
      default: 'momentary',
      description: 'Of `loud`: loudness of the last 400 ms, or of the last 3 s: a bang, or a stretch that is louder.',
    },
    rise: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
    least: { type: 'number', minimum: -120, maximum: 0 },
    apart: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
    track: { type: 'integer', minimum: 0, maximum: 63, default: 0 },
  },
} as const;
