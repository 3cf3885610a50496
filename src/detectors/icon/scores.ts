/**
 * `correlation`: masked normalised cross-correlation, −1…1. The channels' means are taken out one by one, their deviations correlated
 * together: brightness, contrast and a tint of the whole screen do not matter, but which channel varies does.
 * `difference`: 1 − the masked root-mean-square difference in units of half the range, at least 0: colours must be the same.
 */
export type Measure = 'correlation' | 'difference';

/** A template in the matcher's memory. W is the sum of weights; sums over pixels are per channel. */
export interface Pattern {
  readonly width: number;
  readonly height: number;
  readonly eights: number;
  /** Addresses. */
  readonly weights: number;
  readonly products: readonly number[];
  readonly total: number;
  /** Σ weight · level and Σ weight · level². */
  readonly sums: readonly number[];
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

/** Positions of a template's corner, and what its weights give there: the same for all templates of these weights. */
export interface Moments {
  planes: Planes | undefined;
  measure: Measure | undefined;
  weights: number;
  left: number;
  top: number;
  columns: number;
  rows: number;
  /** Per channel, the weighted mean of the levels at each position. */
  readonly means: Float64Array[];
  /** The weighted means of their squares (`difference` wants their sum), or the deviation of all channels together. */
  spreads: Float64Array;
}

export function newMoments(channels: number): Moments {
  const means = Array.from({ length: channels }, () => new Float64Array(0));
  const place = { left: 0, top: 0, columns: 0, rows: 0 };
  return { planes: undefined, measure: undefined, weights: 0, ...place, means, spreads: means[0]! };
}

/** Whether they are those of templates with this one's weights in these planes. */
export function isOf(moments: Moments, planes: Planes, { weights }: Pattern, measure: Measure): boolean {
  return moments.planes === planes && moments.measure === measure && moments.weights === weights;
}

/** Makes room for those of so many positions. */
export function readyFor(
  moments: Moments,
  planes: Planes,
  { weights }: Pattern,
  measure: Measure,
  left: number,
  top: number,
  columns: number,
  rows: number,
): void {
  Object.assign(moments, { planes, measure, weights, left, top, columns, rows });
  const count = columns * rows;
  if (moments.spreads.length >= count) return;
  moments.spreads = new Float64Array(count);
  for (let k = 0; k < moments.means.length; k++) moments.means[k] = new Float64Array(count);
}

/** Takes those of some positions from those of more. */
export function copyPart(from: Moments, to: Moments): void {
  const first = (to.top - from.top) * from.columns + to.left - from.left;
  for (let row = 0, n = 0; row < to.rows; row++)
    for (let at = first + row * from.columns, end = at + to.columns; at < end; at++, n++) {
      to.spreads[n] = from.spreads[at]!;
      for (let k = 0; k < to.means.length; k++) to.means[k]![n] = from.means[k]![at]!;
    }
}

/** Levels of standard deviation below which an area is too flat to be called similar to anything. */
const FLAT = 2;
/** The same of three channels together. */
const LEAST = FLAT * Math.sqrt(3);

/** Turns variances of so many positions into deviations, flat areas counting as a little rough. */
export function deviations(spreads: Float64Array, count: number, channels: 1 | 3): void {
  if (channels === 1)
    for (let n = 0; n < count; n++) {
      const variance = spreads[n]!;
      spreads[n] = variance > FLAT * FLAT ? Math.sqrt(variance) : FLAT;
    }
  else for (let n = 0; n < count; n++) spreads[n] = Math.max(Math.sqrt(Math.max(0, spreads[n]!)), LEAST);
}

/** Scores by differences; a channel's sums lie `step` after those of the channel before. */
export function differences(
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

/** Correlations of three channels together, without anything made for a position: there are hundreds for every sample. */
export function colorCorrelations(
  sums: Float64Array,
  first: number,
  step: number,
  count: number,
  { total, sums: [red, green, blue], spread }: Pattern,
  { means: [meanR, meanG, meanB], spreads }: Moments,
  scores: Float64Array,
): void {
  const own = Math.max(spread, LEAST);
  for (let n = 0, r = first; n < count; n++, r++) {
    const cross =
      sums[r]! -
      red! * meanR![n]! +
      (sums[r + step]! - green! * meanG![n]!) +
      (sums[r + 2 * step]! - blue! * meanB![n]!);
    scores[n] = cross / total / (own * spreads[n]!);
  }
}

/** The same for the correlations of one channel: a search over whole frames has millions of them. */
export function correlations(
  sums: Float64Array,
  first: number,
  count: number,
  { total, sums: own, spread }: Pattern,
  { means: [mean], spreads }: Moments,
  scores: Float64Array,
): void {
  const levels = own[0]!;
  const divisor = total * Math.max(spread, FLAT);
  for (let n = 0; n < count; n++) scores[n] = (sums[first + n]! - levels * mean![n]!) / (divisor * spreads[n]!);
}
