import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Atlas, dimAtlas, parseAtlas } from './atlas.ts';
import { FontReader } from './font-reader.ts';
import type { LineImage } from './line-image.ts';

const [green, red] = ['big', 'big-red'].map((name) => {
  const url = new URL(`../../../configs/freedoom/fonts/${name}.json`, import.meta.url);
  return parseAtlas(readFileSync(url, 'utf8'), name);
}) as [Atlas, Atlas];

/** A text of three places, as the font expects it, with noise of that deviation (a fixed sequence); `gain` is the light's. */
function line({ file }: Atlas, text: string, { noise = 0, gain = 1 } = {}): LineImage {
  const pitch = file.pitch!;
  const [width, height] = [3 * pitch + 2, file.height + 2];
  const data = new Float32Array(width * height);
  let state = 7;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (const [place, char] of [...text.padStart(3)].entries()) {
    const level = Buffer.from(file.glyphs.find((glyph) => glyph.char === char)!.level, 'base64');
    for (let y = -1; y <= file.height; y++)
      for (let x = place === 0 ? -1 : 0; x < (place === 2 ? pitch + 1 : pitch); x++) {
        const from = Math.min(Math.max(y, 0), file.height - 1) * pitch + Math.min(Math.max(x, 0), pitch - 1);
        const normal = Array.from({ length: 4 }, random).reduce((sum, one) => sum + one - 0.5, 0) * 1.73;
        data[(y + 1) * width + place * pitch + x + 1] = level[from]! + noise * normal;
      }
  }
  return { data, width, height, gain };
}

/** As large as a text, but nothing stands there. */
function flat(atlas: Atlas, text: string): LineImage {
  const image = line(atlas, text);
  return { ...image, data: image.data.map((_, i) => 52 + (i % 3)) };
}

test('the first font is enough where it is sure', () => {
  const asked: string[] = [];
  const imageOf = (atlas: Atlas): LineImage => (asked.push(atlas.file.name), line(atlas, '87'));
  const read = new FontReader([green, red]).read(imageOf, 'right', 1);
  expect([read?.text, asked]).toEqual(['87', ['big']]);
  expect(read?.confidence).toBeGreaterThan(0.9);
});

test('where the first font sees nothing another one counts, and where two are sure of different texts neither is', () => {
  const fonts = new FontReader([green, red]);
  const other = fonts.read((atlas) => (atlas === green ? flat(atlas, '35') : line(atlas, '35')), 'right', 1);
  expect(other?.text).toBe('35');
  const blurred = { noise: 22 };
  const alone = fonts.read((atlas) => line(atlas, '35', atlas === green ? blurred : {}), 'right', 1)!;
  const against = fonts.read(
    (atlas) => (atlas === green ? line(atlas, '38', blurred) : line(atlas, '35')),
    'right',
    1,
  )!;
  expect(alone.text).toBe('35');
  expect(against.confidence).toBeLessThanOrEqual(alone.confidence);
});

test('little light makes the noise greater, which the font then expects', () => {
  expect(dimAtlas(red, 1)).toBe(red);
  expect(dimAtlas(red, 0.5)).toBe(red);
  const faint = dimAtlas(red, 0.11);
  expect(faint).not.toBe(red);
  expect(dimAtlas(red, 0.115)).toBe(faint);
  const read = (gain: number): { text: string; confidence: number } =>
    new FontReader([red]).read((atlas) => line(atlas, '146', { noise: 30, gain }), 'right', 1)!;
  expect(read(0.11).text).toBe('146');
  expect(read(0.11).confidence).toBeGreaterThan(0.9);
  expect(read(1).text).not.toBe('146');
});

/** How surely nothing stands there in this light. */
const nothing = (gain: number): number =>
  new FontReader([green]).read((atlas) => ({ ...flat(atlas, '35'), gain }), 'right', 1)!.confidence;

test('in little light nothing is surely absent, and colour at a coarser raster says less', () => {
  const faint = { noise: 30, gain: 0.11 };
  const dim = (sharedPixels: number): number =>
    new FontReader([red]).read((atlas) => ({ ...line(atlas, '146', faint), sharedPixels }), 'right', 1)!.cells[0]!.llr;
  expect(dim(4)).toBeLessThan(dim(1));
  expect(nothing(1)).toBeGreaterThan(0.7);
  expect(nothing(0.11)).toBeLessThanOrEqual(0.5);
});
