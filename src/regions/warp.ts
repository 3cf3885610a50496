import type { Crop } from './step.ts';

/** A projective map of the plane, row by row: (x, y) ↦ ((ax + by + c) / (gx + hy + i), (dx + ey + f) / (gx + hy + i)). */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

type Point = readonly [number, number];

/**
 * The map that takes the unit square's corners (0,0), (1,0), (1,1), (0,1) to the four points (Heckbert 1989, section 2.2.3).
 * @throws RangeError when three of the points lie on a line.
 */
export function squareToQuad([p0, p1, p2, p3]: readonly [Point, Point, Point, Point]): Homography {
  const sumX = p0[0] - p1[0] + p2[0] - p3[0];
  const sumY = p0[1] - p1[1] + p2[1] - p3[1];
  const [dx1, dy1] = [p1[0] - p2[0], p1[1] - p2[1]];
  const [dx2, dy2] = [p3[0] - p2[0], p3[1] - p2[1]];
  const determinant = dx1 * dy2 - dx2 * dy1;
  if (Math.abs(determinant) < 1e-12) throw new RangeError('the corners do not span a quadrilateral');
  const g = (sumX * dy2 - dx2 * sumY) / determinant;
  const h = (dx1 * sumY - sumX * dy1) / determinant;
  return [
    p1[0] - p0[0] + g * p1[0],
    p3[0] - p0[0] + h * p3[0],
    p0[0],
    p1[1] - p0[1] + g * p1[1],
    p3[1] - p0[1] + h * p3[1],
    p0[1],
    g,
    h,
    1,
  ];
}

/**
 * A `width × height` crop whose pixel centres (x + ½, y + ½) are fetched from `map`(x + ½, y + ½) of the source, bilinear with
 * 8-bit weights (integers from there on: a flat crop stays exactly flat). Outside the source its edge is continued, or
 * `background` shows where one is given.
 */
export function warp(crop: Crop, map: Homography, width: number, height: number, background?: number): Crop {
  const { data, channels } = crop;
  const [a, b, c, d, e, f, g, h, i] = map;
  const out = new Uint8Array(width * height * channels);
  const [right, bottom] = [crop.width - 1, crop.height - 1];
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += channels) {
      const px = x + 0.5;
      const py = y + 0.5;
      const w = g * px + h * py + i;
      const sx = (a * px + b * py + c) / w - 0.5;
      const sy = (d * px + e * py + f) / w - 0.5;
      if (background !== undefined && (sx < -0.5 || sy < -0.5 || sx > right + 0.5 || sy > bottom + 0.5)) {
        out.fill(background, to, to + channels);
        continue;
      }
      const fx = Math.round(Math.min(right, Math.max(0, sx)) * 256);
      const fy = Math.round(Math.min(bottom, Math.max(0, sy)) * 256);
      const x0 = fx >> 8;
      const y0 = fy >> 8;
      const wx = fx & 255;
      const wy = fy & 255;
      const left = x0 * channels;
      const next = Math.min(right, x0 + 1) * channels;
      const top = y0 * crop.width * channels;
      const under = Math.min(bottom, y0 + 1) * crop.width * channels;
      for (let k = 0; k < channels; k++) {
        const upper = data[top + left + k]! * (256 - wx) + data[top + next + k]! * wx;
        const lower = data[under + left + k]! * (256 - wx) + data[under + next + k]! * wx;
        out[to + k] = (upper * (256 - wy) + lower * wy + 32768) >> 16;
      }
    }
  }
  return { data: out, width, height, channels };
}
