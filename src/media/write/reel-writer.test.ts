import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodingTimes, reorderDepth } from './reel-writer.ts';

describe('DecodingTimes', () => {
  it('gives the same times as x264 for I P B b b with a reference B', () => {
    // ffprobe on x264 --bframes 3 --b-pyramid normal: pts 0 4 2 1 3 8 6 5 7, dts -2 -1 0 1 2 3 4 5 6.
    const pts = [0n, 4n, 2n, 1n, 3n, 8n, 6n, 5n, 7n];
    expect(reorderDepth(pts)).toBe(2);
    const times = new DecodingTimes(2, 1n);
    expect(pts.map((time) => times.next(time))).toEqual([-2n, -1n, 0n, 1n, 2n, 3n, 4n, 5n, 6n]);
  });

  it('ascends and never exceeds the presentation time, for any order', () => {
    const rest = fc.uniqueArray(fc.bigInt({ min: 1n, max: 400n }), { maxLength: 30 });
    const order = rest.map((times) => [0n, ...times]);
    fc.assert(
      fc.property(order, fc.nat(3), (pts, spare) => {
        const times = new DecodingTimes(reorderDepth(pts) + spare, 1n);
        const dts = pts.map((time) => times.next(time));
        for (const [index, time] of dts.entries()) {
          expect(time <= pts[index]!).toBe(true);
          expect(time > (dts[index - 1] ?? -1000n)).toBe(true);
        }
      }),
    );
  });
});
