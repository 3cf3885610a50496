import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** JSON Schema of the options of `motion` detectors. */
export const MOTION_SCHEMA = {
  type: 'object',
  required: ['region', 'of'],
  properties: {
    of: {
      enum: ['movement', 'freeze', 'black', 'cut', 'fade', 'flash', 'burst', 'stroke'],
      description: 'What is looked for.',
    },
    what: {
      enum: ['whole', 'parts', 'any'],
      default: 'whole',
      description: 'Of `movement`: of the whole region, of parts that move differently, or either.',
    },
    directions: { type: 'boolean', default: false, description: 'Of `movement`: reads the direction, too.' },
    speed: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'The least speed, in heights of the region per second.',
    },
    share: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'Of `movement`: the least share of the structure that goes its own way (0.1). Of `stroke`: the least share of the region that is away and comes back (0.15).',
    },
    level: {
      type: 'number',
      minimum: 0,
      maximum: 255,
      default: 24,
      description: 'Of `black`: the greatest mean grey level.',
    },
    rise: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 255,
      default: 24,
      description: 'Of `flash`: the least rise of the mean grey level.',
    },
    least: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      default: 0.8,
      description: 'Of `cut`: the least share of the structure that is new.',
    },
    longest: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      description: 'Of `flash`, `burst`, `fade` and `stroke`: the longest duration, in seconds.',
    },
    times: {
      type: 'number',
      minimum: 1,
      maximum: 100,
      default: 3,
      description: 'Of `burst`: how many times faster than before.',
    },
    swing: {
      type: 'boolean',
      default: false,
      description: 'Of `burst`: it must move one way first, then faster the other way.',
    },
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
} as const satisfies Schema;

/** Options of the kind, with the region and sampling interval (in seconds) of the detector. */
export type MotionOptions = FromSchema<typeof MOTION_SCHEMA> & { readonly region: string; readonly interval?: number };

/** What a motion detector looks for. */
export type MotionOf = MotionOptions['of'];
