import { separableFilter } from '../filter.ts';
import type { StepKind } from '../step.ts';
import { gaussianTaps } from '../taps.ts';

export const step: StepKind<{ readonly sigma?: number; readonly amount?: number }> = {
  name: 'sharpen',
  description:
    'Unsharp mask: adds `amount` times the difference between the crop and its Gaussian blur of `sigma` pixels. Brings out thin strokes that scaling has softened. Flat areas keep their exact level.',
  options: {
    sigma: { type: 'number', minimum: 0.3, maximum: 20, default: 1 },
    amount: { type: 'number', minimum: 0, maximum: 10, default: 1 },
  },
  input: 'any',
  compile({ sigma = 1, amount = 1 }, shape) {
    const across = gaussianTaps(shape.width, sigma * shape.scaleX);
    const down = gaussianTaps(shape.height, sigma * shape.scaleY);
    const filter = separableFilter(shape, across, down);
    const weight = Math.round(amount * 256);
    return {
      shape,
      run(crop) {
        const soft = filter.run(crop).data;
        const data = new Uint8ClampedArray(soft.length);
        for (let i = 0; i < data.length; i++) {
          const level = crop.data[i]!;
          data[i] = level + ((weight * (level - soft[i]!) + 128) >> 8);
        }
        return { ...crop, data: new Uint8Array(data.buffer) };
      },
    };
  },
};
