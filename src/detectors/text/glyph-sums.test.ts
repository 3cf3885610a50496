import { expect, test } from 'vitest';
import { ENTRY, GlyphIntegral, GlyphPlanes, LANES, PAIR, SQUARES } from './glyph-sums.ts';
import { atlasFromImages, type GlyphImage } from './import-font.ts';
import type { LineImage } from './line-image.ts';

/** Numbers that look like noise, the same in every run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

function glyph(char: string, next: () => number): GlyphImage {
  const rgba = Uint8Array.from({ length: 4 * 7 * 9 }, () => Math.floor(256 * next()));
  return { char, width: 7, height: 9, rgba };
}

test('sums over three planes are those of plain code, to the bit', () => {
  const next = noise(5);
  const atlas = atlasFromImages(
    ['0', '1', '2'].map((char) => glyph(char, next)),
    {
      name: 'noise',
      channel: 'luma',
      inks: ['#ffb000', '#ffffff'],
      pixels: { x: 1, y: 1 },
      height: 9,
      illumination: { gain: 0.15, offset: 5 },
      background: 50,
      layout: 'fixed',
      pitch: 7,
    },
  );
  const planes = new GlyphPlanes(atlas);
  for (const [width, height] of [
    [40, 11],
    [7, 9],
    [300, 30],
    [40, 11],
  ] as const) {
    const plane = (): Float32Array => Float32Array.from({ length: width * height }, () => 300 * next() - 20);
    const image: LineImage = { data: plane(), chroma: [plane(), plane()], width, height };
    planes.look(image);
    for (const [n, data] of [image.data, ...image.chroma!].entries()) {
      for (const [index, { dx, dy, weight, level }] of atlas.glyphs.entries()) {
        const [x, y] = [Math.floor(next() * (width - 6)), Math.floor(next() * (height - 8))];
        planes.add(index, x, y);
        const expected = [0, 0, 0, 0, 0];
        for (let i = 0; i < dx.length; i++) {
          const p = data[(y + dy[i]!) * width + x + dx[i]!]!;
          const wp = weight[i]! * p;
          for (const [kind, term] of [p, p * p, wp, wp * level[i]!, wp * p].entries()) expected[kind]! += term;
        }
        expect(expected.map((_, kind) => planes.sums[LANES * kind + n])).toEqual(expected);
      }
      const whole = ENTRY * ((width + 1) * (height + 1) - 1) + n;
      let [sum, squares] = [0, 0];
      for (let y = 0; y < height; y++) {
        const row = data.subarray(y * width, (y + 1) * width);
        sum += row.reduce((total, p) => total + p, 0);
        squares += row.reduce((total, p) => total + p * p, 0);
      }
      expect([planes.integral[whole], planes.integral[whole + SQUARES]]).toEqual([sum, squares]);
      expect([planes.integral[n], planes.integral[ENTRY * (width + 1) + n]]).toEqual([0, 0]);
    }
  }
});

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
