import { list, number, oneOf, positive } from '../../schema/build.ts';
import {
  areColorful,
  COLOR_SCHEMA,
  type ColorSpaceName,
  type ColorTriple,
  distanceTo,
  inSpace,
  type NamedColor,
  namedColors,
} from '../../regions/color.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import type { FrameDetectorKind, Observation, PreparedCrop } from '../kind.ts';

/** Schema of the options of `color` detectors. */
const COLOR_DETECTOR_SCHEMA = {
  type: 'object',
  required: ['region', 'colors'],
  properties: {
    colors: {
      description: 'The colors by their names; a name may have several.',
      type: 'object',
      minProperties: 1,
      maxProperties: 64,
      additionalProperties: {
        anyOf: [COLOR_SCHEMA, { type: 'array', items: COLOR_SCHEMA, minItems: 1, maxItems: 16 }],
      },
    },
    measure: oneOf(
      ['mean', 'dominant', 'share'],
      'What is compared: the `mean` color of the region, its `dominant` color, or the `share` of pixels near each color (such as ink on a background).',
      'mean',
    ),
    tolerance: positive(442, 'Maximum distance from a color.', 48),
    minimum: number([0, 1], 'Measure `share`: the minimum share of the pixels.', 0.5),
    space: oneOf(['rgb', 'ycbcr', 'chroma'], 'Color space of the distances; `chroma` ignores brightness.', 'rgb'),
    absent: list({ type: 'string' }, [], 'Names that read as absent.'),
  },
} as const satisfies Schema;

/** Options of `color` detectors. */
type ColorOptions = FromSchema<typeof COLOR_DETECTOR_SCHEMA>;

/**
 * Reads which of some named colours a region has: a screen tint when the player is hurt, a team's colour, the state of a lamp.
 *
 * - `mean` (default) compares the mean colour: for tints, which shift every pixel.
 * - `dominant` compares the mean of the most frequent colours (of 16 levels per channel): for flat badges.
 * - `share` counts the pixels near the colours of each name; the name with the most wins if it has at least the share `minimum`. For
 *   small or ragged marks.
 *
 * The value is the name. A name under `absent` (the untinted screen) and a colour further than `tolerance` from all names read as absent.
 * The confidence grows with the distance to the second-best name.
 */
export const kind: FrameDetectorKind<ColorOptions> = {
  input: 'frame',
  name: 'color',
  description:
    'Which of some named colors a region has: by its mean color (screen tints), its dominant color (badges), or the share of pixels near each color (marks). Reads the name.',
  byColour: ({ colors }) => namedColors(colors, 'rgb').some((named) => areColorful(named.colors)),
  schema: COLOR_DETECTOR_SCHEMA,
  async open(options) {
    const { measure = 'mean', tolerance = 48, minimum = 0.5, space = 'rgb' } = options;
    const names = namedColors(options.colors, space);
    const absent = new Set(options.absent);
    const observe = (crop: PreparedCrop): Observation => {
      if (crop.width * crop.height === 0) return { state: 'unreadable', confidence: 1 };
      const found =
        measure === 'share'
          ? matchShare(crop, names, space, tolerance, minimum)
          : matchColor(crop, names, space, tolerance, measure);
      if (found.name === undefined || absent.has(found.name)) return { state: 'absent', confidence: found.confidence };
      return { state: 'seen', value: found.name, confidence: found.confidence, detail: found.detail };
    };
    return {
      read(view) {
        const crop = view.prepared();
        return crop instanceof Promise ? crop.then(observe) : observe(crop);
      },
      [Symbol.dispose]() {},
    };
  },
};

/** The best name, unless none is near enough. */
interface Match {
  readonly name?: string;
  readonly confidence: number;
  readonly detail?: unknown;
}

function matchColor(
  crop: PreparedCrop,
  names: readonly NamedColor[],
  space: ColorSpaceName,
  tolerance: number,
  measure: 'mean' | 'dominant',
): Match {
  const rgb = measure === 'mean' ? meanColor(crop) : dominantColor(crop);
  const color = inSpace(...rgb, space);
  const [best, second] = names
    .map((named) => ({ name: named.name, distance: distanceTo(color, named) }))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  if (best!.distance > tolerance) return { confidence: 1 - 0.5 * (tolerance / best!.distance) ** 2 };
  // 0.5 if two names are equally near.
  const other = second?.distance ?? Math.max(tolerance, 2 * best!.distance);
  const confidence = 1 - 0.5 * (best!.distance / Math.max(other, 1e-9)) ** 2;
  return {
    name: best!.name,
    confidence,
    detail: { color: rgb.map(Math.round), distance: Math.round(best!.distance * 10) / 10 },
  };
}

function matchShare(
  { data, channels }: PreparedCrop,
  names: readonly NamedColor[],
  space: ColorSpaceName,
  tolerance: number,
  minimum: number,
): Match {
  const counts = countNear(data, channels, space, targetsFor(names, tolerance));
  const total = data.length / channels;
  const order = names.map((_, index) => index).toSorted((a, b) => counts[b]! - counts[a]! || a - b);
  const share = counts[order[0]!]! / total;
  if (share < minimum) return { confidence: 1 - 0.5 * (share / minimum) ** 2 };
  const second = (counts[order[1] ?? -1] ?? 0) / total;
  const against = Math.max(second / share, Math.min(1, minimum / share) ** 2);
  return {
    name: names[order[0]!]!.name,
    confidence: 1 - 0.5 * against ** 2,
    detail: { share: Math.round(share * 1000) / 1000 },
  };
}

