import { boundsOf, type Rect } from '../geometry.ts';
import { type Crop, cutCrop } from '../regions/crop.ts';
import { anyText } from './constraint.ts';
import { type LineSteps, locateCharacters, sliceLine } from './decode.ts';
import { groupRows, TextFinder } from './text-finder.ts';
import { readLine, readName, type TextReading, type TextRecognizer } from './text-recognizer.ts';

/** A row of texts, such as the names before and after an icon. */
export interface TextRow {
  /** Where it lies, in pixels of the crop. */
  readonly rect: Rect;
  /** From left to right. */
  readonly parts: readonly TextReading[];
  /** What lies between two parts, an icon: the height of the row, from text to text. */
  readonly gap?: Crop;
}

/** Finders that are kept, one for each size of crop. */
const MAX_FINDERS = 4;
/**
 * Margins around the box of a whole line, in heights, of which each is tried: the finder cuts letters at the ends of lines, and its
 * boxes are close or wide.
 */
const BOX_MARGINS = [
  [0.2, 0],
  [0.4, 0.35],
] as const;
/** The same around a box of a row that is split at icons. */
const SPLIT_MARGINS = [0.15, 0] as const;
/** The same for a part of a line that is read once more. */
const PART_MARGINS = [
  [0.2, -0.1],
  [0.15, 0.1],
] as const;
/** Gap between words of one text, in heights of their boxes, which reach beyond the letters. */
const MAX_WORD_GAP = 0.3;
/** Distance between the middles of neighbouring characters, in heights of the row, from which an icon lies between them. */
const MIN_ICON_GAP = 1.45;
/** Distance of a character to both its neighbours, in heights, from which it is an icon that looks like one. */
const MIN_ICON_DISTANCE = 0.8;
/** The same for the gap that is left when such a character is taken for an icon. */
const MIN_LONE_GAP = 2.1;
/** Width of a place beyond the texts of a box, in heights, that may hold an icon and another text. */
const MIN_REST = 2;
const MIN_CONFIDENCE = 0.3;
/** Confidence from which a part is not read again. */
const CERTAIN = 0.95;

/** Reads rows of texts and icons in pictures, such as those of a kill feed. */
export class RowReader implements Disposable {
  readonly #recognizer: TextRecognizer;
  readonly #finders = new Map<string, Promise<TextFinder>>();

  readonly #isSplit: boolean;

  /**
   * @param recognizer Is not disposed of.
   * @param isSplit Whether texts on either side of an icon are parts of their own; else a row is one text.
   */
  constructor(recognizer: TextRecognizer, isSplit = true) {
    this.#recognizer = recognizer;
    this.#isSplit = isSplit;
  }

