import type { ColorOption, StepKind } from '../step.ts';
import { COLOR_SCHEMA, parseColor, pixelStep } from '../step.ts';

interface IsolateOptions {
  readonly colors: readonly ColorOption[];
  readonly tolerance?: number;
  readonly softness?: number;
  readonly space?: 'rgb' | 'ycbcr' | 'chroma';
}

/** Full-range BT.709 Y'CbCr of a colour, chroma centred on 0. */
function ycbcr(r: number, g: number, b: number): readonly [number, number, number] {
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [y, (b - y) / 1.8556, (r - y) / 1.5748];
}

export const step: StepKind<IsolateOptions> = {
  name: 'isolate',
  description:
    'White where a pixel is within `tolerance` of one of `colors` (Euclidean distance, levels 0…255), black elsewhere; over `softness` further levels it fades, which keeps anti-aliased edges. Space `rgb`, `ycbcr`, or `chroma` (hue and saturation only: the same colour, however bright).',
  options: {
    colors: { type: 'array', items: COLOR_SCHEMA, minItems: 1, maxItems: 16 },
    tolerance: { type: 'number', minimum: 0, maximum: 442, default: 48 },
    softness: { type: 'number', minimum: 0, maximum: 442, default: 0 },
    space: { enum: ['rgb', 'ycbcr', 'chroma'], default: 'rgb' },
  },
  required: ['colors'],
  input: 'color',
  compile({ colors, tolerance = 48, softness = 0, space = 'rgb' }, shape) {
    const rgb = colors.map(parseColor);
    const levels = fade(tolerance, softness);
    if (space === 'rgb') {
      const flat = Int32Array.from(rgb.flat().map(Math.round));
      return pixelStep(shape, (r, g, b) => {
        let least = 0x7fffffff;
        for (let i = 0; i < flat.length; i += 3) {
          const red = r - flat[i]!;
          const green = g - flat[i + 1]!;
          const blue = b - flat[i + 2]!;
          const square = red * red + green * green + blue * blue;
          if (square < least) least = square;
        }
        return levels(least);
      });
    }
    const wanted = rgb.map(([r, g, b]) => ycbcr(r, g, b));
    const lumaWeight = space === 'chroma' ? 0 : 1;
    return pixelStep(shape, (r, g, b) => {
      const [y, cb, cr] = ycbcr(r, g, b);
      let least = Number.POSITIVE_INFINITY;
      for (const [wy, wb, wr] of wanted) {
        least = Math.min(least, lumaWeight * (y - wy) ** 2 + (cb - wb) ** 2 + (cr - wr) ** 2);
      }
      return levels(least);
    });
  },
};

/** White up to `tolerance`, black from `tolerance + softness`, linear between; of the squared distance. */
function fade(tolerance: number, softness: number): (square: number) => number {
  const [inner, outer] = [tolerance ** 2, (tolerance + softness) ** 2];
  return (square) => {
    if (square <= inner) return 255;
    if (square >= outer) return 0;
    return Math.round((255 * (tolerance + softness - Math.sqrt(square))) / softness);
  };
}
