import type { Atlas } from './atlas.ts';
import { type Cell, cellConfidence } from './line.ts';

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
