import { integer, number } from '../../../schema/build.ts';
import { defineStep, pixels } from '../step.ts';

/** The step `border` of a preprocessing chain. */
export const step = defineStep({
  name: 'border',
  description:
    'Adds a margin of `size` pixels of gray `level` on every side. Recognizers of unknown text need a margin around it.',
  options: {
    size: number([0, 256], undefined, 8),
    level: integer([0, 255], undefined, 255),
  },
  input: 'any',
  compile({ size = 8, level = 255 }, shape) {
    const [x, y] = [pixels(size, shape.scaleX), pixels(size, shape.scaleY)];
    const background = { r: level, g: level, b: level };
    return {
      shape: { ...shape, width: shape.width + 2 * x, height: shape.height + 2 * y },
      sharp: {
        operation: 'extend',
        apply: (image) => image.extend({ top: y, bottom: y, left: x, right: x, background }),
      },
    };
  },
});
