import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Picture } from '../../media/picture.ts';
import { greyPicture, viewOf } from '../../../test/fixtures/views.ts';
import { parseAtlas } from './atlas.ts';
import type { LineImage } from './line-image.ts';
import { segmentLines } from './segmentation.ts';
import { kind } from './index.ts';
import { GlyphReader } from './glyph-reader.ts';
import { learnProportional, type LearnedProportionalFont } from './learn-proportional.ts';

const HEIGHT = 11;
const MARGIN = 1;

/** Characters of three to nine columns, drawn by hand. The percent sign is of three pieces, the colon of one narrow one. */
const FONT: Readonly<Record<string, readonly string[]>> = {
  '0': ['.###.', '#...#', '#...#', '#...#', '#...#', '#...#', '.###.'],
  '1': ['.#.', '##.', '.#.', '.#.', '.#.', '.#.', '###'],
  '2': ['.###.', '#...#', '....#', '...#.', '..#..', '.#...', '#####'],
  '3': ['####.', '....#', '....#', '.###.', '....#', '....#', '####.'],
  '7': ['#####', '....#', '...#.', '...#.', '..#..', '..#..', '..#..'],
  '8': ['.###.', '#...#', '#...#', '.###.', '#...#', '#...#', '.###.'],
  ':': ['..', '##', '##', '..', '##', '##', '..'],
  '/': ['...#', '...#', '..#.', '..#.', '.#..', '.#..', '#...'],
  '%': ['##.....', '##..#..', '...#...', '..#....', '.#...##', '#....##', '.......'].map((row) =>
    row.replace(/^(..)/, '$1.').replace(/(..)$/, '.$1'),
  ),
  k: ['#....', '#....', '#..#.', '#.#..', '##...', '#.#..', '#..#.'],
  m: ['.......', '.......', '###.##.', '#..#..#', '#..#..#', '#..#..#', '#..#..#'],
};

interface Scene {
  /** Grey level behind, at the left and at the right. */
  readonly ground?: readonly [number, number];
  readonly ink?: number;
  readonly seed?: number;
  readonly noise?: number;
  readonly x?: number;
}

/** A line of the font, one column between characters, four for a space. */
function draw(
  text: string,
  { ground = [60, 60], ink = 220, seed = 1, noise = 4, x: start = 3 }: Scene = {},
): LineImage {
  const [width, height] = [72, HEIGHT + 2 * MARGIN];
  const data = Float32Array.from({ length: width * height }, (_, i) => {
    const share = (i % width) / width;
    return ground[0] * (1 - share) + ground[1] * share;
  });
  let x = start + MARGIN;
  for (const char of text) {
    const rows = FONT[char];
    if (!rows) {
      x += 4;
      continue;
    }
    for (const [y, row] of rows.entries())
      for (const [column, dot] of [...row].entries())
        if (dot === '#') data[(y + 2 + MARGIN) * width + x + column] = ink;
    x += rows[0]!.length + 1;
  }
  let state = seed >>> 0;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i]! += noise * (state / 2 ** 31 - 1);
  }
  return { data, width, height };
}

const OPTIONS = {
  name: 'test',
  channel: 'luma',
  pixels: { x: 1, y: 1 },
  height: HEIGHT,
  illumination: { gain: 0.15, offset: 15 },
  margin: MARGIN,
} as const;

const TEXTS = ['12:07', '3/8', '28 km', '70%', '1:23', '87%', '0/3 km', '13:08'];

function learn(scene: (n: number) => Scene): LearnedProportionalFont {
  const learnt = learnProportional(
    TEXTS.map((text, n) => ({ text, image: draw(text, scene(n)) })),
    OPTIONS,
  );
  expect(learnt).toBeDefined();
  return learnt!;
}

/** A character alone, in a box as wide as itself. */
function figure(char: string, seed: number): LineImage {
  const { data, width, height } = draw(char, { seed, x: 0 });
  const narrow = FONT[char]![0]!.length + 2 * MARGIN;
  const rows = Array.from({ length: height }, (_, y) => data.subarray(y * width, y * width + narrow));
  return { data: Float32Array.from(rows.flatMap((row) => [...row])), width: narrow, height };
}

/** Middle of a line's rows. */
const MIDDLE = MARGIN + HEIGHT / 2;

