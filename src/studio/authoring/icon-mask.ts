import type { Size } from '../../geometry.ts';
import type { Crop } from '../../regions/crop.ts';

/** An icon cut out of frames: colours with a mask. */
export interface CutIcon extends Size {
  /** Where it lies in the crops. */
  readonly x: number;
  readonly y: number;
  /** Red, green, blue, and 255 where the icon is. */
  readonly rgba: Uint8Array;
  /** Number of pixels of the icon. */
  readonly pixels: number;
}

/** A click on the icon, in pixels of the crops. */
export interface MaskPoint {
  readonly x: number;
  readonly y: number;
}

/** Largest difference, in levels of a channel, between crops in which a pixel stays the same: what compression does. */
const DEFAULT_TOLERANCE = 24;
/** Largest step between neighbouring pixels of a single crop that belong together. */
const SINGLE_TOLERANCE = 18;
/** Share of the crops in which the neighbourhood of a click must look alike. */
const MIN_SAME_SHARE = 0.5;

/**
 * Finds the pixels of an icon from clicks on it: those connected with a click that look the same in all crops, while the scene
 * behind the icon changes. With one crop, those connected by similar colours.
 *
 * @param crops RGB crops of one place, the first of which was clicked on. Those in which the clicked pixels look different are left out:
 *   they show another icon.
 * @param tolerance Levels by which a pixel may differ between crops.
 * @returns Undefined where the clicked pixels do not stay the same.
 */
export function cutIcon(
  crops: readonly Crop[],
  points: readonly MaskPoint[],
  tolerance = DEFAULT_TOLERANCE,
): CutIcon | undefined {
  const [first] = crops;
  if (!first || points.length === 0) return undefined;
  const { width, height } = first;
  const like = crops.filter(
    (crop) =>
      crop.width === width &&
      crop.height === height &&
      points.every((point) => shareAlike(first, crop, point, tolerance) >= MIN_SAME_SHARE),
  );
  const middle = medianColours(like);
  const isSame = (at: number): boolean =>
    like.every((crop) => [0, 1, 2].every((c) => Math.abs(crop.data[3 * at + c]! - middle[3 * at + c]!) <= tolerance));
  const mask = new Uint8Array(width * height);
  const open = points.map(({ x, y }) => Math.round(y) * width + Math.round(x)).filter((at) => isSame(at));
  if (open.length === 0) return undefined;
  for (const at of open) mask[at] = 1;
  const isJoined = (from: number, to: number): boolean =>
    like.length > 1 ||
    [0, 1, 2].every((c) => Math.abs(middle[3 * from + c]! - middle[3 * to + c]!) <= SINGLE_TOLERANCE);
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const next of neighbours(at, width, height))
      if (mask[next] === 0 && isSame(next) && isJoined(at, next)) {
        mask[next] = 1;
        open.push(next);
      }
  fillHoles(mask, width, height, isSame);
  return cut(mask, middle, width, height);
}

/** The share of the pixels around a point that two crops have in common. */
function shareAlike(a: Crop, b: Crop, { x, y }: MaskPoint, tolerance: number): number {
  let [same, all] = [0, 0];
  for (let row = Math.max(0, Math.round(y) - 2); row <= Math.min(a.height - 1, Math.round(y) + 2); row++)
    for (let col = Math.max(0, Math.round(x) - 2); col <= Math.min(a.width - 1, Math.round(x) + 2); col++) {
      const at = 3 * (row * a.width + col);
      all++;
      if ([0, 1, 2].every((c) => Math.abs(a.data[at + c]! - b.data[at + c]!) <= tolerance)) same++;
    }
  return same / Math.max(1, all);
}

function medianColours(crops: readonly Crop[]): Uint8Array {
  const [first] = crops;
  const middle = new Uint8Array(first!.data.length);
  const levels = new Uint8Array(crops.length);
  for (let i = 0; i < middle.length; i++) {
    for (const [n, crop] of crops.entries()) levels[n] = crop.data[i]!;
    middle[i] = levels.toSorted()[levels.length >> 1]!;
  }
  return middle;
}

function neighbours(at: number, width: number, height: number): readonly number[] {
  const [x, y] = [at % width, Math.floor(at / width)];
  return [
    ...(x > 0 ? [at - 1] : []),
    ...(x < width - 1 ? [at + 1] : []),
    ...(y > 0 ? [at - width] : []),
    ...(y < height - 1 ? [at + width] : []),
  ];
}

/** Adds pixels that stay the same and that the icon surrounds. */
function fillHoles(mask: Uint8Array, width: number, height: number, isSame: (at: number) => boolean): void {
  const outside = new Uint8Array(mask.length);
  const open: number[] = [];
  for (let at = 0; at < mask.length; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const isEdge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
    if (isEdge && mask[at] === 0) open.push(at);
  }
  for (const at of open) outside[at] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const next of neighbours(at, width, height))
      if (mask[next] === 0 && outside[next] === 0) {
        outside[next] = 1;
        open.push(next);
      }
  for (let at = 0; at < mask.length; at++) if (mask[at] === 0 && outside[at] === 0 && isSame(at)) mask[at] = 1;
}

function cut(mask: Uint8Array, colours: Uint8Array, width: number, height: number): CutIcon {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < mask.length; at++) {
    if (mask[at] === 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const size = { width: right - left + 1, height: bottom - top + 1 };
  const rgba = new Uint8Array(4 * size.width * size.height);
  let pixels = 0;
  for (let row = 0; row < size.height; row++)
    for (let col = 0; col < size.width; col++) {
      const from = (top + row) * width + left + col;
      const to = 4 * (row * size.width + col);
      rgba.set(colours.subarray(3 * from, 3 * from + 3), to);
      rgba[to + 3] = mask[from] === 0 ? 0 : 255;
      pixels += mask[from]!;
    }
  return { x: left, y: top, ...size, rgba, pixels };
}

/**
 * The colour at a point, as profiles write it: the median of the pixels around it, so that compression does not count.
 *
 * @param radius Pixels on each side.
 */
export function pickColor({ data, width, height }: Crop, { x, y }: MaskPoint, radius = 1): string {
  const levels: number[][] = [[], [], []];
  for (let row = Math.max(0, Math.round(y) - radius); row <= Math.min(height - 1, Math.round(y) + radius); row++)
    for (let col = Math.max(0, Math.round(x) - radius); col <= Math.min(width - 1, Math.round(x) + radius); col++)
      for (const c of [0, 1, 2]) levels[c]!.push(data[3 * (row * width + col) + c]!);
  return `#${levels
    .map((own) => own.toSorted((a, b) => a - b)[own.length >> 1] ?? 0)
    .map((level) => level.toString(16).padStart(2, '0'))
    .join('')}`;
}
