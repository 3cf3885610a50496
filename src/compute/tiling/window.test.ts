import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AxisWindow, computable, length, needed, outputSize, padding, tiles } from './window.ts';

const windows: fc.Arbitrary<AxisWindow> = fc.oneof(
  fc
    .record({
      kernel: fc.integer({ min: 1, max: 7 }),
      stride: fc.integer({ min: 1, max: 4 }),
      before: fc.nat(3),
      after: fc.nat(3),
    })
    .map((window) => ({ ...window, up: 1 })),
  fc
    .record({ up: fc.integer({ min: 2, max: 4 }), extra: fc.nat(3), before: fc.nat(1), after: fc.nat(1) })
    .map(({ up, extra, before, after }) => ({ kernel: up + extra, stride: 1, before, after, up })),
);

describe('the example of a 7 × 7 convolution in three tiles', () => {
  const window = { kernel: 7, stride: 2, before: 3, after: 2, up: 1 };

  it('960 columns in, 480 out; tiles of 160 read 322, 325 and 323, in sum 970', () => {
    expect(outputSize(window, 960)).toBe(480);
    expect(outputSize(window, 480)).toBe(240);
    const widths = tiles(window, 960, 3);
    expect(widths.map(({ out }) => length(out))).toEqual([160, 160, 160]);
    expect(widths.map((tile) => length(tile.in))).toEqual([322, 325, 323]);
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
        const range = needed(window, out, size);
        expect([...read].every((i) => i >= range.from && i < range.to)).toBe(true);
        // Exactly the hull of what is read, where there is no gap between windows.
        const exact = window.kernel >= window.stride && window.up === 1 && read.size > 0;
        const hull = exact ? { from: Math.min(...read), to: Math.max(...read) + 1 } : range;
        expect(range).toEqual(hull);
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
        expect(computable(window, available, size)).toBeLessThanOrEqual(count);
        const claimed = computable(window, available, size);
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
        const { before, after } = padding(window, out, size);
        const span = before + after + length(needed(window, out, size));
        expect(window.up > 1 || span === window.kernel || span >= window.kernel - window.before - window.after).toBe(
          true,
        );
      }),
    );
  });
});

/** The input positions that an output reads, from the definition of (transposed) convolution. */
function reads({ kernel, stride, before, up }: AxisWindow, out: number, size: number): number[] {
  const found: number[] = [];
  for (let tap = 0; tap < kernel; tap++) {
    const at = up > 1 ? (out + before - tap) / up : out * stride - before + tap;
    if (Number.isInteger(at) && at >= 0 && at < size) found.push(at);
  }
  return found;
}
