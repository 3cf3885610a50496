import type { Atlas } from './atlas.ts';
import type { LineImage } from './line-image.ts';
import { GLYPH_WASM } from './glyph-wasm.ts';

/** What the bounds need to know of how glyphs are scored. */
export interface ScoreRules {
  /** 1 / variance of the priors of gain and offset. */
  readonly priorGain: number;
  readonly priorOffset: number;
  readonly leastGain: number;
  /** Mean and variance of the surface that a glyph of some width at a place is held against. */
  surface(x: number, y: number, width: number): { readonly mean: number; readonly variance: number };
}

/** Exports of tools/wasm/glyph.wat; of `bound` all but the last four arguments are addresses or counts, and of `weave` all. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  weave(
    a: number,
    b: number,
    c: number,
    d: number,
    pitch: number,
    fours: number,
    rows: number,
    mean: number,
    out: number,
  ): void;
  bound(
    image: number,
    glyphs: number,
    count: number,
    surfaces: number,
    out: number,
    gain: number,
    offset: number,
    least: number,
    centred: number,
  ): void;
}

/** Places that are looked at side by side. */
const LANES = 4;
const FLOAT = 4;
const VECTOR = 16;
/** Bytes of a glyph's record before its pixels, of a pixel's, and of a surface. */
const HEAD = 24;
const PIXEL = 12;
const SURFACE = 3 * VECTOR;

let compiled: WebAssembly.Module | undefined;

/**
 * How well glyphs fit at most, four places at a time, in single precision: only those glyphs that can win need to be scored. For
 * fonts of one ink. Each result lies in `upper` and `lower` until the next call: per place and glyph (in the order of
 * `candidates`) bounds of the log likelihood ratio that `GlyphScorer.score` gives.
 */
export class GlyphBounds {
  readonly #atlas: Atlas;
  readonly #candidates: readonly number[];
  readonly #rules: ScoreRules;
  readonly #kernels: Kernels;
  /** The widths of glyphs, and each's number. */
  readonly #widths: readonly number[];
  /** The width of the widest glyph. */
  readonly widest: number;
  readonly #surfaces: number;
  readonly #glyphs: number;
  /** Floats before the picture, and before four parts of it side by side. */
  readonly #image: number;
  #patch = 0;
  #out = 0;
  #width = 0;
  #height = 0;
  /** Floats from one row of the copied picture to the next. */
  #stride = 0;
  #floats: Float32Array;
  /** Which of the places that were worked out each is, and their left edges. */
  #ordinals = new Int32Array(0);
  #lefts = new Int32Array(0);

