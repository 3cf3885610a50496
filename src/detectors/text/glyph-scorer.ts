import type { Atlas, Glyph } from './atlas.ts';
import { GlyphBounds } from './glyph-bounds.ts';
import { ENTRY, GlyphIntegral, GlyphPlanes, LANES, PAIR, SQUARES } from './glyph-sums.ts';
import type { LineImage } from './line-image.ts';

/** How well a glyph fits at a place. */
export interface Fit {
  /** Log likelihood ratio against a surface without the glyph; above 0 the glyph explains the pixels better. */
  llr: number;
  /** The same against an even surface, too: evidence that a glyph is there, not which one. */
  proof: number;
  /** Mean squared misfit in units of the expected variance: about 1 for a true reading. */
  misfit: number;
  /** Index of the font's ink. */
  ink: number;
}

/** Contrast below which a glyph cannot be distinguished from a flat surface. */
const MIN_GAIN = 0.2;
/** Least standard deviation, in grey levels, of a surface without a glyph. */
const MIN_SURFACE_DEVIATION = 10;
const MIN_SURFACE_VARIANCE = MIN_SURFACE_DEVIATION ** 2;

/** An ink of the font: how far each plane of the image follows the glyph's grey levels. */
type Ink = readonly number[];

/** What a glyph is compared with in one plane: the mean and the variance of its box. */
interface Surface {
  mean: number;
  variance: number;
  logVariance: number;
}

/** One plane of the line image. */
interface PlaneTables {
  data: Float32Array;
  /** Integral images of levels and of their squares: doubles per entry, and where in an entry both are. */
  sum: Float64Array;
  readonly step: number;
  readonly sumAt: number;
  readonly squaresAt: number;
  /** Sums over the pixels of the glyph that is scored, by the constants below. */
  readonly sums: Float64Array;
}

/** Plain and weighted sums over a glyph's pixels p, with expected levels t: Σ p, Σ p², Σ w p, Σ w p t, Σ w p². */
const P = 0;
const PP = 1;
const WP = 2;
const WPT = 3;
const WPP = 4;

/**
 * Scores glyphs on one line image. The picture at a glyph is modelled as gain · level + offset + noise, pixel by pixel with the
 * learnt variance. Gain and offset have Gaussian priors, the atlas's illumination, so that tints and fades are followed as far as
 * the atlas allows; their maximum a posteriori values solve a 2 × 2 system. The rival hypothesis is a surface with the mean and
 * the variance of the glyph's box: on a white wall white text proves nothing.
 *
 * A font with several inks is scored on luma and both colour differences together: the gain is common, each plane follows the
 * levels as the ink says and has an offset of its own, and the ink that explains most is taken.
 */
export class GlyphScorer {
  readonly #atlas: Atlas;
  readonly #offsetsByWidth = new Map<number, Int32Array[]>();
  readonly #priorGain: number;
  readonly #priorOffset: number;
  readonly #inks: readonly Ink[];
  readonly #hasGround: boolean;
  readonly #differences = new Map<number, Difference>();
  #onlyInk: number | undefined;
  readonly #tables: readonly PlaneTables[];
  /** For fonts of several inks; others have an integral image. */
  readonly #planes: GlyphPlanes | undefined;
  #integral: GlyphIntegral | undefined;
  /** Pixel offsets of the glyphs in the current image. */
  #offsets: readonly Int32Array[] = [];
  /** The current image, until it has been integrated. */
  #pending: LineImage | undefined;
  #width = 0;
  #height = 0;
  /** Place and width of `#surfaces`, which all glyphs of one width share there; by plane. */
  #surfaceX = Number.NaN;
  #surfaceY = 0;
  #surfaceWidth = 0;
  readonly #surfaces: readonly Surface[];
  /** Σ w p t of each plane, less the part of its offset. */
  readonly #linear: Float64Array;
  /** By glyph and ink: the square term of the gain. */
  readonly #squares: Float64Array;
  readonly fit: Fit = { llr: 0, proof: 0, misfit: 0, ink: 0 };

