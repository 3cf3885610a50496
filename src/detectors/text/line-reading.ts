import type { Atlas } from './atlas.ts';

/** One character as it was read. `glyph` −1 is a blank. */
export interface Cell {
  /** Left edge in pixels of the line image. */
  readonly x: number;
  readonly width: number;
  readonly glyph: number;
  /** Which of the font's inks; default its first. */
  readonly ink?: number;
  readonly char: string;
  /** Log likelihood ratio of the glyph over the background; for a blank that of the best glyph (negative is good). */
  readonly llr: number;
  readonly misfit: number;
  /** Probability that this character is right. */
  readonly confidence: number;
  /** The next best glyph, −1 where that is the blank. */
  readonly second: number;
  readonly secondLlr: number;
}

export interface LineReading {
  readonly text: string;
  /** Product of the characters' confidences. */
  readonly confidence: number;
  readonly cells: readonly Cell[];
}

/** How the log likelihood margin, whose pixels are far from independent, becomes a probability. */
const TEMPER = 0.2;

/** Probability that the best of two hypotheses is right, given their log likelihood margin and the misfit of the best. */
export function cellConfidence(margin: number, misfit: number): number {
  const chosen = 1 / (1 + Math.exp(-TEMPER * margin));
  return misfit <= GOOD_MISFIT ? chosen : chosen * Math.exp((GOOD_MISFIT - misfit) / MISFIT_DECAY);
}

const GOOD_MISFIT = 3;
const MISFIT_DECAY = 3;

/** The line that the cells make: blanks at both ends are not part of it. */
export function lineOf(cells: readonly Cell[]): LineReading {
  const first = cells.findIndex((cell) => cell.glyph >= 0);
  const last = cells.findLastIndex((cell) => cell.glyph >= 0);
  let confidence = 1;
  for (const cell of cells) confidence *= cell.confidence;
  if (first < 0) return { text: '', confidence, cells: [] };
  const used = cells.slice(first, last + 1);
  return { text: used.map((cell) => cell.char).join(''), confidence, cells: used };
}

/** What is found where nothing is bright enough. */
export const NOTHING: Candidates = {
  best: -1,
  bestLlr: -100,
  proof: -100,
  misfit: 0,
  ink: 0,
  second: -1,
  secondLlr: Number.NEGATIVE_INFINITY,
  worth: 1,
};

/** The best of some glyphs in one place, and the next best of its rivals. */
export interface Candidates {
  readonly best: number;
  readonly bestLlr: number;
  readonly proof: number;
  readonly misfit: number;
  readonly ink: number;
  readonly second: number;
  readonly secondLlr: number;
  /** Log likelihood ratio that the best must have not to be taken for scenery. */
  readonly worth: number;
}

/** How fast a character between scenery and certainty becomes certain, per share of its worth. */
const DOUBT = 6;

/** Share of what a glyph earns on a clean picture of itself below which it is scenery that happens to look like it. */
export const LEAST = 0.3;

/** What stands in a cell. */
export function cellOf(atlas: Atlas, x: number, found: Candidates): Cell {
  const { best, bestLlr, proof, misfit, second, secondLlr, worth } = found;
  const width = atlas.file.pitch!;
  if (best < 0 || proof <= worth) {
    const confidence = 1 / (1 + Math.exp(DOUBT * (proof / worth - 0.5)));
    return { x, width, glyph: -1, char: ' ', llr: bestLlr, misfit: 0, confidence, second: best, secondLlr: bestLlr };
  }
  if (atlas.glyphs[best]!.char === ' ') {
    const confidence = cellConfidence(bestLlr - Math.max(0, secondLlr), misfit);
    return {
      x,
      width,
      glyph: -1,
      char: ' ',
      llr: -bestLlr,
      misfit,
      confidence,
      second,
      secondLlr: secondLlr - bestLlr,
    };
  }
  const margin = bestLlr - Math.max(0, secondLlr);
  const real = 1 / (1 + Math.exp(-DOUBT * (proof / worth - 1.5)));
  return {
    x,
    width,
    glyph: best,
    ink: found.ink,
    char: atlas.glyphs[best]!.char,
    llr: bestLlr,
    misfit,
    confidence: real * cellConfidence(margin, misfit),
    second: secondLlr > 0 ? second : -1,
    secondLlr: Math.max(0, secondLlr),
  };
}
