import type { Rect, Size } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import type { Sketch } from '../kind.ts';

/** Most cells across and down: fine enough for an eighth of a degree of turn, small enough to compare in a millisecond. */
const ACROSS = 96;
const DOWN = 64;
/** Units of a cell's level: 1/64 of a grey level. */
export const UNITS = 64;

/** Pixels across and down a cell of a region's sketch. */
export function cellOf({ width, height }: Size): number {
  return Math.max(1, Math.ceil(Math.max(width / ACROSS, height / DOWN)));
}

/**
 * The luma of a part of a picture, averaged over square cells, as full-range grey in 64ths of a level: at most 96 × 64
 * cells. Of cells six pixels high and more every other row is left out.
 */
export function sketchOf(picture: Picture, rect: Rect): Sketch {
  const size = cellOf(rect);
  const width = Math.floor(rect.width / size);
  const height = Math.floor(rect.height / size);
  const data = new Uint16Array(width * height);
  const { data: luma, stride } = picture.y;
  const rowStep = size >= 6 ? 2 : 1;
  const rows = Math.ceil(size / rowStep);
  const [zero, scale] = picture.color.fullRange ? [0, UNITS] : [16, (UNITS * 255) / 219];
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
      data[y * width + x] = level < 0 ? 0 : level > 255 * UNITS ? 255 * UNITS : level;
    }
  }
  return { t: picture.t, width, height, data };
}

/** Mean level and standard deviation, in grey levels. */
export function lightOf({ data }: Sketch): { readonly level: number; readonly contrast: number } {
  let [sum, squares] = [0, 0];
  for (const value of data) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / data.length;
  const variance = Math.max(0, squares / data.length - mean * mean);
  return { level: mean / UNITS, contrast: Math.sqrt(variance) / UNITS };
}
