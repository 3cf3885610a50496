import { describe, expect, it } from 'vitest';
import { parseAtlas } from './atlas.ts';
import { GlyphReader } from './glyph-reader.ts';
import { learnFixed } from './learn-fixed.ts';
import type { LineImage } from './line-image.ts';

const PITCH = 6;
const HEIGHT = 7;
const CELLS = 3;
const MARGIN = 1;

const FIGURES: Readonly<Record<string, readonly string[]>> = {
  '0': ['.###.', '#...#', '#...#', '#...#', '#...#', '#...#', '.###.'],
  '1': ['..#..', '.##..', '..#..', '..#..', '..#..', '..#..', '.###.'],
  '4': ['...#.', '..##.', '.#.#.', '#..#.', '#####', '...#.', '...#.'],
  '7': ['#####', '....#', '...#.', '...#.', '..#..', '..#..', '..#..'],
};

/** A text in the middle of a box of three cells: of two characters it begins half a cell from the edge. */
function centred(text: string, seed: number): LineImage {
  const [width, height] = [CELLS * PITCH + 2 * MARGIN, HEIGHT + 2 * MARGIN];
  const data = new Float32Array(width * height).fill(60);
  const start = MARGIN + (PITCH * (CELLS - text.length)) / 2;
  for (const [place, char] of [...text].entries())
    for (const [y, row] of FIGURES[char]!.entries())
      for (const [x, dot] of [...row].entries())
        if (dot === '#') data[(MARGIN + y) * width + start + place * PITCH + x] = 220;
  let state = seed + 1;
  const noisy = data.map((level) => level + 4 * ((state = (state * 16_807) % 2_147_483_647) / 2 ** 30 - 1));
  return { data: noisy, width, height };
}

describe('a font of fixed pitch learnt from centred labels', () => {
  it('is the same font whether an even or an odd number of characters stands in the middle', () => {
    const texts = ['0', '1', '4', '7', '10', '47', '71', '04', '17', '40'];
    const atlas = learnFixed(
      texts.map((text, seed) => ({ text, image: centred(text, seed) })),
      {
        name: 'figures',
        layout: 'fixed',
        channel: 'luma',
        pixels: { x: 1, y: 1 },
        pitch: PITCH,
        height: HEIGHT,
        illumination: { gain: 0.15, offset: 15 },
        align: 'centre',
        margin: MARGIN,
      },
    );
    for (const char of Object.keys(FIGURES)) {
      const glyph = atlas.file.glyphs.find((one) => one.char === char)!;
      const drawn = FIGURES[char]!.flatMap((row) => [...row, '.'].map((dot) => (dot === '#' ? 220 : 60)));
      const off = drawn.map((level, i) => Math.abs(level - Buffer.from(glyph.level, 'base64')[i]!));
      expect(Math.max(...off)).toBeLessThan(25);
    }
    const reader = new GlyphReader(atlas);
    for (const text of [...texts, '417', '74', '104'])
      expect(reader.read(centred(text, 99), 'centre', MARGIN)).toMatchObject({ text });
  });
});

describe('a font whose pitch is no whole number of pixels', () => {
  const FRACTION = 6.4;
  /** Characters from the left edge, each drawn at the pixel next to its place. */
  function drawn(text: string, seed: number): LineImage {
    const [width, height] = [Math.ceil(5 * FRACTION) + 2 * MARGIN, HEIGHT + 2 * MARGIN];
    const data = new Float32Array(width * height).fill(60);
    for (const [place, char] of [...text].entries())
      for (const [y, row] of FIGURES[char]!.entries())
        for (const [x, dot] of [...row].entries())
          if (dot === '#') data[(MARGIN + y) * width + MARGIN + Math.round(place * FRACTION) + x] = 220;
    let state = seed + 1;
    const noisy = data.map((level) => level + 4 * ((state = (state * 16_807) % 2_147_483_647) / 2 ** 30 - 1));
    return { data: noisy, width, height };
  }

  it('is read at every place of the line', () => {
    const texts = ['01470', '14701', '47014', '70147', '0011', '4477'];
    const atlas = learnFixed(
      texts.map((text, seed) => ({ text, image: drawn(text, seed) })),
      {
        name: 'figures',
        layout: 'fixed',
        channel: 'luma',
        pixels: { x: 1, y: 1 },
        pitch: FRACTION,
        height: HEIGHT,
        illumination: { gain: 0.15, offset: 15 },
        align: 'left',
        margin: MARGIN,
      },
    );
    // What is read back from its file, too, has glyphs of whole pixels.
    const reader = new GlyphReader(parseAtlas(JSON.stringify(atlas.file), 'figures.json'));
    for (const text of [...texts, '10740', '77411', '4'])
      expect(reader.read(drawn(text, 99), 'left', MARGIN)).toMatchObject({ text });
  });
});