  constructor(atlas: Atlas, candidates: readonly number[], rules: ScoreRules) {
    compiled ??= new WebAssembly.Module(Buffer.from(GLYPH_WASM, 'base64'));
    this.#kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
    this.#atlas = atlas;
    this.#candidates = candidates;
    this.#rules = rules;
    this.#widths = [...new Set(candidates.map((index) => atlas.glyphs[index]!.width))];
    this.widest = Math.max(...this.#widths);
    this.#surfaces = VECTOR;
    this.#glyphs = this.#surfaces + this.#widths.length * SURFACE;
    const records = candidates.reduce((sum, index) => sum + HEAD + PIXEL * atlas.glyphs[index]!.dx.length, 0);
    this.#image = ((this.#glyphs + records + VECTOR) & ~(VECTOR - 1)) / FLOAT;
    this.#floats = new Float32Array(this.#kernels.memory.buffer);
    this.#reserve(FLOAT * this.#image);
  }

  /** Takes a picture over, before its first `cells` or `places`. */
  look({ data, width, height }: LineImage): void {
    const size = width * height;
    this.#width = width;
    this.#height = height;
    this.#patch = this.#image + size + LANES * LANES;
    this.#reserve(FLOAT * this.#patch);
    this.#floats.set(data.length === size ? data : data.subarray(0, size), this.#image);
  }

  /** Bounds at the places given by `xs`, all at `y`; what `skip` marks is not known. */
  cells(xs: readonly number[], y: number, skip: Uint8Array): void {
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
    // Glyphs of one width are held against one surface at a place, whose mean can be taken off beforehand.
    const centred = this.#widths.length === 1;
    const mean = centred ? this.#surfaces : 0;
    const pitch = FLOAT * this.#width;
    for (let first = 0; first < wanted; first += LANES) {
      const x = (lane: number): number => this.#lefts[Math.min(first + lane, wanted - 1)]!;
      const at = (lane: number): number => FLOAT * (this.#image + Math.max(0, x(lane)));
      for (let lane = 0; lane < LANES; lane++) this.#hold(lane, x(lane), y);
      this.#kernels.weave(at(0), at(1), at(2), at(3), pitch, fours, this.#height, mean, FLOAT * this.#patch);
      this.#bound(this.#patch + y * stride, first / LANES, centred);
    }
  }

  /** Bounds at `x`, x + 1, x + 2, x + 3; those of glyphs that do not fit into the picture there mean nothing. */
  places(x: number, y: number): void {
    this.#layOut(this.#width, 1, this.#patch, 1);
    if (this.#ordinals.length < LANES) this.#ordinals = new Int32Array(LANES);
    for (let lane = 0; lane < LANES; lane++) {
      this.#ordinals[lane] = lane;
      this.#hold(lane, x + lane, y);
    }
    this.#bound(this.#image + y * this.#width + x, 0, false);
  }

  /** The greatest log likelihood ratio that candidate number `n` can have at place number `i`. */
  upper(n: number, i: number): number {
    return this.#floats[this.#at(n, i)]!;
  }

  /** The least. */
  lower(n: number, i: number): number {
    return this.#floats[this.#at(n, i) + LANES]!;
  }

  /** The greatest of the upper bounds there, and of the lower: of all candidates, whether they fit into the picture or not. */
  most(i: number): number {
    return this.#floats[this.#at(this.#candidates.length, i)]!;
  }

  sure(i: number): number {
    return this.#floats[this.#at(this.#candidates.length, i) + LANES]!;
  }

  /** Numbers of the candidates that may have a log likelihood ratio of `least` or more, ascending, and how many they are. */
  reaching(least: number, i: number, numbers: Int32Array): number {
    let found = 0;
    const floats = this.#floats;
    const { length } = this.#candidates;
    for (let n = 0, at = this.#at(0, i); n < length; n++, at += 2 * LANES)
      if (floats[at]! >= least) numbers[found++] = n;
    return found;
  }

  #at(n: number, i: number): number {
    const ordinal = this.#ordinals[i]!;
    const lane = ordinal & (LANES - 1);
    return this.#out / FLOAT + (((ordinal - lane) / LANES) * (this.#candidates.length + 1) + n) * 2 * LANES + lane;
  }

  /** Sets what glyphs are held against at a place. */
  #hold(lane: number, x: number, y: number): void {
    for (let n = 0, at = this.#surfaces / FLOAT + lane; n < this.#widths.length; n++, at += SURFACE / FLOAT) {
      const { mean, variance } = this.#rules.surface(x, y, this.#widths[n]!);
      this.#floats[at] = mean;
      this.#floats[at + LANES] = 1 / variance;
      this.#floats[at + 2 * LANES] = Math.log(variance);
    }
  }

  #bound(from: number, group: number, centred: boolean): void {
    const { priorGain, priorOffset, leastGain } = this.#rules;
    const { length } = this.#candidates;
    const out = this.#out + group * (length + 1) * 2 * VECTOR;
    this.#kernels.bound(
      FLOAT * from,
      this.#glyphs,
      length,
      this.#surfaces,
      out,
      priorGain,
      priorOffset,
      leastGain,
      centred ? 1 : 0,
    );
  }

  /** Readies memory and records: rows so many floats apart, columns `step`, results from float `end` on for so many groups of places. */
  #layOut(stride: number, step: number, end: number, groups: number): void {
    this.#out = (FLOAT * (end + LANES * LANES) + VECTOR) & ~(VECTOR - 1);
    this.#reserve(this.#out + groups * (this.#candidates.length + 1) * 2 * VECTOR);
    if (stride === this.#stride) return;
    this.#stride = stride;
    const floats = this.#floats;
    const integers = new Int32Array(floats.buffer);
    const { priorGain, priorOffset } = this.#rules;
    let at = this.#glyphs / FLOAT;
    for (const index of this.#candidates) {
      const glyph = this.#atlas.glyphs[index]!;
      const { dx, dy, weight, level } = glyph;
      const d = glyph.sumW + priorOffset;
      integers[at] = dx.length;
      integers[at + 1] = SURFACE * this.#widths.indexOf(glyph.width);
      floats[at + 2] = glyph.logWeights;
      floats[at + 3] = d;
      floats[at + 4] = glyph.sumWT;
      floats[at + 5] = priorGain + glyph.sumWTT - glyph.sumWT ** 2 / d;
      at += HEAD / FLOAT;
      for (let i = 0; i < dx.length; i++, at += PIXEL / FLOAT) {
        integers[at] = FLOAT * (dy[i]! * stride + dx[i]! * step);
        floats[at + 1] = weight[i]!;
        floats[at + 2] = weight[i]! * level[i]!;
      }
    }
  }

  #reserve(end: number): void {
    const { memory } = this.#kernels;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
    if (this.#floats.buffer !== memory.buffer) this.#floats = new Float32Array(memory.buffer);
  }
}
