import { number } from '../../../schema/build.ts';
import { COLOR_SCHEMA, inSpace, parseColor } from '../../color.ts';
import { defineStep, pixelStep } from '../step.ts';

/** The step `isolate` of a preprocessing chain. */
export const step = defineStep({
  name: 'isolate',
  description:
    'White where a pixel is within `tolerance` of one of `colors` (Euclidean distance, levels 0…255), black elsewhere; over `softness` further levels it fades, which keeps anti-aliased edges. Space `rgb`, `ycbcr`, or `chroma` (hue and saturation only: the same color, however bright).',
  options: {
    colors: { type: 'array', items: COLOR_SCHEMA, minItems: 1, maxItems: 16 },
    tolerance: number([0, 442], undefined, 48),
    softness: number([0, 442], undefined, 0),
    space: { enum: ['rgb', 'ycbcr', 'chroma'], default: 'rgb' },
  },
  required: ['colors'],
  input: 'color',
  compile({ colors, tolerance = 48, softness = 0, space = 'rgb' }, shape) {
    const wanted = Float64Array.from(
      colors.flatMap((color) => {
        const [r, g, b] = parseColor(color);
        return space === 'rgb' ? [r, g, b].map(Math.round) : inSpace(r, g, b, space);
      }),
    );
    const level = fade(tolerance, softness);
    return pixelStep(shape, (r, g, b) => {
      const [x, y, z] = inSpace(r, g, b, space);
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < wanted.length; i += 3) {
        const squared = (x - wanted[i]!) ** 2 + (y - wanted[i + 1]!) ** 2 + (z - wanted[i + 2]!) ** 2;
        if (squared < least) least = squared;
      }
      return level(least);
    });
  },
});

/** White up to `tolerance`, black from `tolerance + softness`, linear between; a function of the squared distance. */
function fade(tolerance: number, softness: number): (squared: number) => number {
  const [inner, outer] = [tolerance ** 2, (tolerance + softness) ** 2];
  return (squared) => {
    if (squared <= inner) return 255;
    if (squared >= outer) return 0;
    return Math.round((255 * (tolerance + softness - Math.sqrt(squared))) / softness);
  };
}
