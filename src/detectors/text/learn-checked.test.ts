import { describe, expect, it } from 'vitest';
import { GlyphReader } from './glyph-reader.ts';
import { learnChecked } from './learn-checked.ts';
import type { LabelledLine } from './learn-fixed.ts';
import type { LineImage } from './line-image.ts';

/** The segments of a digital clock's figures: top, upper left, upper right, middle, lower left, lower right, bottom. */
const SEGMENTS = [
  '1110111',
  '0010010',
  '1011101',
  '1011011',
  '0111010',
  '1101011',
  '1101111',
  '1010010',
  '1111111',
  '1111011',
];
const [WIDTH, HEIGHT, MARGIN] = [60, 16, 1];

/** Figures of seven segments, two pixels wide, on uneven ground with noise. */
function draw(text: string, seed: number): LineImage {
  const [width, height] = [WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN];
  let state = seed * 7919 + 1;
  const data = Float32Array.from({ length: width * height }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 50 + (i % width) / 4 + (seed % 5) * 6 + 8 * (state / 2 ** 31 - 1);
  });
  for (const [n, char] of Array.from(text).entries()) {
    const left = 5 + 11 * n;
    const fill = (x: number, y: number, wide: number, high: number): void => {
      for (let row = y; row < y + high; row++)
        for (let column = x; column < x + wide; column++) data[(row + 2) * width + left + column] = 225;
    };
    const [top, upperLeft, upperRight, middle, lowerLeft, lowerRight, bottom] = Array.from(
      SEGMENTS[Number(char)]!,
      Number,
    );
    if (top) fill(0, 0, 8, 2);
    if (upperLeft) fill(0, 0, 2, 7);
    if (upperRight) fill(6, 0, 2, 7);
    if (middle) fill(0, 5, 8, 2);
    if (lowerLeft) fill(0, 5, 2, 8);
    if (lowerRight) fill(6, 5, 2, 8);
    if (bottom) fill(0, 11, 8, 2);
  }
  return { data, width, height };
}

function linesOf(numbers: readonly number[], label: (n: number) => number = (n) => n): LabelledLine[] {
  return numbers.map((n, i) => ({ text: String(label(n)), image: draw(String(n), i) }));
}

const OPTIONS = {
  name: 'test',
  pixels: { x: 1, y: 1 },
  height: HEIGHT,
  margin: MARGIN,
  illumination: { gain: 0.15, offset: 15 },
  isPossible: (text: string) => /^\d{3}$/.test(text),
};
const NUMBERS = Array.from({ length: 60 }, (_, i) => 100 + ((i * 137) % 900));

describe('a font that is learnt from uncertain labels', () => {
  it('reads what it has not seen', () => {
    const font = learnChecked(new Map([['luma', linesOf(NUMBERS)]]), OPTIONS)!;
    expect(font.exact).toBeGreaterThanOrEqual(0.9 * font.lines);
    const reader = new GlyphReader(font.atlas);
    for (const n of [345, 678, 902, 111])
      expect(reader.read(draw(String(n), 1000 + n), 'centre', MARGIN).text).toBe(String(n));
  });

  it('is none where a digit was never seen: it would be read as another', () => {
    const numbers = NUMBERS.filter((n) => !String(n).includes('6'));
    expect(numbers.length).toBeGreaterThan(24);
    expect(learnChecked(new Map([['luma', linesOf(numbers)]]), OPTIONS)).toBeUndefined();
  });

  it('is none where a digit was seen once: nothing says whether it is read right', () => {
    const numbers = [...NUMBERS.filter((n) => !String(n).includes('6')), 168];
    expect(learnChecked(new Map([['luma', linesOf(numbers)]]), OPTIONS)).toBeUndefined();
  });

  it('is none where labels are wrong', () => {
    const lines = linesOf(NUMBERS, (n) => 100 + ((n * 31) % 900));
    expect(learnChecked(new Map([['luma', lines]]), OPTIONS)).toBeUndefined();
  });
});
