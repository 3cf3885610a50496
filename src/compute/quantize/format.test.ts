import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatKernelC, formatKernelJson, formatKernelTable } from './format.ts';
import { gaussian, outerProduct } from './kernel.ts';
import { quantizeKernel } from './quantize.ts';
import { quantizeSeparable, factorKernel } from './quantize.ts';

const line = fc
  .array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 5 })
  .filter((values) => values.some((v) => v !== 0));

describe('separate', () => {
  it('finds the factors of any product, and none of what is not one', () => {
    fc.assert(
      fc.property(line, line, line, (a, b, c) => {
        const factors = factorKernel(a.map((x) => outerProduct(b, c).map((row) => row.map((value) => x * value))))!;
        const again = factors[0]!.flatMap((x) => factors[1]!.flatMap((y) => factors[2]!.map((z) => x * y * z)));
        const expected = a.flatMap((x) => b.flatMap((y) => c.map((z) => x * y * z)));
        for (const [i, value] of again.entries()) expect(value).toBeCloseTo(expected[i]!, 6);
      }),
    );
    expect(
      factorKernel([
        [1, 0],
        [0, 1],
      ]),
    ).toBeUndefined();
    expect(
      factorKernel([
        [0, 0],
        [0, 0],
      ]),
    ).toBeUndefined();
  });

  it('keeps the sum of the product by keeping those of the factors', () => {
    const separated = quantizeSeparable(outerProduct(gaussian(1), gaussian(0.7)), { mantissaBits: 8 })!;
    expect(separated.sum).toBe(1);
    expect(separated.factors.map((factor) => factor.sum)).toEqual([1, 1]);
    expect(separated.maxError).toBeLessThan(0.004);
  });
});

describe('formats', () => {
  const kernel = quantizeKernel(
    [
      [1, 2, 1],
      [2, 4, 2],
      [1, 2, 1],
    ].map((row) => row.map((v) => v / 16)),
    { mantissaBits: 8 },
  );

  it('write C that spells out integers and a shift', () => {
    // 4/16 = 64 · 2^-8: the largest mantissa fills 7 bits.
    expect(formatKernelC(kernel)).toBe(`/* coefficient = mantissa * 2^exponent; sum 1, largest error 0.00e+0 */
static const int8_t kernel[3][3] = {
  { 16, 32, 16 },
  { 32, 64, 32 },
  { 16, 32, 16 }
};
enum { kernel_shift = 8 }; /* divide the sum of products by 2^shift */
`);
    expect(formatKernelC(quantizeKernel([0.9, 0.1], { mantissaBits: 10, exponentBits: 3 }))).toContain(
      'int16_t kernel_exponents[2] = {',
    );
  });

  it('write JSON and a table for people', () => {
    expect(formatKernelJson(kernel)).toMatchObject({
      shape: [3, 3],
      mantissas: [
        [16, 32, 16],
        [32, 64, 32],
        [16, 32, 16],
      ],
      exponent: -8,
      sum: 1,
    });
    const table = formatKernelTable(
      quantizeKernel(
        [
          [1, 1, 1],
          [1, 1, 1],
          [1, 1, 1],
        ].map((row) => row.map((v) => v / 9)),
      ),
    );
    expect(table).toContain('114  112  114\n');
    expect(table).toContain('coefficient 4: 2 steps');
  });
});
