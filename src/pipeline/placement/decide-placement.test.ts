import { describe, expect, it } from 'vitest';
import { doubtOf } from './decide-placement.ts';

const nothing = { pictures: 40, showing: 0, elements: {}, confidence: 0 };

describe('what is said where a HUD was not found', () => {
  it('is that nothing was seen, where nothing was', () => {
    expect(doubtOf('chess', nothing, undefined).message).toBe(
      'none of the HUD elements of chess were found in 40 pictures, nor anywhere else in them',
    );
  });

  it('names the elements that were seen, too few as they are', () => {
    const { code, message, hint } = doubtOf('chess', { ...nothing, elements: { clock: 31, rank: 2 } }, undefined);
    expect(code).toBe('hud-not-found');
    expect(message).toContain('(clock in 31, rank in 2, and never two in one)');
    expect(hint).toContain('--place default');
  });
});
