import type { Atlas } from './atlas.ts';
import type { LineImage } from './line-image.ts';

/** How well a glyph fits at a place. */
export interface Fit {
  /** Log likelihood ratio against "whatever stands there without it"; above 0 the glyph explains the pixels better. */
  llr: number;
  /** Mean squared misfit in units of the expected variance: about 1 for a true reading. */
  misfit: number;
}

/** Contrast below which a glyph cannot be told from a flat surface. */
const MIN_GAIN = 0.2;
/** Least standard deviation that a surface without a glyph is given, in grey levels. */
const FLAT = 10;

/**
 * Scores glyphs on one line image. The picture at a glyph is modelled as gain · level + offset + noise, pixel by pixel
 * with the variance that was learnt; gain and offset have Gaussian priors (the atlas's illumination), so that tints and
 * fades are followed as far as the atlas allows; their maximum a posteriori values solve a 2 × 2 system. The rival
 * hypothesis is a surface with the mean and the variance of the glyph's box: on a white wall white text proves nothing.
 */
export class GlyphScorer {
  readonly #atlas: Atlas;
  readonly #offsets = new Map<number, Int32Array[]>();
  readonly #priorGain: number;
  readonly #priorOffset: number;
  #image: LineImage | undefined;
  /** Integral images of the levels and of their squares, one row and column larger than the image. */
  #sum = new Float64Array(0);
  #squares = new Float64Array(0);
  readonly fit: Fit = { llr: 0, misfit: 0 };

  constructor(atlas: Atlas) {
    this.#atlas = atlas;
    const { gain, offset } = atlas.file.illumination;
    this.#priorGain = 1 / Math.max(gain, 1e-3) ** 2;
    this.#priorOffset = 1 / Math.max(offset, 0.1) ** 2;
  }

  /** Pixel offsets of every glyph for images of this width. */
  #offsetsFor(width: number): Int32Array[] {
    let offsets = this.#offsets.get(width);
    if (!offsets) {
      offsets = this.#atlas.glyphs.map((glyph) => Int32Array.from(glyph.dx, (dx, i) => glyph.dy[i]! * width + dx));
      this.#offsets.set(width, offsets);
    }
    return offsets;
  }

  /** Makes `image` the one that glyphs are scored on. */
  look(image: LineImage): void {
    this.#image = image;
    const { data, width, height } = image;
    const stride = width + 1;
    const size = stride * (height + 1);
    if (this.#sum.length < size) {
      this.#sum = new Float64Array(size);
      this.#squares = new Float64Array(size);
    }
    this.#sum.fill(0, 0, stride);
    this.#squares.fill(0, 0, stride);
    for (let y = 0; y < height; y++) {
      let row = 0;
      let rowSquares = 0;
      const base = (y + 1) * stride;
      this.#sum[base] = 0;
      this.#squares[base] = 0;
      for (let x = 0; x < width; x++) {
        const p = data[y * width + x]!;
        row += p;
        rowSquares += p * p;
        this.#sum[base + x + 1] = this.#sum[base + x + 1 - stride]! + row;
        this.#squares[base + x + 1] = this.#squares[base + x + 1 - stride]! + rowSquares;
      }
    }
  }

  /** Scores glyph `index` with its upper left corner at (x, y); the glyph must lie inside the image. Result in `fit`. */
  score(index: number, x: number, y: number): Fit {
    const image = this.#image!;
    const glyph = this.#atlas.glyphs[index]!;
    const offsets = this.#offsetsFor(image.width)[index]!;
    const { level, weight } = glyph;
    const { data } = image;
    const base = y * image.width + x;
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
    const cost = this.#cost(index, sumP, sumPT, sumPP);
    const rival = this.#rival(x, y, glyph.width, n, sum, squares);
    this.fit.llr = (rival + glyph.logWeights - cost) / 2;
    this.fit.misfit = cost / Math.max(1, n);
    return this.fit;
  }

  /** −2 log likelihood of the glyph's pixels as part of a surface, up to the terms that both hypotheses share. */
  #rival(x: number, y: number, width: number, n: number, sum: number, squares: number): number {
    const image = this.#image!;
    const left = Math.max(0, x - 1);
    const right = Math.min(image.width, x + width + 1);
    const top = Math.max(0, y - 1);
    const bottom = Math.min(image.height, y + this.#atlas.file.height + 1);
    const stride = image.width + 1;
    const area = (right - left) * (bottom - top);
    const box = (table: Float64Array): number =>
      table[bottom * stride + right]! -
      table[bottom * stride + left]! -
      table[top * stride + right]! +
      table[top * stride + left]!;
    const mean = box(this.#sum) / area;
    const variance = Math.max(FLAT * FLAT, box(this.#squares) / area - mean * mean);
    return (squares - 2 * mean * sum + n * mean * mean) / variance + n * Math.log(variance);
  }

  /** Least −2 log likelihood over gain and offset, priors included. */
  #cost(index: number, sumP: number, sumPT: number, sumPP: number): number {
    const glyph = this.#atlas.glyphs[index]!;
    const a = glyph.sumWTT + this.#priorGain;
    const b = glyph.sumWT;
    const d = glyph.sumW + this.#priorOffset;
    const right = sumPT + this.#priorGain;
    const determinant = a * d - b * b;
    const gain = (right * d - sumP * b) / determinant;
    if (gain >= MIN_GAIN) {
      const offset = (sumP * a - right * b) / determinant;
      return sumPP + this.#priorGain - gain * right - offset * sumP;
    }
    // A negative picture or a flat one is not this glyph: hold the gain at its least and fit the offset alone.
    const g = MIN_GAIN;
    const offset = (sumP - g * b) / d;
    return sumPP - 2 * g * sumPT + g * g * glyph.sumWTT + this.#priorGain * (g - 1) ** 2 - d * offset * offset;
  }
}
