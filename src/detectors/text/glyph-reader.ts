import type { Atlas } from './atlas.ts';
import { confusableGlyphs } from './confusable-glyphs.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';
import {
  type Cell,
  cellConfidence,
  type LineReading,
  type Match,
  MIN_PROOF_SHARE,
  NO_MATCH,
  toCell,
  toLine,
} from './line-reading.ts';
import type { Align } from './options.ts';
import { type FontModel, hasUnreadInk, MIN_GLYPH_LLR, readProportional } from './proportional.ts';

/** Share of a glyph's score on a clean picture of itself from which it is certain. */
const CERTAIN_SHARE = 0.6;
/** Confidence of a right-aligned text whose last character cannot be read. */
const CUT_CONFIDENCE = 0.1;
/** Share of a glyph's log likelihood ratio within which the next best is compared with it more closely. */
const CONTEST_SHARE = 0.25;
/** Share of the faintest glyph's brightest level that a cell must reach to hold anything. */
const MIN_BRIGHTNESS_SHARE = 0.6;
/** Log likelihood that a shift must gain: the measured place is the likelier one. */
const SHIFT_COST = 5;

/** Shifts to try when the text is not where it was measured, nearest first. */
const SHIFTS: readonly (readonly [dx: number, dy: number])[] = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
];

const NO_RIVAL = [-1, Number.NEGATIVE_INFINITY] as const;

/** A line to be read. */
interface Line {
  readonly image: LineImage;
  readonly align: Align;
  readonly margin: number;
  readonly hints: readonly LineReading[];
}

/** Reads lines of one font. */
export class GlyphReader {
  readonly atlas: Atlas;
  readonly #font: FontModel;
  readonly #scorer: GlyphScorer;
  readonly #candidates: readonly number[];
  readonly #isCandidate: ReadonlySet<number>;
  /** By glyph: its number among the candidates. */
  readonly #numbers: Int32Array;
  /** Level below which a cell of a bright font is blank. */
  readonly #minBrightness: number | undefined;
  /** Index of the blank's glyph; −1 without one. */
  readonly #blank: number;
  /** What the faintest of the other glyphs scores on a clean picture of itself. */
  readonly #faintest: number;
  /** The current image, and whether the bounds have it. */
  #image: LineImage = { data: new Float32Array(0), width: 0, height: 0 };
  #isBounded = false;
  /** Candidates that may win, and scores at the current place. */
  readonly #reaching: Int32Array;
  readonly #scores: Float64Array;
  /** By glyph: itself and the candidates that could be meant instead. */
  readonly #similar: number[][] = [];
  /** Cells in which nothing is bright enough, by x: most cells of most pictures. */
  readonly #dimCells = new Map<number, Cell>();

  /** @param charset The characters that may occur; default all of the atlas. */
  constructor(atlas: Atlas, charset?: Iterable<string>) {
    this.atlas = atlas;
    this.#scorer = new GlyphScorer(atlas);
    const glyphs = confusableGlyphs(atlas);
    this.#minBrightness = minBrightness(atlas);
    const wanted = charset === undefined ? undefined : new Set(charset);
    const candidates = atlas.glyphs.flatMap(({ char }, i) => (wanted?.has(char) === false && char !== ' ' ? [] : [i]));
    const limits = candidates.map((index) =>
      atlas.glyphs[index]!.char === ' ' ? Number.POSITIVE_INFINITY : MIN_PROOF_SHARE * glyphs.cleanProofs[0]![index]!,
    );
    const bounds = this.#scorer.bounds(candidates, limits);
    this.#font = { atlas, scorer: this.#scorer, glyphs, candidates, bounds };
    this.#candidates = candidates;
    this.#isCandidate = new Set(candidates);
    this.#numbers = Int32Array.from(atlas.glyphs, (_, i) => candidates.indexOf(i));
    this.#scores = new Float64Array(atlas.glyphs.length);
    this.#reaching = new Int32Array(candidates.length);
    this.#blank = atlas.glyphs.findIndex(({ char }) => char === ' ');
    const inked = candidates.filter((index) => atlas.glyphs[index]!.char !== ' ');
    this.#faintest = Math.min(...inked.map((index) => this.#cleanProof(index, 0)));
  }

  /**
   * Reads one line.
   *
   * @param image The text's box, as high as the atlas's glyphs, with `margin` pixels on every side, within which the text may be
   *   shifted.
   * @param hints Lines that may still be there. They only save work: the reading is the same without them.
   */
  read(image: LineImage, align: Align, margin: number, hints: readonly LineReading[] = []): LineReading {
    this.#scorer.look(image);
    this.#image = image;
    this.#isBounded = false;
    const line = { image, align, margin, hints };
    return this.atlas.file.layout === 'fixed' ? this.#readFixedPitch(line) : this.#readProportional(line);
  }

