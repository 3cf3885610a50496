import { COLOR_SCHEMA } from '../../regions/color.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** Schema of the options of `color` detectors. */
export const COLOR_DETECTOR_SCHEMA = {
  type: 'object',
  required: ['region', 'colors'],
  properties: {
    colors: {
      description: 'The colours by their names; a name may have several.',
      type: 'object',
      minProperties: 1,
      maxProperties: 64,
      additionalProperties: {
        anyOf: [COLOR_SCHEMA, { type: 'array', items: COLOR_SCHEMA, minItems: 1, maxItems: 16 }],
      },
    },
    measure: {
      enum: ['mean', 'dominant', 'share'],
      default: 'mean',
      description:
        'What is compared: the `mean` colour of the region, its `dominant` colour, or the `share` of pixels near each colour (such as ink on a background).',
    },
    tolerance: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 442,
      default: 48,
      description: 'Maximum distance from a colour.',
    },
    minimum: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'Measure `share`: the minimum share of the pixels.',
    },
    space: {
      enum: ['rgb', 'ycbcr', 'chroma'],
      default: 'rgb',
      description: 'Colour space of the distances; `chroma` ignores brightness.',
    },
    absent: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names that read as absent.',
    },
  },
} as const satisfies Schema;

/** Options of `color` detectors. */
export type ColorOptions = FromSchema<typeof COLOR_DETECTOR_SCHEMA>;
