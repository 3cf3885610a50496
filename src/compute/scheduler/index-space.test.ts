import { describe, expect, it } from 'vitest';
import { allIndices, atOffset, withinRadius, resolveDependency, sameIndex, scaledBy, anyOf } from './index-space.ts';
import { resolveIndex, toIndex, toNumber } from './index-space.ts';

const six = [6, 4];
const points = (numbers: readonly number[]) => numbers.map((number) => `(${toIndex(number, six)})`).join(' ');

describe('addresses outside the index space', () => {
  it('(2,2) with offset (−3,−1) reaches (−1,1): clamped (0,1), wrapped (5,1)', () => {
    const [reached] = atOffset([-3, -1])([2, 2]);
    expect(reached).toEqual([-1, 1]);
    expect(resolveIndex(reached!, six, 'clamp')).toEqual([0, 1]);
    expect(resolveIndex(reached!, six, 'wrap')).toEqual([5, 1]);
    expect(resolveIndex(reached!, six, 'ignore')).toBeUndefined();
  });

  it('wraps from any distance', () => {
    expect(resolveIndex([-13, 9], six, 'wrap')).toEqual([5, 1]);
  });
});

describe('dependency functions', () => {
  it('same names the own index', () => {
    expect(points(resolveDependency(sameIndex, [3, 2], six, 'clamp').numbers)).toBe('(3,2)');
  });

  it('radius names the full box', () => {
    expect(points(resolveDependency(withinRadius(1), [3, 2], six, 'ignore').numbers)).toBe(
      '(2,1) (3,1) (4,1) (2,2) (3,2) (4,2) (2,3) (3,3) (4,3)',
    );
    expect(resolveDependency(withinRadius([2, 0]), [3, 2], six, 'ignore').numbers).toHaveLength(5);
  });

  it('scaled(2) names twice the index with its right, lower and diagonal neighbours', () => {
    expect(points(resolveDependency(scaledBy(2), [1, 1], six, 'ignore').numbers)).toBe('(2,2) (3,2) (2,3) (3,3)');
  });

  it('scaled(0.5) names half the index', () => {
    expect(points(resolveDependency(scaledBy(0.5), [5, 3], six, 'ignore').numbers)).toBe('(2,1)');
  });

  it('clamping names each region once, and ignoring says that something was left out', () => {
    expect(resolveDependency(withinRadius(1), [0, 0], six, 'clamp')).toEqual({ numbers: [0, 1, 6, 7], ignored: false });
    expect(resolveDependency(withinRadius(1), [0, 0], six, 'ignore')).toEqual({ numbers: [0, 1, 6, 7], ignored: true });
    expect(resolveDependency(withinRadius(1), [0, 0], six, 'wrap').numbers.toSorted((a, b) => a - b)).toEqual(
      [0, 1, 5, 6, 7, 11, 18, 19, 23].toSorted((a, b) => a - b),
    );
  });

  it('a union and a superset are as good as what they contain', () => {
    expect(
      resolveDependency(anyOf(sameIndex, atOffset([1, 0])), [2, 2], six, 'clamp').numbers.map((n) => toIndex(n, six)),
    ).toEqual([
      [2, 2],
      [3, 2],
    ]);
    expect(resolveDependency(allIndices(six), [0, 0], six, 'clamp').numbers).toHaveLength(24);
  });

  it('numbers are row-major and reversible', () => {
    for (let number = 0; number < 24; number++) expect(toNumber(toIndex(number, six), six)).toBe(number);
    expect(toNumber([1, 2], six)).toBe(13);
  });
});
