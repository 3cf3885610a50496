/**
 * How a template is compared.
 *
 * - `correlation`: masked normalised cross-correlation, −1…1. Each channel's mean is subtracted and the deviations of all channels are
 *   correlated together, which ignores brightness, contrast and a tint of the whole screen.
 * - `difference`: 1 − the masked root-mean-square difference in units of half the range, at least 0: compares colours.
 */
export type Measure = 'correlation' | 'difference';

/** A template in the matcher's memory; sums are per channel. */
export interface Pattern {
  readonly width: number;
  readonly height: number;
  /** Vectors of eight pixels per row. */
  readonly eights: number;
  /** Address of the weights. */
  readonly weights: number;
  /** Addresses of weight · level. */
  readonly products: readonly number[];
  /** Sum of the weights. */
  readonly total: number;
  /** Σ weight · level. */
  readonly sums: readonly number[];
  /** Σ weight · level². */
  readonly squares: readonly number[];
  /** Root of the weighted mean of squared deviations. */
  readonly spread: number;
}

/** A crop in the matcher's memory, a plane per channel. */
export interface Planes {
  readonly width: number;
  readonly height: number;
  readonly pitch: number;
  readonly addresses: readonly number[];
}

/** A template and the positions of its corner in a crop at which it is compared. */
export interface Comparison {
  readonly planes: Planes;
  readonly pattern: Pattern;
  readonly measure: Measure;
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
}

/** Moments of a crop under the weights of a template: the same for all templates with these weights. */
export interface Moments {
  /** The comparison that they were computed for; undefined if they are not valid. */
  comparison: Comparison | undefined;
  /** Per channel, the weighted mean of the levels at each position. */
  readonly means: Float64Array[];
  /** For `correlation`, the deviation of all channels together. For `difference`, `means` holds sums of squares. */
  spreads: Float64Array;
}

/** Creates empty moments for so many channels. */
export function createMoments(channels: number): Moments {
  const means = Array.from({ length: channels }, () => new Float64Array(0));
  return { comparison: undefined, means, spreads: means[0]! };
}

/** Whether moments include all positions of a comparison. */
export function covers({ comparison: own }: Moments, comparison: Comparison): boolean {
  return (
    own !== undefined &&
    own.planes === comparison.planes &&
    own.measure === comparison.measure &&
    own.pattern.weights === comparison.pattern.weights &&
    comparison.left >= own.left &&
    comparison.top >= own.top &&
    comparison.left + comparison.columns <= own.left + own.columns &&
    comparison.top + comparison.rows <= own.top + own.rows
  );
}

/** Whether moments are those of a comparison's positions, no more and no fewer. */
export function isSameScan(moments: Moments, comparison: Comparison): boolean {
  const own = moments.comparison;
  return own?.columns === comparison.columns && own.rows === comparison.rows && covers(moments, comparison);
}

/** Prepares moments for the positions of a comparison. */
export function reserveMoments(moments: Moments, comparison: Comparison): void {
  moments.comparison = comparison;
  const count = comparison.columns * comparison.rows;
  if (moments.spreads.length >= count) return;
  moments.spreads = new Float64Array(count);
  for (let k = 0; k < moments.means.length; k++) moments.means[k] = new Float64Array(count);
}

/** Copies the moments of a comparison from moments that cover it. */
export function copyMoments(from: Moments, to: Moments, comparison: Comparison): void {
  reserveMoments(to, comparison);
  const { left, top, columns } = from.comparison!;
  const first = (comparison.top - top) * columns + comparison.left - left;
  for (let row = 0, n = 0; row < comparison.rows; row++)
    for (let at = first + row * columns, end = at + comparison.columns; at < end; at++, n++) {
      to.spreads[n] = from.spreads[at]!;
      for (let k = 0; k < to.means.length; k++) to.means[k]![n] = from.means[k]![at]!;
    }
}

/** Lower bound of standard deviations, in levels: flatter areas are similar to nothing. */
const MIN_DEVIATION = 2;
/** The same for three channels together. */
const MIN_COLOR_DEVIATION = MIN_DEVIATION * Math.sqrt(3);

/** Turns variances into standard deviations, in place. */
export function toDeviations(spreads: Float64Array, count: number, channels: 1 | 3): void {
  if (channels === 1)
    for (let n = 0; n < count; n++) {
      const variance = spreads[n]!;
      spreads[n] = variance > MIN_DEVIATION * MIN_DEVIATION ? Math.sqrt(variance) : MIN_DEVIATION;
    }
  else for (let n = 0; n < count; n++) spreads[n] = Math.max(Math.sqrt(Math.max(0, spreads[n]!)), MIN_COLOR_DEVIATION);
}

/**
 * Computes scores by `difference`.
 *
 * @param first Index of the sums of the first channel; those of the next channel follow at `step`.
 */
export function scoreDifferences(
  sums: Float64Array,
  first: number,
  step: number,
  count: number,
  { total, squares: own }: Pattern,
  { means }: Moments,
  scores: Float64Array,
): void {
  for (let n = 0; n < count; n++) {
    let squares = 0;
    for (let k = 0; k < own.length; k++) squares += means[k]![n]! - 2 * sums[first + k * step + n]! + own[k]!;
    scores[n] = Math.max(0, 1 - Math.sqrt(squares / total / own.length) / 128);
  }
}

/** Computes scores by `correlation` of three channels together. */
export function scoreColorCorrelations(
  sums: Float64Array,
  first: number,
  step: number,
  count: number,
  { total, sums: [red, green, blue], spread }: Pattern,
  { means: [meanR, meanG, meanB], spreads }: Moments,
  scores: Float64Array,
): void {
  const own = Math.max(spread, MIN_COLOR_DEVIATION);
  for (let n = 0, r = first; n < count; n++, r++) {
    const cross =
      sums[r]! -
      red! * meanR![n]! +
      (sums[r + step]! - green! * meanG![n]!) +
      (sums[r + 2 * step]! - blue! * meanB![n]!);
    scores[n] = cross / total / (own * spreads[n]!);
  }
}

/** Computes scores by `correlation` of one channel. */
export function scoreCorrelations(
  sums: Float64Array,
  first: number,
  count: number,
  { total, sums: own, spread }: Pattern,
  { means: [mean], spreads }: Moments,
  scores: Float64Array,
): void {
  const levels = own[0]!;
  const divisor = total * Math.max(spread, MIN_DEVIATION);
  for (let n = 0; n < count; n++) scores[n] = (sums[first + n]! - levels * mean![n]!) / (divisor * spreads[n]!);
}
