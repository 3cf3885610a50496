import { flag, integer, list, number, oneOf, positive } from '../../schema/build.ts';
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
    measure: oneOf(
      ['correlation', 'difference'],
      '`correlation` compares patterns and ignores brightness and tint. `difference` compares colors, for flat icons.',
      'correlation',
    ),
    color: flag('Whether colors are compared, or brightness alone.', true),
    zoom: positive(
      16,
      'Pixels of the PNGs per pixel of the reference frame: 2 if they were cut from a frame twice as large.',
      1,
    ),
    scales: list(number([0.25, 4]), [1, 9], 'Relative sizes of the icons; each is tried.'),
    focus: flag(
      'Gives more weight to pixels in which icons of equal size differ: icons of one set often share a frame.',
      true,
    ),
    soften: number(
      [0, 16],
      'Blur, in pixels of the reference frame, that makes matching tolerant of subpixel shifts; default: 1/40 of the smallest side.',
    ),
    search: {
      description:
        'Maximum distance from the centre of the region (without padding), in pixels of the reference frame; default: anywhere in the region.',
      oneOf: [
        number([0, 256]),
        {
          type: 'object',
          properties: {
            x: number([0, 256]),
            y: number([0, 256]),
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
        x: number([4, 1024]),
        y: number([4, 1024]),
      },
      minProperties: 1,
      additionalProperties: false,
    },
    threshold: number([0, 1], 'Minimum score; below it the region reads as absent.', 0.7),
    likeness: number(
      [0, 1],
      'Minimum similarity by `difference` in addition to the score by correlation: rejects backgrounds with the same edges in other colors.',
    ),
    margin: number([0, 1], 'Minimum lead of the best icon over the next; below it the region is unreadable.', 0.04),
    none: list({ type: 'string' }, [], 'Names that read as absent, such as images of the empty place.'),
    cells: integer(
      [2, 100],
      'Number of equal cells in a row (hearts, lives, cartridges): reads how many show the icon, counted from the first.',
    ),
    zero: flag('With `cells`: an empty row reads 0 instead of being absent.', false),
  },
} as const satisfies Schema;

/** Options of `icon` detectors. */
export type IconOptions = FromSchema<typeof ICON_SCHEMA>;

/** The options apart from the files: the same for templates in memory. */
export type MatchOptions = Omit<IconOptions, 'icons'>;
