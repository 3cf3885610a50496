import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** Schema of the options of `motion` detectors. */
export const MOTION_SCHEMA = {
  type: 'object',
  required: ['region', 'of'],
  properties: {
    of: {
      enum: ['movement', 'freeze', 'black', 'cut', 'fade', 'flash', 'burst', 'stroke'],
      description: 'What is detected.',
    },
    what: {
      enum: ['whole', 'parts', 'any'],
      default: 'whole',
      description: 'Of `movement`: movement of the whole region, of parts that move differently, or either.',
    },
    directions: { type: 'boolean', default: false, description: 'Of `movement`: also reads the direction.' },
    speed: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'Minimum speed, in heights of the region per second.',
    },
    share: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'Of `movement`: the minimum share of the structure that moves differently from the whole (0.1). Of `stroke`: the minimum share of the region that moves away and returns (0.15).',
    },
    level: {
      type: 'number',
      minimum: 0,
      maximum: 255,
      default: 24,
      description: 'Of `black`: the maximum mean grey level.',
    },
    rise: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 255,
      default: 24,
      description: 'Of `flash`: the minimum rise of the mean grey level.',
    },
    least: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      default: 0.8,
      description: 'Of `cut`: the minimum share of the structure that is new.',
    },
    longest: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      description: 'Of `flash`, `burst`, `fade` and `stroke`: the maximum duration, in seconds.',
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
      description: 'Of `burst`: it must move in one direction first, then faster in the opposite one.',
    },
    vectors: {
      enum: ['blocks', 'codec'],
      default: 'blocks',
      description:
        'Of `movement` and `burst`: how motion is measured. `blocks`: by searching blocks of pixels in the sample before. `codec`: by the motion vectors in the video, which lead from a picture to the one that it is predicted from; pictures without vectors use `blocks`.',
    },
  },
  // The others depend on brightness and new structure, which motion vectors lack.
  if: { properties: { vectors: { const: 'codec' } }, required: ['vectors'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { properties: { of: { enum: ['movement', 'burst'] } } },
} as const satisfies Schema;

/** Options of `motion` detectors, with the region and the sampling interval (seconds) of the detector. */
export type MotionOptions = FromSchema<typeof MOTION_SCHEMA> & { readonly region: string; readonly interval?: number };
