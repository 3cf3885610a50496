/** What a motion detector looks for. */
export type MotionOf = 'movement' | 'freeze' | 'black' | 'cut' | 'fade' | 'flash' | 'burst' | 'stroke';

/** Options of the kind; lengths in seconds, speeds in heights of the region a second. */
export interface MotionOptions {
  readonly region: string;
  readonly of: MotionOf;
  /** Of `movement`: of the whole (default), of parts that go their own way, or either. */
  readonly what?: 'whole' | 'parts' | 'any';
  readonly directions?: boolean;
  readonly speed?: number;
  /** Of `movement`: least share of the structure that goes its own way; of `stroke`: of the region that is away and comes back. */
  readonly share?: number;
  /** Of `black`: greatest grey level of the mean. */
  readonly level?: number;
  /** Of `flash`: least rise of the mean grey level; of `cut`: least share of the structure that is new. */
  readonly rise?: number;
  readonly least?: number;
  /** Of `flash`, `burst`, `fade`, `stroke`: how long it can last. */
  readonly longest?: number;
  /** Of `burst`: how many times faster than before. */
  readonly times?: number;
  /** Of `burst`: it must go one way first, then faster the other way. */
  readonly swing?: boolean;
  /** Of `movement` and `burst`: by what ways are told. */
  readonly vectors?: 'blocks' | 'codec';
  readonly interval?: number;
}

export const MOTION_SCHEMA = {
  type: 'object',
  required: ['region', 'of'],
  properties: {
    of: {
      enum: ['movement', 'freeze', 'black', 'cut', 'fade', 'flash', 'burst', 'stroke'],
      description: 'What is looked for.',
    },
    what: { enum: ['whole', 'parts', 'any'], default: 'whole' },
    directions: { type: 'boolean', default: false },
    speed: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
    share: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'Of `movement`: the least share of the structure that goes its own way (0.1). Of `stroke`: the least share of the region that is away and comes back (0.15).',
    },
    level: { type: 'number', minimum: 0, maximum: 255, default: 24 },
    rise: { type: 'number', exclusiveMinimum: 0, maximum: 255, default: 24 },
    least: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 0.8 },
    longest: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
    times: { type: 'number', minimum: 1, maximum: 100, default: 3 },
    swing: { type: 'boolean', default: false },
    vectors: {
      enum: ['blocks', 'codec'],
      default: 'blocks',
      description:
        'Of `movement` and `burst`: how ways are told. `blocks`: blocks of pixels are looked for in the sample before. `codec`: by the motion vectors that the video’s encoder wrote, which tell how it moved at that very picture, over the time to the one it was predicted from; where a picture has none, blocks are compared.',
    },
  },
  // The other patterns go by light and by what is new, which no vector tells.
  if: { properties: { vectors: { const: 'codec' } }, required: ['vectors'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { properties: { of: { enum: ['movement', 'burst'] } } },
} as const;
