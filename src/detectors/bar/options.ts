import { COLOR_SCHEMA } from '../../regions/color.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** JSON Schema of the options of `bar` detectors. */
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
      description: 'The colours of the full part; without them the edge between the two parts is looked for.',
    },
    empty: {
      type: 'array',
      items: COLOR_SCHEMA,
      minItems: 1,
      maxItems: 16,
      description: 'The colours of the empty part; without them all that is not full is empty, also scenery.',
    },
    tolerance: { type: 'number', exclusiveMinimum: 0, maximum: 442, default: 60 },
    space: { enum: ['rgb', 'ycbcr', 'chroma'], default: 'rgb' },
    step: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 50,
      default: 1,
      description: 'Readings are rounded to it, in percent.',
    },
    cells: {
      type: 'integer',
      minimum: 2,
      maximum: 200,
      description:
        'A row of so many equal cells, which the region divides among them (hearts, lives, cartridges): reads how many are full. Of hearts that may be half, twice as many cells.',
    },
    zero: {
      type: 'boolean',
      default: false,
      description:
        'Where nothing is full it reads 0, not that nothing is there: for a gauge whose empty part shows the scenery, which a `when` tells to be there.',
    },
    start: {
      type: 'number',
      minimum: -360,
      maximum: 360,
      default: 0,
      description: 'Of a ring: where it begins, in degrees clockwise from twelve o’clock.',
    },
    sweep: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 360,
      default: 360,
      description: 'Of a ring: the degrees it covers.',
    },
    radii: {
      type: 'array',
      items: { type: 'number', minimum: 0, maximum: 1 },
      minItems: 2,
      maxItems: 2,
      default: [0.7, 1],
      description: 'Of a ring: inner and outer radius, as fractions of half the size.',
    },
  },
  dependentRequired: { empty: ['fill'], cells: ['fill'] },
} as const satisfies Schema;

/** Options of the kind. */
export type BarOptions = FromSchema<typeof BAR_SCHEMA>;

/** Which way a gauge fills and, for a ring, where it lies. */
export type GaugeShape = Pick<BarOptions, 'direction' | 'start' | 'sweep' | 'radii'>;
