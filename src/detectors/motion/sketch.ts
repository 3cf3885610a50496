import type { Rect, Size } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import type { Sketch } from '../kind.ts';

/** Maximum size of a sketch in cells: resolves turns by an eighth of a degree and is compared within a millisecond. */
const MAX_COLUMNS = 96;
const MAX_ROWS = 64;
/** Sketches store levels in 64ths of a grey level. */
export const UNITS_PER_LEVEL = 64;

/** Side of the square cells of a region's sketch, in pixels. */
export function cellSize({ width, height }: Size): number {
  return Math.max(1, Math.ceil(Math.max(width / MAX_COLUMNS, height / MAX_ROWS)));
}

/**
 * Averages the luma of a part of a picture over square cells, as full-range grey in 64ths of a level. In cells at least six pixels
 * high every other row is skipped.
 */
export function createSketch(picture: Picture, rect: Rect): Sketch {
  const size = cellSize(rect);
  const width = Math.floor(rect.width / size);
  const height = Math.floor(rect.height / size);
  const data = new Uint16Array(width * height);
  const { data: luma, stride } = picture.y;
  const rowStep = size >= 6 ? 2 : 1;
  const rows = Math.ceil(size / rowStep);
  const [zero, scale] = picture.color.fullRange ? [0, UNITS_PER_LEVEL] : [16, (UNITS_PER_LEVEL * 255) / 219];
  const per = scale / (rows * size);
  const sums = new Uint32Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let row = 0; row < size; row += rowStep) {
      let at = (rect.y + y * size + row) * stride + rect.x;
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (const end = at + size; at < end; at++) sum += luma[at]!;
        sums[x]! += sum;
      }
    }
    for (let x = 0; x < width; x++) {
      const level = Math.round((sums[x]! - zero * rows * size) * per);
      data[y * width + x] = level < 0 ? 0 : level > 255 * UNITS_PER_LEVEL ? 255 * UNITS_PER_LEVEL : level;
    }
  }
  return { t: picture.t, width, height, data };
}

/** Mean level and standard deviation, in grey levels. */
export function brightness({ data }: Sketch): { readonly level: number; readonly contrast: number } {
  let [sum, squares] = [0, 0];
  for (const value of data) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / data.length;
  const variance = Math.max(0, squares / data.length - mean * mean);
  return { level: mean / UNITS_PER_LEVEL, contrast: Math.sqrt(variance) / UNITS_PER_LEVEL };
}
