import type { Atlas } from './atlas.ts';
import type { Rivals } from './confusable-glyphs.ts';
import type { GlyphScorer } from './glyph-scorer.ts';
import type { LineImage } from './line-image.ts';
import { type Cell, cellConfidence, type LineReading } from './line-reading.ts';
import type { GlyphBounds } from './glyph-bounds.ts';
import type { Align } from './options.ts';

/** A glyph placed at the end of a partial line. */
interface Node {
  readonly x: number;
  /** Sum of log likelihood ratios so far. */
  readonly score: number;
  readonly glyph: number;
  readonly llr: number;
  readonly misfit: number;
  readonly runnerUp: number;
  readonly runnerUpLlr: number;
  /** Pixels between the glyph before and this one. */
  readonly gap: number;
  readonly previous: Node | undefined;
  readonly end: number;
}

/** Least log likelihood ratio of a glyph that may stand in a line. */
const LEAST = 4;
/** Partial lines that may be worse than the best one at the same place by this much are dropped. */
const BEAM = 60;
/** Pen positions whose bounds are worked out together. */
const PLACES = 4;

/**
 * Reads a line of a proportional font: the sequence of glyphs with the greatest total log likelihood ratio, by dynamic
 * programming over the pen position. A line anchored left starts at the box's left edge (± 1 pixel); a centred or right
 * aligned one may start anywhere.
 */
export function readProportional(
  scorer: GlyphScorer,
  atlas: Atlas,
  rivals: Rivals,
  candidates: readonly number[],
  bounds: GlyphBounds | undefined,
  image: LineImage,
  align: Align,
  margin: number,
  dy: number,
): LineReading {
  const { space = 4, gaps = [0, 0] } = atlas.file;
  const longest = space + gaps[1] + 1;
  const y = margin + dy;
  const nodes: (Node | undefined)[] = Array.from({ length: image.width + 1 });
  const starts = new Uint8Array(image.width + 1);
  const lastStart = align === 'left' ? margin + (margin > 0 ? 1 : 0) : image.width;
  for (let x = align === 'left' ? Math.max(0, margin - 1) : 0; x <= lastStart; x++) starts[x] = 1;

  let best: Node | undefined;
  let bounded = -1;
  for (let x = 0; x < image.width; x++) {
    // The best partial line that can be continued here: one that ended a gap or a space before.
    let from: Node | undefined;
    for (let gap = gaps[0]; gap <= longest; gap++) {
      const node = nodes[x - gap];
      if (!node || (gap > gaps[1] && gap < space + gaps[0] - 1)) continue;
      if (!from || node.score > from.score) from = node;
    }
    if (!from && !starts[x]) continue;
    if (from && best && from.score < best.score - BEAM) continue;
    if (bounds && (bounded < 0 || x >= bounded + PLACES)) {
      bounded = x;
      bounds.places(x, y);
    }
    const fits = fitting(scorer, atlas, candidates, bounds, x - bounded, image, x, y);
    for (const node of extend(atlas, rivals, fits, x, from)) {
      const known = nodes[node.end];
      if (!known || node.score > known.score) nodes[node.end] = node;
      if (!best || node.score > best.score) best = node;
    }
  }
  const line = lineFrom(best, atlas, gaps[1]);
  const isWhole = !leavesInk(line.cells, atlas, image, margin, y);
  return isWhole ? line : { ...line, confidence: line.confidence * UNREAD };
}

/** How sure a reading is beside which there is more to read. */
const UNREAD = 0.1;
/** Share of the line's own ink that makes a place look as if something stood there. */
const AS_MUCH = 0.35;
/** How near the share of ink in a place must come to that of a character, so that one may stand there. */
const LIKE = 0.7;
/** Room for a character, in widths of a usual one. */
const ROOM = 0.6;
/** How far from ground to ink a pixel must be that is ink. */
const INK = 0.7;

/**
 * Whether ink is left beside or between the characters of a line, where the font tells what its ink looks like: a character that it does
 * not know, or did not make out. A reading without it would be another text; where no character was made out, that nothing stands there
 * is not sure.
 */
