import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { outlineText } from '../../media/write/overlay.ts';
import type { PreparedCrop } from '../kind.ts';
import { languageData } from './language-data.ts';
import { TesseractReader } from './tesseract.ts';

/** Dark text on light, capitals about 26 pixels high. */
async function written(text: string): Promise<PreparedCrop> {
  const { path, width } = outlineText(text, 36);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width) + 8}" height="48"><rect width="100%" height="100%" fill="#ddd"/><path transform="translate(4 38)" d="${path}" fill="#111"/></svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 1 };
}

describe('TesseractReader', () => {
  const reader = new TesseractReader();
  afterAll(() => reader[Symbol.asyncDispose]());

  it('reads lines, with confidence and the place of every character', async () => {
    const { text, confidence, characters } = await reader.read(await written('Gargoyle was railed by Sarge'));
    expect(text).toBe('Gargoyle was railed by Sarge');
    expect(confidence).toBeGreaterThan(0.8);
    expect(characters.map((c) => c.text).join('')).toBe('GargoylewasrailedbySarge');
    expect(characters.every((c, i) => i === 0 || c.x > characters[i - 1]!.x)).toBe(true);
    // The first letter starts at the left end of the drawing, four pixels in.
    expect(Math.abs(characters[0]!.x - 6)).toBeLessThanOrEqual(3);
  });

  it('reads the same crop alike, whatever it read before and whenever its worker was replaced', async () => {
    const crops = await Promise.all(
      ['Sarge: nice shot', '1100', 'Sarqe', 'ROUND 7', 'l1I0O', '86', 'Kyonshi almost dodged', 'Sarge'].map(written),
    );
    const texts = async (order: readonly number[], recycleAfter: number): Promise<string[]> => {
      await using fresh = new TesseractReader({ recycleAfter });
      const found: string[] = [];
      for (const i of order) {
        const { text, confidence } = await fresh.read(crops[i]!);
        found[i] = `${text} ${confidence}`;
      }
      return found;
    };
    const forwards = await texts([0, 1, 2, 3, 4, 5, 6, 7], 100);
    expect(await texts([7, 3, 5, 1, 6, 0, 4, 2], 3)).toEqual(forwards);
    expect(forwards[0]).toContain('Sarge: nice shot');
  });

  it('reads with language data from the folder of the profile', async () => {
    const [own] = languageData(['en'], [], undefined);
    const assets = { read: () => own!.load() };
    await using shipped = new TesseractReader({ languages: languageData(['en'], ['ocr/eng.traineddata.gz'], assets) });
    expect((await shipped.read(await written('ROUND 7'))).text).toBe('ROUND 7');
  });

  it('keeps to a whitelist', async () => {
    await using digits = new TesseractReader({ whitelist: '0123456789', layout: 'word' });
    expect((await digits.read(await written('200'))).text).toBe('200');
    expect((await digits.read(await written('O5'))).text).toMatch(/^\d*$/);
  });

  it('replaces its worker after so many reads, and finds nothing in nothing', async () => {
    await using few = new TesseractReader({ recycleAfter: 2 });
    const crop = await written('77');
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) {
      await few.read(crop);
      counts.push(few.reads);
    }
    expect(counts).toEqual([1, 2, 1]);
    expect((await few.read({ data: new Uint8Array(900).fill(221), width: 30, height: 30, channels: 1 })).text).toBe('');
    expect((await few.read({ data: new Uint8Array(0), width: 0, height: 5, channels: 1 })).text).toBe('');
    expect(() => new TesseractReader({ recycleAfter: 0 })).toThrow(RangeError);
  });
});