/** The colours of all names in one array, for the loop over pixels. */
interface Targets {
  readonly names: number;
  readonly tolerance: number;
  /** Three channels per colour. */
  readonly flat: Float64Array;
  /** Index of the name of each colour. */
  readonly owners: Int32Array;
  /** Bounds per channel outside which no colour is within the tolerance. */
  readonly low: readonly number[];
  readonly high: readonly number[];
}

const cachedTargets = new WeakMap<readonly NamedColor[], Targets>();

function targetsFor(names: readonly NamedColor[], tolerance: number): Targets {
  const cached = cachedTargets.get(names);
  if (cached?.tolerance === tolerance) return cached;
  const flat = Float64Array.from(names.flatMap(({ colors }) => colors.flat()));
  const owners = Int32Array.from(names.flatMap(({ colors }, index) => colors.map(() => index)));
  const margin = tolerance + ROUNDING_MARGIN;
  const levels = [0, 1, 2].map((k) => flat.filter((_, at) => at % 3 === k));
  const low = levels.map((own) => Math.min(...own) - margin);
  const high = levels.map((own) => Math.max(...own) + margin);
  const targets = { names: names.length, tolerance, flat, owners, low, high };
  cachedTargets.set(names, targets);
  return targets;
}

/** Keeps the tests per channel from rejecting a colour at exactly the tolerance. */
const ROUNDING_MARGIN = 1e-6;

/** Counts the pixels whose nearest colour within the tolerance belongs to each name; of equally near names the last one wins. */
function countNear(data: Uint8Array, channels: number, space: ColorSpaceName, targets: Targets): Int32Array {
  const { flat, owners, tolerance } = targets;
  const counts = new Int32Array(targets.names);
  const beyond = tolerance + ROUNDING_MARGIN;
  const [lowA, lowB, lowC] = [targets.low[0]!, targets.low[1]!, targets.low[2]!];
  const [highA, highB, highC] = [targets.high[0]!, targets.high[1]!, targets.high[2]!];
  const green = channels === 1 ? 0 : 1;
  const blue = channels - 1;
  const isRgb = space === 'rgb';
  const isChroma = space === 'chroma';
  // Allocates nothing per pixel: a crop has thousands.
  for (let at = 0; at < data.length; at += channels) {
    let a = data[at]!;
    let b = data[at + green]!;
    let c = data[at + blue]!;
    if (!isRgb) {
      const luma = 0.2126 * a + 0.7152 * b + 0.0722 * c;
      b = (c - luma) / 1.8556;
      c = (a - luma) / 1.5748;
      a = isChroma ? 0 : luma;
    }
    if (a < lowA || a > highA || b < lowB || b > highB || c < lowC || c > highC) continue;
    let best = -1;
    let nearest = tolerance;
    for (let k = 0, from = 0; k < owners.length; k++, from += 3) {
      const x = a - flat[from]!;
      // Rejects most pixels early: no channel can differ by more than the distance.
      if (x > beyond || x < -beyond) continue;
      const y = b - flat[from + 1]!;
      const z = c - flat[from + 2]!;
      if (y > beyond || y < -beyond || z > beyond || z < -beyond) continue;
      const distance = Math.sqrt(x * x + y * y + z * z);
      if (distance > nearest) continue;
      best = owners[k]!;
      nearest = distance;
    }
    if (best >= 0) counts[best]!++;
  }
  return counts;
}

/** Mean red, green and blue. */
function meanColor({ data, channels }: PreparedCrop): ColorTriple {
  const sums = [0, 0, 0];
  for (let at = 0; at < data.length; at += channels) {
    for (let k = 0; k < channels; k++) sums[k]! += data[at + k]!;
  }
  const count = data.length / channels;
  const [r, g, b] = sums as [number, number, number];
  return channels === 1 ? [r / count, r / count, r / count] : [r / count, g / count, b / count];
}

/** Mean of the pixels in the most frequent of 16³ bins of RGB. */
function dominantColor({ data, channels }: PreparedCrop): ColorTriple {
  const counts = new Uint32Array(4096);
  const binOf = (at: number): number => {
    const last = at + channels - 1;
    return ((data[at]! >> 4) << 8) | ((data[Math.min(last, at + 1)]! >> 4) << 4) | (data[last]! >> 4);
  };
  for (let at = 0; at < data.length; at += channels) counts[binOf(at)]!++;
  let fullest = 0;
  for (let bin = 1; bin < counts.length; bin++) if (counts[bin]! > counts[fullest]!) fullest = bin;
  let [red, green, blue, count] = [0, 0, 0, 0];
  for (let at = 0; at < data.length; at += channels) {
    if (binOf(at) !== fullest) continue;
    const last = at + channels - 1;
    red += data[at]!;
    green += data[Math.min(last, at + 1)]!;
    blue += data[last]!;
    count++;
  }
  return [red / count, green / count, blue / count];
}
