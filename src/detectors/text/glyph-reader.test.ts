import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Atlas, lookalikes, parseAtlas, plainCase } from './atlas.ts';
import { confusableGlyphs } from './confusable-glyphs.ts';
import type { LineImage } from './line-image.ts';
import { GlyphReader } from './glyph-reader.ts';

const fonts = new URL('../../../configs/openarena/fonts/', import.meta.url);
const load = (name: string): Atlas => parseAtlas(readFileSync(new URL(`${name}.json`, fonts), 'utf8'), name);
const letters = load('console');
const numbers = load('numbers');
const scores = load('scores');

interface Look {
  /** Grey level behind the text, contrast and brightness of the text. */
  readonly ground?: number;
  readonly gain?: number;
  readonly offset?: number;
  /** Amplitude of the noise; its seed. */
  readonly noise?: number;
  readonly seed?: number;
  /** Which of the font's inks. */
  readonly ink?: number;
}

/** Draws the expected levels of the glyphs of a fixed-pitch text, `margin` pixels around, on grey ground. */
function draw(atlas: Atlas, text: string, cells: number, margin: number, look: Look = {}): LineImage {
  const { ground = 70, gain = 1, offset = 0, noise = 0, seed = 1, ink = 0 } = look;
  const { height, pitch } = atlas.file;
  const width = cells * pitch! + 2 * margin;
  const size = width * (height + 2 * margin);
  const planes = atlas.inks[0]!.map((_, plane) => new Float32Array(size).fill(plane === 0 ? ground : 0));
  for (const [column, char] of [...text].entries()) {
    const glyph = atlas.glyphs.find((one) => one.char === char);
    const shares = atlas.inks[ink]!;
    for (let i = 0; i < (glyph?.dx.length ?? 0); i++) {
      const at = (margin + glyph!.dy[i]!) * width + margin + column * pitch! + glyph!.dx[i]!;
      for (const [plane, share] of shares.entries()) planes[plane]![at] = share * gain * glyph!.level[i]! + offset;
    }
  }
  // Numerical Recipes' linear congruential generator.
  let state = seed >>> 0;
  for (const plane of planes)
    for (let i = 0; i < size; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      plane[i]! += noise * (state / 2 ** 31 - 1);
    }
  const [data, cb, cr] = planes;
  return { data: data!, width, height: height + 2 * margin, ...(cb && cr ? { chroma: [cb, cr] } : {}) };
}

const same = (text: string): string => text.replaceAll('I', 'l').replaceAll('|', 'l');

