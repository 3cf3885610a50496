import type { Rect, Size } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';

/** Possible sides of the game's picture, in pixels of the frame, from outside to inside. The frame's edges come first. */
export interface Borders {
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly top: readonly number[];
  readonly bottom: readonly number[];
}

/** Range of luma between pictures from which a sample is moving. */
const MIN_MOTION_LEVELS = 14;
/** Highest luma of a black bar (black is 16 in limited range). */
const MAX_BLACK_LEVEL = 30;
/** Share of a row's or column's samples that must differ from a black bar, or move, within the game's picture. */
const MIN_LIT_SHARE = 0.01;
const MIN_MOVING_SHARE = 0.35;
/** Rows of the grid on which motion is measured. */
const MAX_GRID_ROWS = 720;

/** The range of luma in every cell of a grid, over some pictures of one recording. */
interface Ranges {
  readonly columns: number;
  readonly rows: number;
  readonly step: number;
  readonly low: Uint8Array;
  readonly high: Uint8Array;
}

/** Finds the borders of black bars and of the moving area: a window on a desktop, a game within an overlay. */
export function findBorders(pictures: readonly Picture[]): Borders {
  const [{ width, height }] = pictures as [Picture];
  const ranges = measureRanges(pictures);
  const lit = findExtent(
    ranges,
    (low, high) => high > MAX_BLACK_LEVEL || high - low > MIN_MOTION_LEVELS,
    MIN_LIT_SHARE,
  );
  const moving = findExtent(ranges, (low, high) => high - low > MIN_MOTION_LEVELS, MIN_MOVING_SHARE);
  const found = [lit, moving].filter((one) => one !== undefined);
  const sides = (own: number, pick: (one: Extent) => number): number[] => [
    ...new Set([
      own,
      ...found.map((one) => Math.min(pick(one) * ranges.step, own === 0 ? pick(one) * ranges.step : own)),
    ]),
  ];
  return {
    left: sides(0, (one) => one.left),
    right: sides(width, (one) => one.right),
    top: sides(0, (one) => one.top),
    bottom: sides(height, (one) => one.bottom),
  };
}

