import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultBrand, readBrand } from './brand.ts';
import { cardSvg, drawItems } from './drawings.ts';
import type { OverlayItem } from './storyboard.ts';

const folder = mkdtempSync(join(tmpdir(), 'drawings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const upright = { width: 360, height: 640, brand: defaultBrand(), hud: [], icon: () => undefined };

describe('drawItems', () => {
  it('keeps captions, banners and the counter inside the frame, whatever they say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 120, unit: 'grapheme' }), async (text) => {
        const items: OverlayItem[] = [
          { kind: 'caption', start: 0, end: 1, lines: [text, text], emphasis: [text.slice(0, 5)] },
          { kind: 'banner', start: 0, end: 1, text, detail: text },
          { kind: 'counter', start: 0, end: 1, value: 12, label: 'KILLS' },
        ];
        for (const { overlay } of await drawItems(items, upright)) {
          expect(overlay.x).toBeGreaterThanOrEqual(-4);
          expect(overlay.x + overlay.width).toBeLessThanOrEqual(upright.width + 4);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('shrinks the lines of a caption that are too long, rather than leave out their ends', async () => {
    const draw = async (lines: readonly string[]) => {
      const [drawn] = await drawItems([{ kind: 'caption', start: 0, end: 1, lines, emphasis: [] }], upright);
      return drawn!.overlay;
    };
    const short = await draw(['Grunt was fragged by', 'the player']);
    const long = await draw(['Grunt was fragged by the', 'player with the grenade launcher']);
    expect(long.width).toBeLessThanOrEqual(upright.width);
    // Two lines, too, but smaller ones.
    expect(long.height).toBeLessThan(short.height);
    expect(long.height).toBeGreaterThan(0.7 * short.height);
  });

  it('lets banners appear from larger pictures', async () => {
    const [banner] = await drawItems([{ kind: 'banner', start: 0, end: 1, text: 'DOUBLE KILL' }], upright);
    const widths = [...banner!.entrance, banner!.overlay].map(({ width }) => width);
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
    expect(new Set(widths).size).toBe(widths.length);
  });
});

it('writes any title on a card of the frame’s size', async () => {
  for (const title of ['', 'OpenArena', 'Donaudampfschifffahrtsgesellschaftskapitän & <b>', 'Ωmega ★ 東京']) {
    const { width, height } = await sharp(Buffer.from(cardSvg(title, '6 kills', upright, defaultBrand()))).metadata();
    expect([width, height]).toEqual([360, 640]);
  }
});

describe('readBrand', () => {
  const kit = join(folder, 'kit');
  mkdirSync(kit, { recursive: true });
  const write = (brand: object): string => {
    writeFileSync(join(kit, 'brand.json'), JSON.stringify({ format: 'playbyplay/brand/1', ...brand }));
    return join(kit, 'brand.json');
  };

  it('reads fonts, colors and a logo in its folder', async () => {
    const font = createRequire(import.meta.url).resolve('@fontsource/anton/files/anton-latin-400-normal.woff');
    writeFileSync(join(kit, 'font.woff'), readFileSync(font));
    writeFileSync(
      join(kit, 'logo.png'),
      await sharp({ create: { width: 8, height: 4, channels: 3, background: '#f00' } })
        .png()
        .toBuffer(),
    );
    const brand = await readBrand(write({ textFont: 'font.woff', logo: 'logo.png', colors: { accent: '#00e5a8' } }));
    expect(brand.colors).toEqual({ ...defaultBrand().colors, accent: '#00e5a8' });
    expect((await sharp(brand.logo).metadata()).width).toBe(8);
    expect(brand.text.fonts[0]!.charToGlyphIndex('A')).toBeGreaterThan(0);
  });

  it('refuses files elsewhere, drawings, broken fonts and other colors', async () => {
    writeFileSync(join(folder, 'secret.png'), 'secret');
    symlinkSync(join(folder, 'secret.png'), join(kit, 'link.png'));
    writeFileSync(join(kit, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    writeFileSync(join(kit, 'font.ttf'), Buffer.alloc(2000, 7));
    const broken = [
      { logo: '../secret.png' },
      { logo: join(folder, 'secret.png') },
      { logo: 'link.png' },
      { logo: 'logo.svg' },
      { logo: 'missing.png' },
      { displayFont: 'font.ttf' },
      { colors: { accent: 'red"/><script>' } },
      { colours: {} },
    ];
    for (const brand of broken) await expect(readBrand(write(brand))).rejects.toMatchObject({ code: 'brand-invalid' });
  });
});
