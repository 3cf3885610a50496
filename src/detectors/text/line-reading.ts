import type { Atlas } from './atlas.ts';

/** One character cell as it was read. */
export interface Cell {
  /** Left edge in pixels of the line image. */
  readonly x: number;
  readonly width: number;
  /** Index in the atlas; −1 for a blank. */
  readonly glyph: number;
  /** Index of the font's ink; default its first. */
  readonly ink?: number;
  readonly char: string;
  /** Log likelihood ratio of the glyph over the background; for a blank that of the best glyph, so that negative is good. */
  readonly llr: number;
  /** Mean squared misfit in units of the expected variance. */
  readonly misfit: number;
  /** Probability that this character is right. */
  readonly confidence: number;
  /** The next best glyph, −1 where that is the blank; and its log likelihood ratio. */
  readonly second: number;
  readonly secondLlr: number;
}

/** A line of text as it was read. */
export interface LineReading {
  readonly text: string;
  /** Product of the cells' confidences. */
  readonly confidence: number;
  readonly cells: readonly Cell[];
}

/** Exponent that turns a log likelihood margin, whose pixels are far from independent, into a probability. */
const MARGIN_EXPONENT = 0.2;
/** Misfit up to which the confidence is not reduced, and the misfit beyond that which reduces it by e. */
const GOOD_MISFIT = 3;
const MISFIT_DECAY = 3;

/**
 * Returns the probability that the best of two hypotheses is right.
 *
 * @param margin Log likelihood ratio of the best over the second.
 * @param misfit The best one's misfit.
 */
export function cellConfidence(margin: number, misfit: number): number {
  const chosen = 1 / (1 + Math.exp(-MARGIN_EXPONENT * margin));
  return misfit <= GOOD_MISFIT ? chosen : chosen * Math.exp((GOOD_MISFIT - misfit) / MISFIT_DECAY);
}

/** Joins cells to a line; blanks at both ends are not part of it. */
export function toLine(cells: readonly Cell[]): LineReading {
  const first = cells.findIndex((cell) => cell.glyph >= 0);
  const last = cells.findLastIndex((cell) => cell.glyph >= 0);
  let confidence = 1;
  for (const cell of cells) confidence *= cell.confidence;
  if (first < 0) return { text: '', confidence, cells: [] };
  const used = cells.slice(first, last + 1);
  return { text: used.map((cell) => cell.char).join(''), confidence, cells: used };
}

/** The best of some glyphs at one place, and the best of those that it may be confused with. */
export interface Match {
  /** Index of the glyph, −1 for none; its log likelihood ratio, evidence, misfit and ink. */
  readonly best: number;
  readonly bestLlr: number;
  readonly proof: number;
  readonly misfit: number;
  readonly ink: number;
  readonly second: number;
  readonly secondLlr: number;
  /** Evidence that the best must exceed not to be taken for scenery. */
  readonly minProof: number;
}

/** The match where nothing is bright enough for any glyph. */
export const NO_MATCH: Match = {
  best: -1,
  bestLlr: -100,
  proof: -100,
  misfit: 0,
  ink: 0,
  second: -1,
  secondLlr: Number.NEGATIVE_INFINITY,
  minProof: 1,
};

/** Share of a glyph's score on a clean picture of itself below which it is taken for scenery. */
export const MIN_PROOF_SHARE = 0.3;
/** How steeply confidence grows with evidence, per `minProof`. */
const PROOF_EXPONENT = 6;

/** Decides what a cell of a fixed-pitch line holds. */
export function toCell(atlas: Atlas, x: number, match: Match): Cell {
  const { best, bestLlr, proof, misfit, second, secondLlr, minProof } = match;
  const width = atlas.file.pitch!;
  if (best < 0 || proof <= minProof) {
    const confidence = 1 / (1 + Math.exp(PROOF_EXPONENT * (proof / minProof - 0.5)));
    return { x, width, glyph: -1, char: ' ', llr: bestLlr, misfit: 0, confidence, second: best, secondLlr: bestLlr };
  }
  const margin = bestLlr - Math.max(0, secondLlr);
  const confidence = cellConfidence(margin, misfit);
  const { char } = atlas.glyphs[best]!;
  if (char === ' ')
    return { x, width, glyph: -1, char, llr: -bestLlr, misfit, confidence, second, secondLlr: secondLlr - bestLlr };
  const evidence = 1 / (1 + Math.exp(-PROOF_EXPONENT * (proof / minProof - 1.5)));
  return {
    x,
    width,
    glyph: best,
    ink: match.ink,
    char,
    llr: bestLlr,
    misfit,
    confidence: evidence * confidence,
    second: secondLlr > 0 ? second : -1,
    secondLlr: Math.max(0, secondLlr),
  };
}
