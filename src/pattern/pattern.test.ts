import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from './pattern.ts';

/** Expressions over a, b and c, nested, with everything that is available. */
const { node: expression } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$', '', '[a-c]', '\\d', 'é'),
    fc.tuple(tie('node'), tie('node')).map(([x, y]) => x + y),
    fc.tuple(tie('node'), tie('node')).map(([x, y]) => `(?:${x}|${y})`),
    tie('node').map((x) => `(${x})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '{0,1}'), fc.constantFrom('', '?'))
      .map(([x, times, lazy]) => `(?:${x})${times}${lazy}`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{0,2}'), fc.constantFrom('', '?'))
      .map(([x, times, lazy]) => `(${x})${times}${lazy}`),
  ),
}));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'é', '😀', '1'), maxLength: 8 });

describe('Pattern', () => {
  it('matches where JavaScript does', () => {
    fc.assert(
      fc.property(expression, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const [ours, theirs] = [new Pattern(source), new RegExp(source, 'u')];
        for (const one of texts)
          expect(`/${source}/ on “${one}”: ${ours.test(one)}`).toBe(`/${source}/ on “${one}”: ${theirs.test(one)}`);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes the groups that JavaScript takes', () => {
    const cases: [string, string][] = [
      ['^(.+) was (railed|gunned) by (.+)$', 'Grunt was railed by Sarge'],
      ['(\\d+)/(\\d+)', 'score 12/50 now'],
      ['(a)|(b)', 'b'],
      ['(?:(a)|(b))+', 'ab'],
      ['(a*)(a*)', 'aaa'],
      ['(a+?)(a*)', 'aaa'],
      ['(?<who>\\w+) fragged (?<whom>\\w+)', 'You fragged Sarge'],
      ['([\\p{L} ]+): (.*)', 'Sérgé X: hello'],
      ['(x{2,3})(x*)', 'xxxxxx'],
      ['^(?:(\\w)(\\d)?)*$', 'a1b'],
      ['(😀+)\\u{1F600}', '😀😀😀'],
    ];
    for (const [source, one] of cases) {
      const expected = new RegExp(source, 'u').exec(one);
      expect([source, new Pattern(source).exec(one)]).toEqual([source, expected === null ? undefined : [...expected]]);
    }
  });

  it('takes what JavaScript takes wherever repeated parts are not empty', () => {
    const { node } = fc.letrec<{ node: string; maybe: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('a', 'b', '[ab]', '.', 'ab', '[^b]'),
        fc.tuple(tie('maybe'), tie('node'), tie('maybe')).map((parts) => parts.join('')),
        fc.tuple(tie('node'), tie('node')).map(([x, y]) => `(?:${x}|${y})`),
        tie('node').map((x) => `(${x})`),
        fc
          .tuple(tie('node'), fc.constantFrom('+', '{2}', '{1,3}', '+?', '{1,2}?'))
          .map(([x, times]) => `(${x})${times}`),
      ),
      maybe: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('', '^', '$', '\\b'),
        fc.tuple(tie('node'), fc.constantFrom('*', '?', '*?', '??', '{0,2}')).map(([x, times]) => `(${x})${times}`),
      ),
    }));
    fc.assert(
      fc.property(node, fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 8 }), (source, one) => {
        const expected = new RegExp(source, 'u').exec(one);
        expect([source, new Pattern(source).exec(one)]).toEqual([
          source,
          expected === null ? undefined : [...expected],
        ]);
      }),
      { numRuns: 5000 },
    );
  });

  it('needs time proportional to the text for expressions that make others hang', () => {
    // A backtracking matcher takes 2 to the power of the length for the first ones.
    const long = 'a'.repeat(2000);
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '(.*)*x', '^(a?){500}a{500}$', '(x+x+)+y']) {
      expect(new Pattern(source).test(`${long}!`)).toBe(false);
    }
  });

  it.each([
    ['(', 'a “(” without its “)” at character 2'],
    ['a)', 'a “)” without its “(” at character 2'],
    ['*a', 'nothing to repeat at character 1'],
    ['a**', 'nothing to repeat at character 3'],
    ['[a', 'a “[” without its “]” at character 3'],
    ['[b-a]', 'a range out of order at character 5'],
    ['a{2,1}', 'the numbers of a repetition are out of order at character 7'],
    ['a{x}', 'a “{” that is no repetition (write \\{) at character 2'],
    ['\\q', '\\q means nothing at character 3'],
    ['(?=a)', 'looking ahead or behind is not available at character 4'],
    ['(?<!a)b', 'looking ahead or behind is not available at character 5'],
    ['(a)\\1', 'referring back to a group is not available at character 6'],
    ['a{5000}', 'more than 1000 repetitions at character 8'],
    ['((a{500}){500}){500}', 'the expression is too large'],
    ['a\\', 'a “\\” at the end at character 3'],
    ['\\p{Nonsense}', 'Invalid regular expression: /^\\p{Nonsense}$/u: Invalid property name'],
  ])('refuses %s and says why', (source, message) => {
    expect(() => new Pattern(source)).toThrow(new SyntaxError(message));
  });
});
