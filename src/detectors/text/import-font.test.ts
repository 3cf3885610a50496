import { expect, test } from 'vitest';
import { atlasFromImages } from './import-font.ts';

test('a shadow is black ink where the character leaves room for it', () => {
  // A white square of 3 × 3 pixels, half transparent in its right column.
  const rgba = new Uint8Array(4 * 8 * 8);
  for (let y = 1; y < 4; y++)
    for (let x = 1; x < 4; x++) rgba.set([255, 255, 255, x === 3 ? 128 : 255], 4 * (8 * y + x));
  const options = {
    name: 'square',
    channel: 'luma',
    pixels: { x: 1, y: 1 },
    height: 8,
    illumination: { gain: 0.1, offset: 5 },
    background: 50,
    layout: 'fixed',
    pitch: 8,
  } as const;
  const level = (shadow?: { x: number; y: number }): ((x: number, y: number) => number | undefined) => {
    const { file } = atlasFromImages([{ char: '0', width: 8, height: 8, rgba }], {
      ...options,
      ...(shadow && { shadow }),
    });
    const [levels, sigmas] = [file.glyphs[0]!.level, file.glyphs[0]!.sigma].map((text) => Buffer.from(text, 'base64'));
    return (x, y) => (sigmas?.[8 * y + x] === 255 ? undefined : levels?.[8 * y + x]);
  };
  const [plain, over] = [level(), level({ x: 2, y: 2 })];
  expect([plain(1, 1), plain(2, 3), plain(4, 4), plain(0, 0)]).toEqual([255, 255, undefined, undefined]);
  // The character hides its shadow; through its half transparent part the shadow is seen instead of what may lie behind.
  expect([over(1, 1), over(2, 3), over(4, 4), over(3, 5)]).toEqual([255, 255, 0, 0]);
  expect([over(3, 1), over(3, 3)]).toEqual([plain(3, 1), 128]);
  expect([over(0, 0), over(6, 6), over(2, 4)]).toEqual([undefined, undefined, undefined]);
});
