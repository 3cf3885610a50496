/** Pixels of a gauge as RGB triples, one list per slice, from its empty end to its full end. */
export interface Samples {
  readonly slices: readonly (readonly number[])[];
}

/** How full: 0…1. `known` is the share of pixels that look like the gauge at all. */
export interface Fill {
  readonly level: number;
  readonly confidence: number;
  readonly known: number;
}

/**
 * The change point that contradicts fewest votes: everything before it should be full, everything behind it empty. Between two
 * whole slices the level is placed by how full the boundary slice is. O(slices).
 */
export function fillByColor(
  slices: readonly { readonly full: number; readonly known: number; readonly count: number }[],
): Fill {
  const total = slices.reduce((sum, { count }) => sum + count, 0);
  const known = slices.reduce((sum, slice) => sum + slice.known, 0);
  if (known === 0) return { level: 0, confidence: 0, known: 0 };
  const shares = slices.map((slice) => (slice.known === 0 ? undefined : slice.full / slice.known));
  const filled = shares.map((share) => share ?? 0);
  // Against "n slices are full": the empty part of those, the full part of the others. Slices that say nothing agree.
  let against = filled.reduce((sum, share) => sum + share, 0);
  let [least, best] = [against, 0];
  for (const [n, share] of shares.entries()) {
    if (share !== undefined) against += 1 - 2 * share;
    if (against < least - 1e-9) [least, best] = [against, n + 1];
  }
  const partial = boundary(shares, best);
  const level = Math.min(1, Math.max(0, (best + partial) / slices.length));
  // Half of the votes wrong is no gauge at all; none wrong is certain.
  const votes = shares.filter((share) => share !== undefined).length;
  return {
    level,
    confidence: Math.max(0, 1 - (2.5 * Math.max(0, least - Math.abs(partial))) / votes),
    known: known / total,
  };
}

/** By how much of a slice the level lies beyond (or before) whole slice `best`: the anti-aliased one on either side. */
function boundary(shares: readonly (number | undefined)[], best: number): number {
  const inside = shares[best - 1];
  const outside = shares[best];
  const short = inside === undefined ? 0 : inside - 1;
  const beyond = outside ?? 0;
  return beyond > -short ? beyond : short;
}

/**
 * The edge that splits the slices' mean colours best into two stretches, each fitted by a straight line per channel (a gradient
 * or a flat colour). Least squares over prefix sums, O(slices). Says nothing (confidence 0) when the colours on both sides
 * of the edge differ by less than `contrast` levels.
 */
export function fillByEdge({ slices }: Samples, contrast: number): Fill {
  const means = slices.map((pixels) => [0, 1, 2].map((k) => mean(pixels, k)));
  const n = means.length;
  const fits = [0, 1, 2].map((k) => prefixes(means.map((color) => color[k]!)));
  const whole = fits.reduce((sum, fit) => sum + residual(fit, 0, n), 0);
  let [least, best] = [whole, 0];
  // Two slices at least on either side: a line through one is no evidence.
  for (let split = 2; split <= n - 2; split++) {
    const rest = fits.reduce((sum, fit) => sum + residual(fit, 0, split) + residual(fit, split, n), 0);
    if (rest < least - 1e-9) [least, best] = [rest, split];
  }
  if (best === 0) return { level: 0, confidence: 0, known: 1 };
  const jump = Math.hypot(...fits.map((fit) => valueAt(fit, best, n, best) - valueAt(fit, 0, best, best)));
  if (jump < contrast) return { level: 0, confidence: 0, known: 1 };
  return { level: best / n, confidence: Math.max(0, 1 - least / Math.max(whole, 1e-9)), known: 1 };
}

function mean(pixels: readonly number[], channel: number): number {
  let sum = 0;
  for (let i = channel; i < pixels.length; i += 3) sum += pixels[i]!;
  return (sum * 3) / pixels.length;
}

/** Prefix sums of y, i·y and y² (those of i and i² are closed formulas). */
interface Prefixes {
  readonly y: Float64Array;
  readonly iy: Float64Array;
  readonly yy: Float64Array;
}

function prefixes(values: readonly number[]): Prefixes {
  const [y, iy, yy] = [0, 1, 2].map(() => new Float64Array(values.length + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (const [i, value] of values.entries()) {
    y[i + 1] = y[i]! + value;
    iy[i + 1] = iy[i]! + i * value;
    yy[i + 1] = yy[i]! + value * value;
  }
  return { y, iy, yy };
}

/** Moments of the points from … to − 1, about the middle of the stretch. */
function moments({ y, iy, yy }: Prefixes, from: number, to: number) {
  const count = to - from;
  const centre = (from + to - 1) / 2;
  const sum = y[to]! - y[from]!;
  return {
    count,
    centre,
    sum,
    cross: iy[to]! - iy[from]! - centre * sum,
    square: yy[to]! - yy[from]!,
    spread: (count * (count * count - 1)) / 12,
  };
}

/** Sum of squares that the best straight line leaves. */
function residual(fit: Prefixes, from: number, to: number): number {
  const { count, sum, cross, square, spread } = moments(fit, from, to);
  return Math.max(0, square - (sum * sum) / count - (spread > 0 ? (cross * cross) / spread : 0));
}

/** The line's value half a slice before position `at`, that is at the edge. */
function valueAt(fit: Prefixes, from: number, to: number, at: number): number {
  const { count, centre, sum, cross, spread } = moments(fit, from, to);
  return sum / count + (spread > 0 ? (cross / spread) * (at - 0.5 - centre) : 0);
}
