import sharp from 'sharp';
import type { Rect } from '../../geometry.ts';
import { escapeText } from '../../markup.ts';

/** A rectangle to draw on a frame, in its pixels. */
export interface DrawnRegion extends Rect {
  /** As SVG has it. */
  readonly color: string;
  /** Written above it, or below where there is no room. */
  readonly name?: string;
}

/** A frame (interleaved RGB) with rectangles drawn on it, as PNG. */
export function drawRegions(
  { width, height, rgb }: { readonly width: number; readonly height: number; readonly rgb: Uint8Array },
  regions: readonly DrawnRegion[],
): Promise<Buffer> {
  const line = Math.max(1, Math.round(height / 480));
  const shapes = regions.map(({ x, y, width: w, height: h, color, name }) => {
    const box = `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="none" stroke="${color}" stroke-width="${line}"/>`;
    if (name === undefined) return box;
    const words = escapeText(name);
    const below = y > 14 ? y - 4 : y + h + 12;
    return `${box}<text x="${x}" y="${below}" font-size="11" font-family="sans-serif" fill="${color}">${words}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`;
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .composite([{ input: Buffer.from(svg), left: 0, top: 0 }])
    .png()
    .toBuffer();
}
