import { convertIfWorthwhile } from '../compute/quantize/cost.ts';
import type { Arithmetic } from '../compute/quantize/cost.ts';
import { filterBySimd } from './filter-simd.ts';
import type { Crop } from './step.ts';
import { fixedTaps } from './taps.ts';
import type { Taps } from './taps.ts';

/** A filter made ready for crops of one shape. */
export interface SeparableFilter {
  /** Which arithmetic costs less for this filter and size. */
  readonly arithmetic: Arithmetic;
  run(crop: Crop): Crop;
}

/** Levels by which fixed point may differ from the real weights, before rounding; both passes together. */
const TOLERANCE = 0.5;

/**
 * Filters columns by `down`, then rows by `across`. Runs in 16-bit integers with SIMD where the estimate says that this costs less
 * and the converted weights are near enough, else in doubles. Either way weights sum to 1 in both passes, so that flat areas
 * keep their exact level, and the same crop gives the same bytes on every machine.
 */
export function separableFilter(shape: Omit<Crop, 'data'>, across: Taps, down: Taps): SeparableFilter {
  const { width, height, channels } = shape;
  const [columns, rows] = [across.starts.length, down.starts.length];
  const operation = {
    products: channels * rows * (width * down.length + columns * across.length),
    samples: channels * (width * height + width * rows + columns * rows),
  };
  const fixed = convertIfWorthwhile(operation, {
    convert: () => ({ across: fixedTaps(across), down: fixedTaps(down) }),
    deviation: (taps) => 255 * (taps.across.deviation + taps.down.deviation),
    tolerance: TOLERANCE,
  });
  if (fixed) return { arithmetic: 'fixed', run: (crop) => filterBySimd(crop, fixed.across, fixed.down) };
  return { arithmetic: 'float', run: (crop) => filterByFloats(crop, across, down) };
}

/** The same in doubles. */
export function filterByFloats({ data, width: columns, channels }: Crop, across: Taps, down: Taps): Crop {
  const [width, height] = [across.starts.length, down.starts.length];
  const line = columns * channels;
  const sums = new Float64Array(line);
  const out = new Uint8ClampedArray(width * height * channels);
  let to = 0;
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let k = 0; k < down.length; k++) {
      const weight = down.weights[y * down.length + k]!;
      const from = (down.starts[y]! + k) * line;
      for (let x = 0; x < line; x++) sums[x]! += weight * data[from + x]!;
    }
    for (let i = 0; i < width; i++) {
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        let at = across.starts[i]! * channels + channel;
        for (let k = 0, w = i * across.length; k < across.length; k++, at += channels, w++)
          sum += across.weights[w]! * sums[at]!;
        out[to++] = sum;
      }
    }
  }
  return { data: new Uint8Array(out.buffer), width, height, channels };
}
