import { number } from '../../../schema/build.ts';
import { gaussian } from '../../../compute/quantize/kernel.ts';
import { gaussianTaps, separableFilter } from '../../filter.ts';
import type { CropShape, SharpOperation } from '../step.ts';
import { defineStep } from '../step.ts';

/** The step `blur` of a preprocessing chain. */
export const step = defineStep({
  name: 'blur',
  description:
    'Gaussian blur of standard deviation `sigma` pixels: smooths compression noise and dithering. Flat areas keep their exact level, so that a threshold behind it stays put.',
  options: { sigma: number([0.3, 20]) },
  required: ['sigma'],
  input: 'any',
  compile({ sigma }, shape) {
    const across = gaussianTaps(shape.width, sigma * shape.scaleX);
    const down = gaussianTaps(shape.height, sigma * shape.scaleY);
    const kernel = separableFilter(shape, across, down).run;
    return { shape, kernel, sharp: convolution(gaussianKernel(shape, sigma)) };
  },
});

/** A kernel of odd size, row by row. */
interface Kernel2d {
  readonly width: number;
  readonly height: number;
  readonly weights: number[];
}

/** Returns a Gaussian, whose weights sum to 1, cut at 3σ, wider where a pixel of the crop is smaller. */
export function gaussianKernel({ scaleX, scaleY }: CropShape, sigma: number): Kernel2d {
  const [across, down] = [gaussian(sigma * scaleX), gaussian(sigma * scaleY)];
  const weights = down.flatMap((y) => across.map((x) => x * y));
  return { width: across.length, height: down.length, weights };
}

/** Convolves with real weights and rounds to the nearest level; sharp continues the edges outwards. */
export function convolution({ width, height, weights }: Kernel2d): SharpOperation {
  return {
    operation: 'convolve',
    // sharp truncates real values.
    apply: (image) => image.convolve({ width, height, kernel: weights }).linear(1, 0.5),
  };
}
