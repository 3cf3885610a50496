import { graphemesOf } from '../../language/text.ts';
import type { Atlas } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import type { LabelledLine } from './learn-fixed.ts';
import type { LineImage } from './line-image.ts';

/** A line whose text is known and in which the ink of each character was found. */
export interface CutLine {
  readonly image: LineImage;
  readonly characters: readonly CutCharacter[];
}

/** Columns of a character's ink, `end` not included. */
export interface CutCharacter {
  readonly char: string;
  readonly start: number;
  readonly end: number;
  /** Whether the label has a space before it. */
  readonly afterSpace: boolean;
}

interface Run {
  readonly start: number;
  readonly end: number;
}

export interface Wanted {
  readonly char: string;
  readonly afterSpace: boolean;
}

interface Level {
  readonly threshold: number;
  /** Whether ink is what is brighter. */
  readonly bright: boolean;
}

/** Grey levels at which ink is told from ground. */
const LEVELS = Array.from({ length: 28 }, (_, i) => 24 + 8 * i);
/** Runs of columns for each character beyond which a line is full of other things. */
const MOST_RUNS = 2;
/** Steps of level by which a line may be cut elsewhere than most. */
const FARTHEST = 6;

/**
 * Cuts labelled lines into their characters where columns without ink part them. Which level parts ink from ground nobody has to say: it
 * is the one at which most lines fall into as many pieces as their labels have characters; a line that does not may do so at another. A
 * character of several pieces (“%”, a quotation mark) is put together by the widths that characters have elsewhere. Undefined for
 * lines that cannot be cut: letters that touch, or too much behind the text.
 */
export function cutLines(
  lines: readonly { readonly image: LineImage; readonly text: string }[],
  margin: number,
): readonly (CutLine | undefined)[] {
  const wanted = lines.map(({ text }) => charactersOf(text));
  const levels = [true, false].flatMap((bright) => LEVELS.map((threshold): Level => ({ threshold, bright })));
  const runs = levels.map((level) => lines.map(({ image }) => runsOf(image, margin, level)));
  const exact = runs.map((byLine) => byLine.filter((one, i) => one.length === wanted[i]!.length).length);
  const best = plateau(exact);
  const { bright } = levels[best]!;
  const order = levels.flatMap((level, i) => (level.bright === bright && Math.abs(i - best) <= FARTHEST ? [i] : []));
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
  let widths = widthsOf(placed(wanted, exactly));
  let groups: (readonly Run[] | undefined)[] = [];
  for (let round = 0; round < 2; round++) {
    groups = lines.map((_, i) => grouped(runs[chosen[i]!]![i]!, wanted[i]!, widths));
    widths = widthsOf(placed(wanted, (i) => groups[i]));
  }
  return lines.map(({ image }, i) => {
    const own = groups[i];
    if (own === undefined || own.length === 0) return undefined;
    return { image, characters: own.map((run, n) => ({ ...wanted[i]![n]!, ...run })) };
  });
}

/** The characters of a label, those after a space marked. */
export function charactersOf(text: string): readonly Wanted[] {
  let afterSpace = false;
  return graphemesOf(text.normalize('NFC').trim()).flatMap((char) => {
    if (char.trim() === '') {
      afterSpace = true;
      return [];
    }
    const one = { char, afterSpace };
    afterSpace = false;
    return [one];
  });
}

/** Stretches of columns in which there is ink. */
function runsOf({ data, width, height }: LineImage, margin: number, { threshold, bright }: Level): readonly Run[] {
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

/** The middle of the widest stretch of greatest counts. */
function plateau(counts: readonly number[]): number {
  const most = Math.max(...counts);
  let [best, length] = [0, 0];
  for (let i = 0; i < counts.length; i++) {
    let end = i;
    while (end < counts.length && counts[end] === most && end < LEVELS.length === i < LEVELS.length) end++;
    if (end - i > length) [best, length] = [(i + end - 1) >> 1, end - i];
    if (end > i) i = end - 1;
  }
  return best;
}

/** The usual width of each character's ink. */
export function widthsOf(
  characters: readonly { readonly char: string; readonly start: number; readonly end: number }[],
): Map<string, number> {
  const byChar = Map.groupBy(characters, ({ char }) => char);
  return new Map([...byChar].map(([char, seen]) => [char, median(seen.map(({ start, end }) => end - start))]));
}

/** The characters of those lines whose runs are one each. */
function placed(
  wanted: readonly (readonly Wanted[])[],
  runs: (line: number) => readonly Run[] | undefined,
): (Wanted & Run)[] {
  return wanted.flatMap((characters, i) => (runs(i) ?? []).map((run, n) => ({ ...characters[n]!, ...run })));
}

function canGroup(runs: readonly Run[], { length }: readonly Wanted[]): boolean {
  return length > 0 && runs.length >= length && runs.length <= MOST_RUNS * length + 1;
}

/** Pieces put together to as many characters as there should be: so that widths fit, and gaps within characters are small. */
function grouped(
  runs: readonly Run[],
  characters: readonly Wanted[],
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

/** The lower of two in the middle: what else is seen makes characters wider. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

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
