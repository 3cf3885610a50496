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

  it('captures the groups that JavaScript captures outside repetitions', () => {
    const cases: [string, string][] = [
      ['^(.+) was (railed|gunned) by (.+)$', 'Grunt was railed by Sarge'],
      ['(\\d+)/(\\d+)', 'score 12/50 now'],
      ['(a)|(b)', 'b'],
      ['(a*)(a*)', 'aaa'],
      ['(a+?)(a*)', 'aaa'],
      ['(?<who>\\w+) fragged (?<whom>\\w+)', 'You fragged Sarge'],
      ['([\\p{L} ]+): (.*)', 'Sérgé X: hello'],
      ['(x{2,3})(x*)', 'xxxxxx'],
      ['(😀+)\\u{1F600}', '😀😀😀'],
    ];
    for (const [source, one] of cases) {
      const expected = new RegExp(source, 'u').exec(one);
      expect([source, new Pattern(source).exec(one)]).toEqual([source, expected === null ? undefined : [...expected]]);
    }
  });

  it('captures the groups that JavaScript captures where no repeated part holds a group', () => {
    // JavaScript clears the groups of a repeated part before each repetition, RE2 does not: only there may they differ.
    const { plain, node } = fc.letrec<{ plain: string; node: string; maybe: string }>((tie) => ({
      plain: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('a', 'b', '[ab]', '.', 'ab', '[^b]'),
        fc.tuple(tie('plain'), tie('plain')).map(([x, y]) => x + y),
        fc.tuple(tie('plain'), tie('plain')).map(([x, y]) => `(?:${x}|${y})`),
        fc
          .tuple(tie('plain'), fc.constantFrom('+', '{2}', '{1,3}', '+?', '{1,2}?'))
          .map(([x, times]) => `(?:${x})${times}`),
      ),
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        tie('plain'),
        fc.tuple(tie('maybe'), tie('node'), tie('maybe')).map((parts) => parts.join('')),
        fc.tuple(tie('node'), tie('node')).map(([x, y]) => `(?:${x}|${y})`),
        tie('node').map((x) => `(${x})`),
      ),
      // A group that is repeated as a whole holds its last repetition in both.
      maybe: fc.oneof(
        fc.constantFrom('', '^', '$', '\\b'),
        fc
          .tuple(tie('plain'), fc.constantFrom('*', '+', '?', '{2}', '*?', '??', '{0,2}', '{1,3}'))
          .map(([x, times]) => `(${x})${times}`),
      ),
    }));
    fc.assert(
      fc.property(
        fc.oneof(node, plain),
        fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 8 }),
        (source, one) => {
          const expected = new RegExp(source, 'u').exec(one);
          const captured = new Pattern(source).exec(one);
          expect([source, captured]).toEqual([source, expected === null ? undefined : [...expected]]);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('finds the match that JavaScript finds where repeated parts are not empty', () => {
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
        expect([source, new Pattern(source).exec(one)?.[0]]).toEqual([source, expected?.[0]]);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes linear time for expressions on which backtracking takes exponential time', () => {
    // A backtracking matcher takes 2 to the power of the length for the first ones.
    const long = 'a'.repeat(2000);
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '(.*)*x', '^(a?){500}a{500}$', '(x+x+)+y']) {
      expect(new Pattern(source).test(`${long}!`)).toBe(false);
    }
  });

  it.each([
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['\\q', 'invalid escape sequence: `\\q`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)b', 'invalid named capture: `(?<!a)b`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['a{5000}', 'invalid repeat count: `{5000}`'],
    ['((a{500}){500}){500}', 'invalid repeat count: `{500}`'],
    ['a\\', 'trailing backslash at end of expression'],
    ['\\p{Nonsense}', 'invalid character class range: `\\p{Nonsense}`'],
  ])('refuses %s with the reason', (source, message) => {
    expect(() => new Pattern(source)).toThrow(new SyntaxError(message));
  });
});

it('refuses an expression whose repetitions make it slow', () => {
  expect(() => new Pattern('(\\pL?){900}(\\pL?){900}')).toThrow('too large');
  expect(new Pattern('^(.{1,40}) was railed by (.{1,40})$').exec('A was railed by B')).toEqual([
    'A was railed by B',
    'A',
    'B',
  ]);
});