  #readProportional({ image, align, margin, hints }: Line): LineReading {
    this.#font.bounds?.look(image);
    for (const hint of hints) {
      const line = this.#confirm(hint, image, margin);
      if (line) return line;
    }
    let best = readProportional(this.#font, image, align, margin, margin);
    if (margin === 0 || this.#isClean(best)) return best;
    for (const [dx, dy] of SHIFTS) {
      if (dx !== 0) continue;
      const shifted = readProportional(this.#font, image, align, margin, margin + dy);
      if (scoreOf(shifted) > scoreOf(best) + SHIFT_COST) best = shifted;
    }
    return best;
  }

  /** Returns the hinted line if every character of it is certain to be there and nothing follows. */
  #confirm(hint: LineReading, image: LineImage, margin: number): LineReading | undefined {
    const last = hint.cells.at(-1);
    if (!last) return undefined;
    const cells: Cell[] = [];
    for (const old of hint.cells) {
      const match = this.#certainMatch(old.x, margin, [old.glyph], this.#font.glyphs.confusable);
      if (match?.best !== old.glyph) return undefined;
      const { bestLlr, misfit } = match;
      const isContested = match.secondLlr > MIN_GLYPH_LLR;
      const secondLlr = isContested ? match.secondLlr : 0;
      const confidence = cellConfidence(bestLlr - secondLlr, misfit);
      cells.push({ ...old, llr: bestLlr, misfit, confidence, second: isContested ? match.second : -1, secondLlr });
    }
    if (hasUnreadInk(cells, this.atlas, image, margin, margin) || this.#continues(last, image, margin))
      return undefined;
    return { text: hint.text, cells, confidence: cells.reduce((product, cell) => product * cell.confidence, 1) };
  }

  /** Whether a glyph may follow a line's last character. */
  #continues(last: Cell, image: LineImage, y: number): boolean {
    const { bounds } = this.#font;
    const { space = 4, gaps = [0, 0] } = this.atlas.file;
    for (const gap of [0, space, gaps[1], space + gaps[1]]) {
      const x = last.x + last.width + gap;
      if (x < image.width) bounds?.boundPlaces(x, y);
      for (const [n, index] of this.#candidates.entries()) {
        if (x + this.atlas.glyphs[index]!.width > image.width) continue;
        if (bounds && bounds.upper(n, 0) <= MIN_GLYPH_LLR) continue;
        if (this.#scorer.score(index, x, y).llr > MIN_GLYPH_LLR) return true;
      }
    }
    return false;
  }

  #readFixedPitch(line: Line): LineReading {
    let best = this.#readShifted(line, 0, 0, Number.NEGATIVE_INFINITY)!;
    if (line.margin === 0 || this.#isClean(best)) return best;
    let bestScore = scoreOf(best);
    for (const [dx, dy] of SHIFTS) {
      const shifted = this.#readShifted(line, dx, dy, bestScore + SHIFT_COST);
      const score = shifted ? scoreOf(shifted) : Number.NEGATIVE_INFINITY;
      if (score <= bestScore + SHIFT_COST) continue;
      best = shifted!;
      bestScore = score;
    }
    return best;
  }

  /** Reads a fixed-pitch line at a shift; undefined where its characters cannot score more than `minimum`. */
  #readShifted(line: Line, dx: number, dy: number, minimum: number): LineReading | undefined {
    const { image, align, margin } = line;
    const pitch = this.atlas.file.pitch!;
    const box = image.width - 2 * margin;
    const count = Math.max(1, Math.floor(box / pitch + 1e-6));
    const rest = box - count * pitch;
    const left = margin + dx + (align === 'left' ? 0 : align === 'right' ? rest : rest / 2);
    const read = this.#readCells(line, left, count, margin + dy, minimum);
    if (align !== 'centre' || count < 2) return read;
    // A centred text of the other parity is half a character off.
    const halfOff = this.#readCells(line, left + pitch / 2, count - 1, margin + dy, minimum);
    if (!read || !halfOff) return read ?? halfOff;
    return scoreOf(halfOff) > scoreOf(read) ? halfOff : read;
  }

  #readCells(line: Line, left: number, count: number, y: number, minimum: number): LineReading | undefined {
    const { align, hints } = line;
    const pitch = this.atlas.file.pitch!;
    const xs: number[] = [];
    const dim = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const x = Math.round(left + i * pitch);
      xs.push(x);
      dim[i] = this.#isDim(x, y) ? 1 : 0;
    }
    if (!this.#canExceed(minimum, xs, y, dim)) return undefined;
    return this.#inOneInk(() => {
      const cells = xs.map((x, i) => (dim[i] === 1 ? this.#dimCell(x) : this.#readCell(x, y, i, hints)));
      const read = toLine(cells);
      // A right-aligned text ends in the last cell: a blank there is a character that is hidden.
      const isCut = align === 'right' && read.cells.length > 0 && cells.at(-1)!.glyph < 0;
      return isCut ? { ...read, confidence: read.confidence * CUT_CONFIDENCE } : read;
    });
  }

