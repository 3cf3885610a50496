import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodePng } from './png.ts';

/** Shapes with edges, ramps and transparency: every prediction filter gets its use. */
function pixels(width: number, height: number, channels: 1 | 2 | 3 | 4): Buffer {
  let state = 7;
  const noise = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) >> 16;
  return Buffer.from(
    Array.from({ length: width * height * channels }, (_, i) => {
      const [x, y] = [Math.floor(i / channels) % width, Math.floor(i / channels / width)];
      return (x < width / 2 ? 3 * x + 5 * y : x > y ? noise() : 200) & 255;
    }),
  );
}

async function bySharp(file: Uint8Array): Promise<{ data: Uint8Array; width: number; height: number }> {
  const image = sharp(file).toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

describe('decodePng', () => {
  it.each([1, 2, 3, 4] as const)('returns the same pixels as sharp: %d channels', async (channels) => {
    for (const adaptiveFiltering of [true, false]) {
      const raw = { width: 61, height: 37, channels };
      const file = await sharp(pixels(61, 37, channels), { raw })
        .png({ adaptiveFiltering, progressive: false })
        .toBuffer();
      const expected = await bySharp(file);
      expect(decodePng(file, 512)).toEqual(expected);
    }
  });

  it('decodes icons of the built-in games as sharp does', async () => {
    const configs = join(import.meta.dirname, '../../configs');
    const icons = readdirSync(configs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.png'));
    expect(icons.length).toBeGreaterThan(10);
    for (const icon of icons.filter((_, i) => i % 9 === 0)) {
      const file = readFileSync(join(configs, icon));
      expect(decodePng(file, 512)).toEqual(await bySharp(file));
    }
  });

  it('returns undefined for every other file', async () => {
    const raw = { width: 20, height: 20, channels: 4 } as const;
    const image = () => sharp(pixels(20, 20, 4), { raw });
    const plain = await image().png().toBuffer();
    expect(decodePng(plain, 512)).toBeDefined();
    expect(decodePng(plain, 19)).toBeUndefined();
    const interlaced = await image().png({ progressive: true }).toBuffer();
    expect(decodePng(interlaced, 512)).toEqual(await bySharp(interlaced));
    expect(decodePng(await image().png({ palette: true }).toBuffer(), 512)).toBeUndefined();
    expect(decodePng(await image().webp().toBuffer(), 512)).toBeUndefined();
    expect(decodePng(await image().withIccProfile('p3').png().toBuffer(), 512)).toBeUndefined();
    for (let at = 0; at < plain.length; at++) {
      const damaged = Buffer.from(plain);
      damaged[at]! ^= 0x10;
      expect(decodePng(damaged, 512)).toBeUndefined();
      // Without its last twelve bytes, the mark of the end, a file still has its pixels.
      expect(decodePng(plain.subarray(0, Math.min(at, plain.length - 13)), 512)).toBeUndefined();
    }
  });
});
