import type { Atlas } from './atlas.ts';
import { type Rivals, rivalsOf } from './confusable-glyphs.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';
import {
  type Candidates,
  type Cell,
  cellConfidence,
  cellOf,
  LEAST,
  lineOf,
  type LineReading,
  NOTHING,
} from './line-reading.ts';
import type { GlyphBounds } from './glyph-bounds.ts';
import type { Align } from './options.ts';
import { leavesInk, readProportional } from './proportional.ts';

/** Reads lines of one font. */
export class GlyphReader {
  readonly atlas: Atlas;
  readonly scorer: GlyphScorer;
  readonly #restricted: readonly number[];
  readonly #allowed: ReadonlySet<number>;
  readonly #rivals: Rivals;
  readonly #brightness: number | undefined;
  /** Of a font of one ink; which number a glyph has there. */
  readonly #bounds: GlyphBounds | undefined;
  readonly #numbers: Int32Array;
  /** Whether the bounds have the image. */
  #looked = false;
  readonly #reaching: Int32Array;
  /** Of the place that is looked at, the scores of those glyphs that have one. */
  readonly #scores: Float64Array;
  /** Of glyphs that were guessed: they and those that could be meant instead. */
  readonly #like: number[][] = [];
  /** What stands in a cell in which nothing is bright enough, by its place. */
  readonly #nothing = new Map<number, Cell>();
  /** Glyphs that explain nothing are of no interest as rivals: not in a font that has one for the blank. */
  readonly #blank: boolean;
  /** The blank, −1 without one, and what the least of the other glyphs earns on a clean picture of itself. */
  readonly #empty: number;
  readonly #faintest: number;

