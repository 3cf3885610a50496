import { number } from '../../../schema/build.ts';
import { convolution, gaussianKernel } from './blur.ts';
import { defineStep } from '../step.ts';

/** The step `sharpen` of a preprocessing chain. */
export const step = defineStep({
  name: 'sharpen',
  description:
    'Unsharp mask: adds `amount` times the difference between the crop and its Gaussian blur of `sigma` pixels. Brings out thin strokes that scaling has softened. Flat areas keep their exact level.',
  options: {
    sigma: number([0.3, 20], undefined, 1),
    amount: number([0, 10], undefined, 1),
  },
  input: 'any',
  compile({ sigma = 1, amount = 1 }, shape) {
    const blur = gaussianKernel(shape, sigma);
    const centre = (blur.weights.length - 1) / 2;
    const weights = blur.weights.map((weight, i) => (i === centre ? 1 + amount : 0) - amount * weight);
    return { shape, sharp: convolution({ ...blur, weights }) };
  },
});
