import { number } from '../../../schema/build.ts';
import { toHsv } from '../../color.ts';
import { defineStep, pixelStep } from '../step.ts';

const unitRange = {
  type: 'array',
  items: number([0, 1]),
  minItems: 2,
  maxItems: 2,
} as const;

/** The step `hsv` of a preprocessing chain. */
export const step = defineStep({
  name: 'hsv',
  description:
    'White where hue (degrees; a range such as [340, 20] goes through red), saturation and value (0…1) are all in range, black elsewhere. For elements that keep their hue while they fade, glow or are tinted.',
  options: {
    hue: { type: 'array', items: number([0, 360]), minItems: 2, maxItems: 2 },
    saturation: unitRange,
    value: unitRange,
  },
  input: 'color',
  compile({ hue, saturation = [0, 1], value = [0, 1] }, shape) {
    return pixelStep(shape, (r, g, b) => {
      const [h, s, v] = toHsv(r, g, b);
      if (s < saturation[0] || s > saturation[1] || v < value[0] || v > value[1]) return 0;
      if (!hue) return 255;
      const [from, to] = hue;
      return (from <= to ? h >= from && h <= to : h >= from || h <= to) ? 255 : 0;
    });
  },
});