  /** `charset` restricts which glyphs are tried (digits, say); default all of the atlas. */
  constructor(atlas: Atlas, charset?: Iterable<string>) {
    this.atlas = atlas;
    this.scorer = new GlyphScorer(atlas);
    this.#rivals = rivalsOf(atlas);
    this.#brightness = leastBrightness(atlas);
    const wanted = charset === undefined ? undefined : new Set(charset);
    this.#restricted = atlas.glyphs.flatMap((glyph, i) =>
      wanted === undefined || glyph.char === ' ' || wanted.has(glyph.char) ? [i] : [],
    );
    this.#allowed = new Set(this.#restricted);
    this.#bounds = this.scorer.bounds(this.#restricted);
    this.#scores = new Float64Array(atlas.glyphs.length);
    this.#reaching = new Int32Array(this.#restricted.length);
    this.#numbers = Int32Array.from(atlas.glyphs, (_, i) => this.#restricted.indexOf(i));
    this.#blank = atlas.glyphs.some(({ char }) => char === ' ');
    this.#empty = atlas.glyphs.findIndex(({ char }) => char === ' ');
    const inked = this.#restricted.filter((index) => atlas.glyphs[index]!.char !== ' ');
    this.#faintest = Math.min(...inked.map((index) => this.#potential(index, 0)));
  }

  /** How many glyphs are tried, the blank not counted. */
  get size(): number {
    return this.#restricted.filter((index) => this.atlas.glyphs[index]!.char !== ' ').length;
  }

  /**
   * Reads one line. `image` has `margin` pixels around the text's box on every side, within which the text may be
   * shifted; the box is as high as the atlas's glyphs. `hints` are lines that may stand there again: they only spare
   * work, the reading is the same without them.
   */
  read(image: LineImage, align: Align, margin: number, hints: readonly LineReading[] = []): LineReading {
    this.scorer.look(image);
    this.#looked = false;
    const fixed = this.atlas.file.layout === 'fixed';
    if (!fixed) {
      this.#bounds?.look(image);
      const again = hints.map((hint) => this.#confirm(hint, image, margin)).find((line) => line !== undefined);
      if (again) return again;
    }
    const read = (dx: number, dy: number, beat: number): LineReading | undefined =>
      fixed
        ? this.#readFixed(image, align, margin, dx, dy, hints, beat)
        : readProportional(
            this.scorer,
            this.atlas,
            this.#rivals,
            this.#restricted,
            this.#bounds,
            image,
            align,
            margin,
            dy,
          );
    let best = read(0, 0, Number.NEGATIVE_INFINITY)!;
    if (margin === 0 || this.#isClean(best)) return best;
    let bestScore = totalOf(best);
    for (const [dx, dy] of SHIFTS) {
      if (dx !== 0 && this.atlas.file.layout !== 'fixed') continue;
      const shifted = read(dx, dy, bestScore + SHIFT_COST);
      if (!shifted) continue;
      const score = totalOf(shifted);
      if (score > bestScore + SHIFT_COST) {
        best = shifted;
        bestScore = score;
      }
    }
    return best;
  }

  /** The hinted line of a proportional font, if every character of it stands there beyond doubt and nothing follows. */
  #confirm(hint: LineReading, image: LineImage, margin: number): LineReading | undefined {
    const last = hint.cells.at(-1);
    if (!last) return undefined;
    const cells: Cell[] = [];
    for (const old of hint.cells) {
      const found = this.#among(image, old.x, margin, [old.glyph], this.#rivals.of);
      if (found?.best !== old.glyph) return undefined;
      cells.push(this.#certain(old, found));
    }
    if (leavesInk(cells, this.atlas, image, margin, margin)) return undefined;
    const { space = 4, gaps = [0, 0] } = this.atlas.file;
    for (const gap of [0, space, gaps[1], space + gaps[1]]) {
      const x = last.x + last.width + gap;
      if (x < image.width) this.#bounds?.places(x, margin);
      for (const [n, index] of this.#restricted.entries()) {
        if (x + this.atlas.glyphs[index]!.width > image.width) continue;
        if (this.#bounds && this.#bounds.upper(n, 0) <= LEAST_LLR) continue;
        if (this.scorer.score(index, x, margin).llr > LEAST_LLR) return undefined;
      }
    }
    return { text: hint.text, cells, confidence: cells.reduce((product, cell) => product * cell.confidence, 1) };
  }

  #certain(old: Cell, { bestLlr, misfit, second, secondLlr }: Candidates): Cell {
    const rival = secondLlr > LEAST_LLR ? secondLlr : 0;
    const confidence = cellConfidence(bestLlr - rival, misfit);
    return { ...old, llr: bestLlr, misfit, confidence, second: rival > 0 ? second : -1, secondLlr: rival };
  }

  /** A line of a fixed layout; undefined where its characters cannot explain more than `beat`. */
  #readFixed(
    image: LineImage,
    align: Align,
    margin: number,
    dx: number,
    dy: number,
    hints: readonly LineReading[],
    beat: number,
  ): LineReading | undefined {
    const pitch = this.atlas.file.pitch!;
    const box = image.width - 2 * margin;
    const count = Math.max(1, Math.floor(box / pitch + 1e-6));
    const rest = box - count * pitch;
    const y = margin + dy;
    const at = (start: number, length: number): LineReading | undefined => {
      const xs: number[] = [];
      const dim = new Uint8Array(length);
      for (let i = 0; i < length; i++) {
        const x = Math.round(start + i * pitch);
        xs.push(x);
        dim[i] = this.#isDim(image, x, y) ? 1 : 0;
      }
      if (this.#bounds && this.#most(this.#bounds, image, xs, y, dim) <= beat) return undefined;
      return this.#inOneInk(() => {
        const cells = xs.map((x, i) => this.#readCell(image, x, y, dim[i] === 1, i, hints));
        const line = lineOf(cells);
        // A right-aligned text ends in the last cell: a blank there is a character that is hidden.
        const isCut = align === 'right' && line.cells.length > 0 && cells.at(-1)!.glyph < 0;
        return isCut ? { ...line, confidence: line.confidence * CUT } : line;
      });
    };
    const left = margin + dx + (align === 'left' ? 0 : align === 'right' ? rest : rest / 2);
    const line = at(left, count);
    if (align !== 'centre' || count < 2) return line;
    // A centred text of the other parity stands half a character off.
    const shifted = at(left + pitch / 2, count - 1);
    if (!line || !shifted) return line ?? shifted;
    return totalOf(shifted) > totalOf(line) ? shifted : line;
  }

  /** Works out the bounds for a line's cells, and the most that its characters can explain. */
  #most(bounds: GlyphBounds, image: LineImage, xs: readonly number[], y: number, dim: Uint8Array): number {
    if (dim.every((one) => one === 1)) return 0;
    if (!this.#looked) bounds.look(image);
    this.#looked = true;
    bounds.cells(xs, y, dim);
    let total = 0;
    for (let i = 0; i < xs.length; i++)
      if (dim[i] === 0 && xs[i]! >= 0 && xs[i]! < image.width) total += Math.max(0, bounds.most(i));
    return total;
  }

  /** A line has one ink: where characters were taken in several, the line in that one of these that explains most. */
  #inOneInk(read: () => LineReading): LineReading {
    const free = read();
    const inks = new Set(free.cells.flatMap((cell) => (cell.glyph < 0 ? [] : [cell.ink ?? 0])));
    if (inks.size < 2) return free;
    const lines = [...inks].map((ink) => this.scorer.inInk(ink, read));
    return lines.reduce((best, line) => (totalOf(line) > totalOf(best) ? line : best));
  }

  #readCell(image: LineImage, x: number, y: number, dim: boolean, place: number, hints: readonly LineReading[]): Cell {
    if (dim) return this.#nothingAt(x);
    if (this.#bounds) return cellOf(this.atlas, x, this.#best(image, x, y, this.#restricted, this.#rivals.near, place));
    const guesses = hints.flatMap((hint) => hint.cells.find((cell) => cell.x === x && cell.glyph >= 0)?.glyph ?? []);
    const found = this.#among(image, x, y, guesses) ?? this.#best(image, x, y, this.#restricted);
    return cellOf(this.atlas, x, found);
  }

  /** Most cells of most pictures are dim. */
  #nothingAt(x: number): Cell {
    let cell = this.#nothing.get(x);
    if (!cell) {
      cell = cellOf(this.atlas, x, NOTHING);
      this.#nothing.set(x, cell);
    }
    return cell;
  }

  /** The guess that fits beyond doubt and better than all that look like it: then no other glyph can be better. */
  #among(
    image: LineImage,
    x: number,
    y: number,
    guesses: readonly number[],
    rivals = this.#rivals.near,
  ): Candidates | undefined {
    for (const guess of guesses) {
      const like = (this.#like[guess] ??= [
        guess,
        ...this.#rivals.near[guess]!.filter((index) => this.#allowed.has(index)),
      ]);
      const found = this.#best(image, x, y, like, rivals);
      if (found.best === guess && found.proof >= STRONG * this.#potential(guess, found.ink)) return found;
    }
    return undefined;
  }

  /**
   * The best of some glyphs, and of its rivals the next best. `place` is the number of (x, y) among those that the bounds of all
   * candidates were worked out for: what cannot win or matter is then not scored.
   */
  #best(
    image: LineImage,
    x: number,
    y: number,
    among: readonly number[],
    rivals = this.#rivals.near,
    place = -1,
  ): Candidates {
    const bounds = place < 0 ? undefined : this.#bounds;
    const isInside = bounds !== undefined && x >= 0 && x + bounds.widest <= image.width;
    this.#scores.fill(Number.NaN);
    const tried = isInside ? bounds.reaching(bounds.sure(place), place, this.#reaching) : among.length;
    let best = -1;
    let bestLlr = Number.NEGATIVE_INFINITY;
    let misfit = 0;
    let ink = 0;
    let proof = Number.NEGATIVE_INFINITY;
    for (let n = 0; n < tried; n++) {
      const index = isInside ? this.#restricted[this.#reaching[n]!]! : among[n]!;
      if (x < 0 || x + this.atlas.glyphs[index]!.width > image.width) continue;
      const fit = this.scorer.score(index, x, y);
      this.#scores[index] = fit.llr;
      if (fit.llr <= bestLlr) continue;
      best = index;
      bestLlr = fit.llr;
      misfit = fit.misfit;
      ink = fit.ink;
      proof = fit.proof;
    }
    let second = -1;
    let secondLlr = Number.NEGATIVE_INFINITY;
    for (const index of best < 0 ? [] : rivals[best]!) {
      if (x + this.atlas.glyphs[index]!.width > image.width || !this.#allowed.has(index)) continue;
      if (bounds && !this.#blank && bounds.upper(this.#numbers[index]!, place) <= 0) continue;
      const known = this.#scores[index]!;
      const llr = Number.isNaN(known) ? this.scorer.score(index, x, y).llr : known;
      if (llr <= secondLlr) continue;
      second = index;
      secondLlr = llr;
    }
    // Of two that fit about equally well the one counts that also leaves the other's strokes to the ground.
    if (second >= 0 && secondLlr > 0 && bestLlr - secondLlr < CLOSE * bestLlr) {
      const margin = this.scorer.contest(best, second, x, y);
      if (margin < 0 && among.includes(second)) {
        const won = this.scorer.score(second, x, y);
        [best, second, misfit, ink, proof] = [second, best, won.misfit, won.ink, won.proof];
        bestLlr = won.llr;
      }
      secondLlr = bestLlr - Math.abs(margin);
    }
    let worth = best < 0 ? 1 : LEAST * this.#potential(best, ink);
    // An empty panel may hardly be told from any even surface, but nothing stands on either.
    if (best >= 0 && best === this.#empty && proof <= worth) worth = LEAST * this.#faintest;
    return { best, bestLlr, proof, misfit, ink, second, secondLlr, worth };
  }

  /** What a glyph earns on a clean picture of itself. */
  #potential(glyph: number, ink: number): number {
    return this.#rivals.potential[ink]![glyph]!;
  }

  /** Whether a cell holds nothing as bright as the faintest glyph of a bright font. */
  #isDim(image: LineImage, x: number, y: number): boolean {
    const least = this.#brightness;
    if (least === undefined) return false;
    const { data, width } = image;
    const left = Math.max(0, x);
    const right = Math.min(width, x + this.atlas.file.pitch!);
    const bottom = Math.min(image.height, y + this.atlas.file.height);
    for (let row = Math.max(0, y); row < bottom; row++) {
      const end = row * width + right;
      for (let at = row * width + left; at < end; at++) if (data[at]! >= least) return false;
    }
    return true;
  }

  /** Whether the characters earn about what they do on clean pictures. */
  #isClean(line: LineReading): boolean {
    if (line.cells.length === 0) return line.confidence > 0.9;
    let earned = 0;
    let possible = 0;
    for (const cell of line.cells) {
      if (cell.glyph < 0) continue;
      earned += cell.llr;
      possible += this.#potential(cell.glyph, cell.ink ?? 0);
    }
    return earned >= STRONG * possible;
  }
}

