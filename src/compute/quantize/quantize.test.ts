// oxlint-disable vitest/no-conditional-expect -- the conditions are part of the properties
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NestedNumbers } from './kernel.ts';
import { gaussian, toKernel, lanczos, toNestedArrays, normalize, outerProduct } from './kernel.ts';
import type { QuantizedKernel, QuantizeOptions } from './quantize.ts';
import { quantizeKernel } from './quantize.ts';
import { findSymmetries } from './symmetry.ts';

const flat = (kernel: NestedNumbers): number[] => [...toKernel(kernel).data];
const add = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);
/** Coefficients in fixed point as doubles; exact up to 24 bits. */
const valuesOf = ({ mantissas, exponents }: QuantizedKernel): number[] =>
  [...mantissas].map((m, i) => m * 2 ** exponents[i]!);
const box = (size: number, dimensions = 2): NestedNumbers =>
  toNestedArrays(
    Array.from({ length: dimensions }, () => size),
    new Float64Array(size ** dimensions).fill(1 / size ** dimensions),
  );

/** Laplacian of Gaussian: sums to 0. */
function logKernel(size: number, sigma: number): number[][] {
  const c = (size - 1) / 2;
  const raw = Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (__, x) => {
      const r = ((x - c) ** 2 + (y - c) ** 2) / (2 * sigma * sigma);
      return (r - 1) * Math.exp(-r);
    }),
  );
  const excess = add(flat(raw)) / size ** 2;
  return raw.map((row) => row.map((value) => value - excess));
}

function gabor(size: number, sigma: number, frequency: number, phase: number): number[][] {
  const c = (size - 1) / 2;
  return Array.from({ length: size }, (_, y) =>
    Array.from(
      { length: size },
      (__, x) =>
        Math.exp(-((x - c) ** 2 + (y - c) ** 2) / (2 * sigma * sigma)) *
        Math.cos(2 * Math.PI * frequency * (x - c) + phase),
    ),
  );
}

/** The product of a line with itself along each dimension. */
function product(line: readonly number[], dimensions: number): NestedNumbers {
  let data: number[] = [1];
  for (let d = 0; d < dimensions; d++) data = data.flatMap((value) => line.map((other) => value * other));
  return toNestedArrays(
    Array.from({ length: dimensions }, () => line.length),
    Float64Array.from(data),
  );
}

/** Weight · (neighbours − 2 · dimensions · centre): sums to 0. */
function laplacian(dimensions: number, weight: number): NestedNumbers {
  const data = Float64Array.from({ length: 3 ** dimensions }, (_, i) => {
    const away = Array.from({ length: dimensions }, (__, d) => Math.abs((Math.floor(i / 3 ** d) % 3) - 1));
    const distance = away.reduce((sum, by) => sum + by, 0);
    return distance === 0 ? -2 * dimensions * weight : distance === 1 ? weight : 0;
  });
  return toNestedArrays(
    Array.from({ length: dimensions }, () => 3),
    data,
  );
}

/** Reals of six decimals: numbers next to the smallest double are refused, and tested apart. */
const decimal = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.ceil(min * 1e6), max: Math.floor(max * 1e6) }).map((millionths) => millionths / 1e6);

