import { number } from '../../../schema/build.ts';
import type { PreprocessStep } from '../../../profile/profile.ts';
import { COLOR_SCHEMA, type ColorTriple, parseColor } from '../../color.ts';
import type { Crop } from '../../crop.ts';
import { defineStep, histogram } from '../step.ts';
import { luma } from './grayscale.ts';

/** The step `if` of a preprocessing chain. */
export const step = defineStep({
  name: 'if',
  description:
    'Chooses steps by what the crop holds at this point: the `mean` gray level, its standard `deviation`, the `darkest` or `brightest` level (0…255), or the `share` (0…1) of pixels within `tolerance` of `color`. `then` runs where the measure is above and below the limits given, `else` otherwise; both must end in the same size and channels.',
  options: {
    measure: { enum: ['mean', 'deviation', 'darkest', 'brightest', 'share'] },
    color: COLOR_SCHEMA,
    tolerance: number([0, 442], undefined, 48),
    above: { type: 'number' },
    below: { type: 'number' },
    // oxlint-disable-next-line unicorn/no-thenable -- the name of the option
    then: { $ref: 'urn:playbyplay:preprocess' },
    else: { $ref: 'urn:playbyplay:preprocess' },
  },
  required: ['measure'],
  input: 'either',
  compile(options, shape, compileSteps) {
    const { measure, above = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = options;
    const compileBranch = (branch: unknown) => compileSteps((branch ?? []) as readonly PreprocessStep[], shape);
    const met = compileBranch(options.then);
    const unmet = compileBranch(options.else);
    const [a, b] = [met.shape, unmet.shape];
    if (a.width !== b.width || a.height !== b.height || a.channels !== b.channels) {
      const [first, second] = [a, b].map((s) => `${s.width}×${s.height}×${s.channels}`);
      throw new TypeError(`the branches of "if" end in different shapes: ${first} and ${second}`);
    }
    const { color = [255, 255, 255], tolerance = 48 } = options;
    const take =
      measure === 'share' ? shareOf(parseColor(color), tolerance) : (crop: Crop) => statistics(crop)[measure];
    return {
      shape: a,
      kernel(crop) {
        const value = take(crop);
        return (value > above && value < below ? met : unmet).run(crop);
      },
    };
  },
});

function statistics(crop: Crop): Record<'mean' | 'deviation' | 'darkest' | 'brightest', number> {
  const counts = histogram(toGrey(crop));
  let [total, sum, squares, darkest, brightest] = [0, 0, 0, 255, 0];
  for (let level = 0; level < 256; level++) {
    const count = counts[level]!;
    if (count === 0) continue;
    total += count;
    sum += count * level;
    squares += count * level * level;
    darkest = Math.min(darkest, level);
    brightest = level;
  }
  const mean = sum / total;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / total - mean * mean)), darkest, brightest };
}

function toGrey(crop: Crop): Crop {
  if (crop.channels === 1) return crop;
  const data = new Uint8Array(crop.width * crop.height);
  for (let i = 0, at = 0; i < data.length; i++, at += 3) {
    data[i] = luma(crop.data[at]!, crop.data[at + 1]!, crop.data[at + 2]!);
  }
  return { ...crop, data, channels: 1 };
}

function shareOf([r, g, b]: ColorTriple, tolerance: number): (crop: Crop) => number {
  const limit = tolerance ** 2;
  return ({ data, channels }) => {
    let near = 0;
    for (let at = 0; at < data.length; at += channels) {
      const red = data[at]! - r;
      const green = (channels === 3 ? data[at + 1]! : data[at]!) - g;
      const blue = (channels === 3 ? data[at + 2]! : data[at]!) - b;
      if (red * red + green * green + blue * blue <= limit) near++;
    }
    return (near * channels) / data.length;
  };
}