/** Share of what a glyph earns on a clean picture of itself from which on it is beyond doubt. */
const STRONG = 0.6;
/** What a right-aligned text whose last character cannot be read is worth. */
const CUT = 0.1;
/** Share of a glyph's log likelihood ratio by which the next best may lack behind and still be held against it. */
const CLOSE = 0.25;
/** Log likelihood ratio from which on a proportional glyph counts as seen. */
const LEAST_LLR = 4;
/** Share of the faintest glyph's brightest level that a cell must reach to hold anything. */
const DIM = 0.6;

/** The level below which a cell of a bright font on transparent ground is blank; undefined for other fonts. */
function leastBrightness(atlas: Atlas): number | undefined {
  const { gain, offset } = atlas.file.illumination;
  const bright = gain <= 0.2 && offset <= 20 && !atlas.glyphs.some((glyph) => glyph.char === ' ');
  const faintest = Math.min(...atlas.glyphs.map((glyph) => Math.max(...glyph.level)));
  const darkestInk = Math.min(...atlas.inks.map(([luma]) => luma!));
  return bright && faintest >= 120 ? DIM * darkestInk * faintest : undefined;
}

/** Shifts to try when the text is not where it was measured, nearest first. */
const SHIFTS: readonly (readonly [number, number])[] = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
];

/** Log likelihood that a shift must gain: what was measured is the likelier place. */
const SHIFT_COST = 5;

function totalOf(line: LineReading): number {
  let total = 0;
  for (const cell of line.cells) total += Math.max(0, cell.llr);
  return total;
}
