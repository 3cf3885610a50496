import type { Picture } from '../../media/picture.ts';

/** Where the game's picture may begin and end, in pixels of the frame. The frame's own edges are always among them. */
export interface Edges {
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly top: readonly number[];
  readonly bottom: readonly number[];
}

/** Levels by which a sample must vary between pictures to be called moving. */
const MOVING = 14;
/** The brightest luma of a black bar (limited range: black is 16), and how much it may vary. */
const BLACK = 30;
/** Share of a line's samples that must move for it to belong to the game's picture. */
const BUSY = 0.35;
/** Lines are averaged over this many samples at most. */
const LINES = 720;

/** The range of luma in every cell of a grid, over some pictures of one recording. */
interface Ranges {
  readonly columns: number;
  readonly rows: number;
  readonly step: number;
  readonly low: Uint8Array;
  readonly high: Uint8Array;
}

/** Edges of black bars, and of what moves between the pictures: a window on a desktop, a game within an overlay. */
export function edgesOf(pictures: readonly Picture[]): Edges {
  const [{ width, height }] = pictures as [Picture];
  const ranges = rangesOf(pictures);
  const bars = extent(ranges, (low, high) => high > BLACK || high - low > MOVING, 0.01);
  const moving = extent(ranges, (low, high) => high - low > MOVING, BUSY);
  const found = [bars, moving].filter((one) => one !== undefined);
  const edges = (own: number, pick: (one: Extent) => number): number[] => [
    ...new Set([
      own,
      ...found.map((one) => Math.min(pick(one) * ranges.step, own === 0 ? pick(one) * ranges.step : own)),
    ]),
  ];
  return {
    left: edges(0, (one) => one.left),
    right: edges(width, (one) => one.right),
    top: edges(0, (one) => one.top),
    bottom: edges(height, (one) => one.bottom),
  };
}

/** Whether a side of the picture is black, as deep as a letterbox's bars are at least. */
export function hasBlackBorder({ y, width, height }: Picture): boolean {
  const black = (x: number, line: number): boolean => y.data[line * y.stride + x]! <= BLACK;
  const [across, down] = [Math.round(width * 0.01), Math.round(height * 0.01)];
  return (
    all(height, (line) => black(across, line)) ||
    all(height, (line) => black(width - 1 - across, line)) ||
    all(width, (x) => black(x, down)) ||
    all(width, (x) => black(x, height - 1 - down))
  );
}

function all(count: number, is: (i: number) => boolean): boolean {
  for (let i = 0; i < count; i++) if (!is(i)) return false;
  return true;
}

interface Extent {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function rangesOf(pictures: readonly Picture[]): Ranges {
  const [{ width, height }] = pictures as [Picture];
  const step = Math.max(1, Math.floor(height / LINES));
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)];
  const low = new Uint8Array(columns * rows).fill(255);
  const high = new Uint8Array(columns * rows);
  for (const { y } of pictures) {
    for (let row = 0, at = 0; row < rows; row++) {
      let from = row * step * y.stride;
      for (let column = 0; column < columns; column++, at++, from += step) {
        const level = y.data[from]!;
        if (level < low[at]!) low[at] = level;
        if (level > high[at]!) high[at] = level;
      }
    }
  }
  return { columns, rows, step, low, high };
}

/** The rectangle outside of which hardly any cell is `inside`: found by lines and columns in turn. */
function extent(ranges: Ranges, inside: (low: number, high: number) => boolean, share: number): Extent | undefined {
  const { columns, rows, low, high } = ranges;
  const is = new Uint8Array(low.length);
  for (let i = 0; i < is.length; i++) is[i] = inside(low[i]!, high[i]!) ? 1 : 0;
  let box: Extent = { left: 0, right: columns, top: 0, bottom: rows };
  for (let turn = 0; turn < 3; turn++) {
    const across = span(columnSums(is, columns, box), box.left, share * Math.max(1, box.bottom - box.top));
    if (!across) return undefined;
    box = { ...box, left: across[0], right: across[1] };
    const down = span(rowSums(is, columns, box), box.top, share * Math.max(1, box.right - box.left));
    if (!down) return undefined;
    box = { ...box, top: down[0], bottom: down[1] };
  }
  return box;
}

function columnSums(is: Uint8Array, columns: number, { left, right, top, bottom }: Extent): Uint32Array {
  const sums = new Uint32Array(right - left);
  for (let row = top; row < bottom; row++)
    for (let n = 0, at = row * columns + left; n < sums.length; n++, at++) sums[n]! += is[at]!;
  return sums;
}

function rowSums(is: Uint8Array, columns: number, { left, right, top, bottom }: Extent): Uint32Array {
  const sums = new Uint32Array(bottom - top);
  for (let n = 0; n < sums.length; n++)
    for (let at = (top + n) * columns + left, end = at + right - left; at < end; at++) sums[n]! += is[at]!;
  return sums;
}

/** From the first to behind the last of the sums that reaches `least`, the first being at `from`. */
function span(sums: Uint32Array, from: number, least: number): readonly [number, number] | undefined {
  let [first, last] = [0, sums.length - 1];
  while (first < sums.length && sums[first]! < least) first++;
  while (last > first && sums[last]! < least) last--;
  return first < last ? [from + first, from + last + 1] : undefined;
}
