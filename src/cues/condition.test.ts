import { describe, expect, it } from 'vitest';
import { compileValue } from './condition.ts';

describe('a wanted value', () => {
  it('is one, bounds, an expression, or any of a list of these', () => {
    const values = ['shot gun', 'machine gun', 'axe', 7, 30, 31, true] as const;
    const fitting = (wanted: Parameters<typeof compileValue>[0]): readonly unknown[] =>
      values.filter(compileValue(wanted));
    expect(fitting(undefined)).toEqual(values);
    expect(fitting('axe')).toEqual(['axe']);
    expect(fitting('/ gun$/')).toEqual(['shot gun', 'machine gun']);
    expect(fitting({ max: 30 })).toEqual([7, 30]);
    expect(fitting({ min: 30, max: 31 })).toEqual([30, 31]);
    expect(fitting(['axe', '/^shot/', { min: 31 }, true])).toEqual(['shot gun', 'axe', 31, true]);
  });
});
