import {
  areColourful,
  type ColorOption,
  type ColorSpaceName,
  distanceTo,
  inSpace,
  namedColors,
} from '../../regions/color.ts';
import type { FrameDetectorKind, Observation, PreparedCrop, View } from '../kind.ts';
import { countCells } from './cells.ts';
import { fillByColor, fillByEdge } from './fill.ts';
import type { Fill, Samples } from './fill.ts';
import { samplesAlong } from './samples.ts';
import { BAR_SCHEMA, type BarOptions } from './options.ts';

/** Levels by which two colours must differ for an edge between them to be one. */
const LEAST_CONTRAST = 24;

/**
 * How full a gauge is, 0…100: health and stamina bars, cooldown rings, progress.
 *
 * The region's own rectangle (without its padding) is the gauge from empty to full. It is cut into slices across its
 * direction; `right` fills from left to right, `clockwise` round the centre from `start` degrees (0 is twelve o'clock)
 * over `sweep` degrees, between `radii` (fractions of half the size).
 *
 * - With `fill` colours each pixel votes for full or empty (nearer to `fill` than to `empty`, or within `tolerance` of `fill` when no `empty` is
 *   given); the level is the change point that contradicts fewest votes, so single wrong slices, notches and text on the bar do not
 *   matter. Give several colours for a bar that changes colour as it empties.
 * - Without, it is the strongest edge between two smooth stretches, each of which may be a gradient. A bar without an edge is
 *   then unreadable: full and empty look alike.
 *
 * - With `cells` it is a row of so many equal cells with room between them (hearts, lives, cartridges, stars): each is full or not, and
 *   the value is how many are. Half hearts are cells of their own: twice as many.
 *
 * Value: the level, rounded to `step` (default 1), or the number of cells. Without `empty` colours an empty gauge cannot be told from none:
 * it reads as absent, with `zero` as 0.
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
  const samples = samplesAlong(crop, view, options);
  if (samples.slices.length < 2) return { state: 'unreadable', confidence: 1 };
  const { fill, empty, space = 'rgb' } = options;
  const { tolerance = 60, cells, zero = false } = options;
  if (fill && cells !== undefined)
    return countCells(votes(samples, fill, empty, space, tolerance), cells, zero || empty !== undefined);
  const found = fill ? fillByColor(votes(samples, fill, empty, space, tolerance)) : fillByEdge(samples, LEAST_CONTRAST);
  return observation(found, options);
}

function observation(
  { level, confidence, known }: Fill,
  { fill, empty, step = 1, zero = false }: BarOptions,
): Observation {
  // Neither the colours of a full nor of an empty gauge.
  if (known < 0.5) return { state: 'absent', confidence: 1 - known };
  if (confidence < 0.5) return { state: 'unreadable', confidence: 1 - confidence };
  if (fill && !empty && !zero && level === 0) return { state: 'absent', confidence };
  const value = Math.min(100, Math.max(0, Math.round((level * 100) / step) * step));
  return { state: 'seen', value: Math.round(value * 1000) / 1000, confidence };
}

/** For each slice how many of its pixels are full, and how many are either. */
function votes(
  { slices }: Samples,
  fill: readonly ColorOption[],
  empty: readonly ColorOption[] | undefined,
  space: ColorSpaceName,
  tolerance: number,
): readonly { readonly full: number; readonly known: number; readonly count: number }[] {
  const [full] = namedColors({ full: fill }, space);
  const [none] = empty ? namedColors({ none: empty }, space) : [];
  return slices.map((pixels) => {
    let [votesFull, known] = [0, 0];
    for (let i = 0; i < pixels.length; i += 3) {
      const color = inSpace(pixels[i]!, pixels[i + 1]!, pixels[i + 2]!, space);
      const toFull = distanceTo(color, full!);
      const toEmpty = none ? distanceTo(color, none) : tolerance;
      if (Math.min(toFull, none ? toEmpty : 0) > tolerance) continue;
      known++;
      if (toFull < toEmpty) votesFull++;
    }
    return { full: votesFull, known, count: pixels.length / 3 };
  });
}
