import { upperMedian } from '../statistics.ts';
import type { Crop } from '../regions/crop.ts';

/** What an icon in a row looks like: how strongly it is drawn in a grid over its bounds, whatever its size and what is behind it. */
export interface IconShape {
  /** Width of its bounds divided by their height. */
  readonly aspect: number;
  /** `SHAPE_COLUMNS` × `SHAPE_ROWS` levels with a mean of 0 and a norm of 1. */
  readonly levels: readonly number[];
}

const [SHAPE_COLUMNS, SHAPE_ROWS] = [32, 12];
/** Columns at both ends of a gap that show what is behind the icon, in heights. */
const END_COLUMNS = 0.12;
/** Difference from what is behind an icon, in grey levels, from which a pixel belongs to it. */
const MIN_CONTRAST = 48;
/** Share of a column's or row's pixels that belong to an icon, within its bounds. */
const MIN_INK = 0.08;
/** Least size of an icon, in heights of the row. */
const MIN_WIDTH = 0.5;
const MIN_HEIGHT = 0.3;
/** Ratio of the aspects of two pictures of one icon. */
const MAX_ASPECT_RATIO = 1.25;

/**
 * Describes the icon in a gap between two texts.
 *
 * @param gap RGB or grey, from text to text.
 * @returns Undefined where no icon stands out from what is behind it.
 */
export function describeIconShape(gap: Crop): IconShape | undefined {
  const { width, height } = gap;
  const grey = greyOf(gap);
  const end = Math.max(1, Math.round(END_COLUMNS * height));
  if (width < 2 * end + 2 || height < 4) return undefined;
  const ends = Array.from({ length: height }, (_, y) => [
    ...grey.subarray(y * width, y * width + end),
    ...grey.subarray((y + 1) * width - end, (y + 1) * width),
  ]).flat();
  const behind = upperMedian(ends)!;
  const [bright, dark] = [1, -1].map((sign) => grey.map((level) => Math.max(0, sign * (level - behind)))) as [
    Float32Array,
    Float32Array,
  ];
  const ink = inkOf(bright) >= inkOf(dark) ? bright : dark;
  const columns = boundsOfInk(Array.from({ length: width }, (_, x) => share(height, (y) => ink[y * width + x]!)));
  const rows = boundsOfInk(Array.from({ length: height }, (_, y) => share(width, (x) => ink[y * width + x]!)));
  if (!columns || !rows) return undefined;
  const [wide, high] = [columns.end - columns.first, rows.end - rows.first];
  if (wide < MIN_WIDTH * height || high < MIN_HEIGHT * height) return undefined;
  const levels = Array.from({ length: SHAPE_COLUMNS * SHAPE_ROWS }, (_, i) => {
    const [column, row] = [i % SHAPE_COLUMNS, Math.floor(i / SHAPE_COLUMNS)];
    return meanOf(
      ink,
      width,
      [columns.first + (wide * column) / SHAPE_COLUMNS, columns.first + (wide * (column + 1)) / SHAPE_COLUMNS],
      [rows.first + (high * row) / SHAPE_ROWS, rows.first + (high * (row + 1)) / SHAPE_ROWS],
    );
  });
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  const norm = Math.hypot(...levels.map((level) => level - mean));
  return norm < 1 ? undefined : { aspect: wide / high, levels: levels.map((level) => (level - mean) / norm) };
}

/** How much two shapes are alike: the correlation of their levels, -1…1; -1 where one is much longer. */
export function correlateShapes(a: IconShape, b: IconShape): number {
  if (Math.max(a.aspect, b.aspect) > MAX_ASPECT_RATIO * Math.min(a.aspect, b.aspect)) return -1;
  return a.levels.reduce((sum, level, i) => sum + level * b.levels[i]!, 0);
}

function greyOf({ data, channels }: Crop): Float32Array {
  if (channels === 1) return Float32Array.from(data);
  return Float32Array.from(
    { length: data.length / 3 },
    (_, i) => 0.299 * data[3 * i]! + 0.587 * data[3 * i + 1]! + 0.114 * data[3 * i + 2]!,
  );
}

function inkOf(levels: Float32Array): number {
  return levels.reduce((sum, level) => sum + (level >= MIN_CONTRAST ? 1 : 0), 0);
}

/** Share of some pixels that belong to the icon. */
function share(count: number, at: (i: number) => number): number {
  let own = 0;
  for (let i = 0; i < count; i++) if (at(i) >= MIN_CONTRAST) own++;
  return own / count;
}

/** The longest stretch of columns or rows with ink, over gaps of one. */
function boundsOfInk(shares: readonly number[]): { readonly first: number; readonly end: number } | undefined {
  let best: { first: number; end: number } | undefined;
  let own: { first: number; end: number } | undefined;
  for (const [i, one] of shares.entries()) {
    if (one < MIN_INK) continue;
    if (own && i - own.end <= 1) own.end = i + 1;
    else own = { first: i, end: i + 1 };
    if (!best || own.end - own.first > best.end - best.first) best = own;
  }
  return best;
}

/** The mean level of a part of a picture, whose edges may lie within pixels. */
function meanOf(
  levels: Float32Array,
  width: number,
  [left, right]: readonly [number, number],
  [top, bottom]: readonly [number, number],
): number {
  let [sum, weight] = [0, 0];
  for (let y = Math.floor(top); y < Math.ceil(bottom); y++)
    for (let x = Math.floor(left); x < Math.ceil(right); x++) {
      const part = (Math.min(bottom, y + 1) - Math.max(top, y)) * (Math.min(right, x + 1) - Math.max(left, x));
      sum += part * levels[y * width + x]!;
      weight += part;
    }
  return weight === 0 ? 0 : sum / weight;
}