  /** Bounds a line's cells; returns whether its characters may score more than `minimum`. */
  #canExceed(minimum: number, xs: readonly number[], y: number, dim: Uint8Array): boolean {
    const image = this.#image;
    const { bounds } = this.#font;
    if (!bounds) return true;
    if (dim.every((one) => one === 1)) return minimum < 0;
    if (!this.#isBounded) bounds.look(image);
    this.#isBounded = true;
    bounds.boundCells(xs, y, dim);
    let total = 0;
    let mayHoldGlyph = false;
    for (let i = 0; i < xs.length; i++) {
      if (dim[i] === 1 || xs[i]! < 0 || xs[i]! >= image.width) continue;
      total += Math.max(0, bounds.maxUpper(i));
      mayHoldGlyph ||= bounds.mayExceedLimit(i);
    }
    // A line of blanks scores 0, whatever its cells look like.
    return minimum < (mayHoldGlyph ? total : 0);
  }

  /** A line has one ink: where its characters were read in several, returns the reading in the ink that explains most. */
  #inOneInk(read: () => LineReading): LineReading {
    const free = read();
    const inks = new Set(free.cells.flatMap((cell) => (cell.glyph < 0 ? [] : [cell.ink ?? 0])));
    if (inks.size < 2) return free;
    const lines = [...inks].map((ink) => this.#scorer.withInk(ink, read));
    return lines.reduce((best, line) => (scoreOf(line) > scoreOf(best) ? line : best));
  }

  #readCell(x: number, y: number, place: number, hints: readonly LineReading[]): Cell {
    const { bounds, glyphs } = this.#font;
    if (bounds) return toCell(this.atlas, x, this.#bestMatch(x, y, this.#candidates, glyphs.similar, place));
    const hinted = hints.flatMap((hint) => hint.cells.find((cell) => cell.x === x && cell.glyph >= 0)?.glyph ?? []);
    const match =
      this.#certainMatch(x, y, hinted, glyphs.similar) ?? this.#bestMatch(x, y, this.#candidates, glyphs.similar);
    return toCell(this.atlas, x, match);
  }

