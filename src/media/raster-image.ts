import type { Sharp } from 'sharp';

/** Formats of stored pixels, as sharp names them. SVG is not among them: the size of a drawing does not bound the time it takes. */
const RASTER_FORMATS: ReadonlySet<string | undefined> = new Set(['png', 'jpeg', 'webp', 'gif']);

/**
 * Opens an image file of a pack. Loads sharp on first use.
 *
 * @throws RangeError If it is in no raster format. Errors of sharp if it is no image; reading it fails if it has more than `maxPixels`.
 */
export async function openRasterImage(file: Uint8Array, maxPixels: number): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  const image = sharp(file, { limitInputPixels: maxPixels });
  const { format } = await image.metadata();
  if (!RASTER_FORMATS.has(format)) throw new RangeError(`it is an image of the format ${format}`);
  return image;
}
