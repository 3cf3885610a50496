import { describe, expect, it } from 'vitest';
import { moveCropOff } from './attention.ts';

describe('a crop that keeps clear of a camera', () => {
  const camera = { x: 0.75, y: 0.4, width: 0.25, height: 0.3 };
  const crop = (x: number) => moveCropOff(() => ({ x, y: 0.5 }), camera, 0.53)(0).x;

  it('shifts where it shows a small part of it', () => {
    expect(crop(0.5)).toBeCloseTo(0.75 - 0.265, 9);
    expect(moveCropOff(() => ({ x: 0.5, y: 0.5 }), { ...camera, x: 0 }, 0.53)(0).x).toBeCloseTo(0.25 + 0.265, 9);
  });

  it('stays where it shows nothing, or much', () => {
    expect(crop(0.4)).toBe(0.4);
    expect(crop(0.7)).toBe(0.7);
  });
});