/** Kernels of every sort: 1-D to 3-D. */
const kernels: fc.Arbitrary<NestedNumbers> = fc.oneof(
  decimal(0.25, 4).map((sigma) => gaussian(sigma)),
  fc
    .tuple(decimal(0.3, 2), fc.integer({ min: 1, max: 3 }))
    .map(([s, r]) => outerProduct(gaussian(s, r), gaussian(s, r))),
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 })).map(([size, n]) => box(size, n)),
  fc.tuple(fc.integer({ min: 3, max: 7 }), decimal(0.6, 2)).map(([size, s]) => logKernel(size, s)),
  fc
    .tuple(decimal(0, 1), fc.integer({ min: 2, max: 3 }))
    .map(([phase, lobes]) =>
      normalize(Array.from({ length: 2 * lobes }, (_, i) => lanczos(i - lobes + 1 - phase, lobes))),
    ),
  fc
    .tuple(fc.integer({ min: 3, max: 7 }), decimal(0.05, 0.4), fc.constantFrom(0, Math.PI / 2, 1))
    .map(([size, f, phase]) => gabor(size, 1.5, f, phase)),
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 }))
    .chain(([a, b, c]) =>
      fc
        .array(decimal(-1, 1), { minLength: a * b * c, maxLength: a * b * c })
        .map((data) => toNestedArrays([a, b, c], data)),
    ),
  decimal(0.3, 1).map((s) => {
    const g = gaussian(s, 1);
    return outerProduct(g, g).map((row) => row.map((value) => g.map((z) => value * z)));
  }),
  // Products of one-dimensional kernels, and sums of second differences, in one to three dimensions.
  fc
    .tuple(decimal(0, 1), fc.constantFrom('lanczos', 'gabor'), fc.integer({ min: 1, max: 3 }))
    .map(([phase, kind, dimensions]) => {
      const lines = {
        lanczos: () => normalize(Array.from({ length: 4 }, (_, i) => lanczos(i - 1 - phase, 2))),
        gabor: () => Array.from({ length: 5 }, (_, i) => Math.exp(-((i - 2) ** 2) / 2) * Math.cos(i - 2 + 6 * phase)),
      };
      return product(lines[kind](), dimensions);
    }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), decimal(0.1, 2))
    .map(([dimensions, weight]) => laplacian(dimensions, weight)),
  // Adversarial: one value fills the mantissa to the brim, the others are tiny, or next to a half step.
  fc.array(fc.constantFrom(0.999999, 1e-9, 0.50390625, -0.5, 0.001953125, 1 / 3), { minLength: 1, maxLength: 9 }),
);
const bits = fc.integer({ min: 4, max: 24 });

