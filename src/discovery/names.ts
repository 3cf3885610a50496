import { type Anchor, type Rect, type Size } from '../geometry.ts';
import type { FieldReading } from './classify.ts';

/** Heights of a line within which a caption belongs to a figure, on either side of it and above or below. */
const MAX_CAPTION_GAP = { before: 2.5, after: 1.2, above: 1.3 } as const;

/** Height of a caption, in heights of its figure: a banner that appears above a score is none. */
const MAX_CAPTION_HEIGHT = 2;

/** The part of the screen in which the middle of a rectangle lies. */
export function placeOnScreen({ x, y, width, height }: Rect, frame: Size): Anchor {
  const column = Math.min(2, Math.floor((3 * (x + width / 2)) / frame.width));
  const row = Math.min(2, Math.floor((3 * (y + height / 2)) / frame.height));
  const words = [['top', '', 'bottom'][row]!, ['left', '', 'right'][column]!].filter((word) => word !== '');
  return (words.length === 0 ? 'centre' : words.join(' ')) as Anchor;
}

/** A constant text on the screen. */
export interface Label {
  readonly rect: Rect;
  readonly text: string;
}

/**
 * Finds the labels that name elements of one kind: in the same row, or right above or below. A label names the element that is nearest
 * to it.
 *
 * @returns By element: its label.
 */
export function findCaptions(figures: readonly Rect[], labels: readonly Label[]): ReadonlyMap<Rect, Label> {
  const split = labels.flatMap((label) => splitOverFigures(label, figures));
  const pairs = split.flatMap((label) => {
    const ranked = figures
      .map((figure) => ({ figure, label, distance: captionDistance(figure, label) }))
      .toSorted((a, b) => a.distance - b.distance);
    const [nearest] = ranked;
    return nearest && nearest.distance < Number.POSITIVE_INFINITY ? [nearest] : [];
  });
  const captions = new Map<Rect, Label>();
  for (const { figure, label } of pairs.toSorted((a, b) => a.distance - b.distance))
    if (!captions.has(figure)) captions.set(figure, label);
  return captions;
}

/** A text that is a value, not a caption: “1-3”. */
const VALUE = /^[^\p{L}]*\d[^\p{L}]*$/u;

/** Finds constant texts that are values with a caption of their own, such as the number of a level. */
export function findConstantValues<One extends Label>(labels: readonly One[]): ReadonlySet<One> {
  const [values, captions] = [
    labels.filter(({ text }) => VALUE.test(text)),
    labels.filter(({ text }) => !VALUE.test(text)),
  ];
  const captioned = findCaptions(
    values.map(({ rect }) => rect),
    captions,
  );
  return new Set(values.filter(({ rect }) => captioned.has(rect)));
}

/** Splits a row of captions that was found as one line, where each figure above or below has words of its own. */
function splitOverFigures(label: Label, figures: readonly Rect[]): readonly Label[] {
  const { rect, text } = label;
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    word,
    x: rect.x + (rect.width * index) / text.length,
    width: (rect.width * word.length) / text.length,
  }));
  const named = figures.filter((figure) => isOver(figure, rect)).toSorted((a, b) => a.x - b.x);
  if (named.length < 2) return [label];
  const own = named.map((figure) =>
    words.filter((word) => named.every((other) => distanceAcross(figure, word) <= distanceAcross(other, word))),
  );
  return own.some(({ length }) => length === 0)
    ? [label]
    : own.map((part) => {
        const [first, last] = [part[0]!, part.at(-1)!];
        const box = { ...rect, x: first.x, width: last.x + last.width - first.x };
        return { rect: box, text: part.map(({ word }) => word).join(' ') };
      });
}

type Extent = Pick<Rect, 'x' | 'width'>;

function distanceAcross(a: Extent, b: Extent): number {
  return Math.abs(a.x + a.width / 2 - b.x - b.width / 2);
}

/** Whether a figure lies right above or below a line, mostly within its width. */
function isOver(figure: Rect, line: Rect): boolean {
  const common = Math.min(figure.x + figure.width, line.x + line.width) - Math.max(figure.x, line.x);
  const gap = Math.max(figure.y - line.y - line.height, line.y - figure.y - figure.height);
  const height = Math.min(figure.height, line.height);
  return common >= 0.5 * figure.width && gap > -0.5 * height && gap <= MAX_CAPTION_GAP.above * height;
}

