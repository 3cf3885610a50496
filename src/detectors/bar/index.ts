import { areColourful } from '../../regions/color.ts';
import type { FrameDetectorKind, Observation, PreparedCrop, View } from '../kind.ts';
import { countCells, countVotes, fillByColor, fillByEdge, type Fill } from './fill.ts';
import { BAR_SCHEMA, type BarOptions } from './options.ts';
import { cutSlices } from './slices.ts';

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
    'How full a gauge is, 0…100: a bar in any direction or a ring, by its colours (several, with tolerance) or by the edge between its full and its empty part; robust to gradients, notches and text on it. With `cells` how many of a row of hearts, lives or cartridges are full.',
  schema: BAR_SCHEMA,
  byColour: ({ fill = [] }) => areColourful(fill),
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
  const votes = countVotes(slices, { fill, empty, space, tolerance });
  if (cells !== undefined) return countCells(votes, cells, zero || empty !== undefined);
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
