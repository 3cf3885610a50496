import { PlaybyplayError } from '../../errors.ts';
import type { Rect } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { type Atlas, inkOf, lookalikes } from '../text/atlas.ts';
import { CB, CR, sampleLine } from '../text/line-image.ts';
import type { Cell } from '../text/line-reading.ts';

/** A glyph for reading by colour: how much of every pixel, and of every two by two of them, it covers. */
interface Mask {
  /** Pixels that it covers wholly, or nearly: across and down. */
  readonly x: Uint8Array;
  readonly y: Uint8Array;
  /** Shares of two by two pixels that it covers, and Σ (1 − share)², Σ (1 − share) share, Σ share². */
  readonly blocks: Float32Array;
  readonly ground: number;
  readonly both: number;
  readonly ink: number;
}

/** The expected luma of an ink, and its colour differences: their length and direction. */
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

/** Values of a cell: their sum, and the cost of taking them for a surface. */
interface Surface {
  readonly values: Float32Array;
  sum: number;
  squares: number;
  rival: number;
}

/** Share of a pixel that is covered from which the ink's luma can be expected there. */
const COVERED = 0.8;
/** Standard deviations of luma in an ink, or at least of a surface, and of colour differences, which compression blurs; in grey levels. */
const LUMA = 24;
const CHROMA = 12;
/** What is left of an ink's colour, and how much that varies, as shares of it. */
const LEFT = 0.92;
const VARIES = 0.12;
/** What the direction in which the colour differences are small counts: compression takes it away first. */
const ACROSS = 0.3;
/** Neighbouring samples err alike: what one tells is worth so much. */
const SHARE = 0.9;
/** Spread of a cell's colour differences, as a share of the ink's, below which nothing is written there in it. */
const SPREAD = 0.35;
/** Evidence for a white character beyond which no colour is looked for, and white characters that make a line worth looking at. */
const SURE = 30;
const WHITES = 4;
/** The most columns after the last white character that a name can take. */
const REACH = 32;

/**
 * Reads characters that are drawn in colours into lines whose other characters are white: luma hardly shows red and
 * blue, colour differences show them at half the resolution. Both are explained together: where a glyph covers the
 * picture opaquely, luma is the ink's own, and every two by two pixels are mixed of ink and ground as it covers them.
 */
export class InkReader {
  readonly #atlas: Atlas;
  readonly #inks: readonly Ink[];
  /** Spread of a cell's colour differences below which nothing is written there in any ink. */
  readonly #least: number;
  readonly #masks: readonly Mask[];
  readonly #canon: (char: string) => string;
  readonly #along: Surface;
  readonly #across: Surface;
  #cb = new Float32Array(0);
  #cr = new Float32Array(0);

