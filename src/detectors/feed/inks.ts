import { PlaybyplayError } from '../../errors.ts';
import type { Rect } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { type Atlas, inkToYCbCr, lookalikes } from '../text/atlas.ts';
import { CB, CR, sampleLine } from '../text/line-image.ts';
import type { Cell } from '../text/line-reading.ts';

/** How much a glyph covers of every pixel, and of every block of 2 × 2 pixels, which share a chroma sample. */
interface Mask {
  /** Coordinates of the pixels that it covers at least nearly. */
  readonly x: Uint8Array;
  readonly y: Uint8Array;
  /** Covered shares of blocks, and Σ (1 − share)², Σ (1 − share) share, Σ share². */
  readonly blocks: Float32Array;
  readonly ground: number;
  readonly both: number;
  readonly ink: number;
}

/** The expected luma of an ink, and direction and length of its colour differences. */
interface Ink {
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
  readonly length: number;
}

/** How well a glyph explains a cell. */
interface Fit {
  readonly glyph: number;
  readonly llr: number;
}

/** Values of a cell, their sums, and −2 log likelihood of them as a surface. */
interface CellValues {
  readonly values: Float32Array;
  sum: number;
  squares: number;
  surfaceCost: number;
}

/** Covered share of a pixel from which it has the ink's luma. */
const MIN_COVERED_SHARE = 0.8;
/** Standard deviations, in grey levels, of luma and of colour differences, which compression blurs. */
const LUMA_DEVIATION = 24;
const CHROMA_DEVIATION = 12;
/** Share of an ink's colour that compression leaves, and its standard deviation. */
const CHROMA_SHARE = 0.92;
const CHROMA_SHARE_DEVIATION = 0.12;
/** Weight of colour differences across the ink's direction: they are small, and compression removes them first. */
const CROSS_WEIGHT = 0.3;
/** Weight of the evidence, as errors of neighbouring samples are correlated. */
const EVIDENCE_WEIGHT = 0.9;
/** Range of a cell's colour differences, as a share of the ink's, below which it holds no character in that ink. */
const MIN_RANGE_SHARE = 0.35;
/** Log likelihood ratio from which a character is certainly white. */
const CERTAIN_LLR = 30;
/** White characters that a line must have to be read in colours, too. */
const MIN_WHITE_CHARACTERS = 4;
/** Columns after the last white character that a name can take. */
const MAX_NAME_COLUMNS = 32;

/**
 * Adds coloured characters to lines whose other characters are white. Luma hardly shows red and blue, colour differences show them
 * at half the resolution, so both are scored together: opaque pixels have the ink's luma, and a block's colour is a mixture of ink
 * and ground by the covered share.
 */
export class InkReader {
  readonly #atlas: Atlas;
  readonly #inks: readonly Ink[];
  /** Range of a cell's colour differences below which it holds no coloured character. */
  readonly #minRange: number;
  readonly #masks: readonly Mask[];
  readonly #canon: (char: string) => string;
  readonly #along: CellValues;
  readonly #across: CellValues;
  #cb = new Float32Array(0);
  #cr = new Float32Array(0);