/** A picture in whose middle a text is drawn so many times as large as usual. */
function pictureOf(text: string, scale: number): Picture {
  const line = draw(text, { noise: 0 });
  const [width, height] = [2 * line.width, 4 * line.height];
  const level = (x: number, y: number): number => {
    const column = Math.floor(line.width / 2 + (x - width / 2) / scale);
    const row = Math.floor(MIDDLE + (y - height / 2 - 0.5) / scale);
    const isInside = column >= 0 && column < line.width && row >= 0 && row < line.height;
    return isInside ? line.data[row * line.width + column]! : 60;
  };
  const parts = [1, 3, 5, 7].map((n) => n / 8);
  return greyPicture(width, height, (x, y) => {
    const levels = parts.flatMap((dy) => parts.map((dx) => level(x + dx, y + dy)));
    return levels.reduce((sum, one) => sum + one, 0) / levels.length;
  });
}

describe('a text that swells', () => {
  it('is read in the sizes that it may have, within what is watched of the picture', async () => {
    const { atlas } = learn((n) => ({ seed: n, noise: 20 }));
    const assets = { read: () => Promise.resolve(Buffer.from(JSON.stringify(atlas.file))) };
    const read = async (text: string, drawn: number, more: object, padding = 0.5) => {
      using detector = await kind.open({ atlas: 'a.json', align: 'centre', value: 'time', ...more }, assets);
      const region = { x: 0.25, y: 21 / 52, width: 0.5, height: 11 / 52, padding };
      return detector.read(viewOf(pictureOf(text, drawn), region));
    };
    const scales = { scales: [1.2, 1.5, 1.8] };
    expect(await read('12:07', 1, {})).toMatchObject({ state: 'seen', value: 727 });
    expect((await read('12:07', 1.5, {})).state).not.toBe('seen');
    for (const drawn of [1, 1.2, 1.5, 1.8])
      expect(await read('12:07', drawn, scales)).toMatchObject({ state: 'seen', value: 727 });
    expect(await read('3:18', 1.5, scales)).toMatchObject({ state: 'seen', value: 198 });
    expect((await read('12:07', 1.5, scales, 0)).state).not.toBe('seen');
    expect((await read('', 1, scales)).state).toBe('absent');
  });
});

