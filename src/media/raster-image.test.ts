import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { openRasterImage } from './raster-image.ts';

const MAX_PIXELS = 1 << 12;

/** A red picture. */
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#ff0000' } });

/** A drawing whose filters take minutes to render, whatever its size. */
const filters = '<feMorphology operator="dilate" radius="200"/><feTurbulence baseFrequency="0.9" numOctaves="200"/>';
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><filter id="f">${filters.repeat(200)}</filter><rect width="32" height="32" filter="url(#f)"/></svg>`;

describe('an image file of a pack', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('is read in the format %s', async (format) => {
    const image = await openRasterImage(await picture(6, 4).toFormat(format).toBuffer(), MAX_PIXELS);
    const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([6, 4]);
    expect(data[0]).toBeGreaterThan(250);
    expect(data[1]).toBeLessThan(5);
  });

  it('is refused if it is a drawing, which is never rendered', async () => {
    await expect(openRasterImage(Buffer.from(drawing), MAX_PIXELS)).rejects.toThrow('an image of the format svg');
  });

  it('is refused if it has more pixels than allowed', async () => {
    await expect(
      openRasterImage(await picture(65, 64).png().toBuffer(), MAX_PIXELS).then((image) => image.raw().toBuffer()),
    ).rejects.toThrow(/pixel limit/);
  });
});