  /** Reads pictures; rows are from top to bottom. */
  async read(crops: readonly Crop[]): Promise<readonly (readonly TextRow[])[]> {
    const found = await Promise.all(
      crops.map(async (crop) =>
        this.#rowsOf(crop, await (await this.#finderOf(crop)).find(crop)).map((row) =>
          this.#isSplit
            ? row.map((box) => wholePixels(widen(box, SPLIT_MARGINS), crop))
            : wholeLineBoxes(boundsOf(row), crop),
        ),
      ),
    );
    const boxes = found.flatMap((rows, n) => rows.flatMap((row) => row.map((box) => ({ crop: crops[n]!, box }))));
    const lines = await this.#recognizer.recognize(boxes.map(({ crop, box }) => cutCrop(crop, box)));
    const split = this.#isSplit ? await this.#readParts(boxes, lines) : [];
    let next = 0;
    return found.map((rows, n) =>
      rows.flatMap((row): TextRow[] => {
        const rect = boundsOf(row);
        if (!this.#isSplit) {
          const parts = readWhole(row.map(() => lines[next++]!));
          return parts.length === 0 ? [] : [{ rect, parts }];
        }
        const placed = joinParts(row.flatMap(() => split[next++]!));
        if (placed.length === 0) return [];
        const parts = placed.map(({ text, confidence }) => ({ text, confidence }));
        const gap = gapOf(placed, rect, crops[n]!);
        return [{ rect, parts, ...(gap ? { gap } : {}) }];
      }),
    );
  }

  /** Groups boxes into rows. A line that goes on beyond the crop says something else than what is seen of it; one of a table is none. */
  #rowsOf(crop: Crop, boxes: readonly Rect[]): readonly (readonly Rect[])[] {
    const rows = groupRows(boxes);
    return this.#isSplit ? rows : rows.filter((row) => !isCut(boundsOf(row), crop) && !isOfTable(row));
  }

  /** Reads the texts of each box: those that are unsure once more for themselves, since an icon in a line makes all of it unsure. */
  async #readParts(
    boxes: readonly { readonly crop: Crop; readonly box: Rect }[],
    lines: readonly LineSteps[],
  ): Promise<readonly (readonly PlacedText[])[]> {
    const split = boxes.map(({ box }, n) => splitAtIcons(lines[n]!, box));
    const unsure = split.flatMap((parts, n) => {
      const { crop, box } = boxes[n]!;
      return [...parts.filter(({ confidence }) => confidence < CERTAIN), ...restsOf(parts, box)].flatMap((part) => {
        const own = { x: part.left, y: box.y, width: part.right - part.left, height: box.height };
        return PART_MARGINS.map((margins) => ({ n, part, area: wholePixels(widen(own, margins), crop) }));
      });
    });
    const reread = await this.#recognizer.recognize(unsure.map(({ n, area }) => cutCrop(boxes[n]!.crop, area)));
    const best = new Map<PlacedText, PlacedText>();
    const byBox = split.map((parts) => [...parts]);
    for (const [i, { n, part, area }] of unsure.entries()) {
      const own = splitAtIcons(reread[i]!, area);
      if (!byBox[n]!.includes(part)) byBox[n]!.push(part);
      const [first] = own;
      const other = best.get(part) ?? part;
      // A letter at the end of a part that is cut away makes the rest no less certain.
      const isWhole = own.length === 1 && countLetters(first!.text) >= countLetters(other.text);
      if (isWhole && first!.confidence > other.confidence) best.set(part, first!);
    }
    return byBox.map((parts) =>
      parts
        .map((part) => best.get(part) ?? part)
        .filter(({ confidence, text }) => confidence >= MIN_CONFIDENCE && text !== '')
        .toSorted((a, b) => a.left - b.left),
    );
  }

  #finderOf({ width, height }: Crop): Promise<TextFinder> {
    const key = `${width} ${height}`;
    let finder = this.#finders.get(key);
    if (!finder) {
      if (this.#finders.size >= MAX_FINDERS) this.#closeFinders();
      this.#finders.set(key, (finder = TextFinder.open({ width, height })));
    }
    return finder;
  }

  #closeFinders(): void {
    for (const finder of this.#finders.values()) void finder.then((one) => one[Symbol.dispose]()).catch(() => {});
    this.#finders.clear();
  }

  [Symbol.dispose](): void {
    this.#closeFinders();
  }
}

