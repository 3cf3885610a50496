import { number } from '../../../schema/build.ts';
import type { Crop } from '../../crop.ts';
import { defineStep, pixels } from '../step.ts';

const radiusSchema = number([0, 32]);

// A kernel of its own: sharp's `erode` and `dilate` work on black and white only, with a square.
/** The step `morphology` of a preprocessing chain. */
export const step = defineStep({
  name: 'morphology',
  description:
    'Gray morphology with a rectangle of 2·radius + 1 pixels: `erode` (darkest), `dilate` (brightest), `open` (erode, then dilate: removes bright specks thinner than the rectangle), `close` (the other way: fills dark gaps). Pixels outside the crop do not count.',
  options: {
    operation: { enum: ['erode', 'dilate', 'open', 'close'] },
    radius: {
      oneOf: [
        radiusSchema,
        {
          type: 'object',
          properties: { x: radiusSchema, y: radiusSchema },
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
      kernel: (crop) => passes.reduce((result, brightest) => extreme(result, radiusX, radiusY, brightest), crop),
    };
  },
});

/** The brightest (or darkest) level of each pixel's rectangle, per channel; along rows, then along columns. */
function extreme(crop: Crop, radiusX: number, radiusY: number, brightest: boolean): Crop {
  const { width, height, channels } = crop;
  const row = width * channels;
  const rows = { length: width, stride: channels, starts: starts(height, row, channels) };
  const columns = { length: height, stride: row, starts: starts(width, channels, channels) };
  const data = extremeAlong(extremeAlong(crop.data, rows, radiusX, brightest), columns, radiusY, brightest);
  return { ...crop, data };
}

/** Lines of `length` samples, `stride` apart, from each of `starts`. */
interface Lines {
  readonly length: number;
  readonly stride: number;
  readonly starts: Int32Array;
}

function starts(lines: number, pitch: number, channels: number): Int32Array {
  return Int32Array.from({ length: lines * channels }, (_, i) => Math.floor(i / channels) * pitch + (i % channels));
}

function extremeAlong(data: Uint8Array, lines: Lines, radius: number, brightest: boolean): Uint8Array {
  if (radius === 0) return data;
  const { length, stride } = lines;
  const out = new Uint8Array(data.length);
  // The least of inverted levels is the greatest level: one comparison serves both.
  const flip = brightest ? 255 : 0;
  for (const start of lines.starts) {
    for (let i = 0; i < length; i++) {
      const last = Math.min(length - 1, i + radius);
      let least = 255;
      for (let j = Math.max(0, i - radius); j <= last; j++) {
        const level = data[start + j * stride]! ^ flip;
        if (level < least) least = level;
      }
      out[start + i * stride] = least ^ flip;
    }
  }
  return out;
}
