import { describe, expect, it } from 'vitest';
import { describeDoubt } from './decide-placement.ts';

const nothing = { pictures: 40, showing: 0, elements: {}, confidence: 0 };

describe('the warning that a HUD was not found', () => {
  it('says that no element was seen', () => {
    expect(describeDoubt('chess', nothing, undefined).message).toBe(
      'none of the HUD elements of chess were found in 40 pictures, nor anywhere else in them',
    );
  });

  it('names the elements that were seen', () => {
    const { code, message, hint } = describeDoubt('chess', { ...nothing, elements: { clock: 31, rank: 2 } }, undefined);
    expect(code).toBe('hud-not-found');
    expect(message).toContain('(clock in 31, rank in 2, and never two in one)');
    expect(hint).toContain('--place default');
  });
});
