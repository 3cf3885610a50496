import type { Rect } from '../geometry.ts';
import { type Crop, cutCrop } from '../regions/crop.ts';
import { anyText } from './constraint.ts';
import { type LineSteps, locateCharacters } from './decode.ts';
import { groupRows, TextFinder } from './text-finder.ts';
import { readLine, type TextReading, type TextRecognizer } from './text-recognizer.ts';

/** A row of texts, such as the names before and after an icon. */
export interface TextRow {
  /** Where it lies, in pixels of the crop. */
  readonly rect: Rect;
  /** From left to right. */
  readonly parts: readonly TextReading[];
}

/** Finders that are kept, one for each size of crop. */
const MAX_FINDERS = 4;
/** Height of a box by which it is widened: the finder cuts letters at the ends of lines. */
const BOX_MARGIN = 0.2;
/** Gap between boxes, in heights, from which something other than text lies between them. */
const MIN_BOX_GAP = 0.4;
/** Distance between the middles of neighbouring characters, in heights of the row, from which an icon lies between them. */
const MIN_ICON_GAP = 1.45;
/** Distance of a character to both its neighbours, in heights, from which it is an icon that looks like one. */
const MIN_ICON_DISTANCE = 0.8;
const MIN_CONFIDENCE = 0.3;

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
        groupRows(await (await this.#finderOf(crop)).find(crop)).map((row) =>
          this.#isSplit ? joinBoxes(row) : [wholePixels(widen(boundsOf(row)), crop)],
        ),
      ),
    );
    const boxes = found.flatMap((rows, n) => rows.flatMap((row) => row.map((box) => ({ crop: crops[n]!, box }))));
    const lines = await this.#recognizer.recognize(boxes.map(({ crop, box }) => cutCrop(crop, box)));
    let next = 0;
    return found.map((rows) =>
      rows.flatMap((row): TextRow[] => {
        const parts = row.flatMap((box) =>
          this.#isSplit ? splitAtIcons(lines[next++]!, box) : readWhole(lines[next++]!),
        );
        return parts.length === 0 ? [] : [{ rect: boundsOf(row), parts }];
      }),
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

/** The boxes of a row in whole pixels: those near to each other are one. */
function joinBoxes(row: readonly Rect[]): readonly Rect[] {
  const joined: Rect[] = [];
  for (const box of row) {
    const last = joined.at(-1);
    if (last && box.x - last.x - last.width < MIN_BOX_GAP * Math.min(box.height, last.height))
      joined[joined.length - 1] = boundsOf([last, box]);
    else joined.push(box);
  }
  return joined.map((box) => wholePixels(box));
}

function wholePixels(
  { x, y, width, height }: Rect,
  { width: wide, height: high }: { readonly width: number; readonly height: number } = ANY_SIZE,
): Rect {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  return {
    x: left,
    y: top,
    width: Math.min(wide, Math.ceil(x + width)) - left,
    height: Math.min(high, Math.ceil(y + height)) - top,
  };
}

const ANY_SIZE = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };

function widen({ x, y, width, height }: Rect): Rect {
  const margin = BOX_MARGIN * height;
  return { x: x - margin, y, width: width + 2 * margin, height };
}

function boundsOf(boxes: readonly Rect[]): Rect {
  const [x, y] = [Math.min(...boxes.map((one) => one.x)), Math.min(...boxes.map((one) => one.y))];
  const right = Math.max(...boxes.map((one) => one.x + one.width));
  const bottom = Math.max(...boxes.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

function readWhole(line: LineSteps): readonly TextReading[] {
  const whole = readLine(line, anyText());
  return whole && whole.confidence >= MIN_CONFIDENCE ? [whole] : [];
}

/** Reads what is written before, between and after icons. */
function splitAtIcons(line: LineSteps, box: Rect): readonly TextReading[] {
  const whole = readLine(line, anyText());
  if (!whole || whole.confidence < MIN_CONFIDENCE) return [];
  const shares = locateCharacters(line, whole.text);
  const chars = Array.from(whole.text);
  if (!shares) return [whole];
  const letters = chars.flatMap((char, i) =>
    /[\p{L}\p{N}]/u.test(char) ? [{ i, x: (shares[i]! * box.width) / box.height }] : [],
  );
  const own = letters.filter(({ x }, n) => {
    const [before, after] = [letters[n - 1], letters[n + 1]];
    return !(before || after) || Math.min(x - (before?.x ?? -9), (after?.x ?? x + 9) - x) < MIN_ICON_DISTANCE;
  });
  const groups: number[][] = [];
  for (const [n, { i, x }] of own.entries()) {
    const before = own[n - 1];
    if (before && x - before.x < MIN_ICON_GAP) groups.at(-1)!.push(i);
    else groups.push([i]);
  }
  return groups
    .map((group, n) => {
      // Signs that belong to a name stay with it; those at an icon are strokes of it.
      const from = n === 0 ? 0 : group[0]!;
      const to = n === groups.length - 1 ? chars.length : group.at(-1)! + 1;
      return { text: trimSigns(chars.slice(from, to).join('')), confidence: whole.confidence };
    })
    .filter(({ text }) => text !== '');
}

/** A text without signs around it that are no part of a name. */
function trimSigns(text: string): string {
  return text.replaceAll(/^[^\p{L}\p{N}[(<_]+|[^\p{L}\p{N}\])>_!?.]+$/gu, '');
}
