import { separableFilter } from '../filter.ts';
import type { StepKind } from '../step.ts';
import { gaussianTaps } from '../taps.ts';

export const step: StepKind<{ readonly sigma: number }> = {
  name: 'blur',
  description:
    'Gaussian blur of standard deviation `sigma` pixels: smooths compression noise and dithering. Flat areas keep their exact level, so that a threshold behind it stays put.',
  options: { sigma: { type: 'number', minimum: 0.3, maximum: 20 } },
  required: ['sigma'],
  input: 'any',
  compile({ sigma }, shape) {
    const across = gaussianTaps(shape.width, sigma * shape.scaleX);
    const down = gaussianTaps(shape.height, sigma * shape.scaleY);
    const filter = separableFilter(shape, across, down);
    return { shape, run: (crop) => filter.run(crop) };
  },
};
