import { COLOR_SCHEMA } from '../../regions/color.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** JSON Schema of the options of `bar` detectors. */
/** Schema of the options of `bar` detectors. */
export const BAR_SCHEMA = {
  type: 'object',
  required: ['region'],
  properties: {
    direction: {
      enum: ['right', 'left', 'up', 'down', 'clockwise', 'counterclockwise'],
      default: 'right',
      description: 'The direction in which it fills.',
    },
    fill: {
      type: 'array',
      items: COLOR_SCHEMA,
      minItems: 1,
      maxItems: 16,
      description: 'Colours of the full part. Without them the edge between the two parts is detected.',
    },
    empty: {
      type: 'array',
      items: COLOR_SCHEMA,
      minItems: 1,
      maxItems: 16,
      description:
        'Colours of the empty part. Without them everything that is not full counts as empty, including the background.',
    },
    tolerance: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 442,
      default: 60,
      description: 'Maximum distance of a pixel from the colours of the gauge.',
    },
    space: {
      enum: ['rgb', 'ycbcr', 'chroma'],
      default: 'rgb',
      description: 'Colour space of the distances; `chroma` ignores brightness.',
    },
    step: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 50,
      default: 1,
      description: 'Readings are rounded to multiples of it, in percent.',
    },
    cells: {
      type: 'integer',
      minimum: 2,
      maximum: 200,
      description:
        'Number of equal cells in a row (hearts, lives, cartridges): reads how many are full. For hearts that can be half full, give twice as many cells.',
    },
    zero: {
      type: 'boolean',
      default: false,
      description:
        'An empty gauge reads 0 instead of being absent: for a gauge with a transparent empty part whose presence a `when` condition decides.',
    },
    start: {
      type: 'number',
      minimum: -360,
      maximum: 360,
      default: 0,
      description: 'Ring: where it begins, in degrees clockwise from twelve o’clock.',
    },
    sweep: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 360,
      default: 360,
      description: 'Ring: the degrees it covers.',
    },
    radii: {
      type: 'array',
      items: { type: 'number', minimum: 0, maximum: 1 },
      minItems: 2,
      maxItems: 2,
      default: [0.7, 1],
      description: 'Ring: inner and outer radius, as fractions of half the size.',
    },
  },
  dependentRequired: { empty: ['fill'], cells: ['fill'] },
} as const satisfies Schema;

/** Options of `bar` detectors. */
export type BarOptions = FromSchema<typeof BAR_SCHEMA>;

/** The direction in which a gauge fills and, for a ring, its geometry. */
export type GaugeShape = Pick<BarOptions, 'direction' | 'start' | 'sweep' | 'radii'>;
