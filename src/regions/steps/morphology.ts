import type { Crop, StepKind } from '../step.ts';
import { pixels } from '../step.ts';

interface MorphologyOptions {
  readonly operation: 'erode' | 'dilate' | 'open' | 'close';
  readonly radius?: number | { readonly x: number; readonly y: number };
}

const radiusNumber = { type: 'number', minimum: 0, maximum: 32 };

export const step: StepKind<MorphologyOptions> = {
  name: 'morphology',
  description:
    'Grey morphology with a rectangle of 2·radius + 1 pixels: `erode` (darkest), `dilate` (brightest), `open` (erode, then dilate: removes bright specks thinner than the rectangle), `close` (the other way: fills dark gaps). Pixels outside the crop do not count.',
  options: {
    operation: { enum: ['erode', 'dilate', 'open', 'close'] },
    radius: {
      oneOf: [
        radiusNumber,
        {
          type: 'object',
          properties: { x: radiusNumber, y: radiusNumber },
          required: ['x', 'y'],
          additionalProperties: false,
        },
      ],
      default: 1,
    },
  },
  required: ['operation'],
  input: 'any',
  compile({ operation, radius = 1 }, shape) {
    const [x, y] = typeof radius === 'number' ? [radius, radius] : [radius.x, radius.y];
    const [radiusX, radiusY] = [pixels(x, shape.scaleX), pixels(y, shape.scaleY)];
    const passes = { erode: [false], dilate: [true], open: [false, true], close: [true, false] }[operation];
    return {
      shape,
      run: (crop) => passes.reduce((result, brightest) => extreme(result, radiusX, radiusY, brightest), crop),
    };
  },
};

/** The brightest (or darkest) level of each pixel's rectangle, per channel; rows first, then columns. */
function extreme(crop: Crop, radiusX: number, radiusY: number, brightest: boolean): Crop {
  const { width, height, channels } = crop;
  const rows = line(crop.data, radiusX, channels, width, width * channels, height, channels, brightest);
  const data = line(rows, radiusY, width * channels, height, channels, width, channels, brightest);
  return { ...crop, data };
}

/** One pass along lines of `length` samples `stride` apart; `lines` lines `lineStep` apart; `inner` interleaved channels. */
function line(
  data: Uint8Array,
  radius: number,
  stride: number,
  length: number,
  lineStep: number,
  lines: number,
  inner: number,
  brightest: boolean,
): Uint8Array {
  if (radius === 0) return data;
  const out = new Uint8Array(data.length);
  // Least of the inverted levels is the greatest: one comparison for both.
  const flip = brightest ? 255 : 0;
  for (let start = 0; start < lines; start++) {
    for (let channel = 0; channel < inner; channel++) {
      const base = start * lineStep + channel;
      for (let i = 0; i < length; i++) {
        const last = Math.min(length - 1, i + radius);
        let least = 255;
        for (let j = Math.max(0, i - radius); j <= last; j++) {
          const level = data[base + j * stride]! ^ flip;
          if (level < least) least = level;
        }
        out[base + i * stride] = least ^ flip;
      }
    }
  }
  return out;
}