/** Whether the outermost percent of a side of the picture is black. */
export function hasBlackBorder({ y, width, height }: Picture): boolean {
  const black = (x: number, line: number): boolean => y.data[line * y.stride + x]! <= MAX_BLACK_LEVEL;
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

function measureRanges(pictures: readonly Picture[]): Ranges {
  const [{ width, height }] = pictures as [Picture];
  const step = Math.max(1, Math.floor(height / MAX_GRID_ROWS));
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

/** Finds the rectangle outside of which fewer than `share` of the cells of any row or column are inside. */
function findExtent(
  ranges: Ranges,
  isInside: (low: number, high: number) => boolean,
  share: number,
): Extent | undefined {
  const { columns, rows, low, high } = ranges;
  const cells = new Uint8Array(low.length);
  for (let i = 0; i < cells.length; i++) cells[i] = isInside(low[i]!, high[i]!) ? 1 : 0;
  let box: Extent = { left: 0, right: columns, top: 0, bottom: rows };
  for (let pass = 0; pass < 3; pass++) {
    const across = findSpan(columnSums(cells, columns, box), box.left, share * Math.max(1, box.bottom - box.top));
    if (!across) return undefined;
    box = { ...box, left: across[0], right: across[1] };
    const down = findSpan(rowSums(cells, columns, box), box.top, share * Math.max(1, box.right - box.left));
    if (!down) return undefined;
    box = { ...box, top: down[0], bottom: down[1] };
  }
  return box;
}

function columnSums(cells: Uint8Array, columns: number, { left, right, top, bottom }: Extent): Uint32Array {
  const sums = new Uint32Array(right - left);
  for (let row = top; row < bottom; row++)
    for (let n = 0, at = row * columns + left; n < sums.length; n++, at++) sums[n]! += cells[at]!;
  return sums;
}

function rowSums(cells: Uint8Array, columns: number, { left, right, top, bottom }: Extent): Uint32Array {
  const sums = new Uint32Array(bottom - top);
  for (let n = 0; n < sums.length; n++)
    for (let at = (top + n) * columns + left, end = at + right - left; at < end; at++) sums[n]! += cells[at]!;
  return sums;
}

/** Returns the half-open span between the first and the last sum of at least `min`; the first sum is at `from`. */
function findSpan(sums: Uint32Array, from: number, min: number): readonly [number, number] | undefined {
  let [first, last] = [0, sums.length - 1];
  while (first < sums.length && sums[first]! < min) first++;
  while (last > first && sums[last]! < min) last--;
  return first < last ? [from + first, from + last + 1] : undefined;
}

/** Samples taken along a line; its position is exact. */
const MAX_SAMPLES_ALONG_LINE = 270;
/** Smallest step of luma across a line. */
const MIN_STEP_LEVELS = 6;
/** Distance in pixels at which the step is compared with its surroundings: recordings are blurred by a pixel or two. */
const BLUR_PIXELS = 2;
/** Share of a line's samples, over all pictures, with a step. */
const MIN_STEP_SHARE = 0.45;
/** Lines per direction; other static lines than the window's two are among them. */
const MAX_LINES = 14;
/** Smallest side of a window, and largest distance of a line's end from a corner, as shares of the frame. */
const MIN_WINDOW_SIDE = 0.2;
const MAX_CORNER_DISTANCE = 0.02;
const MAX_OUTLINES = 12;
/** Outlines that differ less are the same. */
const SAME_OUTLINE_PIXELS = 2;

/** A static line between the samples `at - 1` and `at`; its ends in pixels along it. */
interface Line {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

/**
 * Finds rectangles whose outline is visible in all pictures, whatever moves inside and outside: along the border of a picture
 * within another, samples on either side nearly always differ.
 *
 * @param aspect Aspect ratio of a likely window.
 * @returns Rectangles in pixels, the likeliest first. Some of their sides may be the frame's.
 */
export function findOutlines(pictures: readonly Picture[], aspect: number): readonly Rect[] {
  const [frame] = pictures;
  if (!frame || frame.width < 64 || frame.height < 64) return [];
  const vertical = findLines(pictures, frame.width, frame.height, 'vertical');
  const horizontal = findLines(pictures, frame.height, frame.width, 'horizontal');
  const found: { readonly rect: Rect; readonly score: number }[] = [];
  const columns = [frameEdge(0, frame.height), ...vertical, frameEdge(frame.width, frame.height)];
  const rows = [frameEdge(0, frame.width), ...horizontal, frameEdge(frame.height, frame.width)];
  for (const left of columns)
    for (const right of columns) {
      if (right.at - left.at < MIN_WINDOW_SIDE * frame.width) continue;
      for (const top of rows)
        for (const bottom of rows) {
          if (bottom.at - top.at < MIN_WINDOW_SIDE * frame.height) continue;
          const score = scoreOutline(left, right, top, bottom, frame);
          if (score === undefined) continue;
          const rect = { x: left.at, y: top.at, width: right.at - left.at, height: bottom.at - top.at };
          const isUnusual = Math.abs(Math.log(rect.width / rect.height / aspect)) > 0.02;
          found.push({ rect, score: score - (isUnusual ? 0.5 : 0) });
        }
    }
  const selected: Rect[] = [];
  for (const { rect } of found.toSorted((a, b) => b.score - a.score)) {
    if (selected.length === MAX_OUTLINES) break;
    if (!selected.some((one) => isSameOutline(one, rect))) selected.push(rect);
  }
  return selected;
}

function isSameOutline(a: Rect, b: Rect): boolean {
  return near(a.x, b.x) && near(a.y, b.y) && near(a.x + a.width, b.x + b.width) && near(a.y + a.height, b.y + b.height);
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME_OUTLINE_PIXELS;
}

function frameEdge(at: number, length: number): Line {
  return { at, from: 0, to: length, score: 0 };
}

/** Scores how well four lines form a window; undefined where a line is too short. */
function scoreOutline(left: Line, right: Line, top: Line, bottom: Line, { width, height }: Size): number | undefined {
  const isEdge = (one: Line): boolean => one.score === 0;
  if ([left, right, top, bottom].every(isEdge)) return undefined;
  let score = 0;
  for (const [line, from, to, whole] of [
    [left, top.at, bottom.at, height],
    [right, top.at, bottom.at, height],
    [top, left.at, right.at, width],
    [bottom, left.at, right.at, width],
  ] as const) {
    if (isEdge(line)) {
      score += 0.5;
      continue;
    }
    const covered = (Math.min(line.to, to) - Math.max(line.from, from)) / (to - from);
    // A webcam may cover a corner of it.
    if (covered < 0.6) return undefined;
    const ends =
      Math.abs(line.from - from) <= MAX_CORNER_DISTANCE * whole &&
      Math.abs(line.to - to) <= MAX_CORNER_DISTANCE * whole;
    score += line.score * covered + (ends ? 0.5 : 0);
  }
  return score;
}

/** Finds static lines of one direction. `across` is the size of the frame at right angles to them. */
function findLines(
  pictures: readonly Picture[],
  across: number,
  along: number,
  direction: 'vertical' | 'horizontal',
): readonly Line[] {
  const step = Math.max(1, Math.floor(along / MAX_SAMPLES_ALONG_LINE));
  const count = Math.floor(along / step);
  const steps = new Uint8Array(across * count);
  for (const { y } of pictures) {
    const [next, nextLine] = direction === 'vertical' ? [1, y.stride] : [y.stride, 1];
    for (let n = 0; n < count; n++) countSteps(y.data, n * step * nextLine, next, across, steps.subarray(n * across));
  }
  const lines: Line[] = [];
  for (let at = BLUR_PIXELS; at <= across - BLUR_PIXELS; at++) {
    const line = findLongestPart(steps, at, across, count, pictures.length);
    if (line && line.to - line.from >= (MIN_WINDOW_SIDE * along) / step)
      lines.push({ ...line, at, from: line.from * step, to: Math.min(along, line.to * step) });
  }
  const selected: Line[] = [];
  for (const line of lines.toSorted((a, b) => weight(b) - weight(a))) {
    if (selected.length === MAX_LINES) break;
    if (!selected.some(({ at }) => Math.abs(at - line.at) <= BLUR_PIXELS)) selected.push(line);
  }
  return selected;
}

function weight({ from, to, score }: Line): number {
  return score * Math.sqrt(to - from);
}

/** Counts, per position in a row of samples, the steps that are greater than the steps around them. */
function countSteps(data: Uint8Array, from: number, next: number, count: number, steps: Uint8Array): void {
  for (let at = BLUR_PIXELS + 1; at < count - BLUR_PIXELS - 1; at++) {
    const here = from + at * next;
    const jump = Math.abs(data[here]! - data[here - next]!);
    const before = Math.abs(data[here - BLUR_PIXELS * next]! - data[here - (BLUR_PIXELS + 1) * next]!);
    const after = Math.abs(data[here + (BLUR_PIXELS + 1) * next]! - data[here + BLUR_PIXELS * next]!);
    if (jump > MIN_STEP_LEVELS && jump > before + after) steps[at]!++;
  }
}

/** Finds the part of a line with the greatest sum of step shares above `MIN_STEP_SHARE`. */
function findLongestPart(
  steps: Uint8Array,
  at: number,
  across: number,
  count: number,
  pictures: number,
): { readonly from: number; readonly to: number; readonly score: number } | undefined {
  let [sum, start, best] = [0, 0, 0];
  let found: { from: number; to: number } | undefined;
  for (let n = 0; n < count; n++) {
    sum += steps[n * across + at]! / pictures - MIN_STEP_SHARE;
    if (sum <= 0) [sum, start] = [0, n + 1];
    else if (sum > best) {
      best = sum;
      found = { from: start, to: n + 1 };
    }
  }
  return found && { ...found, score: best / (found.to - found.from) + MIN_STEP_SHARE };
}