describe('quantizeKernel', () => {
  it('keeps the sum to half the least granularity, and exactly where it is an integer', () => {
    fc.assert(
      fc.property(kernels, bits, fc.integer({ min: 0, max: 4 }), (kernel, mantissaBits, exponentBits) => {
        const result = quantizeKernel(kernel, { mantissaBits, exponentBits });
        const { report } = result;
        expect(result.sum).toBe(add(valuesOf(result)));
        // Finer coefficients can make up for a coarse step where their mantissas span all exponents (and always with one exponent).
        if (mantissaBits >= 2 ** exponentBits + 4 || exponentBits === 0) expect(report.kept).toBe(true);
        const coarsest =
          2 ** Math.max(...result.exponents) *
          Math.max(...findSymmetries(toKernel(kernel)).classes.map((c) => c.weight));
        expect(Math.abs(report.sumError)).toBeLessThanOrEqual((report.kept ? report.granularity : coarsest) / 2);
        const sum = add(flat(kernel));
        const whole = Math.abs(sum - Math.round(sum)) < 1e-10;
        if (whole && report.kept) expect(Math.abs(result.sum - Math.round(sum))).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps mantissas in range, zeros zero, and every symmetry of the kernel', () => {
    fc.assert(
      fc.property(
        kernels,
        bits,
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom('exact', 'source', 'nearest'),
        (kernel, mantissaBits, exponentBits, method) => {
          const result = quantizeKernel(kernel, { mantissaBits, exponentBits, method });
          const limit = 2 ** (mantissaBits - 1);
          expect(result.mantissas.every((m) => m >= -limit && m < limit)).toBe(true);
          const used = new Set(result.exponents);
          expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 ** exponentBits - 1);
          const values = valuesOf(result);
          for (const { cells, signs, value } of findSymmetries(toKernel(kernel)).classes) {
            const quantized = cells.map((cell, n) => values[cell]! * signs[n]! || 0);
            expect(new Set(quantized).size).toBe(1);
            if (value === 0) expect(quantized[0]).toBe(0);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is the best of all roundings that keep sum and symmetry, by exhaustive search', () => {
    fc.assert(
      fc.property(
        fc.array(decimal(-1, 1), { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 4, max: 7 }),
        fc.integer({ min: 0, max: 2 }),
        fc.constantFrom<QuantizeOptions['symmetry']>('auto', 'none'),
        fc.boolean(),
        (half, mantissaBits, exponentBits, symmetry, mirrored) => {
          const kernel = mirrored ? [...half, ...half.slice(0, -1).toReversed()] : half;
          const result = quantizeKernel(kernel, { mantissaBits, exponentBits, symmetry });
          const best = exhaustive(kernel, result, symmetry!);
          expect(result.report.maxSteps <= 1 ? 1 : result.report.maxSteps).toBe(best.bound);
          const error = add(valuesOf(result).map((value, i) => (value - kernel[i]!) ** 2));
          expect(error).toBeCloseTo(best.error, 12);
        },
      ),
      { numRuns: 250 },
    );
  });

  it('keeps each coefficient within a step of its own rounding unless that cannot be', () => {
    // σ = 0.3, 3×3, 8 bits: corners and edges are classes of 4, the sum is 128 steps, so the centre must be divisible by 4.
    const narrow = quantizeKernel(outerProduct(gaussian(0.3, 1), gaussian(0.3, 1)), { mantissaBits: 8 });
    expect([narrow.sum, narrow.mantissas[4]! % 4]).toEqual([1, 0]);
    // A 3×3 box: 1/9 = 113.8 / 1024, and 9 · 114 = 1026: the class of one cell must lie two steps off.
    const { report, mantissas, exponents } = quantizeKernel(box(3), { mantissaBits: 8 });
    expect([...mantissas]).toEqual([114, 114, 114, 114, 112, 114, 114, 114, 114]);
    expect([exponents[0], report.sumError, report.maxSteps]).toEqual([-10, 0, 2]);
    expect(report.forced).toEqual([{ cells: [4], steps: 2 }]);
  });

  it('knows the classes of a 5×5 kernel', () => {
    const five = toKernel(box(5));
    const weights = (wanted: Parameters<typeof findSymmetries>[1]) =>
      [...new Set(findSymmetries(five, wanted).classes.map((c) => c.weight))].toSorted((a, b) => a - b);
    expect(weights('none')).toEqual([1]);
    expect(weights(['horizontal', 'vertical'])).toEqual([1, 2, 4]);
    expect(weights(['horizontal', 'vertical', 'diagonal'])).toEqual([1, 4, 8]);
    expect(findSymmetries(five).order).toBe(8);
    expect(findSymmetries(toKernel(box(3, 3))).order).toBe(48);
    expect(() =>
      findSymmetries(
        toKernel([
          [1, 2],
          [3, 4],
        ]),
        ['diagonal'],
      ),
    ).toThrow(RangeError);
  });

  it('keeps odd symmetry, as of derivatives', () => {
    const sobel = [
      [-0.3, 0, 0.3],
      [-0.6, 0, 0.6],
      [-0.3, 0, 0.3],
    ];
    const { mantissas, sum, report } = quantizeKernel(sobel, { mantissaBits: 6 });
    expect(report.symmetries).toEqual(['−horizontal', 'vertical', '−point']);
    expect(sum).toBe(0);
    // 6 bits, e = −5: 0.6 = 19.2, 0.3 = 9.6.
    expect([...mantissas]).toEqual([-10, 0, 10, -19, 0, 19, -10, 0, 10]);
  });

  it('of method frequency keeps the sum and never deviates more', () => {
    fc.assert(
      fc.property(decimal(0.4, 1.4), fc.integer({ min: 4, max: 8 }), (sigma, mantissaBits) => {
        const kernel = outerProduct(gaussian(sigma, 1), gaussian(sigma, 1));
        const exact = quantizeKernel(kernel, { mantissaBits });
        const frequency = quantizeKernel(kernel, { mantissaBits, method: 'frequency' });
        expect(frequency.sum).toBe(exact.sum);
        expect(frequency.report.response!.proven).toBe(true);
        expect(deviation(frequency, kernel)).toBeLessThanOrEqual(deviation(exact, kernel) + 1e-12);
        expect(frequency.report.response!.deviation).toBeCloseTo(deviation(frequency, kernel), 12);
        expect(deviation(frequency, kernel)).toBeCloseTo(minimizeResponseDeviation(kernel, exact), 12);
      }),
      { numRuns: 40 },
    );
  });

  it('of method source is the published pass: increments only, residues carried to finer blocks', () => {
    // By hand, 4 bits, one exponent: [0.3, 0.4, 0.3] has e = −4 (0.4 = 6.4), classes 0.4 (r 1) and 0.3 (r 2, 4.8).
    // Floors 4, 6. Block g = 2/16 first: R = 2·0.8/16 = 1.6 steps ≥ ½·2, so 5 and R = −0.4; then g = 1/16: R = −0.4 + 0.4 = 0.
    const { mantissas, sum, report } = quantizeKernel([0.3, 0.4, 0.3], { mantissaBits: 4, method: 'source' });
    expect([...mantissas]).toEqual([5, 6, 5]);
    expect(sum).toBe(1);
    expect(report.blocks).toEqual([
      { granularity: 0.125, values: 1, rest: expect.closeTo(-0.025, 12) },
      { granularity: 0.0625, values: 1, rest: expect.closeTo(0, 12) },
    ]);
  });

  it('refuses kernels and options that are none', () => {
    expect(() => quantizeKernel([[1, 2], [3]])).toThrow(RangeError);
    expect(() => quantizeKernel([])).toThrow(RangeError);
    expect(() => quantizeKernel([1, Number.NaN])).toThrow(RangeError);
    expect(() => quantizeKernel([5e-324])).toThrow(RangeError);
    expect(() => quantizeKernel([1], { mantissaBits: 1 })).toThrow(RangeError);
    expect(quantizeKernel([0, 0]).sum).toBe(0);
  });
});

/** The least error over all mantissas within the least window around each own rounding in which the sum can be met. */
function exhaustive(
  kernel: number[],
  result: QuantizedKernel,
  symmetry: NonNullable<QuantizeOptions['symmetry']>,
): { bound: number; error: number } {
  const { classes } = findSymmetries(toKernel(kernel), symmetry);
  const { mantissaBits } = result.report;
  const [least, most] = [-(2 ** (mantissaBits - 1)), 2 ** (mantissaBits - 1) - 1];
  const live = classes.filter(({ value }) => value !== 0);
  for (let bound = 1; ; bound++) {
    let error = Number.POSITIVE_INFINITY;
    const visit = (index: number, sum: number, sofar: number): void => {
      if (index === live.length) {
        if (sum === result.sum) error = Math.min(error, sofar);
        return;
      }
      const { value, weight, cells, signs } = live[index]!;
      const unit = 2 ** result.exponents[cells[0]!]!;
      const odd = signs.includes(-1);
      const own = Math.min(most, Math.max(odd ? -most : least, Math.sign(value) * Math.round(Math.abs(value / unit))));
      for (let m = Math.max(odd ? -most : least, own - bound); m <= Math.min(most, own + bound); m++) {
        visit(index + 1, sum + weight * m * unit, sofar + cells.length * (m * unit - value) ** 2);
      }
    };
    visit(0, 0, 0);
    if (error < Number.POSITIVE_INFINITY) return { bound, error };
  }
}

/** The least deviation of all mantissas as near to their own rounding as those of `exact`, symmetric like it and with its sum. */
function minimizeResponseDeviation(kernel: number[][], exact: QuantizedKernel): number {
  const bound = Math.max(1, exact.report.maxSteps);
  const unit = 2 ** exact.exponents[0]!;
  const most = 2 ** (exact.report.mantissaBits - 1) - 1;
  const own = [kernel[0]![0]!, kernel[0]![1]!, kernel[1]![1]!].map((value) => Math.min(most, Math.round(value / unit)));
  const steps = Array.from({ length: 2 * bound + 1 }, (_, i) => i - bound);
  let least = Number.POSITIVE_INFINITY;
  for (const a of steps) {
    for (const b of steps) {
      for (const c of steps) {
        const [corner, edge, centre] = [own[0]! + a, own[1]! + b, own[2]! + c] as [number, number, number];
        if ((4 * corner + 4 * edge + centre) * unit !== exact.sum || Math.max(corner, edge, centre) > most) continue;
        const mantissas = Int32Array.from([corner, edge, corner, edge, centre, edge, corner, edge, corner]);
        least = Math.min(least, deviation({ ...exact, mantissas }, kernel));
      }
    }
  }
  return least;
}

/** Largest deviation of the frequency response of a 3×3 kernel on a 9 × 16 grid, straight from the definition. */
function deviation(result: QuantizedKernel, kernel: number[][]): number {
  const values = valuesOf(result);
  let worst = 0;
  for (let v = 0; v <= 8; v++) {
    for (let u = 0; u < 16; u++) {
      let [real, imaginary] = [0, 0];
      for (const [i, value] of values.entries()) {
        const phase = (2 * Math.PI * (u * ((i % 3) - 1) + v * (Math.floor(i / 3) - 1))) / 16;
        const error = value - kernel[Math.floor(i / 3)]![i % 3]!;
        real += error * Math.cos(phase);
        imaginary += error * Math.sin(phase);
      }
      worst = Math.max(worst, Math.hypot(real, imaginary));
    }
  }
  return worst;
}
