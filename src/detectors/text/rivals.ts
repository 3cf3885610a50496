import type { Atlas } from './atlas.ts';
import { GlyphScorer } from './glyph-score.ts';
import type { LineImage } from './line-image.ts';

/** What the glyphs of an atlas are worth on clean pictures of themselves and of each other. */
export interface Rivals {
  /** Per glyph: the log likelihood ratio that it earns on its own picture. */
  readonly potential: Float64Array;
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
  const { height } = atlas.file;
  const widest = Math.max(...atlas.glyphs.map((glyph) => glyph.width));
  const scores = atlas.glyphs.map((glyph) => {
    const image: LineImage = {
      data: new Float32Array((widest + 2) * (height + 2)).fill(GROUND),
      width: widest + 2,
      height: height + 2,
    };
    for (let i = 0; i < glyph.dx.length; i++)
      image.data[(glyph.dy[i]! + 1) * image.width + glyph.dx[i]! + 1] = glyph.level[i]!;
    scorer.look(image);
    return atlas.glyphs.map((_, other) => scorer.score(other, 1, 1).llr);
  });
  const potential = Float64Array.from(atlas.glyphs, (_, i) => Math.max(1, scores[i]![i]!));
  const of = atlas.glyphs.map((_, i) =>
    atlas.glyphs.flatMap((_other, j) => (j !== i && scores[i]![j]! > HALF * potential[j]! ? [j] : [])),
  );
  const fits = (on: number, glyph: number): boolean => scores[on]![glyph]! > QUARTER * potential[glyph]!;
  const near = atlas.glyphs.map((_, i) =>
    atlas.glyphs.flatMap((_other, j) => (j !== i && (fits(i, j) || fits(j, i)) ? [j] : [])),
  );
  return { potential, of, near };
}
