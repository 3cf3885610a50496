import {
  areColourful,
  COLOR_SCHEMA,
  type ColorSpaceName,
  type ColorTriple,
  distanceTo,
  inSpace,
  type NamedColor,
  namedColors,
} from '../../regions/color.ts';
import type { FrameDetectorKind, Observation, PreparedCrop } from '../kind.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

const schema = {
  type: 'object',
  required: ['region', 'colors'],
  properties: {
    colors: {
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
        '`share`: the colour that most pixels are near to, also where they are few among others (ink on a ground).',
    },
    tolerance: { type: 'number', exclusiveMinimum: 0, maximum: 442, default: 48 },
    minimum: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'The least share of the pixels, for `share`.',
    },
    space: { enum: ['rgb', 'ycbcr', 'chroma'], default: 'rgb' },
    absent: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of colours that mean that nothing is there.',
    },
  },
} as const satisfies Schema;

/** Options of the kind. */
type ColorOptions = FromSchema<typeof schema>;

/**
 * Which of some named colours a region has: the tint of the screen when the player is hurt or picks something up, the team's
 * colour, the state of a lamp.
 *
 * - `mean` (default) compares the mean colour; right for tints, where every pixel shifts.
 * - `dominant` compares the most frequent colour (of 16 levels a channel, then the mean of those pixels); right for flat badges.
 * - `share` counts the pixels near each name's colours; the name with most wins if it has `minimum` of them. Right for small
 *   or ragged marks, and it measures how much of them there is.
 *
 * Value: the name. Names under `absent` stand for "nothing there" (the untinted screen). A region whose colour is further than
 * `tolerance` from all is absent as well. Confidence grows with the distance to the second-best name.
 */
export const kind: FrameDetectorKind<ColorOptions> = {
  input: 'frame',
  name: 'color',
  description:
    'Which of some named colours a region has: by its mean colour (screen tints), its dominant colour (badges), or the share of pixels near each colour (marks). Reads the name.',
  byColour: ({ colors }) => namedColors(colors, 'rgb').some((named) => areColourful(named.colors)),
  schema,
  async open(options) {
    const { measure = 'mean', tolerance = 48, minimum = 0.5, space = 'rgb' } = options;
    const names = namedColors(options.colors, space);
    const absent = new Set(options.absent);
    const observe = (crop: PreparedCrop): Observation => {
      if (crop.width * crop.height === 0) return { state: 'unreadable', confidence: 1 };
      const found =
        measure === 'share'
          ? byShare(crop, names, space, tolerance, minimum)
          : byDistance(crop, names, space, tolerance, measure);
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

interface Found {
  readonly name?: string;
  readonly confidence: number;
  readonly detail?: unknown;
}

function byDistance(
  crop: PreparedCrop,
  names: readonly NamedColor[],
  space: ColorSpaceName,
  tolerance: number,
  measure: 'mean' | 'dominant',
): Found {
  const rgb = measure === 'mean' ? meanColor(crop) : dominantColor(crop);
  const color = inSpace(...rgb, space);
  const [best, second] = names
    .map((named) => ({ name: named.name, distance: distanceTo(color, named) }))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  if (best!.distance > tolerance) return { confidence: 1 - 0.5 * (tolerance / best!.distance) ** 2 };
  // Sure when the colour is near one name and far from the next; at even distances it is a toss.
  const other = second?.distance ?? Math.max(tolerance, 2 * best!.distance);
  const confidence = 1 - 0.5 * (best!.distance / Math.max(other, 1e-9)) ** 2;
  return {
    name: best!.name,
    confidence,
    detail: { color: rgb.map(Math.round), distance: Math.round(best!.distance * 10) / 10 },
  };
}

function byShare(
  { data, channels }: PreparedCrop,
  names: readonly NamedColor[],
  space: ColorSpaceName,
  tolerance: number,
  minimum: number,
): Found {
  const counts = countNear(data, channels, space, targetsOf(names, tolerance));
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

/** The colours that pixels are held against, worked out once for all crops. */
interface Targets {
  readonly names: number;
  readonly tolerance: number;
  /** Three levels a colour, and which name has it. */
  readonly flat: Float64Array;
  readonly owners: Int32Array;
  /** Within these, channel by channel, lies all that is like any colour. */
  readonly low: readonly number[];
  readonly high: readonly number[];
}

const known = new WeakMap<readonly NamedColor[], Targets>();

function targetsOf(names: readonly NamedColor[], tolerance: number): Targets {
  const before = known.get(names);
  if (before?.tolerance === tolerance) return before;
  const flat = Float64Array.from(names.flatMap(({ colors }) => colors.flat()));
  const owners = Int32Array.from(names.flatMap(({ colors }, index) => colors.map(() => index)));
  const beyond = beyondOf(tolerance);
  const levels = [0, 1, 2].map((k) => flat.filter((_, at) => at % 3 === k));
  const low = levels.map((own) => Math.min(...own) - beyond);
  const high = levels.map((own) => Math.max(...own) + beyond);
  const targets = { names: names.length, tolerance, flat, owners, low, high };
  known.set(names, targets);
  return targets;
}

/** A hair more than the tolerance: what lies further off in one channel is further off in all. */
function beyondOf(tolerance: number): number {
  return tolerance + 1e-6;
}

/** How many pixels are nearest to a colour of each name, and within the tolerance of it; the last of equally near names has it. */
function countNear(data: Uint8Array, channels: number, space: ColorSpaceName, targets: Targets): Int32Array {
  const { flat, owners, tolerance } = targets;
  const counts = new Int32Array(targets.names);
  const beyond = beyondOf(tolerance);
  const [lowA, lowB, lowC] = [targets.low[0]!, targets.low[1]!, targets.low[2]!];
  const [highA, highB, highC] = [targets.high[0]!, targets.high[1]!, targets.high[2]!];
  const green = channels === 1 ? 0 : 1;
  const blue = channels - 1;
  const isRgb = space === 'rgb';
  const isChroma = space === 'chroma';
  // Nothing is made for a pixel, not even a triple: there are thousands in a crop.
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
    let least = tolerance;
    for (let k = 0, from = 0; k < owners.length; k++, from += 3) {
      const x = a - flat[from]!;
      // Most pixels are nothing like the colour already here; the distance is no less than any of its parts.
      if (x > beyond || x < -beyond) continue;
      const y = b - flat[from + 1]!;
      const z = c - flat[from + 2]!;
      if (y > beyond || y < -beyond || z > beyond || z < -beyond) continue;
      const distance = Math.sqrt(x * x + y * y + z * z);
      if (distance > least) continue;
      best = owners[k]!;
      least = distance;
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

/** The mean of the pixels in the fullest of 16³ cells of RGB. */
function dominantColor({ data, channels }: PreparedCrop): ColorTriple {
  const counts = new Uint32Array(4096);
  const cellOf = (at: number): number => {
    const last = at + channels - 1;
    return ((data[at]! >> 4) << 8) | ((data[Math.min(last, at + 1)]! >> 4) << 4) | (data[last]! >> 4);
  };
  for (let at = 0; at < data.length; at += channels) counts[cellOf(at)]!++;
  let fullest = 0;
  for (let cell = 1; cell < counts.length; cell++) if (counts[cell]! > counts[fullest]!) fullest = cell;
  let [red, green, blue, count] = [0, 0, 0, 0];
  for (let at = 0; at < data.length; at += channels) {
    if (cellOf(at) !== fullest) continue;
    const last = at + channels - 1;
    red += data[at]!;
    green += data[Math.min(last, at + 1)]!;
    blue += data[last]!;
    count++;
  }
  return [red / count, green / count, blue / count];
}
