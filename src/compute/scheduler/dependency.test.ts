import { describe, expect, it } from 'vitest';
import { everything, offset, radius, resolve, same, scaled, union } from './dependency.ts';
import { addressed, indexOf, numberOf } from './space.ts';

const six = [6, 4];
const points = (numbers: readonly number[]) => numbers.map((number) => `(${indexOf(number, six)})`).join(' ');

describe('addresses outside the index space', () => {
  it('(2,2) with offset (−3,−1) reaches (−1,1): clamped (0,1), wrapped (5,1)', () => {
    const [reached] = offset([-3, -1])([2, 2]);
    expect(reached).toEqual([-1, 1]);
    expect(addressed(reached!, six, 'clamp')).toEqual([0, 1]);
    expect(addressed(reached!, six, 'wrap')).toEqual([5, 1]);
    expect(addressed(reached!, six, 'ignore')).toBeUndefined();
  });

  it('wraps from any distance', () => {
    expect(addressed([-13, 9], six, 'wrap')).toEqual([5, 1]);
  });
});

describe('dependency functions', () => {
  it('same names the own index', () => {
    expect(points(resolve(same, [3, 2], six, 'clamp').numbers)).toBe('(3,2)');
  });

  it('radius names the full box', () => {
    expect(points(resolve(radius(1), [3, 2], six, 'ignore').numbers)).toBe(
      '(2,1) (3,1) (4,1) (2,2) (3,2) (4,2) (2,3) (3,3) (4,3)',
    );
    expect(resolve(radius([2, 0]), [3, 2], six, 'ignore').numbers).toHaveLength(5);
  });

  it('scaled(2) names twice the index with its right, lower and diagonal neighbours', () => {
    expect(points(resolve(scaled(2), [1, 1], six, 'ignore').numbers)).toBe('(2,2) (3,2) (2,3) (3,3)');
  });

  it('scaled(0.5) names half the index', () => {
    expect(points(resolve(scaled(0.5), [5, 3], six, 'ignore').numbers)).toBe('(2,1)');
  });

  it('clamping names each region once, and ignoring says that something was left out', () => {
    expect(resolve(radius(1), [0, 0], six, 'clamp')).toEqual({ numbers: [0, 1, 6, 7], ignored: false });
    expect(resolve(radius(1), [0, 0], six, 'ignore')).toEqual({ numbers: [0, 1, 6, 7], ignored: true });
    expect(resolve(radius(1), [0, 0], six, 'wrap').numbers.toSorted((a, b) => a - b)).toEqual(
      [0, 1, 5, 6, 7, 11, 18, 19, 23].toSorted((a, b) => a - b),
    );
  });

  it('a union and a superset are as good as what they contain', () => {
    expect(resolve(union(same, offset([1, 0])), [2, 2], six, 'clamp').numbers.map((n) => indexOf(n, six))).toEqual([
      [2, 2],
      [3, 2],
    ]);
    expect(resolve(everything(six), [0, 0], six, 'clamp').numbers).toHaveLength(24);
  });

  it('numbers are row-major and reversible', () => {
    for (let number = 0; number < 24; number++) expect(numberOf(indexOf(number, six), six)).toBe(number);
    expect(numberOf([1, 2], six)).toBe(13);
  });
});
