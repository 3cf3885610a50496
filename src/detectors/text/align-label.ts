import type { Atlas } from './atlas.ts';
import { GlyphScorer } from './glyph-score.ts';
import type { LabelledLine } from './learn.ts';
import { charactersOf, type CutLine } from './segment.ts';

/** Log likelihood ratio that every character must have where it is found. */
const LEAST = 2;

interface Place {
  readonly x: number;
  readonly score: number;
  readonly previous: Place | undefined;
}

/** Characters that a line must have in the font so that one that is not can be placed by them. */
const KNOWN = 2;

/**
 * Finds the characters of a line whose text is known where they look most like the glyphs of a font: also over scenery, and where they
 * touch. One that the font lacks stands where those beside it leave it, as wide as `unknown`. Undefined where more are lacking, or one
 * cannot be seen. `beside`: columns of a glyph left and right of its ink.
 */
export function alignLabel(
  { image, text }: LabelledLine,
  atlas: Atlas,
  scorer: GlyphScorer,
  margin: number,
  beside: number,
  unknown: number,
): CutLine | undefined {
  const wanted = charactersOf(text);
  const indices = wanted.map(({ char }) => atlas.glyphs.findIndex((glyph) => glyph.char === char));
  const lacking = indices.filter((index) => index < 0).length;
  if (indices.length === 0 || lacking > 1 || indices.length - lacking < KNOWN * lacking) return undefined;
  const widths = indices.map((index) => (index < 0 ? unknown : atlas.glyphs[index]!.width));
  const { space = 4, gaps = [0, 0] } = atlas.file;
  const usual = Math.round((gaps[0] + gaps[1]) / 2);
  scorer.look(image);
  let places: Place[] = [];
  for (const [n, index] of indices.entries()) {
    const width = widths[n]!;
    const before = n === 0 ? undefined : widths[n - 1]!;
    const [least, most] = index < 0 || indices[n - 1] === -1 ? [usual, usual] : [gaps[0] - 1, gaps[1] + 1];
    const extra = wanted[n]!.afterSpace ? space : 0;
    const next: Place[] = [];
    for (let x = 0; x + width <= image.width; x++) {
      let previous: Place | undefined;
      if (before !== undefined) {
        for (const place of places) {
          const gap = x - (place.x + before) - extra;
          if (gap < least || gap > most) continue;
          if (!previous || place.score > previous.score) previous = place;
        }
        if (!previous) continue;
      }
      const llr = index < 0 ? 0 : scorer.score(index, x, margin).llr;
      if (index < 0 || llr > LEAST) next.push({ x, score: (previous?.score ?? 0) + llr, previous });
    }
    places = next;
  }
  let best = places.toSorted((a, b) => b.score - a.score)[0];
  if (!best) return undefined;
  const xs: number[] = [];
  for (; best; best = best.previous) xs.unshift(best.x);
  return {
    image,
    characters: xs.map((x, n) => ({
      ...wanted[n]!,
      start: x + beside,
      end: x + widths[n]! - beside,
    })),
  };
}
