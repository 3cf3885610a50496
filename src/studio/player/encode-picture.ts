import sharp from 'sharp';
import type { Picture } from '../../media/picture.ts';
import { cropRgb } from '../../regions/crop.ts';

/** How a picture is sent to a page. */
export type PictureFormat = 'jpeg' | 'webp' | 'png';

/** What a JPEG is for: `exact` ones are looked at for long, `preview` ones while a person drags, so that speed counts. */
export type PictureUse = 'exact' | 'preview';

// Every picture is another one: what libvips keeps of the last ones helps none.
sharp.cache(false);

/** Of exact frames, artefacts are below those of the recordings; previews take two thirds of the time and bytes. */
const JPEG_OPTIONS = {
  exact: { quality: 90, chromaSubsampling: '4:4:4' },
  preview: { quality: 80, chromaSubsampling: '4:2:0' },
} as const satisfies Record<PictureUse, object>;
const WEBP_QUALITY = 85;

/**
 * Encodes a picture for a page.
 *
 * @param width Pixels of the result, which is not enlarged; default those of the picture. Pixels that are not square stay so.
 */
export async function encodePicture(picture: Picture, format: PictureFormat, width?: number): Promise<Uint8Array> {
  const rect = { x: 0, y: 0, width: picture.width, height: picture.height };
  const bytes = 3 * picture.width * picture.height;
  const memory = unused?.length === bytes ? unused : new Uint8Array(bytes);
  unused = undefined;
  try {
    return await encodePixels({ ...rect, data: cropRgb(picture, rect, memory) }, format, { targetWidth: width });
  } finally {
    unused = memory;
  }
}

/** Memory of the last picture's pixels, while no picture is encoded. */
let unused: Uint8Array | undefined;

/** Encodes interleaved RGB as `encodePicture` does. */
export async function encodePixels(
  { data, width, height }: { readonly data: Uint8Array; readonly width: number; readonly height: number },
  format: PictureFormat,
  { targetWidth = width, use = 'exact' }: { readonly targetWidth?: number | undefined; readonly use?: PictureUse } = {},
): Promise<Uint8Array> {
  const raw = sharp(data, { raw: { width, height, channels: 3 } });
  const image = targetWidth < width ? raw.resize({ width: targetWidth, kernel: 'linear' }) : raw;
  if (format === 'png') return await image.png({ compressionLevel: 1 }).toBuffer();
  if (format === 'webp') return await image.webp({ quality: WEBP_QUALITY, effort: 1 }).toBuffer();
  return await image.jpeg(JPEG_OPTIONS[use]).toBuffer();
}
