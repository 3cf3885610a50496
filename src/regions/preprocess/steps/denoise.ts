import { number } from '../../../schema/build.ts';
import { defineStep, identityStep, pixels } from '../step.ts';

/** The step `denoise` of a preprocessing chain. */
export const step = defineStep({
  name: 'denoise',
  description:
    'Median over a square of 2·radius + 1 pixels, per channel: removes specks and compression noise and keeps edges. Edges of the crop are continued outwards.',
  options: { radius: number([0, 7], undefined, 1) },
  input: 'any',
  compile({ radius = 1 }, shape) {
    const size = 2 * pixels(radius, Math.sqrt(shape.scaleX * shape.scaleY), 1) + 1;
    // sharp refuses a window larger than the crop's smaller side; a crop of one pixel has nothing to smooth.
    if (Math.min(shape.width, shape.height) < 2) return identityStep(shape);
    return { shape, sharp: { operation: 'median', apply: (image) => image.median(size) } };
  },
});
