import type { StepKind } from '../step.ts';
import type { Homography } from '../warp.ts';
import { squareToQuad, warp } from '../warp.ts';

type Point = readonly [number, number];

interface PerspectiveOptions {
  readonly corners: readonly [Point, Point, Point, Point];
  readonly width?: number;
  readonly height?: number;
}

const point = { type: 'array', items: { type: 'number', minimum: -1, maximum: 2 }, minItems: 2, maxItems: 2 };

export const step: StepKind<PerspectiveOptions> = {
  name: 'perspective',
  description:
    'Makes a slanted or curved-away panel a straight rectangle: `corners` are its top left, top right, bottom right and bottom left in fractions of the crop; `width` and `height` of the result in pixels of the reference frame, by default the longer of opposite sides. Bilinear.',
  options: {
    corners: { type: 'array', items: point, minItems: 4, maxItems: 4 },
    width: { type: 'number', exclusiveMinimum: 0, maximum: 4096 },
    height: { type: 'number', exclusiveMinimum: 0, maximum: 4096 },
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
      run: (crop) => warp(crop, map, outWidth, outHeight),
    };
  },
};