describe('a proportional font learnt from labelled lines', () => {
  it('reads texts that were not among them, of figures, clocks, shares, parts and words', () => {
    const { atlas, segmented, lead } = learn((n) => ({ seed: n, ground: [40 + 10 * n, 90] }));
    expect(segmented).toEqual(TEXTS.map(() => true));
    expect(lead).toBe(2);
    expect(atlas.glyphs.map(({ char }) => char).join('')).toBe('%/012378:km');
    const reader = new GlyphReader(atlas);
    const text = fc.oneof(
      fc.tuple(fc.nat(99), fc.nat(99)).map(([a, b]) => `${a}:${b}`),
      fc.nat(100).map((share) => `${share}%`),
      fc.tuple(fc.nat(300), fc.nat(300)).map(([a, b]) => `${a}/${b}`),
      fc.nat(999).map((way) => `${way} km`),
    );
    const known = text.filter((one) => !/[4569]/.test(one));
    const scenes = fc.record({
      seed: fc.nat(),
      x: fc.integer({ min: 1, max: 12 }),
      ink: fc.integer({ min: 200, max: 235 }),
    });
    for (const [one, scene] of fc.sample(fc.tuple(known, scenes), { seed: 5, numRuns: 150 }))
      expect(reader.read(draw(one, scene), 'centre', MARGIN)).toMatchObject({
        text: one,
        confidence: expect.closeTo(1, 1),
      });
  });

  it('finds by itself that ink is what is darker', () => {
    const { atlas } = learn((n) => ({ seed: n, ground: [235, 150], ink: 25 }));
    const reader = new GlyphReader(atlas);
    const line = reader.read(draw('21:30', { ground: [150, 240], ink: 25, x: 6 }), 'centre', MARGIN);
    expect(line.text).toBe('21:30');
  });

  it('puts characters of several pieces together', () => {
    const lines = ['10%', '28%', '71', '7%'].map((text) => ({ text, image: draw(text) }));
    const [first] = segmentLines(lines, MARGIN);
    expect(first?.characters.map(({ char, start, end }) => [char, end - start])).toEqual([
      ['1', 3],
      ['0', 5],
      ['%', FONT['%']![0]!.length],
    ]);
  });

  it('learns from lines over scenery, also characters that stand nowhere else', () => {
    const branches = (text: string, seed: number): LineImage => {
      const image = draw(text, { seed });
      // Bright strokes between the characters, as wide as they are, where nothing of the text is.
      const own = draw(text, { seed, noise: 0 });
      for (let y = 0; y < image.height; y++)
        for (let x = 0; x < image.width; x++)
          if (own.data[y * image.width + x] === 60 && (x + 2 * y + seed) % 11 < 2)
            image.data[y * image.width + x] = 200;
      return image;
    };
    const hidden = ['3:78', '8:73', '7:38', '8:37'];
    const texts = ['12:07', '21:02', '0/1 km', '10:20', '2/1'];
    const lines = [
      ...texts.map((text, n) => ({ text, image: draw(text, { seed: n }) })),
      ...['12:03', '20:13', '12:08', '10:28', ...hidden].map((text, n) => ({ text, image: branches(text, n) })),
    ];
    const learnt = learnProportional(lines, OPTIONS);
    expect(learnt?.segmented.slice(0, 9)).toEqual(lines.slice(0, 9).map(() => true));
    expect(learnt?.atlas.glyphs.map(({ char }) => char).join('')).toContain('378');
    const reader = new GlyphReader(learnt!.atlas);
    expect(reader.read(draw('83:28'), 'centre', MARGIN).text).toBe('83:28');
  });

  it('is not sure of a text in which it leaves something unread', () => {
    const { atlas } = learn((n) => ({ seed: n }));
    const reader = new GlyphReader({
      ...atlas,
      file: { ...atlas.file, glyphs: atlas.file.glyphs.filter(({ char }) => char !== '8') },
      glyphs: atlas.glyphs.filter(({ char }) => char !== '8'),
    });
    const sure = (text: string): number => reader.read(draw(text), 'centre', MARGIN).confidence;
    expect([sure('12:80'), sure('812'), sure('1208')].filter((one) => one > 0.2)).toEqual([]);
    expect([sure('12:30'), sure('12'), sure('0/3 km')].filter((one) => one < 0.9)).toEqual([]);
    // Where it makes out nothing at all it is only sure that nothing is there where nothing, or no character, is.
    const figures = atlas.glyphs.filter(({ char }) => '0127'.includes(char));
    const blind = new GlyphReader({ ...atlas, glyphs: figures });
    expect(blind.read(draw('k', { x: 20 }), 'centre', MARGIN)).toMatchObject({ text: '', confidence: 0.1 });
    for (const ground of [60, 20, 250]) {
      const nothing = blind.read(draw('', { ground: [ground, ground] }), 'centre', MARGIN);
      expect(nothing).toMatchObject({ text: '', confidence: 1 });
    }
    const hint = reader.read(draw('12'), 'centre', MARGIN);
    expect(reader.read(draw('12:80'), 'centre', MARGIN, [hint])).toEqual(reader.read(draw('12:80'), 'centre', MARGIN));
  });

  it('learns from boxes that characters fill a font that can be loaded, and read with', () => {
    const lines = ['0', '2', '3', '7', '8', '0', '2', '3', '7', '8'].map((text, n) => ({
      text,
      image: figure(text, n),
    }));
    const { file } = learnProportional(lines, OPTIONS)!.atlas;
    const reader = new GlyphReader(parseAtlas(JSON.stringify(file), 'figures.json'));
    for (const { text } of lines) expect(reader.read(figure(text, 77), 'centre', MARGIN).text).toBe(text);
  });

  it('leaves out lines that cannot be cut, and those whose label is wrong', () => {
    const scene = draw('12:07', { noise: 160 });
    const texts = [...TEXTS, '12:07', '3'];
    const learnt = learnProportional(
      texts.map((text, n) => ({ text, image: n === 8 ? scene : draw(text === '3' ? ':' : text, { seed: n }) })),
      OPTIONS,
    );
    expect(learnt?.segmented).toEqual([...TEXTS.map(() => true), false, false]);
    expect(learnProportional([{ text: '12:07', image: draw('') }], OPTIONS)).toBeUndefined();
  });
});
