import { describe, expect, it } from 'vitest';
import { splitGraphemes } from '../../language/text.ts';
import type { Picture } from '../../media/picture.ts';
import { kind as feed } from '../feed/index.ts';
import type { Assets, Observation } from '../kind.ts';
import { greyPicture, viewOf } from '../../../test/fixtures/views.ts';
import type { Atlas } from './atlas.ts';
import { learnFixed } from './learn-fixed.ts';
import type { LineImage } from './line-image.ts';
import { kind } from './index.ts';

const [PITCH, HEIGHT, CELLS] = [10, 12, 14];

/** Letters that look the same are one shape. */
const SHAPES = [
  ['A', 'А'],
  ['B', 'В'],
  ['O', 'О'],
  ['T', 'Т'],
  ...['R', 'x', 'Ж', 'n\u0308', '𝔸', 'क्षि', 'が', '漢', 'ש', 'ל', 'ו', 'ם', '1', '2', ':', '('].map((char) => [char]),
];

/** A made-up font: every shape is a pattern of blocks, the same in every run. */
function inkToYCbCr(char: string, x: number, y: number): boolean {
  const shape = SHAPES.findIndex((chars) => chars.includes(char));
  if (shape < 0 || x < 1 || x > 8 || y < 1 || y > 10) return false;
  return bits((shape + 1) * 40 + ((x - 1) >> 1) + 4 * ((y - 1) >> 1));
}

/** The n-th of a row of bits (finaliser of MurmurHash3). */
function bits(n: number): boolean {
  let hash = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) & 1) === 1;
}

/** Characters from left to right, as grey levels. */
function levelsOf(chars: readonly string[], margin: number): LineImage {
  const [width, height] = [CELLS * PITCH + 2 * margin, HEIGHT + 2 * margin];
  const data = new Float32Array(width * height).fill(40);
  for (const [cell, char] of chars.entries())
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < PITCH; x++)
        if (inkToYCbCr(char, x, y)) data[(y + margin) * width + margin + cell * PITCH + x] = 220;
  return { data, width, height };
}

function pictureOf(chars: readonly string[]): Picture {
  const { data, width, height } = levelsOf(chars, 0);
  return greyPicture(width, height, (x, y) => data[y * width + x]!);
}

/** The font as it is learnt from lines whose labels are characters as people count them. */
function learnt(): Atlas {
  const chars = SHAPES.flat();
  const lines = [chars.slice(0, 12), chars.slice(12), chars.toReversed().slice(0, 12), [' ', ...chars.slice(3, 15)]];
  return learnFixed(
    lines.map((line) => ({ image: levelsOf(line, 1), text: line.join('') })),
    {
      name: 'blocks',
      layout: 'fixed',
      channel: 'luma',
      pixels: { x: 1, y: 1 },
      height: HEIGHT,
      pitch: PITCH,
      illumination: { gain: 0.15, offset: 15 },
      align: 'left',
      margin: 1,
    },
  );
}

const atlas = learnt();
const files: Record<string, string> = {
  'blocks.json': JSON.stringify(atlas.file),
  'feed.json': JSON.stringify({
    format: 'playbyplay/lexicon/1',
    phrases: [{ text: '{killer} xn\u0308𝔸 {victim}', kill: true }],
  }),
};
const assets: Assets = { read: (path) => Promise.resolve(Buffer.from(files[path]!)) };
const WHOLE = { x: 0, y: 0, width: 1, height: 1 };

async function read(seen: string, language?: string, more: object = {}): Promise<Observation> {
  using detector = await kind.open(
    { atlas: 'blocks.json', ...(language === undefined ? {} : { language }), ...more },
    assets,
  );
  return detector.read(viewOf(pictureOf(splitGraphemes(seen)), WHOLE));
}

describe('a learnt font of any script', () => {
  it('has a glyph for every character as people count them', async () => {
    expect(atlas.glyphs.map(({ char }) => char).toSorted()).toEqual([...SHAPES.flat(), ' '].toSorted());
    expect(await read('x𝔸n\u0308 क्षि漢が')).toMatchObject({ state: 'seen', value: 'x𝔸n\u0308 क्षि漢が' });
    expect(await read('x𝔸n\u0308漢x', undefined, { charset: '𝔸n\u0308漢' })).toMatchObject({ value: '𝔸n\u0308漢' });
  });

  it('reads letters that two scripts share in the script of the word, else of the language', async () => {
    expect(await read('TOBAR', 'ru')).toMatchObject({ value: 'TOBAR' });
    expect(await read('TOBA', 'ru')).toMatchObject({ value: 'ТОВА' });
    expect(await read('ЖTO BAR', 'en')).toMatchObject({ value: 'ЖТО BAR' });
    expect(await read('TOBA', 'en')).toMatchObject({ value: 'TOBA' });
  });

  it('gives text from right to left in the order in which it is read', async () => {
    expect(await read('12 :םולש', 'he')).toMatchObject({ value: 'שלום: 12' });
    expect(await read('Bx :םולש', 'he')).toMatchObject({ value: 'שלום: Bx' });
  });
});

describe('a feed in any script', () => {
  it('finds phrases and names of characters with several code units', async () => {
    using detector = await feed.open({ atlas: 'blocks.json', lines: 1, language: 'ru' } as never, assets);
    const spec = { kind: 'feed', region: 'feed', atlas: 'blocks.json', lines: 1, lexicon: 'feed.json', language: 'ru' };
    const tracker = await feed.track!('feed', spec as never, 0.1, assets);
    const line = 'TABO xn\u0308𝔸 क्षि漢𝔸';
    for (let i = 0; i < 6; i++)
      tracker.push({
        detector: 'feed',
        t: i / 10,
        observation: await detector.read(viewOf(pictureOf(splitGraphemes(line)), WHOLE)),
      });
    expect(tracker.end(1)).toMatchObject([
      { value: 'ТАВО xn\u0308𝔸 क्षि漢𝔸', detail: { kill: true, slots: { killer: 'ТАВО', victim: 'क्षि漢𝔸' } } },
    ]);
  });
});
