import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PreprocessStep } from '../profile/profile.ts';
import type { Crop } from './crop.ts';
import {
  filterByFloats,
  filterBySimd,
  type FixedTaps,
  fixedTaps,
  FRACTION_BITS,
  gaussianTaps,
  resamplingTaps,
  separableFilter,
} from './filter.ts';
import { compilePreprocess } from './preprocess/compile.ts';

function noise(width: number, height: number, channels: 1 | 3, seed = 3): Crop {
  let state = seed;
  const data = Uint8Array.from({ length: width * height * channels }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  return { data, width, height, channels };
}

const clamp = (at: number, size: number): number => Math.min(size - 1, Math.max(0, at));

async function apply(crop: Crop, step: PreprocessStep, scale = 1): Promise<Crop> {
  // A level step that changes nothing makes the chain start as grey where the crop is.
  const steps = crop.channels === 1 ? [step, { step: 'grayscale' }] : [step];
  const { width, height } = crop;
  return compilePreprocess(steps, { width, height, scaleX: scale, scaleY: scale }).run(crop);
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a, (value, i) => Math.abs(value - b[i]!)).reduce((most, d) => Math.max(most, d), 0);

/** The RGB levels at least `margin` pixels from every edge. */
function inside(data: Uint8Array, width: number, height: number, margin: number): Uint8Array {
  const kept = (at: number, size: number): boolean => at >= margin && at < size - margin;
  return data.filter((_, i) => kept(Math.floor(i / 3) % width, width) && kept(Math.floor(i / 3 / width), height));
}

/** The textbook filter in doubles: every output sample is a weighted mean of all input samples, ends continued. */
function reference(line: number[], output: number, step: number, weight: (distance: number) => number): number[] {
  return Array.from({ length: output }, (_, i) => {
    const centre = (i + 0.5) * step - 0.5;
    let [sum, total] = [0, 0];
    for (let j = -80; j < line.length + 80; j++) {
      const w = weight(j - centre);
      sum += w * line[Math.min(line.length - 1, Math.max(0, j))]!;
      total += w;
    }
    return sum / total;
  });
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

describe('filters', () => {
  it('preserve every uniform level exactly for any kernel and size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 255 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 30, max: 900 }),
        (level, input, output, hundredths) => {
          const crop: Crop = { data: new Uint8Array(input * 2).fill(level), width: input, height: 2, channels: 1 };
          const across = [
            resamplingTaps(input, output, input / output, 'lanczos'),
            resamplingTaps(input, output, input / output, 'linear'),
            gaussianTaps(input, hundredths / 100),
          ];
          const down = gaussianTaps(2, 0.7);
          for (const taps of across) {
            for (const { data } of [
              filterByFloats(crop, taps, down),
              filterBySimd(crop, fixedTaps(taps), fixedTaps(down)),
            ]) {
              expect(data.every((value) => value === level)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([0.5, 1, 2.5, 6])('blur of σ = %d is the Gaussian within one level', async (sigma) => {
    const crop = noise(37, 1, 1);
    const cut = Math.ceil(3 * sigma);
    const expected = reference([...crop.data], 37, 1, (d) =>
      Math.abs(d) <= cut ? Math.exp(-(d * d) / (2 * sigma * sigma)) : 0,
    );
    expect(worst((await apply(crop, { step: 'blur', sigma })).data, expected)).toBeLessThanOrEqual(0.6);
  });

  it.each([
    ['linear', 3],
    ['linear', 0.4],
    ['lanczos', 3],
    ['lanczos', 2.5],
    ['lanczos', 0.37],
  ] as const)('%s by %d is the textbook filter within one level', async (filter, factor) => {
    const crop = noise(41, 1, 1);
    const step = 1 / factor;
    const wide = Math.max(1, step);
    const weight =
      filter === 'linear'
        ? (d: number) => Math.max(0, 1 - Math.abs(d / wide))
        : (d: number) => (Math.abs(d / wide) < 3 ? sinc(d / wide) * sinc(d / wide / 3) : 0);
    const width = Math.round(41 * factor);
    const taps = resamplingTaps(41, width, step, filter);
    const expected = reference([...crop.data], width, step, weight).map((value) => Math.min(255, Math.max(0, value)));
    const down = gaussianTaps(1, 1);
    expect(worst(filterByFloats(crop, taps, down).data, expected)).toBeLessThanOrEqual(0.5001);
    expect(worst(filterBySimd(crop, fixedTaps(taps), fixedTaps(down)).data, expected)).toBeLessThanOrEqual(0.7);
  });

  // Tolerances, worst and mean, of the kernels that are used instead of sharp, inside the crop. libvips shrinks in two stages, which
  // shows at the finest detail, and enlarges by interpolation between 64 positions, bicubic where Lanczos is asked for.
  it.each([
    ['blur', { step: 'blur', sigma: 0.7 }, 1, 0.5],
    ['a wide blur', { step: 'blur', sigma: 2.5 }, 1, 0.5],
    ['linear shrinking', { step: 'resize', factor: 0.5, filter: 'linear' }, 3, 0.5],
    ['Lanczos shrinking', { step: 'resize', factor: 0.5 }, 3, 0.5],
    ['linear enlargement', { step: 'resize', factor: 3, filter: 'linear' }, 12, 3],
    ['Lanczos enlargement', { step: 'resize', factor: 1.5 }, 28, 6],
  ] as const)('%s agrees with sharp', async (_, step, worstAllowed, meanAllowed) => {
    const [width, height] = [60, 40];
    const soft = await apply(noise(width, height, 3), { step: 'blur', sigma: 1 });
    const shape = { width, height, scaleX: 1, scaleY: 1 };
    const ours = await compilePreprocess([step], shape).run(soft);
    const theirs = await compilePreprocess([step], shape, { engine: 'sharp' }).run(soft);
    expect([ours.width, ours.height]).toEqual([theirs.width, theirs.height]);
    const [a, b] = [ours, theirs].map((crop) => inside(crop.data, crop.width, crop.height, 6)) as [
      Uint8Array,
      Uint8Array,
    ];
    const mean = a.reduce((sum, level, i) => sum + Math.abs(level - b[i]!), 0) / a.length;
    expect(worst(a, b)).toBeLessThanOrEqual(worstAllowed);
    expect(mean).toBeLessThanOrEqual(meanAllowed);
  });

  it('enlarges by nearest exactly', async () => {
    const crop = noise(60, 40, 3);
    const enlarged = Array.from({ length: 180 * 120 * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % 180, Math.floor(i / 540)];
      return crop.data[(Math.floor(y / 3) * 60 + Math.floor(x / 3)) * 3 + (i % 3)]!;
    });
    expect((await apply(crop, { step: 'resize', factor: 3, filter: 'nearest' })).data).toEqual(
      Uint8Array.from(enlarged),
    );
  });

  it('sharpen adds the difference to the blur, and leaves flat areas alone', async () => {
    const [width, height] = [20, 16];
    const crop = noise(width, height, 1);
    const expected = Array.from(crop.data, (level, i) => {
      let [sum, total] = [0, 0];
      for (let v = -3; v <= 3; v++)
        for (let u = -3; u <= 3; u++) {
          const weight = Math.exp(-(u * u + v * v) / 2);
          const [x, y] = [clamp((i % width) + u, width), clamp(Math.floor(i / width) + v, height)];
          sum += weight * crop.data[y * width + x]!;
          total += weight;
        }
      return Math.min(255, Math.max(0, level + 1.5 * (level - sum / total)));
    });
    const sharpened = (await apply(crop, { step: 'sharpen', sigma: 1, amount: 1.5 })).data;
    expect(worst(sharpened, expected)).toBeLessThanOrEqual(0.501);
    const flat: Crop = { data: new Uint8Array(64).fill(91), width: 8, height: 8, channels: 1 };
    expect((await apply(flat, { step: 'sharpen', sigma: 1, amount: 4 })).data).toEqual(flat.data);
  });
});

/** One output sample: the weighted sum of input samples, rounded. */
function weighted(taps: FixedTaps, i: number, shift: number, sample: (at: number) => number): number {
  let sum = 2 ** (shift - 1);
  for (let k = 0; k < taps.length; k++) sum += taps.weights[i * taps.length + k]! * sample(taps.starts[i]! + k);
  return Math.floor(sum / 2 ** shift);
}

/** The integer filter, sample by sample: columns first, to `FRACTION_BITS` bits, then rows. */
function byIntegers(crop: Crop, across: FixedTaps, down: FixedTaps): Uint8Array {
  const { data, width: columns, channels } = crop;
  const [width, height] = [across.starts.length, down.starts.length];
  const line = columns * channels;
  const middle = Array.from({ length: height * line }, (_, i) =>
    weighted(down, Math.floor(i / line), down.shift - FRACTION_BITS, (at) => data[at * line + (i % line)]!),
  );
  return Uint8Array.from({ length: width * height * channels }, (_, i) => {
    const [y, x, channel] = [Math.floor(i / (width * channels)), Math.floor(i / channels) % width, i % channels];
    const level = weighted(
      across,
      x,
      across.shift + FRACTION_BITS,
      (at) => middle[y * line + at * channels + channel]!,
    );
    return Math.min(255, Math.max(0, level));
  });
}

describe('the SIMD filter', () => {
  it('gives the bytes of the integer filter, for every size, kernel and number of channels', () => {
    const size = fc.integer({ min: 1, max: 45 });
    fc.assert(
      fc.property(
        size,
        size,
        size,
        size,
        fc.constantFrom<1 | 3>(1, 3),
        fc.constantFrom('linear', 'lanczos', 'blur'),
        fc.integer(),
        (width, height, outWidth, outHeight, channels, kind, seed) => {
          const crop = noise(width, height, channels, seed >>> 0);
          const taps = (input: number, output: number) =>
            fixedTaps(
              kind === 'blur'
                ? gaussianTaps(input, 0.5 + (seed & 7) / 2)
                : resamplingTaps(input, output, input / output, kind),
            );
          const [across, down] = [taps(width, outWidth), taps(height, outHeight)];
          expect(filterBySimd(crop, across, down).data).toEqual(byIntegers(crop, across, down));
        },
      ),
      { numRuns: 80 },
    );
  });
});

function arithmetic(size: number, sigma: number): string {
  const taps = gaussianTaps(size, sigma);
  return separableFilter({ width: size, height: size, channels: 1 }, taps, taps).arithmetic;
}

describe('separableFilter', () => {
  it('uses doubles for the smallest crops, integers for others, and doubles where integers are too coarse', () => {
    expect([arithmetic(2, 1), arithmetic(64, 1), arithmetic(300, 3)]).toEqual(['float', 'fixed', 'fixed']);
    // 300 taps of which the largest is 1/125: few bits are left for each.
    expect(arithmetic(302, 50)).toBe('float');
  });
});

describe('resize', () => {
  it('scales to one size for any frame', async () => {
    // 20 pixels of the reference at three pixels each; on a frame 1.5 times as large the crop has 30.
    const reference60 = await apply(noise(20, 10, 1), { step: 'resize', zoom: 3 });
    const larger = await apply(noise(30, 15, 1), { step: 'resize', zoom: 3 }, 1.5);
    expect([reference60.width, reference60.height, larger.width, larger.height]).toEqual([60, 30, 60, 30]);
  });

  it('keeps proportions if one length is given, and requires exactly one option', async () => {
    const { width, height } = await apply(noise(30, 10, 3), { step: 'resize', height: 32 });
    expect([width, height]).toEqual([96, 32]);
    await expect(apply(noise(3, 3, 3), { step: 'resize' })).rejects.toThrow(/one of zoom/);
    await expect(apply(noise(3, 3, 3), { step: 'resize', zoom: 2, factor: 2 })).rejects.toThrow(/one of zoom/);
  });
});