export function leavesInk(
  cells: readonly Cell[],
  { file, glyphs }: Atlas,
  image: LineImage,
  margin: number,
  y: number,
): boolean {
  if (!file.ground) return false;
  const { level, ink } = file.ground;
  const isInk = (one: number): boolean => (one - level) / (ink - level) > INK;
  const share = (from: number, to: number): number => {
    let count = 0;
    for (let row = Math.max(0, y); row < Math.min(image.height, y + file.height); row++)
      for (let x = from; x < to; x++) if (isInk(image.data[row * image.width + x]!)) count++;
    return count / ((to - from) * file.height);
  };
  const usual = middle(glyphs.map(({ width }) => width));
  if (cells.length === 0) {
    // Bright scenery has more ink than a character.
    const own = middle(glyphs.map((glyph) => glyph.level.filter(isInk).length / glyph.level.length));
    for (let x = margin; x + usual <= image.width - margin; x++) {
      const here = share(x, x + usual);
      if (here >= LIKE * own && here * LIKE <= own) return true;
    }
    return false;
  }
  const [first, last] = [cells[0]!, cells.at(-1)!];
  const own = share(first.x, last.x + last.width);
  const rooms: (readonly [number, number])[] = [
    [Math.max(margin, first.x - usual), first.x],
    [last.x + last.width, Math.min(image.width - margin, last.x + last.width + usual)],
    ...cells
      .slice(1)
      .map((cell, i) => [cells[i]!.x + cells[i]!.width, cell.x] as const)
      .filter(([from, to]) => to - from > (file.gaps?.[1] ?? 0)),
  ];
  return rooms.some(([from, to]) => to - from >= ROOM * usual && share(from, to) >= AS_MUCH * own);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** A glyph that stands at the pen position perhaps. */
interface Fitting {
  readonly index: number;
  readonly llr: number;
  readonly misfit: number;
}

/** All glyphs that fit at pen position x, which is number `place` of those that the bounds were worked out for. */
function fitting(
  scorer: GlyphScorer,
  atlas: Atlas,
  candidates: readonly number[],
  bounds: GlyphBounds | undefined,
  place: number,
  image: LineImage,
  x: number,
  y: number,
): Fitting[] {
  const fits: Fitting[] = [];
  for (let n = 0; n < candidates.length; n++) {
    const index = candidates[n]!;
    if (x + atlas.glyphs[index]!.width > image.width) continue;
    if (bounds && bounds.upper(n, place) <= LEAST) continue;
    const fit = scorer.score(index, x, y);
    if (fit.llr > LEAST) fits.push({ index, llr: fit.llr, misfit: fit.misfit });
  }
  return fits;
}

/** The likeliest of these glyphs, each as a continuation of `from`. */
function extend(atlas: Atlas, rivals: Rivals, fits: Fitting[], x: number, from: Node | undefined): Node[] {
  if (fits.length === 0) return [];
  fits.sort((a, b) => b.llr - a.llr || a.index - b.index);
  const gap = from ? x - from.end : 0;
  return fits.slice(0, 4).map((fit) => {
    const rival = fits.find((other) => other !== fit && rivals.of[fit.index]!.includes(other.index));
    return {
      x,
      score: (from?.score ?? 0) + fit.llr,
      glyph: fit.index,
      llr: fit.llr,
      misfit: fit.misfit,
      runnerUp: rival?.index ?? -1,
      runnerUpLlr: rival?.llr ?? 0,
      gap,
      previous: from,
      end: x + atlas.glyphs[fit.index]!.width,
    };
  });
}

function lineFrom(last: Node | undefined, atlas: Atlas, widestGap: number): LineReading {
  const cells: Cell[] = [];
  let confidence = 1;
  let text = '';
  for (let node = last; node; node = node.previous) {
    const { char, width } = atlas.glyphs[node.glyph]!;
    const certainty = cellConfidence(node.llr - node.runnerUpLlr, node.misfit);
    confidence *= certainty;
    text = (node.previous && node.gap > widestGap ? ' ' : '') + char + text;
    cells.unshift({
      x: node.x,
      width,
      glyph: node.glyph,
      char,
      llr: node.llr,
      misfit: node.misfit,
      confidence: certainty,
      second: node.runnerUp,
      secondLlr: node.runnerUpLlr,
    });
  }
  if (!last) return { text: '', confidence: 1, cells };
  return { text, confidence, cells };
}
