import { integer, number } from '../../../schema/build.ts';
import { defineStep, identityStep } from '../step.ts';
import { warp } from './perspective.ts';

/** The step `rotate` of a preprocessing chain. */
export const step = defineStep({
  name: 'rotate',
  description:
    'Turns the crop clockwise about its centre; the result is large enough to hold all of it, corners filled with `background`. Multiples of 90° are exact, others bilinear. For slanted HUDs.',
  options: {
    degrees: number([-360, 360]),
    background: integer([0, 255], undefined, 0),
  },
  required: ['degrees'],
  input: 'any',
  compile({ degrees, background = 0 }, shape) {
    const quarters = (((degrees / 90) % 4) + 4) % 4;
    if (quarters === 0) return identityStep(shape);
    if (Number.isInteger(quarters)) {
      const turned = { width: shape.height, height: shape.width, scaleX: shape.scaleY, scaleY: shape.scaleX };
      return {
        shape: quarters % 2 === 1 ? { ...shape, ...turned } : shape,
        sharp: { operation: 'quarter turn', apply: (image) => image.rotate(90 * quarters) },
      };
    }
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const width = Math.ceil(shape.width * Math.abs(cos) + shape.height * Math.abs(sin) - 1e-9);
    const height = Math.ceil(shape.width * Math.abs(sin) + shape.height * Math.abs(cos) - 1e-9);
    // Backwards, about both centres: source = R(−degrees) · (target − its centre) + the crop's centre.
    const x0 = shape.width / 2 - (cos * width) / 2 - (sin * height) / 2;
    const y0 = shape.height / 2 + (sin * width) / 2 - (cos * height) / 2;
    return {
      shape: { ...shape, width, height },
      kernel: (crop) => warp(crop, [cos, sin, x0, -sin, cos, y0, 0, 0, 1], width, height, background),
    };
  },
});
