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

/** A template, and the positions of its corner in a crop at which it is compared. */
export interface Look {
  readonly planes: Planes;
  readonly pattern: Pattern;
  readonly measure: Measure;
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
}

/** What a template's weights give at the positions of a look: the same for all templates of these weights. */
export interface Moments {
  /** The last look that they were worked out for; undefined: none that can be used. */
  look: Look | undefined;
  /** Per channel, the weighted mean of the levels at each position. */
  readonly means: Float64Array[];
  /** The weighted means of their squares (`difference` wants their sum), or the deviation of all channels together. */
  spreads: Float64Array;
}

/** Creates empty moments for so many channels. */
export function newMoments(channels: number): Moments {
  const means = Array.from({ length: channels }, () => new Float64Array(0));
  return { look: undefined, means, spreads: means[0]! };
}

/** Whether they hold all positions of a look, for a template with these weights in these planes. */
export function hold({ look: own }: Moments, look: Look): boolean {
  return (
    own !== undefined &&
    own.planes === look.planes &&
    own.measure === look.measure &&
    own.pattern.weights === look.pattern.weights &&
    look.left >= own.left &&
    look.top >= own.top &&
    look.left + look.columns <= own.left + own.columns &&
    look.top + look.rows <= own.top + own.rows
  );
}

/** Makes room for those of a look. */
export function readyFor(moments: Moments, look: Look): void {
  moments.look = look;
  const count = look.columns * look.rows;
  if (moments.spreads.length >= count) return;
  moments.spreads = new Float64Array(count);
  for (let k = 0; k < moments.means.length; k++) moments.means[k] = new Float64Array(count);
}

/** Takes those of a look from those that hold it. */
export function copyPart(from: Moments, to: Moments, look: Look): void {
  readyFor(to, look);
  const { left, top, columns } = from.look!;
  const first = (look.top - top) * columns + look.left - left;
  for (let row = 0, n = 0; row < look.rows; row++)
    for (let at = first + row * columns, end = at + look.columns; at < end; at++, n++) {
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
