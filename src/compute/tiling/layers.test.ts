import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computableOutputs, inputRange, outputSize, rangeLength, tileRange, type Window } from './layers.ts';

const windows: fc.Arbitrary<Window> = fc.oneof(
  fc
    .record({
      kernel: fc.integer({ min: 1, max: 7 }),
      stride: fc.integer({ min: 1, max: 4 }),
      padBefore: fc.nat(3),
      padAfter: fc.nat(3),
    })
    .map((window) => ({ ...window, upsample: 1 })),
  fc
    .record({ upsample: fc.integer({ min: 2, max: 4 }), extra: fc.nat(3), padBefore: fc.nat(1), padAfter: fc.nat(1) })
    .map(({ extra, ...window }) => ({ ...window, kernel: window.upsample + extra, stride: 1 })),
);

describe('the example of a 7 × 7 convolution in three tiles', () => {
  const window = { kernel: 7, stride: 2, padBefore: 3, padAfter: 2, upsample: 1 };

  it('960 columns in, 480 out; tiles of 160 read 322, 325 and 323, in sum 970', () => {
    expect(outputSize(window, 960)).toBe(480);
    expect(outputSize(window, 480)).toBe(240);
    const outputs = [0, 1, 2].map((tile) => tileRange(480, tile, 3));
    expect(outputs.map(rangeLength)).toEqual([160, 160, 160]);
    expect(outputs.map((out) => rangeLength(inputRange(window, out, 960)))).toEqual([322, 325, 323]);
    expect(322 + 325 + 323).toBe(960 + (7 - 2) + (7 - 2));
  });
});

describe('windows along an axis', () => {
  it('need what the definition of the operator reads', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 8, max: 40 }), fc.nat(100), fc.nat(100), (window, size, a, b) => {
        const total = outputSize(window, size);
        const out = { from: Math.min(a, b) % total, to: 0 };
        out.to = Math.min(total, out.from + 1 + (Math.max(a, b) % 7));
        const read = new Set<number>();
        for (let o = out.from; o < out.to; o++) for (const i of reads(window, o, size)) read.add(i);
        const range = inputRange(window, out, size);
        expect([...read].every((i) => i >= range.from && i < range.to)).toBe(true);
        // Exactly the hull of what is read, where there is no gap between windows.
        const exact = window.kernel >= window.stride && window.upsample === 1 && read.size > 0;
        const hull = exact ? { from: Math.min(...read), to: Math.max(...read) + 1 } : range;
        expect({ from: range.from, to: range.to }).toEqual({ from: hull.from, to: hull.to });
      }),
    );
  });

  it('can compute an output exactly when all it reads is available', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 8, max: 40 }), fc.nat(40), (window, size, upTo) => {
        const available = Math.min(upTo, size);
        const total = outputSize(window, size);
        let count = 0;
        while (count < total && reads(window, count, size).every((i) => i < available)) count++;
        // Outputs that read nothing but padding behind what is available count as computable only at the end.
        expect(computableOutputs(window, available, size)).toBeLessThanOrEqual(count);
        const claimed = computableOutputs(window, available, size);
        const next = claimed < total ? reads(window, claimed, size) : [];
        expect(claimed === total || next.length === 0 || next.some((i) => i >= available)).toBe(true);
      }),
    );
  });

  it('inputs and padding add up to the window', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 8, max: 40 }), fc.nat(100), (window, size, a) => {
        const total = outputSize(window, size);
        const out = { from: a % total, to: (a % total) + 1 };
        const range = inputRange(window, out, size);
        const span = range.padBefore + rangeLength(range) + range.padAfter;
        expect(
          window.upsample > 1 || span === window.kernel || span >= window.kernel - window.padBefore - window.padAfter,
        ).toBe(true);
      }),
    );
  });
});

/** The input positions that an output reads, from the definition of (transposed) convolution. */
function reads({ kernel, stride, padBefore, upsample }: Window, out: number, size: number): number[] {
  const found: number[] = [];
  for (let tap = 0; tap < kernel; tap++) {
    const at = upsample > 1 ? (out + padBefore - tap) / upsample : out * stride - padBefore + tap;
    if (Number.isInteger(at) && at >= 0 && at < size) found.push(at);
  }
  return found;
}
