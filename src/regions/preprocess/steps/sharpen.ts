import { convolution, gaussianKernel } from './blur.ts';
import { defineStep } from '../step.ts';

/** The step `sharpen` of a preprocessing chain. */
export const step = defineStep({
  name: 'sharpen',
  description:
    'Unsharp mask: adds `amount` times the difference between the crop and its Gaussian blur of `sigma` pixels. Brings out thin strokes that scaling has softened. Flat areas keep their exact level.',
  options: {
    sigma: { type: 'number', minimum: 0.3, maximum: 20, default: 1 },
    amount: { type: 'number', minimum: 0, maximum: 10, default: 1 },
  },
  input: 'any',
  compile({ sigma = 1, amount = 1 }, shape) {
    const blur = gaussianKernel(shape, sigma);
    const centre = (blur.weights.length - 1) / 2;
    const weights = blur.weights.map((weight, i) => (i === centre ? 1 + amount : 0) - amount * weight);
    return { shape, sharp: convolution({ ...blur, weights }) };
  },
});