/** A text with its extent in a row, in pixels, and the height of its box. */
interface PlacedText extends TextReading {
  readonly left: number;
  readonly right: number;
  readonly height: number;
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Joins texts of a row that are as near as the words of a name. */
function joinParts(placed: readonly PlacedText[]): readonly PlacedText[] {
  const joined: PlacedText[] = [];
  for (const text of placed) {
    const last = joined.at(-1);
    if (last && text.left - last.right < MAX_WORD_GAP * Math.min(text.height, last.height))
      joined[joined.length - 1] = {
        ...last,
        text: `${last.text} ${text.text}`,
        confidence: Math.min(last.confidence, text.confidence),
        right: text.right,
      };
    else joined.push(text);
  }
  // An icon that looks like a character.
  return joined.filter(({ text }, i) => i === 0 || i === joined.length - 1 || countLetters(text) > 1);
}

/** What lies between the two texts of a row. */
function gapOf(parts: readonly PlacedText[], { y, height }: Rect, crop: Crop): Crop | undefined {
  const [before, after] = parts;
  if (parts.length !== 2 || !before || !after || after.left - before.right < 2) return undefined;
  const rect = wholePixels({ x: before.right, y, width: after.left - before.right, height }, crop);
  return rect.width < 2 || rect.height < 2 ? undefined : cutCrop(crop, rect);
}

/** Gap between cells of a table, in heights of their boxes, and gaps in a row from which it is one of a table. */
const MIN_CELL_GAP = 1;
const MIN_CELL_GAPS = 2;

/** Whether a row is that of a table: several texts far apart. */
function isOfTable(row: readonly Rect[]): boolean {
  const gaps = row.slice(1).map((box, i) => {
    const before = row[i]!;
    return (box.x - before.x - before.width) / Math.min(box.height, before.height);
  });
  return gaps.filter((gap) => gap >= MIN_CELL_GAP).length >= MIN_CELL_GAPS;
}

/** Distance of a line to the left or right end of its crop, in heights, below which it goes on beyond it. */
const MIN_END_DISTANCE = 0.2;

/** Whether a line touches the left or right end of its crop, but for the inaccuracy of boxes. */
function isCut({ x, width, height }: Rect, crop: Crop): boolean {
  const limit = Math.max(1, MIN_END_DISTANCE * height);
  return x < limit || x + width > crop.width - limit;
}

function wholePixels(
  { x, y, width, height }: Rect,
  { width: wide, height: high }: { readonly width: number; readonly height: number },
): Rect {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  return {
    x: left,
    y: top,
    width: Math.min(wide, Math.ceil(x + width)) - left,
    height: Math.min(high, Math.ceil(y + height)) - top,
  };
}

function widen({ x, y, width, height }: Rect, [across, down]: readonly [number, number]): Rect {
  return {
    x: x - across * height,
    y: y - down * height,
    width: width + 2 * across * height,
    height: height * (1 + 2 * down),
  };
}

/** The box of a whole line with several margins, in pixels of the crop in which it was found. */
function wholeLineBoxes(line: Rect, crop: Crop): readonly Rect[] {
  return BOX_MARGINS.map((margins) => wholePixels(widen(line, margins), crop));
}

/** Cuts a line out of a crop with several margins: whichever is read most surely counts. */
export function cutWholeLine(crop: Crop, line: Rect): readonly Crop[] {
  return wholeLineBoxes(line, crop).map((box) => cutCrop(crop, box));
}

/** Reads one line from several crops of it: the surest reading counts. */
function readWhole(lines: readonly LineSteps[]): readonly TextReading[] {
  const [best] = lines
    .flatMap((line) => readLine(line, anyText()) ?? [])
    .toSorted((a, b) => b.confidence - a.confidence);
  return best && best.confidence >= MIN_CONFIDENCE ? [best] : [];
}

/** Places of a box beyond its texts that may hold another one, after an icon that the network took for all of it. */
function restsOf(parts: readonly PlacedText[], box: Rect): readonly PlacedText[] {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return [];
  const least = MIN_REST * box.height;
  const end = box.x + box.width;
  const rest = { text: '', confidence: 0, height: box.height };
  return [
    ...(first.left - box.x >= least ? [{ ...rest, left: box.x, right: first.left }] : []),
    ...(end - last.right >= least ? [{ ...rest, left: last.right, right: end }] : []),
  ];
}

/** Finds what is written before, between and after icons. */
function splitAtIcons(line: LineSteps, box: Rect): readonly PlacedText[] {
  const whole = readName(line);
  const shares = whole && locateCharacters(line, whole.text);
  if (!whole || !shares) return [];
  const aspect = box.width / box.height;
  const chars = Array.from(whole.text);
  const letters = chars.flatMap((_, i) => (isOfName(chars, i) ? [{ x: shares[i]! * aspect }] : []));
  const isLone = letters.map(({ x }, n) => {
    const [before, after] = [letters[n - 1], letters[n + 1]];
    return (before || after) && Math.min(x - (before?.x ?? -9), (after?.x ?? x + 9) - x) >= MIN_ICON_DISTANCE;
  });
  const groups: { from: number; to: number }[] = [];
  let skipped = false;
  for (const [n, { x }] of letters.entries()) {
    if (isLone[n]) {
      skipped = true;
      continue;
    }
    const last = groups.at(-1);
    // A wide letter is as far from its neighbours as a small icon, but leaves no gap as wide as one.
    if (last && x - last.to < (skipped ? MIN_LONE_GAP : MIN_ICON_GAP)) last.to = x;
    else groups.push({ from: x, to: x });
    skipped = false;
  }
  return groups.flatMap(({ from, to }, n): PlacedText[] => {
    // Signs at the ends of a row belong to its texts; those at an icon are strokes of it.
    const left = n === 0 && from < MAX_END_GAP ? 0 : Math.max(0, (from - LETTER_REACH) / aspect);
    const isLast = n === groups.length - 1 && aspect - to < MAX_END_GAP;
    const right = isLast ? 1 : Math.min(1, (to + LETTER_REACH) / aspect);
    const read = readName(sliceLine(line, left, right));
    const text = read ? trimSigns(read.text) : '';
    if (!read || text === '') return [];
    const [start, end] = [box.x + left * box.width, box.x + right * box.width];
    return [{ text, confidence: read.confidence, left: start, right: end, height: box.height }];
  });
}

const LETTER = /[\p{L}\p{N}]/u;

/** Whether a character belongs to a name: a letter, a digit, or a low line between them; other signs may be strokes of an icon. */
function isOfName(chars: readonly string[], i: number): boolean {
  const [before = '', char = '', after = ''] = [chars[i - 1], chars[i], chars[i + 1]];
  return LETTER.test(char) || (char === '_' && LETTER.test(before) && LETTER.test(after));
}

/** From the middle of a letter to where the next one may begin, in heights. */
const LETTER_REACH = 0.4;
/** From the middle of the first or last letter to the end of its box, in heights, beyond which an icon lies there. */
const MAX_END_GAP = 0.9;

/** A text without signs around it that are no part of a name. */
function trimSigns(text: string): string {
  return text.replaceAll(/^[^\p{L}\p{N}[(<_]+|[^\p{L}\p{N}\])>_!?.]+$/gu, '');
}
