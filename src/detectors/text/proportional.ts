import type { Atlas } from './atlas.ts';
import type { ConfusableGlyphs } from './confusable-glyphs.ts';
import type { GlyphBounds } from './glyph-bounds.ts';
import type { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';
import { type Cell, cellConfidence, type LineReading } from './line-reading.ts';
import type { Align } from './options.ts';
import { upperMedian } from '../../statistics.ts';

/** A font as its reader uses it. */
export interface FontModel {
  readonly atlas: Atlas;
  readonly scorer: GlyphScorer;
  readonly glyphs: ConfusableGlyphs;
  /** Indices of the glyphs that may occur. */
  readonly candidates: readonly number[];
  /** Bounds of the candidates' scores, for fonts of one ink. */
  readonly bounds: GlyphBounds | undefined;
}

/** A glyph placed at the end of a partial line. */
interface Node {
  readonly x: number;
  /** Sum of log likelihood ratios so far. */
  readonly score: number;
  readonly glyph: number;
  readonly llr: number;
  readonly misfit: number;
  readonly second: number;
  readonly secondLlr: number;
  /** Pixels between the previous glyph and this one. */
  readonly gap: number;
  readonly previous: Node | undefined;
  readonly end: number;
}

/** Least log likelihood ratio of a glyph of a proportional line. */
export const MIN_GLYPH_LLR = 4;
/** Log likelihood by which a partial line may be worse than the best one at the same place. */
const BEAM_WIDTH = 60;
/** Continuations that are tried at a pen position. */
const MAX_CONTINUATIONS = 4;
/** Pen positions whose bounds are computed together. */
const BOUNDED_PLACES = 4;

/**
 * Reads a line of a proportional font: the sequence of glyphs with the greatest total log likelihood ratio, by dynamic programming
 * over the pen position. A line aligned left starts at the box's left edge (± 1 pixel), others anywhere.
 *
 * @param margin Pixels around the text's box.
 * @param y Row of the image at which the glyphs begin.
 */
export function readProportional(
  font: FontModel,
  image: LineImage,
  align: Align,
  margin: number,
  y: number,
): LineReading {
  const { atlas, bounds } = font;
  const { space = 4, gaps = [0, 0] } = atlas.file;
  const longestGap = space + gaps[1] + 1;
  const nodes: (Node | undefined)[] = Array.from({ length: image.width + 1 });
  const [firstStart, lastStart] =
    align === 'left' ? [Math.max(0, margin - 1), margin + (margin > 0 ? 1 : 0)] : [0, image.width];

  let best: Node | undefined;
  let bounded = -1;
  for (let x = 0; x < image.width; x++) {
    // The best partial line that can be continued here: one that ended a gap or a space before.
    let from: Node | undefined;
    for (let gap = gaps[0]; gap <= longestGap; gap++) {
      const node = nodes[x - gap];
      if (!node || (gap > gaps[1] && gap < space + gaps[0] - 1)) continue;
      if (!from || node.score > from.score) from = node;
    }
    if (!from && (x < firstStart || x > lastStart)) continue;
    if (from && best && from.score < best.score - BEAM_WIDTH) continue;
    if (bounds && (bounded < 0 || x >= bounded + BOUNDED_PLACES)) {
      bounded = x;
      bounds.boundPlaces(x, y);
    }
    for (const node of continuations(font, fittingGlyphs(font, image, x, y, x - bounded), x, from)) {
      const known = nodes[node.end];
      if (!known || node.score > known.score) nodes[node.end] = node;
      if (!best || node.score > best.score) best = node;
    }
  }
  const line = lineEndingIn(best, atlas, gaps[1]);
  const isWhole = !hasUnreadInk(line.cells, atlas, image, margin, y);
  return isWhole ? line : { ...line, confidence: line.confidence * UNREAD_INK_CONFIDENCE };
}

/** Factor on the confidence of a reading with unread ink next to it. */
const UNREAD_INK_CONFIDENCE = 0.1;
/** Share of the line's own ink that makes a gap look like an unread character. */
const MIN_INK_SHARE = 0.35;
/** Ratio of a place's ink to a character's from which a character may be there. */
const MIN_INK_RATIO = 0.7;
/** Width of a gap that could hold a character, in usual widths. */
const MIN_CHARACTER_ROOM = 0.6;
/** Position of a level between ground and ink from which it counts as ink. */
const INK_POSITION = 0.7;

/**
 * Whether unread ink remains next to or between the characters of a line, where the font says what its ink looks like: a character that
 * it does not have or that was not recognised. The text is then incomplete; where no character was read, "blank" is uncertain.
 */
export function hasUnreadInk(
  cells: readonly Cell[],
  { file, glyphs }: Atlas,
  image: LineImage,
  margin: number,
  y: number,
): boolean {
  if (!file.ground) return false;
  const { level, ink } = file.ground;
  const isInk = (one: number): boolean => (one - level) / (ink - level) > INK_POSITION;
  const inkShare = (from: number, to: number): number => {
    let count = 0;
    for (let row = Math.max(0, y); row < Math.min(image.height, y + file.height); row++)
      for (let x = from; x < to; x++) if (isInk(image.data[row * image.width + x]!)) count++;
    return count / ((to - from) * file.height);
  };
  const usual = upperMedian(glyphs.map(({ width }) => width))!;
  if (cells.length === 0) {
    // Bright scenery has more ink than a character.
    const own = upperMedian(glyphs.map((glyph) => glyph.level.filter(isInk).length / glyph.level.length))!;
    for (let x = margin; x + usual <= image.width - margin; x++) {
      const here = inkShare(x, x + usual);
      if (here >= MIN_INK_RATIO * own && here * MIN_INK_RATIO <= own) return true;
    }
    return false;
  }
  const [first, last] = [cells[0]!, cells.at(-1)!];
  const own = inkShare(first.x, last.x + last.width);
  const gaps: (readonly [number, number])[] = [
    [Math.max(margin, first.x - usual), first.x],
    [last.x + last.width, Math.min(image.width - margin, last.x + last.width + usual)],
    ...cells
      .slice(1)
      .map((cell, i) => [cells[i]!.x + cells[i]!.width, cell.x] as const)
      .filter(([from, to]) => to - from > (file.gaps?.[1] ?? 0)),
  ];
  return gaps.some(
    ([from, to]) => to - from >= MIN_CHARACTER_ROOM * usual && inkShare(from, to) >= MIN_INK_SHARE * own,
  );
}

interface FittingGlyph {
  readonly index: number;
  readonly llr: number;
  readonly misfit: number;
}

/** Scores the glyphs at pen position x, which is number `place` of those that were bounded. */
function fittingGlyphs(font: FontModel, image: LineImage, x: number, y: number, place: number): FittingGlyph[] {
  const { atlas, scorer, candidates, bounds } = font;
  const fits: FittingGlyph[] = [];
  for (let n = 0; n < candidates.length; n++) {
    const index = candidates[n]!;
    if (x + atlas.glyphs[index]!.width > image.width) continue;
    if (bounds && bounds.upper(n, place) <= MIN_GLYPH_LLR) continue;
    const { llr, misfit } = scorer.score(index, x, y);
    if (llr > MIN_GLYPH_LLR) fits.push({ index, llr, misfit });
  }
  return fits;
}

/** Continues a partial line with each of the likeliest glyphs. */
function continuations({ atlas, glyphs }: FontModel, fits: FittingGlyph[], x: number, from: Node | undefined): Node[] {
  if (fits.length === 0) return [];
  fits.sort((a, b) => b.llr - a.llr || a.index - b.index);
  const gap = from ? x - from.end : 0;
  return fits.slice(0, MAX_CONTINUATIONS).map((fit) => {
    const second = fits.find((other) => other !== fit && glyphs.confusable[fit.index]!.includes(other.index));
    return {
      x,
      score: (from?.score ?? 0) + fit.llr,
      glyph: fit.index,
      llr: fit.llr,
      misfit: fit.misfit,
      second: second?.index ?? -1,
      secondLlr: second?.llr ?? 0,
      gap,
      previous: from,
      end: x + atlas.glyphs[fit.index]!.width,
    };
  });
}

function lineEndingIn(last: Node | undefined, atlas: Atlas, widestGap: number): LineReading {
  const cells: Cell[] = [];
  let confidence = 1;
  let text = '';
  for (let node = last; node; node = node.previous) {
    const { x, glyph, llr, misfit, second, secondLlr } = node;
    const { char, width } = atlas.glyphs[glyph]!;
    const own = cellConfidence(llr - secondLlr, misfit);
    confidence *= own;
    text = (node.previous && node.gap > widestGap ? ' ' : '') + char + text;
    cells.unshift({ x, width, glyph, char, llr, misfit, confidence: own, second, secondLlr });
  }
  return { text, confidence, cells };
}