  #dimCell(x: number): Cell {
    let cell = this.#dimCells.get(x);
    if (!cell) {
      cell = toCell(this.atlas, x, NO_MATCH);
      this.#dimCells.set(x, cell);
    }
    return cell;
  }

  /** Returns the hinted glyph that certainly fits, and better than all similar ones: then no other glyph can be better. */
  #certainMatch(
    x: number,
    y: number,
    hinted: readonly number[],
    rivals: readonly (readonly number[])[],
  ): Match | undefined {
    for (const glyph of hinted) {
      const among = (this.#similar[glyph] ??= [
        glyph,
        ...this.#font.glyphs.similar[glyph]!.filter((index) => this.#isCandidate.has(index)),
      ]);
      const match = this.#bestMatch(x, y, among, rivals);
      if (match.best === glyph && match.proof >= CERTAIN_SHARE * this.#cleanProof(glyph, match.ink)) return match;
    }
    return undefined;
  }

  /**
   * Returns the best of some glyphs, and the next best of its rivals.
   *
   * @param place Number of (x, y) among the places at which all candidates were bounded: those that cannot win or matter are then
   *   not scored.
   */
  #bestMatch(
    x: number,
    y: number,
    among: readonly number[],
    rivals: readonly (readonly number[])[],
    place = -1,
  ): Match {
    const { width } = this.#image;
    const bounds = place < 0 ? undefined : this.#font.bounds;
    const isInside = bounds !== undefined && x >= 0 && x + bounds.widest <= width;
    this.#scores.fill(Number.NaN);
    const tried = isInside ? bounds.reaching(bounds.maxLower(place), place, this.#reaching) : among.length;
    let best = -1;
    let bestLlr = Number.NEGATIVE_INFINITY;
    let misfit = 0;
    let ink = 0;
    let proof = Number.NEGATIVE_INFINITY;
    for (let n = 0; n < tried; n++) {
      const index = isInside ? this.#candidates[this.#reaching[n]!]! : among[n]!;
      if (x < 0 || x + this.atlas.glyphs[index]!.width > width) continue;
      const fit = this.#scorer.score(index, x, y);
      this.#scores[index] = fit.llr;
      if (fit.llr <= bestLlr) continue;
      best = index;
      bestLlr = fit.llr;
      misfit = fit.misfit;
      ink = fit.ink;
      proof = fit.proof;
    }
    let [second, secondLlr] = best < 0 ? NO_RIVAL : this.#bestRival(x, y, rivals[best]!, place);
    // Of two that fit about equally well the one counts that also leaves the other's strokes to the ground.
    if (second >= 0 && secondLlr > 0 && bestLlr - secondLlr < CONTEST_SHARE * bestLlr) {
      const margin = this.#scorer.contest(best, second, x, y);
      if (margin < 0 && among.includes(second)) {
        const won = this.#scorer.score(second, x, y);
        [best, second, misfit, ink, proof] = [second, best, won.misfit, won.ink, won.proof];
        bestLlr = won.llr;
      }
      secondLlr = bestLlr - Math.abs(margin);
    }
    let minProof = best < 0 ? 1 : MIN_PROOF_SHARE * this.#cleanProof(best, ink);
    // An empty panel may hardly differ from any even surface, but both are blank.
    if (best >= 0 && best === this.#blank && proof <= minProof) minProof = MIN_PROOF_SHARE * this.#faintest;
    return { best, bestLlr, proof, misfit, ink, second, secondLlr, minProof };
  }

  /** Returns the best of a glyph's rivals at a place, of which `#scores` has some scores, and its log likelihood ratio. */
  #bestRival(x: number, y: number, rivals: readonly number[], place: number): readonly [glyph: number, llr: number] {
    const bounds = place < 0 ? undefined : this.#font.bounds;
    let second = -1;
    let secondLlr = Number.NEGATIVE_INFINITY;
    for (const index of rivals) {
      if (x + this.atlas.glyphs[index]!.width > this.#image.width || !this.#isCandidate.has(index)) continue;
      // A rival that explains nothing matters only in a font with a blank.
      if (bounds && this.#blank < 0 && bounds.upper(this.#numbers[index]!, place) <= 0) continue;
      const known = this.#scores[index]!;
      const llr = Number.isNaN(known) ? this.#scorer.score(index, x, y).llr : known;
      if (llr <= secondLlr) continue;
      second = index;
      secondLlr = llr;
    }
    return [second, secondLlr];
  }

  /** What a glyph scores on a clean picture of itself. */
  #cleanProof(glyph: number, ink: number): number {
    return this.#font.glyphs.cleanProofs[ink]![glyph]!;
  }

  /** Whether a cell holds nothing as bright as the faintest glyph of a bright font. */
  #isDim(x: number, y: number): boolean {
    const image = this.#image;
    const minimum = this.#minBrightness;
    if (minimum === undefined) return false;
    const { data, width } = image;
    const left = Math.max(0, x);
    const right = Math.min(width, x + this.atlas.file.pitch!);
    const bottom = Math.min(image.height, y + this.atlas.file.height);
    for (let row = Math.max(0, y); row < bottom; row++) {
      const end = row * width + right;
      for (let at = row * width + left; at < end; at++) if (data[at]! >= minimum) return false;
    }
    return true;
  }

  /** Whether the characters score about as on clean pictures. */
  #isClean(line: LineReading): boolean {
    if (line.cells.length === 0) return line.confidence > 0.9;
    let scored = 0;
    let possible = 0;
    for (const cell of line.cells) {
      if (cell.glyph < 0) continue;
      scored += cell.llr;
      possible += this.#cleanProof(cell.glyph, cell.ink ?? 0);
    }
    return scored >= CERTAIN_SHARE * possible;
  }
}

/** The level below which a cell of a bright font on transparent ground is blank; undefined for other fonts. */
function minBrightness(atlas: Atlas): number | undefined {
  const { gain, offset } = atlas.file.illumination;
  const isBright = gain <= 0.2 && offset <= 20 && !atlas.glyphs.some((glyph) => glyph.char === ' ');
  const faintest = Math.min(...atlas.glyphs.map((glyph) => Math.max(...glyph.level)));
  const darkestInk = Math.min(...atlas.inks.map(([luma]) => luma!));
  return isBright && faintest >= 120 ? MIN_BRIGHTNESS_SHARE * darkestInk * faintest : undefined;
}

/** The log likelihood ratio of a line: that of its characters together. */
function scoreOf(line: LineReading): number {
  let total = 0;
  for (const cell of line.cells) total += Math.max(0, cell.llr);
  return total;
}
