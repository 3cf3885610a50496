import type { StepKind } from '../step.ts';
import { pixels } from '../step.ts';

export const step: StepKind<{ readonly size?: number; readonly level?: number }> = {
  name: 'border',
  description:
    'Adds a margin of `size` pixels of grey `level` on every side. Recognisers of unknown text want some room around it.',
  options: {
    size: { type: 'number', minimum: 0, maximum: 256, default: 8 },
    level: { type: 'integer', minimum: 0, maximum: 255, default: 255 },
  },
  input: 'any',
  compile({ size = 8, level = 255 }, shape) {
    const [marginX, marginY] = [pixels(size, shape.scaleX), pixels(size, shape.scaleY)];
    const width = shape.width + 2 * marginX;
    const height = shape.height + 2 * marginY;
    return {
      shape: { ...shape, width, height },
      run(crop) {
        const { channels } = crop;
        const data = new Uint8Array(width * height * channels).fill(level);
        for (let y = 0; y < crop.height; y++) {
          const row = crop.data.subarray(y * crop.width * channels, (y + 1) * crop.width * channels);
          data.set(row, ((y + marginY) * width + marginX) * channels);
        }
        return { data, width, height, channels };
      },
    };
  },
};
