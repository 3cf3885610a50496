import { number } from '../../../schema/build.ts';
import type { CompiledStep, CropShape } from '../step.ts';
import { defineStep, histogram, mapLevels, pixels } from '../step.ts';

// Otsu's and the adaptive threshold are kernels of their own: sharp has fixed levels only.
/** The step `threshold` of a preprocessing chain. */
export const step = defineStep({
  name: 'threshold',
  description:
    'White from a level on, black below: the last step before text is read. `fixed` at `level`; `otsu` at the level that splits the crop into the two most distinct classes (Otsu 1979), for crops with text always in them; `adaptive` at the mean of the surrounding `window` pixels plus `offset`, for uneven backgrounds.',
  options: {
    method: { enum: ['fixed', 'otsu', 'adaptive'], default: 'fixed' },
    level: number([0, 255], undefined, 128),
    window: number([3, 255], undefined, 15),
    offset: number([-255, 255], undefined, 8),
  },
  input: 'grey',
  compile({ method = 'fixed', level = 128, window = 15, offset = 8 }, shape) {
    if (method === 'adaptive') return adaptiveStep(shape, window, offset);
    if (method === 'fixed' && level > 0) {
      const whole = Math.ceil(level);
      return {
        shape,
        sharp: { operation: 'threshold', apply: (image) => image.threshold(whole, { grayscale: false }) },
      };
    }
    return {
      shape,
      kernel(crop) {
        const split = method === 'otsu' ? otsuLevel(histogram(crop)) : level;
        return mapLevels(crop, (value) => (value >= split ? 255 : 0));
      },
    };
  },
});

/**
 * Returns the level that maximises the variance between the classes below it and from it on: the middle of a gap without pixels,
 * 128 for a flat crop.
 */
function otsuLevel(counts: Uint32Array): number {
  let total = 0;
  let sum = 0;
  for (let level = 0; level < 256; level++) {
    total += counts[level]!;
    sum += level * counts[level]!;
  }
  let below = 0;
  let belowSum = 0;
  let best = 128;
  let last = 128;
  let greatest = 0;
  for (let level = 0; level < 255; level++) {
    below += counts[level]!;
    belowSum += level * counts[level]!;
    const above = total - below;
    if (below === 0 || above === 0) continue;
    const spread = (sum - belowSum) / above - belowSum / below;
    const variance = below * above * spread * spread;
    if (variance > greatest) {
      greatest = variance;
      best = level + 1;
    }
    if (variance === greatest) last = level + 1;
  }
  return (best + last) >> 1;
}

/** White where a pixel is above the mean of its window, cut at the crop's edges, plus `offset`; by an integral image. */
function adaptiveStep(shape: CropShape, window: number, offset: number): CompiledStep {
  const { width, height } = shape;
  const radiusX = pixels(window / 2, shape.scaleX, 1);
  const radiusY = pixels(window / 2, shape.scaleY, 1);
  const sums = new Uint32Array((width + 1) * (height + 1));
  return {
    shape,
    kernel({ data }) {
      for (let y = 0; y < height; y++) {
        let row = 0;
        for (let x = 0; x < width; x++) {
          row += data[y * width + x]!;
          sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row;
        }
      }
      const out = new Uint8Array(width * height);
      for (let y = 0; y < height; y++) {
        const top = Math.max(0, y - radiusY) * (width + 1);
        const bottom = Math.min(height, y + radiusY + 1) * (width + 1);
        for (let x = 0; x < width; x++) {
          const left = Math.max(0, x - radiusX);
          const right = Math.min(width, x + radiusX + 1);
          const sum = sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!;
          const count = ((bottom - top) / (width + 1)) * (right - left);
          if ((data[y * width + x]! - offset) * count > sum) out[y * width + x] = 255;
        }
      }
      return { data: out, width, height, channels: 1 };
    },
  };
}
