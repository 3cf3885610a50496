import { splitGraphemes } from '../../language/text.ts';
import type { Atlas } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LabelledLine } from './learn-fixed.ts';
import type { LineImage } from './line-image.ts';

/** A labelled line in which the ink of each character was found. */
export interface SegmentedLine {
  readonly image: LineImage;
  readonly characters: readonly SegmentedCharacter[];
}

/** Columns of a character's ink; `end` is exclusive. */
export interface SegmentedCharacter {
  readonly char: string;
  readonly start: number;
  readonly end: number;
  /** Whether the label has a space before it. */
  readonly afterSpace: boolean;
}

/** A range of columns with ink; `end` is exclusive. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/** A character of a label. */
export interface LabelCharacter {
  readonly char: string;
  readonly afterSpace: boolean;
}

/** How ink is separated from ground. */
interface InkLevel {
  readonly threshold: number;
  /** Whether ink is brighter than the threshold. */
  readonly bright: boolean;
}

/** Thresholds that are tried. */
const THRESHOLDS = Array.from({ length: 28 }, (_, i) => 24 + 8 * i);
/** Runs per character beyond which a line is full of other things. */
const MAX_RUNS_PER_CHARACTER = 2;
/** Steps by which a line's threshold may differ from that of most lines. */
const MAX_THRESHOLD_STEPS = 6;

/**
 * Segments labelled lines into characters at columns without ink. The threshold between ink and ground is the one at which most
 * lines fall into as many pieces as their labels have characters; other lines may use another. Characters of several pieces
 * (“%”, quotation marks) are joined by the widths that characters have elsewhere.
 *
 * @returns By line its segments; undefined where letters touch or there is too much behind the text.
 */
export function segmentLines(
  lines: readonly { readonly image: LineImage; readonly text: string }[],
  margin: number,
): readonly (SegmentedLine | undefined)[] {
  const wanted = lines.map(({ text }) => labelCharacters(text));
  const levels = [true, false].flatMap((bright) => THRESHOLDS.map((threshold): InkLevel => ({ threshold, bright })));
  const runs = levels.map((level) => lines.map(({ image }) => findRuns(image, margin, level)));
  const exact = runs.map((byLine) => byLine.filter((one, i) => one.length === wanted[i]!.length).length);
  const best = plateau(exact);
  const { bright } = levels[best]!;
  const order = levels.flatMap((level, i) =>
    level.bright === bright && Math.abs(i - best) <= MAX_THRESHOLD_STEPS ? [i] : [],
  );
  order.sort((a, b) => Math.abs(a - best) - Math.abs(b - best));
  const chosen = lines.map((_, i) =>
    canGroup(runs[best]![i]!, wanted[i]!)
      ? best
      : (order.find((level) => runs[level]![i]!.length === wanted[i]!.length) ?? best),
  );
  const exactly = (i: number): readonly Run[] | undefined => {
    const own = runs[chosen[i]!]![i]!;
    return own.length === wanted[i]!.length ? own : undefined;
  };
  let widths = medianWidths(pairWithRuns(wanted, exactly));
  let groups: (readonly Run[] | undefined)[] = [];
  for (let round = 0; round < 2; round++) {
    groups = lines.map((_, i) => groupRuns(runs[chosen[i]!]![i]!, wanted[i]!, widths));
    widths = medianWidths(pairWithRuns(wanted, (i) => groups[i]));
  }
  return lines.map(({ image }, i) => {
    const own = groups[i];
    if (own === undefined || own.length === 0) return undefined;
    return { image, characters: own.map((run, n) => ({ ...wanted[i]![n]!, ...run })) };
  });
}

/** Splits a label into characters, marking those after a space. */
export function labelCharacters(text: string): readonly LabelCharacter[] {
  let afterSpace = false;
  return splitGraphemes(text.normalize('NFC').trim()).flatMap((char) => {
    if (char.trim() === '') {
      afterSpace = true;
      return [];
    }
    const one = { char, afterSpace };
    afterSpace = false;
    return [one];
  });
}

/** Finds the runs of columns with ink. */
function findRuns({ data, width, height }: LineImage, margin: number, { threshold, bright }: InkLevel): readonly Run[] {
  const runs: Run[] = [];
  let start = -1;
  const hasInk = (x: number): boolean => {
    for (let y = margin; y < height - margin; y++) {
      const level = data[y * width + x]!;
      if (bright ? level > threshold : level < threshold) return true;
    }
    return false;
  };
  for (let x = margin; x <= width - margin; x++) {
    const isInk = x < width - margin && hasInk(x);
    if (isInk && start < 0) start = x;
    if (isInk || start < 0) continue;
    runs.push({ start, end: x });
    start = -1;
  }
  return runs;
}

