import type { Atlas, Glyph } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';

/** How the glyphs of an atlas score on clean pictures of themselves and of each other. */
export interface ConfusableGlyphs {
  /** By ink and glyph: the evidence for it on its own picture. */
  readonly cleanProofs: readonly Float64Array[];
  /** By glyph: the others that score at least half of their own on its picture. */
  readonly confusable: readonly (readonly number[])[];
  /** By glyph: every other that could be meant where it fits, as one scores at least a quarter on the other's picture. */
  readonly similar: readonly (readonly number[])[];
}

/** Grey level behind the glyphs' pictures. */
const GROUND_LEVEL = 70;
/** Share of its own score that a glyph reaches on another's picture. */
const CONFUSABLE_SHARE = 0.5;
const SIMILAR_SHARE = 0.25;
/** The same for two glyphs that look alike. */
const IDENTICAL_SHARE = 0.99;

const known = new WeakMap<Atlas, ConfusableGlyphs>();

/** Scores every glyph on every glyph's picture, once per atlas. */
export function confusableGlyphs(atlas: Atlas): ConfusableGlyphs {
  let found = known.get(atlas);
  if (!found) {
    found = compareGlyphs(atlas);
    known.set(atlas, found);
  }
  return found;
}

function compareGlyphs(atlas: Atlas): ConfusableGlyphs {
  const scorer = new GlyphScorer(atlas);
  const bounds = scorer.bounds(atlas.glyphs.map((_, i) => i));
  const pictures = atlas.inks.map((ink) => atlas.glyphs.map((glyph) => drawGlyph(glyph, ink, atlas)));
  const cleanProofs = pictures.map(() => new Float64Array(atlas.glyphs.length));
  const own = pictures.map((ofInk, ink) =>
    ofInk.map((picture, i) => {
      scorer.look(picture);
      const { llr, proof } = scorer.score(i, 1, 1);
      cleanProofs[ink]![i] = Math.max(1, proof);
      return llr;
    }),
  );
  const scores = pictures.map((ofInk, ink) =>
    ofInk.map((picture) => {
      scorer.look(picture);
      bounds?.look(picture);
      bounds?.boundPlaces(1, 1);
      return atlas.glyphs.map((_, other) =>
        bounds && bounds.upper(other, 0) <= SIMILAR_SHARE * Math.max(1, own[ink]![other]!)
          ? Number.NEGATIVE_INFINITY
          : scorer.score(other, 1, 1).llr,
      );
    }),
  );
  const clean = scores.map((ofInk) => ofInk.map((row, i) => Math.max(1, row[i]!)));
  // Plain loops: every font has thousands of pairs, and this runs at every start.
  const reaches = (picture: number, glyph: number, share: number): boolean => {
    for (let ink = 0; ink < scores.length; ink++)
      if (scores[ink]![picture]![glyph]! > share * clean[ink]![glyph]!) return true;
    return false;
  };
  // Glyphs that look the same do not make each other less certain: the neighbours show which is meant.
  const isIdentical = (i: number, j: number): boolean =>
    atlas.glyphs[i]!.width === atlas.glyphs[j]!.width &&
    scores.every(
      (ofInk) => ofInk[i]![j]! > IDENTICAL_SHARE * ofInk[i]![i]! && ofInk[j]![i]! > IDENTICAL_SHARE * ofInk[j]![j]!,
    );
  const confusable: number[][] = [];
  const similar: number[][] = [];
  for (let i = 0; i < atlas.glyphs.length; i++) {
    const [half, quarter]: [number[], number[]] = [[], []];
    for (let j = 0; j < atlas.glyphs.length; j++) {
      if (j === i || !(reaches(i, j, SIMILAR_SHARE) || reaches(j, i, SIMILAR_SHARE)) || isIdentical(i, j)) continue;
      quarter.push(j);
      if (reaches(i, j, CONFUSABLE_SHARE)) half.push(j);
    }
    confusable.push(half);
    similar.push(quarter);
  }
  return { cleanProofs, confusable, similar };
}

/** Draws a glyph on plain ground, with a pixel around it. */
function drawGlyph(glyph: Glyph, ink: readonly number[], atlas: Atlas): LineImage {
  const width = Math.max(...atlas.glyphs.map((other) => other.width)) + 2;
  const height = atlas.file.height + 2;
  const [data, cb, cr] = ink.map((k, plane) => {
    const pixels = new Float32Array(width * height).fill(plane === 0 ? GROUND_LEVEL + (atlas.shift ?? 0) : 0);
    for (const [i, level] of glyph.level.entries()) pixels[(glyph.dy[i]! + 1) * width + glyph.dx[i]! + 1] = k * level;
    return pixels;
  });
  return { data: data!, width, height, ...(cb && cr ? { chroma: [cb, cr] } : {}) };
}
