import { instantiateWasm, reserveMemory, type WasmFunction } from '../../regions/wasm.ts';
import type { Atlas } from './atlas.ts';
import { GLYPH_WASM } from './glyph-wasm.ts';
import type { LineImage } from './line-image.ts';

/** How glyphs are scored, as far as bounds depend on it. */
export interface ScoreRules {
  /** 1 / variance of the priors of gain and offset. */
  readonly priorGain: number;
  readonly priorOffset: number;
  readonly minGain: number;
  /** The surface that a glyph of some width at a place is compared with; valid until the next call. */
  surface(
    x: number,
    y: number,
    width: number,
  ): { readonly mean: number; readonly variance: number; readonly logVariance: number };
}

/** Exports of tools/wasm/glyph.wat that bound scores. */
interface BoundKernels extends Record<'weave' | 'bound', WasmFunction> {
  readonly memory: WebAssembly.Memory;
}

/** Places that are bounded side by side. */
const LANES = 4;
const FLOAT = 4;
const VECTOR = 16;
/** Bytes of a glyph's record before its pixels, of a pixel's, and of a surface. */
const RECORD_HEAD = 28;
const RECORD_PIXEL = 12;
const SURFACE = 3 * VECTOR;
/** Vectors of a place's results behind those of the glyphs. */
const SUMMARY_VECTORS = 3;

/**
 * Bounds of the log likelihood ratios that `GlyphScorer.score` gives, four places at a time in single precision, for fonts of one
 * ink: only glyphs that can win are then scored exactly. Results are valid until the next call.
 */
export class GlyphBounds {
  readonly #atlas: Atlas;
  readonly #candidates: readonly number[];
  readonly #limits: ArrayLike<number>;
  readonly #rules: ScoreRules;
  readonly #kernels = instantiateWasm(GLYPH_WASM) as unknown as BoundKernels;
  /** The distinct widths of glyphs. */
  readonly #widths: readonly number[];
  /** The width of the widest glyph. */
  readonly widest: number;
  readonly #surfaces = VECTOR;
  readonly #glyphs: number;
  /** In floats: where the picture begins, and four parts of it side by side. */
  readonly #image: number;
  #patch = 0;
  #out = 0;
  #width = 0;
  #height = 0;
  /** Floats from one row of the pixels' offsets to the next. */
  #stride = 0;
  #floats = new Float32Array(this.#kernels.memory.buffer);
  /** By place: its number among those that were bounded. */
  #ordinals = new Int32Array(0);
  #lefts = new Int32Array(0);

