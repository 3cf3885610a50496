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