/** Returns the middle of the longest stretch of greatest counts. */
function plateau(counts: readonly number[]): number {
  const most = Math.max(...counts);
  let [best, length] = [0, 0];
  for (let i = 0; i < counts.length; i++) {
    let end = i;
    while (end < counts.length && counts[end] === most && end < THRESHOLDS.length === i < THRESHOLDS.length) end++;
    if (end - i > length) [best, length] = [(i + end - 1) >> 1, end - i];
    if (end > i) i = end - 1;
  }
  return best;
}

/** Returns the median width of each character's ink. */
export function medianWidths(
  characters: readonly { readonly char: string; readonly start: number; readonly end: number }[],
): Map<string, number> {
  const byChar = Map.groupBy(characters, ({ char }) => char);
  return new Map([...byChar].map(([char, seen]) => [char, lowerMedian(seen.map(({ start, end }) => end - start))]));
}

/** Pairs the characters of lines with their runs. */
function pairWithRuns(
  wanted: readonly (readonly LabelCharacter[])[],
  runs: (line: number) => readonly Run[] | undefined,
): (LabelCharacter & Run)[] {
  return wanted.flatMap((characters, i) => (runs(i) ?? []).map((run, n) => ({ ...characters[n]!, ...run })));
}

function canGroup(runs: readonly Run[], { length }: readonly LabelCharacter[]): boolean {
  return length > 0 && runs.length >= length && runs.length <= MAX_RUNS_PER_CHARACTER * length + 1;
}

/** Joins pieces to as many characters as the label has, so that widths fit and gaps within characters are small. */
function groupRuns(
  runs: readonly Run[],
  characters: readonly LabelCharacter[],
  widths: ReadonlyMap<string, number>,
): readonly Run[] | undefined {
  const [pieces, count] = [runs.length, characters.length];
  if (pieces === count) return runs;
  if (!canGroup(runs, characters)) return undefined;
  // cost[n][r]: the first n characters are the first r pieces.
  const cost = Array.from({ length: count + 1 }, () => new Float64Array(pieces + 1).fill(Number.POSITIVE_INFINITY));
  const from = Array.from({ length: count + 1 }, () => new Int32Array(pieces + 1));
  cost[0]![0] = 0;
  for (let n = 1; n <= count; n++)
    for (let r = n; r <= pieces; r++)
      for (let first = n - 1; first < r; first++) {
        const width = runs[r - 1]!.end - runs[first]!.start;
        const usual = widths.get(characters[n - 1]!.char);
        let own = usual === undefined ? 0 : Math.abs(width - usual);
        for (let i = first + 1; i < r; i++) own += runs[i]!.start - runs[i - 1]!.end;
        const whole = cost[n - 1]![first]! + own;
        if (whole >= cost[n]![r]!) continue;
        cost[n]![r] = whole;
        from[n]![r] = first;
      }
  const groups: Run[] = [];
  for (let n = count, r = pieces; n > 0; r = from[n]![r]!, n--)
    groups.unshift({ start: runs[from[n]![r]!]!.start, end: runs[r - 1]!.end });
  return groups;
}

/** Returns the median, the lower of two: clutter makes characters wider. */
export function lowerMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

/** Least log likelihood ratio of an aligned character. */
const MIN_ALIGNED_LLR = 2;

/** A character at the end of a partial alignment. */
interface Place {
  readonly x: number;
  readonly score: number;
  readonly previous: Place | undefined;
}

/** Characters of a line that must be in the font so that one that is not can be placed between them. */
const MIN_KNOWN_CHARACTERS = 2;

/**
 * Segments a labelled line by a font: finds its characters where they look most like the font's glyphs, also over scenery and
 * where they touch. One character that the font lacks is placed in the gap between its neighbours.
 *
 * @param padding Columns of a glyph left and right of its ink.
 * @param unknownWidth Width of a character that the font lacks.
 * @returns Undefined where the font lacks more characters or one cannot be found.
 */
export function alignLabel(
  { image, text }: LabelledLine,
  atlas: Atlas,
  scorer: GlyphScorer,
  margin: number,
  padding: number,
  unknownWidth: number,
): SegmentedLine | undefined {
  const wanted = labelCharacters(text);
  const indices = wanted.map(({ char }) => atlas.glyphs.findIndex((glyph) => glyph.char === char));
  const lacking = indices.filter((index) => index < 0).length;
  if (indices.length === 0 || lacking > 1 || indices.length - lacking < MIN_KNOWN_CHARACTERS * lacking)
    return undefined;
  const widths = indices.map((index) => (index < 0 ? unknownWidth : atlas.glyphs[index]!.width));
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
      if (index < 0 || llr > MIN_ALIGNED_LLR) next.push({ x, score: (previous?.score ?? 0) + llr, previous });
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
      start: x + padding,
      end: x + widths[n]! - padding,
    })),
  };
}