  /** Throws PlaybyplayError `bad-atlas` for a font of odd size. */
  constructor(atlas: Atlas, inks: readonly string[]) {
    const { name, pitch, height } = atlas.file;
    if (pitch! % 2 !== 0 || height % 2 !== 0)
      throw new PlaybyplayError('bad-atlas', `${name}: colours are read in fonts of an even pitch and height only`);
    this.#atlas = atlas;
    this.#canon = lookalikes(atlas);
    this.#inks = inks.map((color) => {
      const [y = 0, cb = 0, cr = 0] = inkOf(color);
      const length = Math.hypot(cb, cr);
      return { y: 255 * y, cb: cb / length, cr: cr / length, length: 255 * length };
    });
    this.#least = SPREAD * Math.min(...this.#inks.map(({ length }) => length));
    this.#masks = masksOf(atlas);
    const size = (pitch! * height) / 4;
    [this.#along, this.#across] = [surface(size), surface(size)];
  }

  /** The cells of a line with those in colours; `luma` is the line as it was sampled, `box` where it lies in the picture. */
  read(picture: Picture, box: Rect, luma: Float32Array, width: number, cells: readonly Cell[]): readonly Cell[] {
    const { pitch, height } = this.#atlas.file;
    const columnOf = (cell: Cell): number => Math.round(cell.x / pitch!);
    const white = cells.filter((cell) => cell.glyph >= 0 && cell.llr >= SURE).map(columnOf);
    if (white.length < WHITES) return cells;
    const size = (width * height) / 4;
    if (this.#cb.length < size) [this.#cb, this.#cr] = [new Float32Array(size), new Float32Array(size)];
    sampleLine(picture, box, width / 2, height / 2, CB, this.#cb);
    sampleLine(picture, box, width / 2, height / 2, CR, this.#cr);
    const taken = new Set(white);
    const last = Math.min(width / pitch!, white.at(-1)! + REACH);
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
      if (!this.#look(ink, at / 2, width / 2)) continue;
      const ground = lumaAround(luma, at, width, pitch!, height);
      for (const [glyph, mask] of this.#masks.entries()) {
        if (mask.x.length === 0) continue;
        const color = mixed(mask, this.#along, ink.length) + ACROSS * mixed(mask, this.#across, 0);
        const fit = { glyph, llr: SHARE * (color + lit(mask, luma, at, width, ink.y, ground)) };
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

  /** Whether a cell's colour differences differ so much that something can be written there in one of the inks. */
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
    return Math.hypot(mostCb - leastCb, mostCr - leastCr) >= this.#least;
  }

  /** Takes a cell's colour differences along the ink's and across them; false where nothing is written in it. */
  #look(ink: Ink, x: number, width: number): boolean {
    const across = this.#atlas.file.pitch! / 2;
    const [along, beside] = [this.#along.values, this.#across.values];
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0; i < along.length; i++) {
      const at = Math.floor(i / across) * width + x + (i % across);
      const [cb, cr] = [this.#cb[at]!, this.#cr[at]!];
      const value = cb * ink.cb + cr * ink.cr;
      along[i] = value;
      beside[i] = cr * ink.cb - cb * ink.cr;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (most - least < SPREAD * ink.length) return false;
    settle(this.#along);
    settle(this.#across);
    return true;
  }

  #charOf({ glyph }: Fit): string {
    return this.#canon(this.#atlas.glyphs[glyph]!.char);
  }
}

function surface(size: number): Surface {
  return { values: new Float32Array(size), sum: 0, squares: 0, rival: 0 };
}

/** Adds up a cell's values, and what they cost as a surface of their own mean and variance. */
function settle(cell: Surface): void {
  let [sum, squares] = [0, 0];
  for (const p of cell.values) {
    sum += p;
    squares += p * p;
  }
  const n = cell.values.length;
  const left = squares - (sum * sum) / n;
  const variance = Math.max(CHROMA ** 2, left / n);
  Object.assign(cell, { sum, squares, rival: left / variance + n * Math.log(variance / CHROMA ** 2) });
}

/**
 * Log likelihood ratio of colour differences in one direction: mixed of ink and ground as the glyph covers them, against a
 * surface. The ground is what fits best; so is the ink, near what is usually left of it.
 */
function mixed(mask: Mask, { values, sum, squares, rival }: Surface, length: number): number {
  const { blocks, ground, both } = mask;
  const expected = LEFT * length;
  const prior = (CHROMA / (VARIES * (length || INK))) ** 2;
  let ofInk = 0;
  for (let i = 0; i < blocks.length; i++) ofInk += blocks[i]! * values[i]!;
  const ofGround = sum - ofInk;
  ofInk += prior * expected;
  const ink = mask.ink + prior;
  const determinant = Math.max(1e-6, ground * ink - both * both);
  const g = (ofGround * ink - ofInk * both) / determinant;
  const c = (ofInk * ground - ofGround * both) / determinant;
  const cost = (squares + prior * expected * expected - g * ofGround - c * ofInk) / CHROMA ** 2;
  return (rival - cost) / 2;
}

/** The usual length of an ink's colour differences. */
const INK = 120;

/** Mean and variance of a cell's luma. */
function lumaAround(luma: Float32Array, at: number, width: number, pitch: number, height: number) {
  let [sum, squares] = [0, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < pitch; x++) {
      const p = luma[y * width + at + x]!;
      sum += p;
      squares += p * p;
    }
  const n = pitch * height;
  return { mean: sum / n, variance: Math.max(LUMA ** 2, squares / n - (sum / n) ** 2) };
}

/** Log likelihood ratio of the luma of the pixels covered: the ink's own, against a surface. */
function lit(
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
  return (surfaces / variance + x.length * Math.log(variance / LUMA ** 2) - inks / LUMA ** 2) / 2;
}

/** What every glyph covers: where it is as dark as any nothing, where it is as bright as any the whole pixel. */
function masksOf({ file }: Atlas): Mask[] {
  const { height, pitch } = file;
  const levels = file.glyphs.map(({ level }) => Buffer.from(level, 'base64'));
  const ground = Math.min(...levels.map((own) => own.reduce((least, one) => Math.min(least, one), 255)));
  return levels.map((own): Mask => {
    const blocks = new Float32Array((pitch! * height) / 4);
    const covered: [number, number][] = [];
    for (const [i, level] of own.entries()) {
      const share = (level - ground) / (255 - ground);
      const [x, y] = [i % pitch!, Math.floor(i / pitch!)];
      if (share >= COVERED) covered.push([x, y]);
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