/** A caption with a colon names what comes after it. */
const NAMES_NEXT = /:\s*$/;

/** A time, such as a record next to the clock, which is no caption. */
const SHOWS_TIME = /\d\s?:\s?\d\d/;

function captionDistance(figure: Rect, { rect: label, text }: Label): number {
  if (SHOWS_TIME.test(text) || label.height > MAX_CAPTION_HEIGHT * figure.height) return Number.POSITIVE_INFINITY;
  const height = Math.min(figure.height, label.height);
  const rows = Math.abs(figure.y + figure.height / 2 - label.y - label.height / 2);
  const [before, after] = [figure.x - label.x - label.width, label.x - figure.x - figure.width];
  const gap = Math.max(before, after);
  if (after > before && after > -0.5 * height && NAMES_NEXT.test(text)) return Number.POSITIVE_INFINITY;
  if (rows < 0.6 * Math.max(figure.height, label.height) && gap > -0.5 * height) {
    const limit = before >= after ? MAX_CAPTION_GAP.before : MAX_CAPTION_GAP.after;
    return gap <= limit * height ? Math.max(0, gap) / height : Number.POSITIVE_INFINITY;
  }
  const common = Math.min(figure.x + figure.width, label.x + label.width) - Math.max(figure.x, label.x);
  const vertical = Math.max(figure.y - label.y - label.height, label.y - figure.y - figure.height);
  if (common < 0.5 * Math.min(figure.width, label.width) || vertical > MAX_CAPTION_GAP.above * height)
    return Number.POSITIVE_INFINITY;
  // In the same row is likelier.
  return 0.5 + Math.max(0, vertical) / height;
}

/** Distance of two gauges from being mirrored, in widths of the frame, and of their edges, in heights of a gauge. */
const MAX_MIRROR_SHIFT = 0.012;
const MAX_MIRROR_EDGE = 0.3;
/** Distance of a name from its gauge, in heights of the name. */
const MAX_SIDE_GAP = 2.5;

/**
 * Finds the names of two sides, such as fighters: two different texts in one row, each above or below one of two gauges that are
 * mirrored about the middle of the screen.
 */
export function findSides(labels: readonly Label[], gauges: readonly Rect[], frame: Size): ReadonlySet<Label> {
  const pairs = gauges.flatMap((left) =>
    gauges
      .filter((right) => left.x < right.x && areMirrored(left, right, frame))
      .map((right) => [left, right] as const),
  );
  const sides = pairs.flatMap(([left, right]) => {
    const [own, others] = [left, right].map((gauge) => labels.filter(({ rect }) => isAtGauge(rect, gauge))) as [
      Label[],
      Label[],
    ];
    return own.flatMap((label) => {
      const other = others.find(
        ({ rect, text }) => text !== label.text && Math.abs(rect.y - label.rect.y) <= MAX_MIRROR_EDGE * rect.height,
      );
      return other ? [label, other] : [];
    });
  });
  return new Set(sides);
}

function areMirrored(a: Rect, b: Rect, frame: Size): boolean {
  const edge = MAX_MIRROR_EDGE * Math.min(a.height, b.height);
  return (
    Math.abs(a.x + b.x + b.width - frame.width) <= MAX_MIRROR_SHIFT * frame.width &&
    Math.abs(a.width - b.width) <= MAX_MIRROR_SHIFT * frame.width &&
    Math.abs(a.y - b.y) <= edge &&
    Math.abs(a.height - b.height) <= edge
  );
}

/** Whether a text stands right above or below a gauge, within its width. */
function isAtGauge(label: Rect, gauge: Rect): boolean {
  const gap = Math.max(gauge.y - label.y - label.height, label.y - gauge.y - gauge.height);
  const common = Math.min(label.x + label.width, gauge.x + gauge.width) - Math.max(label.x, gauge.x);
  return gap >= -0.5 * label.height && gap <= MAX_SIDE_GAP * label.height && common >= 0.9 * label.width;
}

/** Gaps between the cells of a row of a table, and between its first row and the captions of its columns, in heights of a caption. */
const MAX_CELL_GAP = 6;
const MAX_HEAD_GAP = 2.5;
/** Distance of the left or right edges of the captions of rows, in heights. */
const MAX_EDGE_DISTANCE = 0.5;