  /**
   * @param candidates Indices of the glyphs; bounds are numbered in this order.
   * @param limits By candidate, the ratio that it must exceed for `mayExceedLimit`.
   */
  constructor(atlas: Atlas, candidates: readonly number[], rules: ScoreRules, limits: ArrayLike<number>) {
    this.#atlas = atlas;
    this.#candidates = candidates;
    this.#rules = rules;
    this.#limits = limits;
    this.#widths = [...new Set(candidates.map((index) => atlas.glyphs[index]!.width))];
    this.widest = Math.max(...this.#widths);
    this.#glyphs = this.#surfaces + this.#widths.length * SURFACE;
    const pixels = candidates.reduce((sum, index) => sum + atlas.glyphs[index]!.dx.length, 0);
    const records = RECORD_HEAD * candidates.length + RECORD_PIXEL * pixels;
    this.#image = ((this.#glyphs + records + VECTOR) & ~(VECTOR - 1)) / FLOAT;
    this.#reserve(FLOAT * this.#image);
  }

  /** Copies a picture; call before `boundCells` or `boundPlaces`. */
  look({ data, width, height }: LineImage): void {
    const size = width * height;
    this.#width = width;
    this.#height = height;
    this.#patch = this.#image + size + LANES * LANES;
    this.#reserve(FLOAT * this.#patch);
    this.#floats.set(data.length === size ? data : data.subarray(0, size), this.#image);
  }

  /** Computes bounds at the places `xs`, all at `y`, except those that `skip` marks. */
  boundCells(xs: readonly number[], y: number, skip: Uint8Array): void {
    if (this.#ordinals.length < xs.length) {
      this.#ordinals = new Int32Array(xs.length);
      this.#lefts = new Int32Array(xs.length);
    }
    let wanted = 0;
    for (let i = 0; i < xs.length; i++) {
      if (skip[i] !== 0) continue;
      this.#ordinals[i] = wanted;
      this.#lefts[wanted++] = xs[i]!;
    }
    const fours = Math.ceil(this.widest / LANES);
    const stride = 2 * fours * LANES * LANES;
    this.#layOut(stride, 2 * LANES, this.#patch + stride * this.#height, Math.ceil(wanted / LANES));
    // Glyphs of one width share the surface at a place: its mean can be subtracted beforehand.
    const centred = this.#widths.length === 1;
    const mean = centred ? this.#surfaces : 0;
    const pitch = FLOAT * this.#width;
    for (let first = 0; first < wanted; first += LANES) {
      const x = (lane: number): number => this.#lefts[Math.min(first + lane, wanted - 1)]!;
      const at = (lane: number): number => FLOAT * (this.#image + Math.max(0, x(lane)));
      for (let lane = 0; lane < LANES; lane++) this.#setSurface(lane, x(lane), y);
      this.#kernels.weave(at(0), at(1), at(2), at(3), pitch, fours, this.#height, mean, FLOAT * this.#patch);
      this.#bound(this.#patch + y * stride, first / LANES, centred);
    }
  }

  /** Computes bounds at `x`, x + 1, x + 2, x + 3; those of glyphs that do not fit into the picture there mean nothing. */
  boundPlaces(x: number, y: number): void {
    this.#layOut(this.#width, 1, this.#patch, 1);
    if (this.#ordinals.length < LANES) this.#ordinals = new Int32Array(LANES);
    for (let lane = 0; lane < LANES; lane++) {
      this.#ordinals[lane] = lane;
      this.#setSurface(lane, x + lane, y);
    }
    this.#bound(this.#image + y * this.#width + x, 0, false);
  }

  /** Returns the upper bound of candidate number `n` at place number `i`. */
  upper(n: number, i: number): number {
    return this.#floats[this.#at(n, i)]!;
  }

  /** Returns the lower bound of candidate number `n` at place number `i`. */
  lower(n: number, i: number): number {
    return this.#floats[this.#at(n, i) + LANES]!;
  }

  /** Returns the greatest upper bound of all candidates at a place, whether they fit into the picture or not. */
  maxUpper(i: number): number {
    return this.#floats[this.#at(this.#candidates.length, i)]!;
  }

  /** Returns the greatest lower bound, as `maxUpper`. */
  maxLower(i: number): number {
    return this.#floats[this.#at(this.#candidates.length, i) + LANES]!;
  }

  /** Whether any candidate may exceed its limit at a place. */
  mayExceedLimit(i: number): boolean {
    return this.#floats[this.#at(this.#candidates.length, i) + 2 * LANES]! > 0;
  }

  /** Lists into `numbers` the candidates whose upper bound is `minimum` or more, ascending; returns how many they are. */
  reaching(minimum: number, i: number, numbers: Int32Array): number {
    let found = 0;
    const floats = this.#floats;
    const { length } = this.#candidates;
    for (let n = 0, at = this.#at(0, i); n < length; n++, at += 2 * LANES)
      if (floats[at]! >= minimum) numbers[found++] = n;
    return found;
  }

  /** Vectors of the results of four places. */
  get #groupVectors(): number {
    return 2 * this.#candidates.length + SUMMARY_VECTORS;
  }

  #at(n: number, i: number): number {
    const ordinal = this.#ordinals[i]!;
    const lane = ordinal & (LANES - 1);
    return this.#out / FLOAT + (((ordinal - lane) / LANES) * this.#groupVectors + 2 * n) * LANES + lane;
  }

  #setSurface(lane: number, x: number, y: number): void {
    for (let n = 0, at = this.#surfaces / FLOAT + lane; n < this.#widths.length; n++, at += SURFACE / FLOAT) {
      const { mean, variance, logVariance } = this.#rules.surface(x, y, this.#widths[n]!);
      this.#floats[at] = mean;
      this.#floats[at + LANES] = 1 / variance;
      this.#floats[at + 2 * LANES] = logVariance;
    }
  }

  #bound(from: number, group: number, centred: boolean): void {
    const { priorGain, priorOffset, minGain } = this.#rules;
    this.#kernels.bound(
      FLOAT * from,
      this.#glyphs,
      this.#candidates.length,
      this.#surfaces,
      this.#out + group * this.#groupVectors * VECTOR,
      priorGain,
      priorOffset,
      minGain,
      centred ? 1 : 0,
    );
  }

  /** Reserves memory for the results of `groups` times four places from float `end` on, and writes the glyphs' records. */
  #layOut(stride: number, step: number, end: number, groups: number): void {
    this.#out = (FLOAT * (end + LANES * LANES) + VECTOR) & ~(VECTOR - 1);
    this.#reserve(this.#out + groups * this.#groupVectors * VECTOR);
    if (stride === this.#stride) return;
    this.#stride = stride;
    const floats = this.#floats;
    const integers = new Int32Array(floats.buffer);
    const { priorGain, priorOffset } = this.#rules;
    let at = this.#glyphs / FLOAT;
    for (const [n, index] of this.#candidates.entries()) {
      const glyph = this.#atlas.glyphs[index]!;
      const { dx, dy, weight, level } = glyph;
      const d = glyph.sumW + priorOffset;
      integers[at] = dx.length;
      integers[at + 1] = SURFACE * this.#widths.indexOf(glyph.width);
      floats[at + 2] = glyph.logWeights;
      floats[at + 3] = d;
      floats[at + 4] = glyph.sumWT;
      floats[at + 5] = priorGain + glyph.sumWTT - glyph.sumWT ** 2 / d;
      // Rounding to a float must not raise the limit.
      floats[at + 6] = this.#limits[n]! * (1 - 1e-6);
      at += RECORD_HEAD / FLOAT;
      for (let i = 0; i < dx.length; i++, at += RECORD_PIXEL / FLOAT) {
        integers[at] = FLOAT * (dy[i]! * stride + dx[i]! * step);
        floats[at + 1] = weight[i]!;
        floats[at + 2] = weight[i]! * level[i]!;
      }
    }
  }

  #reserve(bytes: number): void {
    const { memory } = this.#kernels;
    reserveMemory(memory, bytes);
    if (this.#floats.buffer !== memory.buffer) this.#floats = new Float32Array(memory.buffer);
  }
}
