import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyText,
  bothConstraints,
  type Constraint,
  DEAD,
  patternConstraint,
  SLOT,
  textsConstraint,
} from './constraint.ts';

function allows(constraint: Constraint, text: string): boolean {
  let state = constraint.start;
  for (const char of text) {
    state = constraint.step(state, char);
    if (state === DEAD) return false;
  }
  return constraint.accepts(state);
}

describe('a pattern', () => {
  // The engine of JavaScript is the reference.
  it.each([
    String.raw`\d\d:\d\d\.\d{3}`,
    String.raw`(?:Lap )?(\d+)/\d{1,2}`,
    'a|bc|b(?:c|d)*e',
    '[^0-9a]+x?',
    String.raw`\p{L}+[!?]{0,2}`,
    '(a?){3}a{2,}',
    '[a-c-]*',
  ])('%s allows what it matches as a whole', (source) => {
    const constraint = patternConstraint(source);
    const reference = new RegExp(`^(?:${source})$`, 'u');
    const letters = fc.string({ unit: fc.constantFrom(...'ab cde01:./Lp!x-'), maxLength: 9 });
    fc.assert(
      fc.property(letters, (text) => {
        expect(allows(constraint, text)).toBe(reference.test(text));
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(reference), (text) => {
        expect(allows(constraint, text)).toBe(true);
      }),
    );
  });

  it('says what is wrong with it', () => {
    expect(() => patternConstraint('(ab')).toThrow('a “(” without “)”');
    expect(() => patternConstraint('[ab')).toThrow('a “[” without “]”');
    expect(() => patternConstraint('*a')).toThrow('nothing to repeat');
    expect(() => patternConstraint('(?=a)')).toThrow('only (?:…) is known');
    expect(() => patternConstraint(String.raw`\b`)).toThrow('an unknown “\\b”');
    expect(() => patternConstraint('(?:a{1000}){1000}')).toThrow('too many texts');
  });
});

describe('a list of texts', () => {
  it('allows them and names in their slots', () => {
    const constraint = textsConstraint([`${SLOT} fragged ${SLOT}`, 'Final lap!']);
    expect(allows(constraint, 'Final lap!')).toBe(true);
    expect(allows(constraint, 'Grism fragged Tony B')).toBe(true);
    expect(allows(constraint, ' fragged ')).toBe(false);
    expect(allows(constraint, 'Final lap')).toBe(false);
    expect(allows(constraint, `${'x'.repeat(33)} fragged y`)).toBe(false);
  });
});

it('combines constraints', () => {
  const digits = anyText((char) => '0123456789'.includes(char));
  const both = bothConstraints(digits, patternConstraint('..?'));
  expect(['7', '42', '', '123', 'a'].filter((text) => allows(both, text))).toEqual(['7', '42']);
});
