import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** Schema of the options of `icon` detectors. */
export const ICON_SCHEMA = {
  type: 'object',
  required: ['region', 'icons'],
  properties: {
    icons: {
      description: 'PNG files by name; a name may have several variants. Transparent pixels are ignored.',
      type: 'object',
      minProperties: 1,
      maxProperties: 256,
      additionalProperties: {
        oneOf: [
          { type: 'string', format: 'asset' },
          { type: 'array', items: { type: 'string', format: 'asset' }, minItems: 1, maxItems: 32 },
        ],
      },
    },
    measure: {
      enum: ['correlation', 'difference'],
      default: 'correlation',
      description:
        '`correlation` compares patterns and ignores brightness and tint. `difference` compares colours, for flat icons.',
    },
    color: { type: 'boolean', default: true, description: 'Whether colours are compared, or brightness alone.' },
    zoom: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 16,
      default: 1,
      description:
        'Pixels of the PNGs per pixel of the reference frame: 2 if they were cut from a frame twice as large.',
    },
    scales: {
      type: 'array',
      items: { type: 'number', minimum: 0.25, maximum: 4 },
      minItems: 1,
      maxItems: 9,
      description: 'Relative sizes of the icons; each is tried.',
    },
    focus: {
      type: 'boolean',
      default: true,
      description:
        'Gives more weight to pixels in which icons of equal size differ: icons of one set often share a frame.',
    },
    soften: {
      type: 'number',
      minimum: 0,
      maximum: 16,
      description:
        'Blur, in pixels of the reference frame, that makes matching tolerant of subpixel shifts; default: 1/40 of the smallest side.',
    },
    search: {
      description:
        'Maximum distance from the centre of the region (without padding), in pixels of the reference frame; default: anywhere in the region.',
      oneOf: [
        { type: 'number', minimum: 0, maximum: 256 },
        {
          type: 'object',
          properties: {
            x: { type: 'number', minimum: 0, maximum: 256 },
            y: { type: 'number', minimum: 0, maximum: 256 },
          },
          required: ['x', 'y'],
          additionalProperties: false,
        },
      ],
    },
    pitch: {
      description:
        'Icons appear only at whole multiples of this distance from the centre of the region, in pixels of the reference frame.',
      type: 'object',
      properties: {
        x: { type: 'number', minimum: 4, maximum: 1024 },
        y: { type: 'number', minimum: 4, maximum: 1024 },
      },
      minProperties: 1,
      additionalProperties: false,
    },
    threshold: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.7,
      description: 'Minimum score; below it the region reads as absent.',
    },
    likeness: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description:
        'Minimum similarity by `difference` in addition to the score by correlation: rejects backgrounds with the same edges in other colours.',
    },
    margin: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.04,
      description: 'Minimum lead of the best icon over the next; below it the region is unreadable.',
    },
    none: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names that read as absent, such as images of the empty place.',
    },
    cells: {
      type: 'integer',
      minimum: 2,
      maximum: 100,
      description:
        'Number of equal cells in a row (hearts, lives, cartridges): reads how many show the icon, counted from the first.',
    },
    zero: {
      type: 'boolean',
      default: false,
      description: 'With `cells`: an empty row reads 0 instead of being absent.',
    },
  },
} as const satisfies Schema;

/** Options of `icon` detectors. */
export type IconOptions = FromSchema<typeof ICON_SCHEMA>;

/** The options apart from the files: the same for templates in memory. */
export type MatchOptions = Omit<IconOptions, 'icons'>;