describe('GlyphReader', () => {
  it('reads white numbers with a shadow over the edge of something bright or dark', () => {
    const reader = new GlyphReader(scores);
    const places = fc.record({
      value: fc.nat(99),
      grounds: fc.tuple(fc.integer({ min: 0, max: 235 }), fc.integer({ min: 0, max: 235 })),
      edge: fc.integer({ min: 2, max: 46 }),
      slope: fc.double({ min: -1, max: 1, noNaN: true }),
      gain: fc.double({ min: 0.9, max: 1.05, noNaN: true }),
      seed: fc.nat(),
    });
    let sure = 0;
    const wrong: unknown[] = [];
    const cases = fc.sample(places, { seed: 3, numRuns: 300 });
    for (const { value, grounds, edge, slope, gain, seed } of cases) {
      const text = String(value).padStart(3);
      const image = draw(scores, text, 3, 1, { ground: -1000, gain, seed });
      const noise = draw(scores, '   ', 3, 1, { ground: 0, noise: 6, seed }).data;
      for (let i = 0; i < noise.length; i++) {
        const [x, y] = [i % image.width, Math.floor(i / image.width)];
        const ink = image.data[i]!;
        const ground = grounds[x < edge + slope * (y - image.height / 2) ? 0 : 1];
        image.data[i] = (ink === -1000 ? ground : ink) + noise[i]!;
      }
      const line = reader.read(image, 'right', 1);
      if (line.confidence < 0.3) continue;
      sure++;
      if (line.text !== text.trim()) wrong.push([text, line.text, grounds, edge, slope, gain, seed]);
    }
    expect(wrong).toEqual([]);
    expect(sure / cases.length).toBeGreaterThan(0.95);
  });

  it('reads numbers in any ink, in any light that the atlas allows and on any grey, with noise', () => {
    const reader = new GlyphReader(numbers);
    const looks = fc.record({
      value: fc.integer({ min: 0, max: 999 }),
      ground: fc.integer({ min: 20, max: 250 }),
      gain: fc.double({ min: 0.8, max: 1.3, noNaN: true }),
      noise: fc.integer({ min: 0, max: 8 }),
      ink: fc.integer({ min: 0, max: numbers.inks.length - 1 }),
      seed: fc.integer(),
    });
    const wrong = fc.sample(looks, { numRuns: 2000, seed: 1 }).flatMap(({ value, ...look }) => {
      const { text, confidence } = reader.read(draw(numbers, String(value).padStart(3, ' '), 3, 1, look), 'right', 1);
      return text === String(value) ? [] : [{ value, text, confidence, look }];
    });
    expect(wrong).toEqual([]);
  });

  it('reads figures of every ink on bright ground', () => {
    const reader = new GlyphReader(numbers);
    for (const ink of numbers.inks.keys())
      expect(reader.read(draw(numbers, ' 24', 3, 1, { ground: 200, ink }), 'right', 1).text).toBe('24');
  });

  it('finds a text that stands a pixel off', () => {
    const shifted = draw(letters, 'Neko', 8, 1);
    shifted.data.copyWithin(1, 0, shifted.data.length - 1);
    expect(new GlyphReader(letters).read(shifted, 'left', 1).text).toBe('Neko');
  });

  it('sees nothing on blank ground, on noise, and where white stands on white', () => {
    const reader = new GlyphReader(numbers);
    for (const look of [{ ground: 0 }, { ground: 128 }, { ground: 255 }, { noise: 40, seed: 7 }])
      expect(reader.read(draw(numbers, '', 3, 1, look), 'right', 1)).toMatchObject({ text: '', cells: [] });
    const white = new GlyphReader(letters).read(draw(letters, '', 20, 0, { ground: 250 }), 'left', 0);
    expect(white.text).toBe('');
  });

  it('is sure of a letter that looks like another', () => {
    const names = load('names');
    for (const name of ['Angelyss', 'Skelebot', 'Liz']) {
      const { text, confidence } = new GlyphReader(names).read(draw(names, name, name.length, 1), 'left', 1);
      expect(plainCase(text, lookalikes(names))).toBe(name);
      expect(confidence).toBeGreaterThan(0.9);
    }
  });

  it('does not take half a glyph for a whole one', () => {
    const image = draw(numbers, '8', 1, 1);
    const half = Math.floor(image.height / 2) * image.width;
    image.data.fill(70, half);
    for (const plane of image.chroma!) plane.fill(0, half);
    const { text, confidence } = new GlyphReader(numbers).read(image, 'right', 1);
    expect(text === '8' ? confidence : 0).toBeLessThan(0.5);
  });

  it('does not take a right-aligned text for whole that lacks its last character', () => {
    const reader = new GlyphReader(numbers);
    expect(reader.read(draw(numbers, ' 5 ', 3, 1), 'right', 1).confidence).toBeLessThan(0.2);
    expect(reader.read(draw(numbers, '  5', 3, 1), 'right', 1).confidence).toBeGreaterThan(0.9);
  });

  it('restricts what is tried to the charset', () => {
    const reader = new GlyphReader(numbers, '01');
    expect(reader.read(draw(numbers, '101', 3, 1), 'right', 1).text).toBe('101');
    expect(reader.read(draw(numbers, '181', 3, 1), 'right', 1).text).not.toContain('8');
  });

  it('reads the same with hints, right or wrong', () => {
    const reader = new GlyphReader(letters);
    const text = fc.stringMatching(/^[a-eo-qA-Z'.]{1,12}$/);
    fc.assert(
      fc.property(text, text, fc.integer(), (shown, hinted, seed) => {
        const image = draw(letters, shown, 12, 0, { noise: 6, seed });
        const plain = reader.read(image, 'left', 0).text;
        expect(same(plain)).toBe(same(shown));
        const hint = reader.read(draw(letters, hinted, 12, 0), 'left', 0);
        reader.read(image, 'left', 0);
        expect(reader.read(image, 'left', 0, [hint]).text).toBe(plain);
      }),
      { numRuns: 60 },
    );
  });
});

describe('confusableGlyphs', () => {
  it('names e and c as near to each other, whichever of them is drawn', () => {
    const { similar } = confusableGlyphs(letters);
    const index = (char: string): number => letters.glyphs.findIndex((glyph) => glyph.char === char);
    expect(similar[index('c')]).toContain(index('e'));
    expect(similar[index('e')]).toContain(index('c'));
    for (const [i, others] of similar.entries()) for (const j of others) expect(similar[j]).toContain(i);
  });
});
