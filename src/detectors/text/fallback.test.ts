import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Picture } from '../../media/picture.ts';
import { outlineText } from '../../media/write/overlay.ts';
import { assetsIn, viewOf } from '../../../test/fixtures/views.ts';
import { kind } from './index.ts';
import { parseValue } from './value.ts';

const WHOLE = { x: 0, y: 0, width: 1, height: 1 };
const assets = assetsIn(new URL('../../../configs/openarena', import.meta.url).pathname);

function plane(pixels: Uint8Array, width: number, height: number) {
  return { data: pixels, stride: width, width, height };
}

/** A grey picture with dark text on light, capitals about 26 pixels high. */
async function pictureOf(text: string): Promise<Picture> {
  const { path } = outlineText(text, 36);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="48"><rect width="100%" height="100%" fill="#ddd"/><path transform="translate(4 38)" d="${path}" fill="#111"/></svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const grey = () => plane(new Uint8Array((width * height) / 4).fill(128), width / 2, height / 2);
  return {
    t: 0,
    width,
    height,
    y: plane(new Uint8Array(data), width, height),
    u: grey(),
    v: grey(),
    chromaShiftX: 1,
    chromaShiftY: 1,
    color: { matrix: 'bt709', fullRange: true },
    [Symbol.dispose]() {},
  };
}

describe('the fallback of a text detector', () => {
  it.each(['tesseract', 'general'] as const)('%s reads what the glyphs cannot', async (reader) => {
    const unknown = viewOf(await pictureOf('ROUND 7'), WHOLE);
    const fallback = { reader };
    using glyphs = await kind.open({ atlas: 'fonts/console.json', reject: 0.99 }, assets);
    const alone = await glyphs.read(unknown);
    expect(alone.state).toBe('unreadable');
    using both = await kind.open(
      { atlas: 'fonts/console.json', reject: 0.99, pattern: String.raw`[A-Z]+ \d`, fallback },
      assets,
    );
    expect(await both.read(unknown)).toMatchObject({ state: 'seen', value: 'ROUND 7' });
    expect(await both.read(viewOf(await pictureOf(''), WHOLE))).not.toMatchObject({ state: 'seen' });
  });

  it('gives numbers as numbers, and takes nothing else for one', () => {
    expect(parseValue('1100', 0.8, 'number')).toEqual({ state: 'seen', value: 1100, confidence: 0.8 });
    for (const text of ['ROUND 7', '', '1 100', 'x'])
      expect(parseValue(text, 0.8, 'number')).toMatchObject({ state: 'unreadable', detail: text });
    expect(parseValue('7', 0.8, 'text')).toMatchObject({ state: 'seen', value: '7' });
  });

  it('needs an atlas or a fallback', async () => {
    await expect(kind.open({}, assets)).rejects.toMatchObject({ code: 'no-font' });
  });
});
