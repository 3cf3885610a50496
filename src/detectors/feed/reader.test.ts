import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Picture } from '../../media/picture.ts';
import type { View } from '../kind.ts';
import { lookalikes, parseAtlas } from '../text/atlas.ts';
import { LineReader } from './reader.ts';

const name = '../../../configs/openarena/fonts/console.json';
const atlas = parseAtlas(readFileSync(new URL(name, import.meta.url), 'utf8'), name);
const canon = lookalikes(atlas);
const plain = (text: string): string => [...text].map(canon).join('');

const LINES = ['Angelyss was melted by Sergei', 'Penguin got lead poisoning from Neko', 'S_Marine was railed by Liz'];
const SIZE = { width: 544, height: 48 };

/** The lines in white, as a game draws them, over ground that goes from `dark` to `bright`. */
function drawn(dark: number, bright: number): Buffer {
  const { pitch, height } = atlas.file;
  const out = Buffer.alloc(SIZE.width * SIZE.height);
  for (let i = 0; i < out.length; i++) out[i] = dark + ((bright - dark) * (i % SIZE.width)) / SIZE.width;
  for (const [row, text] of LINES.entries())
    for (const [column, char] of [...text].entries()) {
      const glyph = atlas.file.glyphs.find((one) => one.char === char);
      for (const [i, level] of Buffer.from(glyph?.level ?? '', 'base64').entries()) {
        const at = (row * height + Math.floor(i / pitch!)) * SIZE.width + column * pitch! + (i % pitch!);
        const cover = Math.max(0, (level - 80) / 175);
        out[at] = Math.round(255 * cover + out[at]! * (1 - cover));
      }
    }
  return out;
}

/** The lines as they are read from a picture made `scale` as large by another program's resizing. */
async function read(pixels: Buffer, scale: number, kernel: 'cubic' | 'lanczos3' | 'mitchell'): Promise<string[]> {
  const [width, height] = [Math.round(SIZE.width * scale), Math.round(SIZE.height * scale)];
  const small = sharp(pixels, { raw: { ...SIZE, channels: 1 } }).resize(width, height, { kernel, fit: 'fill' });
  const data = await small.toColourspace('b-w').raw().toBuffer();
  const plane = { data, stride: width, width, height };
  const color = { matrix: 'bt709', fullRange: true } as const;
  const picture: Picture = {
    t: 0,
    width,
    height,
    y: plane,
    u: plane,
    v: plane,
    chromaShiftX: 0,
    chromaShiftY: 0,
    color,
    [Symbol.dispose]() {},
  };
  const inner = { x: 0, y: 0, width, height };
  const view = { picture, inner, rect: inner, scaleX: scale, scaleY: scale } as unknown as View;
  return new LineReader(atlas, LINES.length).read(view).map((cells) => {
    const text = Array.from({ length: 68 }, () => ' ');
    for (const { char, x, llr } of cells) if (llr >= 12) text[Math.round(x / atlas.file.pitch!)] = char;
    return plain(text.join('').trimEnd());
  });
}

describe('LineReader', () => {
  it.each([
    ['as it was drawn', 1, 'cubic', 20, 90],
    ['at two thirds (720 lines at 480), on dark ground', 2 / 3, 'cubic', 0, 60],
    ['at two thirds, on bright ground', 2 / 3, 'lanczos3', 60, 150],
    ['at five eighths (768 lines at 480), resized softly', 5 / 8, 'mitchell', 20, 90],
    ['a little smaller', 0.8, 'lanczos3', 20, 140],
  ] as const)('reads text %s', async (_, scale, kernel, dark, bright) => {
    expect(await read(drawn(dark, bright), scale, kernel)).toEqual(LINES.map(plain));
  });

  it.each([0, 3])('sees nothing where no character fits: in a region %i pixels wide', (wide) => {
    const plane = { data: drawn(80, 80), stride: SIZE.width, ...SIZE };
    const color = { matrix: 'bt709', fullRange: true } as const;
    const picture = { t: 0, ...SIZE, y: plane, u: plane, v: plane, chromaShiftX: 0, chromaShiftY: 0, color };
    const inner = { x: SIZE.width - wide, y: 0, width: wide, height: SIZE.height };
    for (const scale of [0.5, 1]) {
      const view = { picture, inner, rect: inner, scaleX: scale, scaleY: scale } as unknown as View;
      expect(new LineReader(atlas, LINES.length).read(view)).toEqual(LINES.map(() => []));
    }
  });
});
