import { anyText } from './constraint.ts';
import { foldCharacters, type LineSteps, locateCharacters, markGaps, sliceLine } from './decode.ts';
import { readLine } from './text-recognizer.ts';

/** Kinds of what stands next to each other in a row such as a score bar. */
export const PART_KINDS = ['words', 'figure'] as const;
/** What a part of a row is. */
export type PartKind = (typeof PART_KINDS)[number];

/** A part of a row. */
export interface PlacedPart {
  readonly kind: PartKind;
  /** Middles of its first and last character, as shares of the row's width. */
  readonly first: number;
  readonly last: number;
}

/** Letters as which digits of some fonts are read. */
const LETTERS_LIKE_DIGITS: ReadonlyMap<string, string> = new Map(
  ['O0', 'o0', 'Q0', 'D0', 'I1', 'l1', '|1', 'Z2', 'S5', 'G6', 'B8'].map(
    ([letter, digit]) => [letter!, digit!] as const,
  ),
);
const ORDINAL = /^[\dIl](?:st|nd|rd|th)$/i;
const LONE_DIGIT = /^[OoQDIl|]$/;
/** From the middle of the first or last character of a row to where it ends, in heights of the row. */
const OUTER_REACH = 0.6;

/** Finds the words and figures in a line, which wide gaps separate; several words in succession are one part. */
export function findParts(line: LineSteps): readonly PlacedPart[] {
  const marked = markGaps(line);
  const text = readLine(marked, anyText())?.text ?? '';
  const shares = locateCharacters(marked, text);
  if (text === '' || !shares) return [];
  const parts: PlacedPart[] = [];
  let at = 0;
  for (const word of text.split(' ')) {
    const [first, last] = [at, at + Array.from(word).length - 1];
    at = last + 2;
    const kind = kindOf(word);
    if (kind === undefined) continue;
    const before = parts.at(-1);
    if (kind === 'words' && before?.kind === 'words') parts[parts.length - 1] = { ...before, last: shares[last]! };
    else parts.push({ kind, first: shares[first]!, last: shares[last]! });
  }
  return parts;
}

/** What a word is; undefined for signs. */
function kindOf(word: string): PartKind | undefined {
  if (ORDINAL.test(word) || LONE_DIGIT.test(word)) return 'figure';
  const isFigure =
    /\d/.test(word) && Array.from(word).every((char) => !/\p{L}/u.test(char) || LETTERS_LIKE_DIGITS.has(char));
  if (isFigure) return 'figure';
  return /\p{L}/u.test(word) ? 'words' : undefined;
}

/** Where a row of parts of certain kinds begins among those that were found: scenery beside it may look like another. */
export function findRow(found: readonly PlacedPart[], kinds: readonly PartKind[]): number | undefined {
  const starts = found.flatMap((_, start) =>
    kinds.every((kind, i) => found[start + i]?.kind === kind) ? [start] : [],
  );
  return starts.length === 1 ? starts[0] : undefined;
}

/**
 * The part of a line in which one of the parts is written; in a figure, letters that look like digits are these.
 *
 * @param aspect Width of the row in heights.
 */
export function cutPart(line: LineSteps, parts: readonly PlacedPart[], i: number, aspect: number): LineSteps {
  const { kind, first, last } = parts[i]!;
  const [before, after] = [parts[i - 1], parts[i + 1]];
  const from = Math.max(0, before ? (before.last + first) / 2 : first - OUTER_REACH / aspect);
  const to = Math.min(1, after ? (last + after.first) / 2 : last + OUTER_REACH / aspect);
  const slice = sliceLine(line, from, to);
  return kind === 'figure' ? foldCharacters(slice, (char) => LETTERS_LIKE_DIGITS.get(char) ?? char) : slice;
}
