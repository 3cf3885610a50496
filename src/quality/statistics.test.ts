import { expect, it } from 'vitest';
import { kendall, mannWhitney, ranks, spearman } from './statistics.ts';
import { median, quantile } from '../statistics.ts';

// Expected values: scipy 1.17.1 (spearmanr, kendalltau, mannwhitneyu asymptotic with continuity) and numpy.quantile.
const a = [1, 2, 2, 3, 5, 8, 13];
const b = [2, 3, 3, 7, 9, 11, 4];

it('agrees with scipy on ranks, correlations, group comparison and quantiles', () => {
  expect(ranks([3, 1, 2, 2])).toEqual([4, 1, 2.5, 2.5]);
  expect(spearman(a, b)).toBeCloseTo(0.7818181818181817, 12);
  expect(kendall(a, b)).toBeCloseTo(0.7, 12);
  expect(mannWhitney(a, b).superiority).toBeCloseTo(30 / 49, 12);
  expect(mannWhitney(a, b).p).toBeCloseTo(0.5192070298359646, 6);
  expect([0.25, 0.5, 0.9].map((share) => quantile([3, 1, 4, 1, 5], share))).toEqual([1, 3, 4.6]);
  expect(median([4, 1])).toBe(2.5);
});
