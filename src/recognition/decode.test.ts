import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText, patternConstraint } from './constraint.ts';
import { decodeLine, type LineSteps, locateCharacters } from './decode.ts';

/** Steps from rows of probabilities: the blank, then `chars`. */
function lineOf(chars: string, rows: readonly (readonly number[])[]): LineSteps {
  return {
    blank: Float64Array.from(rows, ([blank]) => blank!),
    candidates: rows.map(([, ...rest]) => rest.map((probability, i) => ({ char: chars[i]!, probability }))),
  };
}

/** Probabilities of all texts, by brute force over every way of writing them. */
function allTexts(chars: string, rows: readonly (readonly number[])[]): Map<string, number> {
  const texts = new Map<string, number>();
  const write = (t: number, text: string, last: number, probability: number): void => {
    if (t === rows.length) {
      texts.set(text, (texts.get(text) ?? 0) + probability);
      return;
    }
    for (const [i, p] of rows[t]!.entries())
      write(t + 1, i === 0 || i === last ? text : text + chars[i - 1]!, i, probability * p);
  };
  write(0, '', 0, 1);
  return texts;
}

const rows = fc.array(
  fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 3, maxLength: 3 }).map((weights) => {
    const sum = weights.reduce((total, each) => total + each, 0);
    return weights.map((each) => each / sum);
  }),
  { minLength: 1, maxLength: 4 },
);

it('finds the most probable text, with its probability', () => {
  fc.assert(
    fc.property(rows, (line) => {
      // At most 16 texts of two characters have up to three letters, so that the beam holds nearly all.
      const texts = allTexts('12', line);
      const best = [...texts].toSorted((a, b) => b[1] - a[1])[0]!;
      const found = decodeLine(lineOf('12', line), anyText())!;
      expect(texts.get(found.text)).toBeCloseTo(best[1], 6);
      expect(found.probability).toBeLessThanOrEqual(best[1] + 1e-9);
      expect(found.probability).toBeGreaterThan(0.9 * best[1]);
    }),
  );
});

it('considers possible texts only', () => {
  const line = lineOf('O0:5', [
    [0.01, 0.6, 0.3, 0.01, 0.08],
    [0.9, 0.02, 0.02, 0.04, 0.02],
    [0.02, 0.02, 0.02, 0.9, 0.04],
    [0.01, 0.01, 0.01, 0.02, 0.95],
  ]);
  expect(decodeLine(line, anyText())!.text).toBe('O:5');
  const clock = decodeLine(line, patternConstraint(String.raw`\d:\d`))!;
  expect(clock.text).toBe('0:5');
  expect(clock.share).toBeGreaterThan(0.7);
  expect(clock.share).toBeLessThan(1);
  expect(decodeLine(line, patternConstraint('x'))).toBeUndefined();
});

it('leaves spaces around a text out of it, and out of its probability', () => {
  const line = lineOf(' 7', [
    [0.5, 0.5, 0],
    [0, 0, 1],
    [0.4, 0.6, 0],
    [0.3, 0.7, 0],
  ]);
  for (const constraint of [anyText(), patternConstraint('7')])
    expect(decodeLine(line, constraint)).toEqual({ text: '7', probability: expect.closeTo(1, 9), share: 1 });
});

it('finds where characters are, the same one twice only with a blank between', () => {
  const line = lineOf('17', [
    [0.9, 0.05, 0.05],
    [0.1, 0.9, 0],
    [0.1, 0.9, 0],
    [0.8, 0.2, 0],
    [0.1, 0.9, 0],
    [0.9, 0.05, 0.05],
    [0.1, 0, 0.9],
    [0.9, 0.05, 0.05],
  ]);
  expect(locateCharacters(line, '117')).toEqual([2 / 8, 4.5 / 8, 6.5 / 8]);
  // The crop covers half of the steps: the rest is padding.
  expect(locateCharacters({ ...line, span: 4 }, '17')).toEqual([expect.any(Number), 6.5 / 4]);
  expect(locateCharacters(line, '171717171')).toBeUndefined();
});

it('writes a sign that the network knows as one character and a pattern as two', () => {
  const line: LineSteps = {
    blank: Float64Array.of(0.01, 0.98, 0.02),
    candidates: [[{ char: '9', probability: 0.99 }], [], [{ char: '°C', probability: 0.98 }]],
  };
  const found = decodeLine(line, patternConstraint('(\\d{1,2})°?[CF]'));
  expect(found).toMatchObject({ text: '9°C' });
  expect(found!.probability).toBeGreaterThan(0.9);
});
