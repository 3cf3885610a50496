import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plane } from '../../media/picture.ts';
import { boxFilter } from './box-filter.ts';

function noise(width: number, height: number, seed: number): Plane {
  let state = seed;
  const stride = width + 5;
  const data = Uint8Array.from(
    { length: stride * height },
    () => (state = (state * 1103515245 + 12345) & 0x7fffffff) >> 16,
  );
  return { data, stride, width, height };
}

/** The mean of a plane over [from, to) × [top, bottom), edges repeated: what a box filter is. */
function meanOver(
  { data, stride, width, height }: Plane,
  from: number,
  to: number,
  top: number,
  bottom: number,
): number {
  let [sum, area] = [0, 0];
  for (let y = Math.floor(top); y < bottom; y++) {
    for (let x = Math.floor(from); x < to; x++) {
      const share = (Math.min(to, x + 1) - Math.max(from, x)) * (Math.min(bottom, y + 1) - Math.max(top, y));
      const [column, row] = [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))];
      sum += share * data[row * stride + column]!;
      area += share;
    }
  }
  return sum / area;
}

describe('box filter', () => {
  it('gives the mean of each cell, over the edges of the plane too', () => {
    const planes = [noise(90, 40, 1), noise(45, 20, 2)] as const;
    const arbitrary = fc.record({
      x: fc.double({ min: -9, max: 80, noNaN: true }),
      y: fc.double({ min: -9, max: 35, noNaN: true }),
      across: fc.double({ min: 0.3, max: 9, noNaN: true }),
      down: fc.double({ min: 0.3, max: 9, noNaN: true }),
      width: fc.integer({ min: 1, max: 20 }),
      height: fc.integer({ min: 1, max: 9 }),
    });
    const holds = fc.property(arbitrary, ({ x, y, across, down, width, height }) => {
      const rect = { x, y, width: across * width, height: down * height };
      const half = { x: x / 2, y: y / 2, width: rect.width / 2, height: rect.height / 2 };
      const out = new Float32Array(width * height);
      const parts = [
        { plane: planes[0], rect, weight: 1.25 },
        { plane: planes[1], rect: half, weight: -0.75 },
      ];
      boxFilter(parts, width, height, 7, out);
      for (let i = 0; i < out.length; i++) {
        const [column, row] = [i % width, Math.floor(i / width)];
        const [left, top] = [x + column * across, y + row * down];
        const expected =
          7 +
          1.25 * meanOver(planes[0], left, left + across, top, top + down) -
          0.75 * meanOver(planes[1], left / 2, (left + across) / 2, top / 2, (top + down) / 2);
        if (Math.abs(out[i]! - expected) > 1e-3) return false;
      }
      return true;
    });
    expect(fc.check(holds, { numRuns: 400 }).failed).toBe(false);
  });

  it('copies where a cell is a pixel', () => {
    const plane = noise(100, 9, 3);
    const out = new Float32Array(80 * 5);
    boxFilter([{ plane, rect: { x: 11, y: 2, width: 80, height: 5 }, weight: 1 }], 80, 5, 0, out);
    expect(out).toEqual(
      Float32Array.from(out, (_, i) => plane.data[(2 + Math.floor(i / 80)) * plane.stride + 11 + (i % 80)]!),
    );
  });
});
