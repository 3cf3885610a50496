import { describe, expect, it } from 'vitest';
import { editDistance, findNearest, suggestSpelling } from './spelling.ts';

describe('spelling suggestions', () => {
  it('name the nearest candidate, ignoring case', () => {
    expect(findNearest('Oponent', ['player', 'opponent'])).toBe('opponent');
    expect(suggestSpelling('tolerence', ['--json', 'tolerance'])).toBe('Did you mean "tolerance"?');
  });

  it('are left out when nothing is within a third of the length', () => {
    expect(findNearest('gnu', ['railgun', 'player'])).toBeUndefined();
    expect(suggestSpelling('x', [])).toBeUndefined();
  });

  it('count a transposition as one edit and stop at the limit', () => {
    expect(editDistance('form', 'from')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('kitten', 'sitting', 2)).toBe(2);
  });
});
