import { expect, test } from 'vitest';
import { GlyphIntegral, PAIR } from './glyph-integral.ts';

test('sums over a plane and over its squares are those of plain code, to the bit', () => {
  let state = 7;
  const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const integral = new GlyphIntegral();
  for (const [width, height] of [
    [40, 11],
    [7, 9],
    [1, 1],
    [300, 61],
    [41, 11],
  ] as const) {
    // A buffer may be longer than its picture.
    const data = Float32Array.from({ length: width * height + 5 }, () => 300 * next() - 20);
    integral.look({ data, width, height });
    const stride = width + 1;
    const expected = new Float64Array(PAIR * stride * (height + 1));
    for (let y = 0; y < height; y++) {
      let [row, squares] = [0, 0];
      for (let x = 0; x < width; x++) {
        const p = data[y * width + x]!;
        row += p;
        squares += p * p;
        const at = PAIR * ((y + 1) * stride + x + 1);
        expected[at] = expected[at - PAIR * stride]! + row;
        expected[at + 1] = expected[at + 1 - PAIR * stride]! + squares;
      }
    }
    expect(integral.sums.slice(0, expected.length)).toEqual(expected);
  }
});
