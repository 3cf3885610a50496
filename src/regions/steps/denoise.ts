import type { Crop, StepKind } from '../step.ts';
import { pixels } from '../step.ts';

export const step: StepKind<{ readonly radius?: number }> = {
  name: 'denoise',
  description:
    'Median over a square of 2·radius + 1 pixels, per channel: removes specks and compression noise and keeps edges. Edges of the crop are continued outwards.',
  options: { radius: { type: 'number', minimum: 0, maximum: 7, default: 1 } },
  input: 'any',
  compile({ radius = 1 }, shape) {
    const whole = pixels(radius, Math.sqrt(shape.scaleX * shape.scaleY), 1);
    return { shape, run: (crop) => median(crop, whole) };
  },
};

/** Running histogram along each row (Huang 1979): the window's counts are updated by one column in, one column out. */
function median(crop: Crop, radius: number): Crop {
  const { data, width, height, channels } = crop;
  const out = new Uint8Array(data.length);
  const half = ((2 * radius + 1) ** 2) >> 1;
  const counts = new Uint16Array(256);
  const rows = new Int32Array(2 * radius + 1);
  for (let channel = 0; channel < channels; channel++) {
    for (let y = 0; y < height; y++) {
      for (let i = 0; i < rows.length; i++) {
        rows[i] = Math.min(height - 1, Math.max(0, y + i - radius)) * width * channels + channel;
      }
      counts.fill(0);
      for (let x = -radius; x <= radius; x++) {
        const at = Math.min(width - 1, Math.max(0, x)) * channels;
        for (const row of rows) counts[data[row + at]!]!++;
      }
      let level = 0;
      let below = 0;
      for (let x = 0; x < width; x++) {
        if (x > 0) {
          const gone = Math.max(0, x - radius - 1) * channels;
          const come = Math.min(width - 1, x + radius) * channels;
          for (const row of rows) {
            const old = data[row + gone]!;
            const fresh = data[row + come]!;
            counts[old]!--;
            if (old < level) below--;
            counts[fresh]!++;
            if (fresh < level) below++;
          }
        }
        while (below > half) below -= counts[--level]!;
        while (below + counts[level]! <= half) below += counts[level++]!;
        out[y * width * channels + x * channels + channel] = level;
      }
    }
  }
  return { ...crop, data: out };
}
