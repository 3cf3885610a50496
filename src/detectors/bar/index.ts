import { flag, integer, list, number, oneOf, positive } from '../../schema/build.ts';
import { areColorful, COLOR_SCHEMA } from '../../regions/color.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import type { FrameDetectorKind, Observation, PreparedCrop, View } from '../kind.ts';
import {
  countCells,
  countVotes,
  cutSlices,
  type Fill,
  fillByColor,
  fillByEdge,
  emptyUnknownRest,
  fillUnknownStart,
  middlesOfCells,
} from './fill.ts';

/** JSON Schema of the options of `bar` detectors. */
const BAR_SCHEMA = {
  type: 'object',
  required: ['region'],
  properties: {
    direction: oneOf(
      ['right', 'left', 'up', 'down', 'clockwise', 'counterclockwise'],
      'The direction in which it fills.',
      'right',
    ),
    fill: list(
      COLOR_SCHEMA,
      [1, 16],
      'Colors of the full part. Without them the edge between the two parts is detected.',
    ),
    empty: list(
      COLOR_SCHEMA,
      [1, 16],
      'Colors of the empty part. Without them everything that is not full counts as empty, including the background.',
    ),
    anyFill: flag(
      'What lies before the empty part is full, whatever its color: for bars that turn red or flash.',
      false,
    ),
    anyEmpty: flag(
      'What lies behind the full part is empty, whatever its color: for bars through whose empty part the scene shows.',
      false,
    ),
    tolerance: positive(442, 'Maximum distance of a pixel from the colors of the gauge.', 60),
    space: oneOf(['rgb', 'ycbcr', 'chroma'], 'Color space of the distances; `chroma` ignores brightness.', 'rgb'),
    step: positive(50, 'Readings are rounded to multiples of it, in percent.', 1),
    cells: integer(
      [2, 200],
      'Number of equal cells in a row (hearts, lives, cartridges): reads how many are full. For hearts that can be half full, give twice as many cells.',
    ),
    zero: flag(
      'An empty gauge reads 0 instead of being absent: for a gauge with a transparent empty part whose presence a `when` condition decides.',
      false,
    ),
    start: number([-360, 360], 'Ring: where it begins, in degrees clockwise from twelve o’clock.', 0),
    sweep: positive(360, 'Ring: the degrees it covers.', 360),
    radii: {
      type: 'array',
      items: number([0, 1]),
      minItems: 2,
      maxItems: 2,
      default: [0.7, 1],
      description: 'Ring: inner and outer radius, as fractions of half the size.',
    },
  },
  dependentRequired: { empty: ['fill'], cells: ['fill'], anyFill: ['empty'], anyEmpty: ['empty'] },
} as const satisfies Schema;

/** Options of `bar` detectors. */
export type BarOptions = FromSchema<typeof BAR_SCHEMA>;

/** The direction in which a gauge fills and, for a ring, its geometry. */
export type GaugeShape = Pick<BarOptions, 'direction' | 'start' | 'sweep' | 'radii'>;

/**
 * Reads how full a gauge is, 0…100: health and stamina bars, cooldown rings, progress.
 *
 * The region without its padding is the gauge. It is cut into slices across its direction; `clockwise` and `counterclockwise` rings
 * begin at `start` degrees (0 is twelve o'clock), cover `sweep` degrees and lie between `radii` (fractions of half the size).
 *
 * - With `fill` colours each pixel votes for full or empty: nearer to `fill` than to `empty`, or within `tolerance` of `fill` without
 *   `empty`. Single wrong slices, notches and text on the bar do not matter. A bar that changes colour as it empties has several.
 * - Without colours the level is the strongest edge between two smooth parts. A bar without an edge is unreadable: full and empty
 *   look alike.
 * - With `cells` it is a row of equal cells (hearts, lives, cartridges, stars), and the value is the number of full ones.
 *
 * The value is the level rounded to `step`, or the number of cells. Without `empty` colours an empty gauge cannot be distinguished from a missing
 * one: it reads as absent, with `zero` as 0.
 */
export const kind: FrameDetectorKind<BarOptions> = {
  input: 'frame',
  name: 'bar',
  description:
    'How full a gauge is, 0…100: a bar in any direction or a ring, by its colors (several, with tolerance) or by the edge between its full and its empty part; robust to gradients, notches and text on it. With `cells` how many of a row of hearts, lives or cartridges are full.',
  schema: BAR_SCHEMA,
  byColour: ({ fill = [] }) => areColorful(fill),
  async open(options) {
    return {
      read(view) {
        const crop = view.prepared();
        return crop instanceof Promise
          ? crop.then((made) => observe(made, view, options))
          : observe(crop, view, options);
      },
      [Symbol.dispose]() {},
    };
  },
};

function observe(crop: PreparedCrop, view: View, options: BarOptions): Observation {
  if (crop.width === 0 || crop.height === 0) return { state: 'unreadable', confidence: 1 };
  const slices = cutSlices(crop, view, options);
  if (slices.length < 2) return { state: 'unreadable', confidence: 1 };
  const { fill, empty, space = 'rgb', tolerance = 60, cells, zero = false } = options;
  if (!fill) return toObservation(fillByEdge(slices), options);
  const { anyFill = false, anyEmpty = false } = options;
  const colours = { fill, empty, space, tolerance };
  if (cells !== undefined)
    return countCells(countVotes(middlesOfCells(slices, cells), colours), cells, zero || empty !== undefined);
  let votes = countVotes(slices, colours);
  if (anyFill) {
    const filled = fillUnknownStart(votes, slices);
    if (!filled) return { state: 'unreadable', confidence: 0.5 };
    votes = filled;
  }
  if (anyEmpty) votes = emptyUnknownRest(votes);
  return toObservation(fillByColor(votes), options);
}

function toObservation(
  { level, confidence, known }: Fill,
  { fill, empty, step = 1, zero = false }: BarOptions,
): Observation {
  // Most pixels have a colour of neither part.
  if (known < 0.5) return { state: 'absent', confidence: 1 - known };
  if (confidence < 0.5) return { state: 'unreadable', confidence: 1 - confidence };
  if (fill && !empty && !zero && level === 0) return { state: 'absent', confidence };
  const value = Math.min(100, Math.max(0, Math.round((level * 100) / step) * step));
  return { state: 'seen', value: Math.round(value * 1000) / 1000, confidence };
}