/**
 * Finds the captions of figures in a table: those at the beginning of two rows or more that stand in a column, and those above the
 * columns.
 *
 * @param heads What may be the caption of a row or column.
 * @returns The name of each figure in a table, and the captions of its rows.
 */
export function findTable(
  figures: readonly Rect[],
  heads: readonly Label[],
): { readonly names: ReadonlyMap<Rect, string>; readonly rowHeads: ReadonlySet<Label> } {
  const rows = heads
    .map((head) => ({ head, cells: cellsOf(head, figures, heads) }))
    .filter(({ cells }) => cells.length > 0);
  const table = rows.filter(({ head, cells }) =>
    rows.some(
      (other) =>
        other.head !== head &&
        areAligned(head.rect, other.head.rect) &&
        cells.some((cell) => other.cells.some((one) => sharesColumn(cell, one))),
    ),
  );
  const rowHeads = new Set(table.map(({ head }) => head));
  const top = Math.min(...table.map(({ head }) => head.rect.y));
  const columns = heads.filter(
    (head) =>
      !rowHeads.has(head) &&
      head.rect.y + head.rect.height / 2 < top &&
      top - head.rect.y - head.rect.height <= MAX_HEAD_GAP * head.rect.height,
  );
  const names = table.flatMap(({ head, cells }) =>
    cells.map((cell): [Rect, string] => {
      const column = columns.find(({ rect }) => sharesColumn(cell, rect));
      return [cell, column ? `${head.text} ${column.text}` : head.text];
    }),
  );
  return { names: new Map(names), rowHeads };
}

/** The figures that follow a caption in its row, up to the next caption. */
function cellsOf({ rect: head }: Label, figures: readonly Rect[], heads: readonly Label[]): readonly Rect[] {
  const isInRow = (rect: Rect): boolean =>
    Math.abs(rect.y + rect.height / 2 - head.y - head.height / 2) < 0.5 * head.height &&
    rect.x > head.x + head.width / 2;
  const next = Math.min(...heads.flatMap(({ rect }) => (rect !== head && isInRow(rect) ? [rect.x] : [])));
  const cells: Rect[] = [];
  let right = head.x + head.width;
  for (const figure of figures.filter(isInRow).toSorted((a, b) => a.x - b.x)) {
    if (figure.x >= next || figure.x - right > MAX_CELL_GAP * head.height) break;
    cells.push(figure);
    right = figure.x + figure.width;
  }
  return cells;
}

function areAligned(a: Rect, b: Rect): boolean {
  const limit = MAX_EDGE_DISTANCE * Math.min(a.height, b.height);
  return Math.min(Math.abs(a.x - b.x), Math.abs(a.x + a.width - b.x - b.width)) <= limit;
}

function sharesColumn(a: Rect, b: Rect): boolean {
  const common = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  return common >= 0.5 * Math.min(a.width, b.width);
}

/** What units measure. */
const UNITS: readonly (readonly [unit: RegExp, measure: string])[] = [
  [/^(?:km ?\/? ?h|kmh|kph|mph|m ?\/ ?s|kn|kts|knots)$/i, 'speed'],
  [/^(?:rpm|r\/min)$/i, 'engine speed'],
  [/^(?:°c|°f)$/i, 'temperature'],
];

/** The name of a figure with a caption: what it measures, where the caption is a unit. */
export function nameOfCaption(text: string): string {
  return cleanName(UNITS.find(([unit]) => unit.test(text.trim()))?.[1] ?? text);
}

/** Makes a name that detectors and regions may have: letters, digits, spaces, dots and hyphens. */
export function cleanName(text: string): string {
  const clean = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N} .-]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 40);
  return clean.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Adds a number to a name that is taken, and adds it to `taken`. */
export function uniqueName(name: string, taken: Set<string>, separator = ' '): string {
  let unique = name;
  for (let n = 2; taken.has(unique); n++) unique = `${name}${separator}${n}`;
  taken.add(unique);
  return unique;
}

/** The word of the dictionary for a kind of field. */
export function displayWord(
  type: FieldReading['type'],
): 'counter' | 'clock' | 'message' | 'caption' | 'gauge' | 'icon' {
  if (type === 'clock' || type === 'message' || type === 'gauge' || type === 'icon') return type;
  if (type === 'time') return 'clock';
  if (type === 'feed') return 'message';
  return type === 'name' || type === 'label' ? 'caption' : 'counter';
}
