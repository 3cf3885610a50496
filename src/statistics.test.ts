import { describe, expect, test } from 'vitest';
import { kendallTrend } from './statistics.ts';

describe('kendallTrend', () => {
  // By hand: S = 13, variance 15 · 17 · … of n = 6 is 6 · 5 · 17 / 18 = 28.33, z = 12 / 5.323 = 2.2544, p = 0.0242.
  test('a series that rises but for one step', () => {
    const { tau, probability } = kendallTrend([1, 2, 4, 3, 5, 6]);
    expect(tau).toBeCloseTo(13 / 15, 10);
    expect(probability).toBeCloseTo(0.0242, 4);
  });

  // By hand: S = −8, two pairs of equal values: (5 · 4 · 15 − 2 · 2 · 1 · 9) / 18 = 14.667, z = −7 / 3.830 = −1.828, p = 0.0676.
  test('a series with ties that falls', () => {
    const { tau, probability } = kendallTrend([9, 9, 7, 7, 1]);
    expect(tau).toBeCloseTo(-8 / 10, 10);
    expect(probability).toBeCloseTo(0.0676, 4);
  });

  test('no values, and equal ones', () => {
    expect(kendallTrend([])).toEqual({ tau: 0, probability: 1 });
    expect(kendallTrend([3, 3, 3, 3])).toEqual({ tau: 0, probability: 1 });
  });
});
