import { describe, expect, it } from 'vitest';
import { convertIfWorthwhile, COSTS, estimateCost } from './cost.ts';

const large = { products: 1_000_000, samples: 10_000 };

describe('cost estimateCost', () => {
  it('is start, products and samples, each at its price', () => {
    const price = { start: 100, product: 2, sample: 3, bytes: 4 };
    expect(estimateCost({ products: 10, samples: 5 }, 'fixed', { ...COSTS, fixed: price })).toEqual({
      nanoseconds: 135,
      bytes: 20,
    });
  });

  it('converts operands only past the threshold, and checks them again afterwards', () => {
    const converted: string[] = [];
    const convert = () => {
      converted.push('once');
      return 0.25;
    };
    const conversion = { convert, deviation: (value: number) => value, tolerance: 0.3 };
    expect(convertIfWorthwhile({ products: 10, samples: 4 }, conversion)).toBeUndefined();
    expect(convertIfWorthwhile(large, { ...conversion, threshold: 1e9 })).toBeUndefined();
    expect(converted).toEqual([]);
    expect(convertIfWorthwhile(large, conversion)).toBe(0.25);
    expect(convertIfWorthwhile(large, { ...conversion, tolerance: 0.2 })).toBeUndefined();
    expect(converted).toEqual(['once', 'once']);
  });
});