  constructor(atlas: Atlas) {
    this.#atlas = atlas;
    const { gain, offset } = atlas.file.illumination;
    this.#priorGain = 1 / Math.max(gain, 1e-3) ** 2;
    this.#priorOffset = 1 / Math.max(offset, 0.1) ** 2;
    this.#inks = atlas.inks;
    this.#hasGround = atlas.file.ground !== undefined;
    const planes = atlas.inks[0]!.length;
    this.#planes = planes > 1 ? new GlyphPlanes(atlas) : undefined;
    this.#tables = Array.from({ length: planes }, (_, plane) => ({
      data: new Float32Array(0),
      sum: new Float64Array(0),
      step: this.#planes ? ENTRY : PAIR,
      sumAt: plane,
      squaresAt: this.#planes ? plane + SQUARES : 1,
      sums: new Float64Array(5),
    }));
    this.#surfaces = Array.from({ length: planes }, () => ({ mean: 0, variance: 1, logVariance: 0 }));
    this.#linear = new Float64Array(planes);
    this.#squares = Float64Array.from({ length: atlas.glyphs.length * atlas.inks.length }, (_, i) => {
      const glyph = atlas.glyphs[Math.floor(i / atlas.inks.length)]!;
      const own = glyph.sumWTT - (glyph.sumWT * glyph.sumWT) / (glyph.sumW + this.#priorOffset);
      return atlas.inks[i % atlas.inks.length]!.reduce((sum, k) => sum + k * k * own, this.#priorGain);
    });
  }

  /**
   * Creates bounds of `score` for some glyphs of a font of one ink; undefined for other fonts.
   *
   * @param limits By candidate: see `GlyphBounds.mayExceedLimit`; default 0.
   */
  bounds(candidates: readonly number[], limits: ArrayLike<number> = candidates.map(() => 0)): GlyphBounds | undefined {
    if (this.#tables.length > 1 || candidates.length === 0) return undefined;
    const rules = {
      priorGain: this.#priorGain,
      priorOffset: this.#priorOffset,
      minGain: MIN_GAIN,
      surface: (x: number, y: number, width: number) => this.#surfaceAt(x, y, width)[0]!,
    };
    return new GlyphBounds(this.#atlas, candidates, rules, limits);
  }

  /** Returns, by plane, the surfaces that glyphs of that width are compared with at (x, y). */
  #surfaceAt(x: number, y: number, width: number): readonly Surface[] {
    if (x === this.#surfaceX && y === this.#surfaceY && width === this.#surfaceWidth) return this.#surfaces;
    this.#integrate();
    [this.#surfaceX, this.#surfaceY, this.#surfaceWidth] = [x, y, width];
    for (const [plane, tables] of this.#tables.entries()) {
      const { area, sum, squares } = this.#box(tables, x, y, width);
      const mean = sum / area;
      const surface = this.#surfaces[plane]!;
      surface.mean = mean;
      surface.variance = Math.max(MIN_SURFACE_VARIANCE, squares / area - mean * mean);
      surface.logVariance = Math.log(surface.variance);
    }
    return this.#surfaces;
  }

  #offsetsFor(width: number): Int32Array[] {
    let offsets = this.#offsetsByWidth.get(width);
    if (!offsets) {
      offsets = this.#atlas.glyphs.map((glyph) => Int32Array.from(glyph.dx, (dx, i) => glyph.dy[i]! * width + dx));
      this.#offsetsByWidth.set(width, offsets);
    }
    return offsets;
  }

  /** Makes `image` the one that glyphs are scored on; it must not change before the next call. */
  look(image: LineImage): void {
    this.#width = image.width;
    this.#height = image.height;
    this.#offsets = this.#offsetsFor(image.width);
    for (const [plane, tables] of this.#tables.entries()) tables.data = planeOf(image, plane);
    this.#pending = image;
    this.#surfaceX = Number.NaN;
  }

  /** Integrates the image before the first glyph is scored: many a line has nothing bright enough for any. */
  #integrate(): void {
    const image = this.#pending;
    if (!image) return;
    this.#pending = undefined;
    if (this.#planes) {
      this.#planes.look(image);
      for (const tables of this.#tables) tables.sum = this.#planes.integral;
      return;
    }
    this.#integral ??= new GlyphIntegral();
    this.#integral.look(image);
    this.#tables[0]!.sum = this.#integral.sums;
  }

  /** Calls `read` while only one of the inks counts, and returns its result. */
  withInk<T>(ink: number, read: () => T): T {
    this.#onlyInk = ink;
    try {
      return read();
    } finally {
      this.#onlyInk = undefined;
    }
  }

  /**
   * Scores a glyph with its upper left corner at (x, y), where it must lie inside the image.
   *
   * @returns `fit`, valid until the next call.
   */
  score(index: number, x: number, y: number): Fit {
    const glyph = this.#atlas.glyphs[index]!;
    const surfaces = this.#surfaceAt(x, y, glyph.width);
    const n = this.#offsets[index]!.length;
    const planes = this.#tables.length;
    let rival = planes * glyph.logWeights;
    let flat = 0;
    this.#sumUp(index, x, y);
    for (let plane = 0; plane < planes; plane++) {
      const { sums } = this.#tables[plane]!;
      const { mean, variance, logVariance } = surfaces[plane]!;
      rival += (sums[PP]! - 2 * mean * sums[P]! + n * mean * mean) / variance + n * logVariance;
      flat += sums[WPP]! - (sums[WP]! * sums[WP]!) / glyph.sumW;
    }
    const cost = this.#glyphCost(index);
    this.fit.llr = ((this.#hasGround ? Math.min(rival, flat) : rival) - cost) / 2;
    this.fit.proof = this.#inks.length > 1 ? (Math.min(rival, flat) - cost) / 2 : this.fit.llr;
    this.fit.misfit = cost / Math.max(1, planes * n);
    return this.fit;
  }

  /** Sums up a glyph's pixels in every plane. */
  #sumUp(index: number, x: number, y: number): void {
    if (!this.#planes) {
      const { data, sums } = this.#tables[0]!;
      sumGlyph(data, y * this.#width + x, this.#offsets[index]!, this.#atlas.glyphs[index]!, sums);
      return;
    }
    this.#planes.add(index, x, y);
    const all = this.#planes.sums;
    for (let plane = 0; plane < this.#tables.length; plane++) {
      const { sums } = this.#tables[plane]!;
      for (let kind = 0, at = plane; kind <= WPP; kind++, at += LANES) sums[kind] = all[at]!;
    }
  }

  /** Sums over a glyph's box and a pixel around it. */
  #box(tables: PlaneTables, x: number, y: number, width: number): Box {
    const { sum, step, sumAt, squaresAt } = tables;
    const left = Math.max(0, x - 1);
    const right = Math.min(this.#width, x + width + 1);
    const top = Math.max(0, y - 1);
    const bottom = Math.min(this.#height, y + this.#atlas.file.height + 1);
    const stride = this.#width + 1;
    const highLeft = (top * stride + left) * step;
    const highRight = (top * stride + right) * step;
    const lowLeft = (bottom * stride + left) * step;
    const lowRight = (bottom * stride + right) * step;
    return {
      area: (right - left) * (bottom - top),
      sum: sum[lowRight + sumAt]! - sum[lowLeft + sumAt]! - sum[highRight + sumAt]! + sum[highLeft + sumAt]!,
      squares:
        sum[lowRight + squaresAt]! -
        sum[lowLeft + squaresAt]! -
        sum[highRight + squaresAt]! +
        sum[highLeft + squaresAt]!,
    };
  }

  /**
   * Returns the log likelihood margin of glyph `a` over glyph `b` at (x, y), where each also has to explain the pixels that only
   * the other covers as ground, like what lies around both. A stroke that looks like the ground then speaks for neither, though
   * it fits the glyph that has it (a 3 on stone as bright as the shaded side of an 8).
   */
  contest(a: number, b: number, x: number, y: number): number {
    this.#integrate();
    const base = y * this.#width + x;
    const { onlyA, onlyB } = this.#difference(a, b);
    const costs = [a, b].map((index) => this.#modelCost(index, x, y));
    const width = Math.max(this.#atlas.glyphs[a]!.width, this.#atlas.glyphs[b]!.width);
    for (const tables of this.#tables) {
      const { data } = tables;
      const ground = groundAround(this.#box(tables, x, y, width), data, base, this.#offsets[a]!, onlyB);
      costs[0]! += groundCost(data, base, onlyB, ground);
      costs[1]! += groundCost(data, base, onlyA, ground);
    }
    return (costs[1]! - costs[0]!) / 2;
  }

  /** −2 log likelihood of a glyph's pixels under the glyph, in its best ink. */
  #modelCost(index: number, x: number, y: number): number {
    this.#sumUp(index, x, y);
    return this.#glyphCost(index) - this.#tables.length * this.#atlas.glyphs[index]!.logWeights;
  }

  #difference(a: number, b: number): Difference {
    const key = (a * this.#atlas.glyphs.length + b) * 65_536 + this.#width;
    let known = this.#differences.get(key);
    if (!known) {
      const [ofA, ofB] = [this.#offsets[a]!, this.#offsets[b]!];
      const [inA, inB] = [new Set(ofA), new Set(ofB)];
      known = { onlyA: ofA.filter((offset) => !inB.has(offset)), onlyB: ofB.filter((offset) => !inA.has(offset)) };
      this.#differences.set(key, known);
    }
    return known;
  }

  /** Least −2 log likelihood of the pixels summed up last over inks, gain and offsets, priors included; sets `fit.ink`. */
  #glyphCost(index: number): number {
    const glyph = this.#atlas.glyphs[index]!;
    const d = glyph.sumW + this.#priorOffset;
    // With each plane's best offset put in, what remains is a parabola in the gain: constant − 2 linear g + square g².
    let constant = this.#priorGain;
    for (let plane = 0; plane < this.#tables.length; plane++) {
      const { sums } = this.#tables[plane]!;
      const wp = sums[WP]!;
      constant += sums[WPP]! - (wp * wp) / d;
      this.#linear[plane] = sums[WPT]! - (wp * glyph.sumWT) / d;
    }
    let least = Number.POSITIVE_INFINITY;
    for (let ink = 0; ink < this.#inks.length; ink++) {
      if (this.#onlyInk !== undefined && ink !== this.#onlyInk) continue;
      const shares = this.#inks[ink]!;
      let linear = this.#priorGain;
      for (let plane = 0; plane < shares.length; plane++) linear += shares[plane]! * this.#linear[plane]!;
      const square = this.#squares[index * this.#inks.length + ink]!;
      // A negative picture or a flat one is not this glyph.
      const gain = Math.max(MIN_GAIN, linear / square);
      const cost = constant - 2 * linear * gain + square * gain * gain;
      if (cost >= least) continue;
      least = cost;
      this.fit.ink = ink;
    }
    return least;
  }
}

/** Offsets of the pixels that only one of two glyphs covers. */
interface Difference {
  readonly onlyA: Int32Array;
  readonly onlyB: Int32Array;
}

function sumGlyph(data: Float32Array, base: number, offsets: Int32Array, glyph: Glyph, sums: Float64Array): void {
  const { level, weight } = glyph;
  const n = offsets.length;
  let sum = 0;
  let squares = 0;
  let sumP = 0;
  let sumPT = 0;
  let sumPP = 0;
  for (let i = 0; i < n; i++) {
    const p = data[base + offsets[i]!]!;
    const wp = weight[i]! * p;
    sum += p;
    squares += p * p;
    sumP += wp;
    sumPT += wp * level[i]!;
    sumPP += wp * p;
  }
  sums[P] = sum;
  sums[PP] = squares;
  sums[WP] = sumP;
  sums[WPT] = sumPT;
  sums[WPP] = sumPP;
}

/** Plane 0 is the image itself, 1 and 2 are its colour differences. */
function planeOf(image: LineImage, plane: number): Float32Array {
  return plane === 0 ? image.data : image.chroma![plane - 1]!;
}

/** Number of pixels in a box, sum of their levels and of their squares. */
interface Box {
  readonly area: number;
  readonly sum: number;
  readonly squares: number;
}

/** What a pixel of the ground looks like: like what lies around, or, with a small probability, like anything in the box. */
interface Ground {
  readonly mean: number;
  readonly variance: number;
  readonly boxMean: number;
  readonly boxVariance: number;
}

/** Least standard deviation of the ground, in grey levels. */
const MIN_GROUND_DEVIATION = 8;
/** Share of the ground's pixels that need not look like what lies around. */
const OUTLIER_SHARE = 0.2;
/** Pixels around two glyphs from which the ground can be estimated. */
const MIN_GROUND_PIXELS = 16;

/** Estimates the ground from the pixels of a box that neither of two glyphs covers. */
function groundAround(box: Box, data: Float32Array, base: number, a: Int32Array, onlyB: Int32Array): Ground {
  const { area } = box;
  const boxMean = box.sum / area;
  const boxVariance = Math.max(MIN_SURFACE_VARIANCE, box.squares / area - boxMean * boxMean);
  let { sum, squares } = box;
  const around = area - a.length - onlyB.length;
  if (around < MIN_GROUND_PIXELS) return { mean: boxMean, variance: boxVariance, boxMean, boxVariance };
  for (const offsets of [a, onlyB])
    for (const offset of offsets) {
      const p = data[base + offset]!;
      sum -= p;
      squares -= p * p;
    }
  const mean = sum / around;
  const variance = Math.max(MIN_GROUND_DEVIATION ** 2, squares / around - mean * mean);
  return { mean, variance, boxMean, boxVariance };
}

/** −2 log likelihood of pixels as ground, up to a term that every hypothesis shares. */
function groundCost(data: Float32Array, base: number, offsets: Int32Array, ground: Ground): number {
  const { mean, variance, boxMean, boxVariance } = ground;
  const [usual, outlier] = [(1 - OUTLIER_SHARE) / Math.sqrt(variance), OUTLIER_SHARE / Math.sqrt(boxVariance)];
  let cost = 0;
  for (const offset of offsets) {
    const p = data[base + offset]!;
    const near = usual * Math.exp(-((p - mean) ** 2) / (2 * variance));
    cost -= 2 * Math.log(near + outlier * Math.exp(-((p - boxMean) ** 2) / (2 * boxVariance)) + 1e-12);
  }
  return cost;
}
