import type { Crop, StepKind } from '../step.ts';
import { warp } from '../warp.ts';

interface RotateOptions {
  readonly degrees: number;
  readonly background?: number;
}

export const step: StepKind<RotateOptions> = {
  name: 'rotate',
  description:
    'Turns the crop clockwise about its centre; the result is large enough to hold all of it, corners filled with `background`. Multiples of 90° are exact, others bilinear. For slanted HUDs.',
  options: {
    degrees: { type: 'number', minimum: -360, maximum: 360 },
    background: { type: 'integer', minimum: 0, maximum: 255, default: 0 },
  },
  required: ['degrees'],
  input: 'any',
  compile({ degrees, background = 0 }, shape) {
    const quarters = (((degrees / 90) % 4) + 4) % 4;
    if (Number.isInteger(quarters)) {
      const turned = quarters % 2 === 1;
      const out = turned
        ? { ...shape, width: shape.height, height: shape.width, scaleX: shape.scaleY, scaleY: shape.scaleX }
        : shape;
      return { shape: out, run: (crop) => quarterTurns(crop, quarters) };
    }
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const width = Math.ceil(shape.width * Math.abs(cos) + shape.height * Math.abs(sin) - 1e-9);
    const height = Math.ceil(shape.width * Math.abs(sin) + shape.height * Math.abs(cos) - 1e-9);
    // Backwards, about both centres: source = R(−degrees) · (target − its centre) + the crop's centre.
    const [cx, cy] = [shape.width / 2, shape.height / 2];
    const x0 = cx - (cos * width) / 2 - (sin * height) / 2;
    const y0 = cy + (sin * width) / 2 - (cos * height) / 2;
    return {
      shape: { ...shape, width, height },
      run: (crop) => warp(crop, [cos, sin, x0, -sin, cos, y0, 0, 0, 1], width, height, background),
    };
  },
};

function quarterTurns(crop: Crop, quarters: number): Crop {
  let turned = crop;
  for (let n = 0; n < quarters; n++) turned = clockwise(turned);
  return turned;
}

/** Row y becomes column height − 1 − y. */
function clockwise({ data, width, height, channels }: Crop): Crop {
  const out = new Uint8Array(data.length);
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = (x * height + height - 1 - y) * channels;
      for (let k = 0; k < channels; k++) out[to + k] = data[from++]!;
    }
  }
  return { data: out, width: height, height: width, channels };
}