  /** @throws PlaybyplayError `bad-atlas` for a font of odd pitch or height. */
  constructor(atlas: Atlas, inks: readonly string[]) {
    const { name, pitch, height } = atlas.file;
    if (pitch! % 2 !== 0 || height % 2 !== 0)
      throw new PlaybyplayError('bad-atlas', `${name}: a font for coloured characters needs an even pitch and height`);
    this.#atlas = atlas;
    this.#canon = lookalikes(atlas);
    this.#inks = inks.map((color) => {
      const [y = 0, cb = 0, cr = 0] = inkToYCbCr(color);
      const length = Math.hypot(cb, cr);
      return { y: 255 * y, cb: cb / length, cr: cr / length, length: 255 * length };
    });
    this.#minRange = MIN_RANGE_SHARE * Math.min(...this.#inks.map(({ length }) => length));
    this.#masks = computeMasks(atlas);
    const size = (pitch! * height) / 4;
    [this.#along, this.#across] = [emptyValues(size), emptyValues(size)];
  }

  /**
   * Returns a line's cells with the coloured characters.
   *
   * @param box Where the line is in the picture.
   * @param luma The line's sampled luma, `width` pixels wide.
   */
  read(picture: Picture, box: Rect, luma: Float32Array, width: number, cells: readonly Cell[]): readonly Cell[] {
    const { pitch, height } = this.#atlas.file;
    const columnOf = (cell: Cell): number => Math.round(cell.x / pitch!);
    const white = cells.filter((cell) => cell.glyph >= 0 && cell.llr >= CERTAIN_LLR).map(columnOf);
    if (white.length < MIN_WHITE_CHARACTERS) return cells;
    const size = (width * height) / 4;
    if (this.#cb.length < size) [this.#cb, this.#cr] = [new Float32Array(size), new Float32Array(size)];
    sampleLine(picture, box, width / 2, height / 2, CB, this.#cb);
    sampleLine(picture, box, width / 2, height / 2, CR, this.#cr);
    const taken = new Set(white);
    const last = Math.min(width / pitch!, white.at(-1)! + MAX_NAME_COLUMNS);
    const found = new Map<number, Cell>();
    for (let column = 0; column < last; column++) {
      const cell = taken.has(column) ? undefined : this.#cellAt(column, luma, width);
      if (cell) found.set(column, cell);
    }
    const better = (cell: Cell): Cell => {
      const own = found.get(columnOf(cell));
      found.delete(columnOf(cell));
      return own && (own.llr > cell.llr || cell.glyph < 0) ? own : cell;
    };
    return found.size === 0 ? cells : [...cells.map(better), ...found.values()].toSorted((a, b) => a.x - b.x);
  }

  #cellAt(column: number, luma: Float32Array, width: number): Cell | undefined {
    const { pitch, height } = this.#atlas.file;
    const at = column * pitch!;
    if (!this.#isColoured(at / 2, width / 2)) return undefined;
    let best: Fit | undefined;
    let second: Fit | undefined;
    for (const ink of this.#inks) {
      if (!this.#project(ink, at / 2, width / 2)) continue;
      const ground = lumaStatistics(luma, at, width, pitch!, height);
      for (const [glyph, mask] of this.#masks.entries()) {
        if (mask.x.length === 0) continue;
        const color =
          chromaEvidence(mask, this.#along, ink.length) + CROSS_WEIGHT * chromaEvidence(mask, this.#across, 0);
        const fit = { glyph, llr: EVIDENCE_WEIGHT * (color + lumaEvidence(mask, luma, at, width, ink.y, ground)) };
        if (fit.llr <= (second?.llr ?? 0)) continue;
        const isAlike = best && this.#charOf(best) === this.#charOf(fit);
        if (!best || fit.llr > best.llr) [best, second] = [fit, isAlike ? second : best];
        else if (!isAlike) second = fit;
      }
    }
    if (!best) return undefined;
    const { char } = this.#atlas.glyphs[best.glyph]!;
    const { llr } = best;
    const [next, nextLlr] = [second?.glyph ?? -1, second?.llr ?? 0];
    return {
      x: at,
      width: pitch!,
      glyph: best.glyph,
      char,
      llr,
      misfit: 1,
      confidence: 0.9,
      second: next,
      secondLlr: nextLlr,
    };
  }

  /** Whether a cell's colour differences vary enough for a character in any ink. */
  #isColoured(x: number, width: number): boolean {
    const across = this.#atlas.file.pitch! / 2;
    const n = this.#along.values.length;
    let [leastCb, mostCb, leastCr, mostCr] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      const at = Math.floor(i / across) * width + x + (i % across);
      const [cb, cr] = [this.#cb[at]!, this.#cr[at]!];
      if (cb < leastCb) leastCb = cb;
      if (cb > mostCb) mostCb = cb;
      if (cr < leastCr) leastCr = cr;
      if (cr > mostCr) mostCr = cr;
    }
    return Math.hypot(mostCb - leastCb, mostCr - leastCr) >= this.#minRange;
  }

  /** Projects a cell's colour differences on an ink's direction; returns false where it holds no character in that ink. */
  #project(ink: Ink, x: number, width: number): boolean {
    const columns = this.#atlas.file.pitch! / 2;
    const [along, across] = [this.#along.values, this.#across.values];
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0; i < along.length; i++) {
      const at = Math.floor(i / columns) * width + x + (i % columns);
      const [cb, cr] = [this.#cb[at]!, this.#cr[at]!];
      const value = cb * ink.cb + cr * ink.cr;
      along[i] = value;
      across[i] = cr * ink.cb - cb * ink.cr;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (most - least < MIN_RANGE_SHARE * ink.length) return false;
    sumUp(this.#along);
    sumUp(this.#across);
    return true;
  }

  #charOf({ glyph }: Fit): string {
    return this.#canon(this.#atlas.glyphs[glyph]!.char);
  }
}

function emptyValues(size: number): CellValues {
  return { values: new Float32Array(size), sum: 0, squares: 0, surfaceCost: 0 };
}

/** Computes a cell's sums and its cost as a surface of its own mean and variance. */
function sumUp(cell: CellValues): void {
  let [sum, squares] = [0, 0];
  for (const p of cell.values) {
    sum += p;
    squares += p * p;
  }
  const n = cell.values.length;
  const left = squares - (sum * sum) / n;
  const variance = Math.max(CHROMA_DEVIATION ** 2, left / n);
  Object.assign(cell, { sum, squares, surfaceCost: left / variance + n * Math.log(variance / CHROMA_DEVIATION ** 2) });
}

/**
 * Log likelihood ratio of colour differences in one direction: a mixture of ink and ground by the covered share, against a surface.
 * Ground and ink are fitted, the ink with a prior near its own colour.
 */
function chromaEvidence(mask: Mask, { values, sum, squares, surfaceCost }: CellValues, length: number): number {
  const { blocks, ground, both } = mask;
  const expected = CHROMA_SHARE * length;
  const prior = (CHROMA_DEVIATION / (CHROMA_SHARE_DEVIATION * (length || USUAL_CHROMA))) ** 2;
  let ofInk = 0;
  for (let i = 0; i < blocks.length; i++) ofInk += blocks[i]! * values[i]!;
  const ofGround = sum - ofInk;
  ofInk += prior * expected;
  const ink = mask.ink + prior;
  const determinant = Math.max(1e-6, ground * ink - both * both);
  const g = (ofGround * ink - ofInk * both) / determinant;
  const c = (ofInk * ground - ofGround * both) / determinant;
  const cost = (squares + prior * expected * expected - g * ofGround - c * ofInk) / CHROMA_DEVIATION ** 2;
  return (surfaceCost - cost) / 2;
}

/** Usual length of an ink's colour differences. */
const USUAL_CHROMA = 120;

/** Computes mean and variance of a cell's luma. */
function lumaStatistics(luma: Float32Array, at: number, width: number, pitch: number, height: number) {
  let [sum, squares] = [0, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < pitch; x++) {
      const p = luma[y * width + at + x]!;
      sum += p;
      squares += p * p;
    }
  const n = pitch * height;
  return { mean: sum / n, variance: Math.max(LUMA_DEVIATION ** 2, squares / n - (sum / n) ** 2) };
}

/** Log likelihood ratio of the covered pixels' luma: the ink's, against a surface. */
function lumaEvidence(
  { x, y }: Mask,
  luma: Float32Array,
  at: number,
  width: number,
  ink: number,
  { mean, variance }: { readonly mean: number; readonly variance: number },
): number {
  let [surfaces, inks] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    const p = luma[y[i]! * width + at + x[i]!]!;
    surfaces += (p - mean) * (p - mean);
    inks += (p - ink) * (p - ink);
  }
  return (surfaces / variance + x.length * Math.log(variance / LUMA_DEVIATION ** 2) - inks / LUMA_DEVIATION ** 2) / 2;
}

/** Computes what glyphs cover: nothing where they are darkest, the whole pixel where they are brightest. */
function computeMasks({ file }: Atlas): Mask[] {
  const { height, pitch } = file;
  const levels = file.glyphs.map(({ level }) => Buffer.from(level, 'base64'));
  const ground = Math.min(...levels.map((own) => own.reduce((least, one) => Math.min(least, one), 255)));
  return levels.map((own): Mask => {
    const blocks = new Float32Array((pitch! * height) / 4);
    const covered: [number, number][] = [];
    for (const [i, level] of own.entries()) {
      const share = (level - ground) / (255 - ground);
      const [x, y] = [i % pitch!, Math.floor(i / pitch!)];
      if (share >= MIN_COVERED_SHARE) covered.push([x, y]);
      blocks[(y >> 1) * (pitch! / 2) + (x >> 1)]! += share / 4;
    }
    const sumOf = (value: (share: number) => number): number => blocks.reduce((sum, share) => sum + value(share), 0);
    return {
      x: Uint8Array.from(covered, ([x]) => x),
      y: Uint8Array.from(covered, ([, y]) => y),
      blocks,
      ground: sumOf((share) => (1 - share) ** 2),
      both: sumOf((share) => (1 - share) * share),
      ink: sumOf((share) => share ** 2),
    };
  });
}
