import type { Atlas, Glyph } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';

/** What the glyphs of an atlas are worth on clean pictures of themselves and of each other. */
export interface Rivals {
  /** Per ink and glyph: the log likelihood ratio that it earns on its own picture. */
  readonly potential: readonly Float64Array[];
  /** Per glyph, the others that fit a picture of it half as well as their own. */
  readonly of: readonly (readonly number[])[];
  /** Per glyph, every other that could be meant where it fits: those that fit it or that it fits, be it by a quarter. */
  readonly near: readonly (readonly number[])[];
}

/** Grey level on which glyphs are drawn for the comparison. */
const GROUND = 70;
/** Share of its potential that makes a glyph a rival on another's picture. */
const HALF = 0.5;
/** The same for glyphs that must be tried before one is taken to stand beyond doubt. */
const QUARTER = 0.25;

/** Share of its own worth that each of two glyphs earns on the other's picture where they look the same. */
const ALIKE = 0.99;

const known = new WeakMap<Atlas, Rivals>();

/** Scores every glyph on every glyph's picture, once per atlas. */
export function rivalsOf(atlas: Atlas): Rivals {
  let rivals = known.get(atlas);
  if (!rivals) {
    rivals = compare(atlas);
    known.set(atlas, rivals);
  }
  return rivals;
}

function compare(atlas: Atlas): Rivals {
  const scorer = new GlyphScorer(atlas);
  const bounds = scorer.bounds(atlas.glyphs.map((_, i) => i));
  const pictures = atlas.inks.map((ink) => atlas.glyphs.map((glyph) => drawn(glyph, ink, atlas)));
  const potential = pictures.map(() => new Float64Array(atlas.glyphs.length));
  const own = pictures.map((ofInk, ink) =>
    ofInk.map((picture, i) => {
      scorer.look(picture);
      const { llr, proof } = scorer.score(i, 1, 1);
      potential[ink]![i] = Math.max(1, proof);
      return llr;
    }),
  );
  const scores = pictures.map((ofInk, ink) =>
    ofInk.map((picture) => {
      scorer.look(picture);
      bounds?.look(picture);
      bounds?.places(1, 1);
      // Only whether it earns a quarter of its worth, or more of it, will be asked.
      return atlas.glyphs.map((_, other) =>
        bounds && bounds.upper(other, 0) <= QUARTER * Math.max(1, own[ink]![other]!)
          ? Number.NEGATIVE_INFINITY
          : scorer.score(other, 1, 1).llr,
      );
    }),
  );
  const worth = scores.map((ofInk) => ofInk.map((row, i) => Math.max(1, row[i]!)));
  // Plain loops: there are thousands of pairs in every font, and this is done at every start.
  const count = atlas.glyphs.length;
  /** Whether a glyph earns this share of its worth on the picture of another, in one ink or the other. */
  const fits = (on: number, glyph: number, share: number): boolean => {
    for (let ink = 0; ink < scores.length; ink++)
      if (scores[ink]![on]![glyph]! > share * worth[ink]![glyph]!) return true;
    return false;
  };
  // Of two that look the same neither is less sure for the other: what is meant, the neighbours tell.
  const alike = (i: number, j: number): boolean =>
    atlas.glyphs[i]!.width === atlas.glyphs[j]!.width &&
    scores.every((ofInk) => ofInk[i]![j]! > ALIKE * ofInk[i]![i]! && ofInk[j]![i]! > ALIKE * ofInk[j]![j]!);
  const of: number[][] = [];
  const near: number[][] = [];
  for (let i = 0; i < count; i++) {
    const [half, quarter]: [number[], number[]] = [[], []];
    for (let j = 0; j < count; j++) {
      if (j === i || !(fits(i, j, QUARTER) || fits(j, i, QUARTER)) || alike(i, j)) continue;
      quarter.push(j);
      if (fits(i, j, HALF)) half.push(j);
    }
    of.push(half);
    near.push(quarter);
  }
  return { potential, of, near };
}

/** A glyph on plain ground, with a pixel around it. */
function drawn(glyph: Glyph, ink: readonly number[], atlas: Atlas): LineImage {
  const width = Math.max(...atlas.glyphs.map((other) => other.width)) + 2;
  const height = atlas.file.height + 2;
  const [data, cb, cr] = ink.map((k, plane) => {
    const pixels = new Float32Array(width * height).fill(plane === 0 ? GROUND + (atlas.shift ?? 0) : 0);
    for (const [i, level] of glyph.level.entries()) pixels[(glyph.dy[i]! + 1) * width + glyph.dx[i]! + 1] = k * level;
    return pixels;
  });
  return { data: data!, width, height, ...(cb && cr ? { chroma: [cb, cr] } : {}) };
}
