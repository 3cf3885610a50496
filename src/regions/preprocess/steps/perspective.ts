import { number, positive } from '../../../schema/build.ts';
import type { Crop } from '../../crop.ts';
import { defineStep } from '../step.ts';

type Point = readonly [number, number];

const point = { type: 'array', items: number([-1, 2]), minItems: 2, maxItems: 2 } as const;

// A kernel of its own: sharp has affine maps only.
/** The step `perspective` of a preprocessing chain. */
export const step = defineStep({
  name: 'perspective',
  description:
    'Makes a slanted or curved-away panel a straight rectangle: `corners` are its top left, top right, bottom right and bottom left in fractions of the crop; `width` and `height` of the result in pixels of the reference frame, by default the longer of opposite sides. Bilinear.',
  options: {
    corners: { type: 'array', items: point, minItems: 4, maxItems: 4 },
    width: positive(4096),
    height: positive(4096),
  },
  required: ['corners'],
  input: 'any',
  compile({ corners, width, height }, shape) {
    const at = corners.map(([x, y]): Point => [x * shape.width, y * shape.height]) as unknown as readonly [
      Point,
      Point,
      Point,
      Point,
    ];
    const side = (from: Point, to: Point): number => Math.hypot(to[0] - from[0], to[1] - from[1]);
    const across = width === undefined ? Math.max(side(at[0], at[1]), side(at[3], at[2])) : width * shape.scaleX;
    const down = height === undefined ? Math.max(side(at[0], at[3]), side(at[1], at[2])) : height * shape.scaleY;
    const [outWidth, outHeight] = [Math.max(1, Math.round(across)), Math.max(1, Math.round(down))];
    const [a, b, c, d, e, f, g, h, i] = squareToQuad(at);
    const map: Homography = [
      a / outWidth,
      b / outHeight,
      c,
      d / outWidth,
      e / outHeight,
      f,
      g / outWidth,
      h / outHeight,
      i,
    ];
    return {
      shape: { ...shape, width: outWidth, height: outHeight },
      kernel: (crop) => warp(crop, map, outWidth, outHeight),
    };
  },
});

/** A projective map of the plane, row by row: (x, y) ↦ ((ax + by + c) / (gx + hy + i), (dx + ey + f) / (gx + hy + i)). */
type Homography = readonly [number, number, number, number, number, number, number, number, number];

/**
 * Returns the map that takes the unit square's corners (0,0), (1,0), (1,1), (0,1) to the four points (Heckbert 1989,
 * section 2.2.3).
 *
 * @throws RangeError if three of the points lie on a line.
 */
function squareToQuad([p0, p1, p2, p3]: readonly [Point, Point, Point, Point]): Homography {
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
 * Resamples a crop: each pixel centre of the `width` × `height` result is fetched from where `map` takes it, bilinear with 8-bit
 * integer weights, so that a flat crop stays exactly flat.
 *
 * @param background Level outside the source; without it the source's edge is continued.
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
