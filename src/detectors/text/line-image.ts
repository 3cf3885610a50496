import type { Rect } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { boxFilter, type Part } from './box-filter.ts';

/**
 * What a grey level of a line image means: luma, one of R'G'B', or a weighting of Y', Cb, Cr (Cb and Cr centred on 0,
 * everything in full-range units of 0…255). A font's ink should stand out from its surroundings in this channel.
 */
export type Channel =
  | 'luma'
  | 'red'
  | 'green'
  | 'blue'
  | 'saturation red'
  | { readonly y: number; readonly cb: number; readonly cr: number; readonly offset?: number };

/** A grey picture of a text line at the resolution at which its font is read; row-major, values about 0…255. */
export interface LineImage {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
  /** How much of the contrast the light left that was taken out of it. */
  readonly gain?: number;
  /** How many of its pixels show one sample of the picture's colour, where the light was taken out. */
  readonly coarse?: number;
  /** Cb and Cr of the same pixels, for a font of several inks; `data` is luma then. */
  readonly chroma?: readonly [Float32Array, Float32Array];
}

/** Colour differences alone. */
export const CB: Channel = { y: 0, cb: 1, cr: 0 };
export const CR: Channel = { y: 0, cb: 0, cr: 1 };

interface Weights {
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
  readonly offset: number;
}

/** Inverse of the R'G'B' → Y'CbCr matrices (ITU-R BT.601 and BT.709), for full-range values. */
const RGB = {
  bt601: { red: 1.402, greenCb: -0.344136, greenCr: -0.714136, blue: 1.772 },
  bt709: { red: 1.5748, greenCb: -0.187324, greenCr: -0.468124, blue: 1.8556 },
  bt2020: { red: 1.4746, greenCb: -0.164553, greenCr: -0.571353, blue: 1.8814 },
} as const;

export function channelWeights(channel: Channel, matrix: keyof typeof RGB): Weights {
  if (typeof channel === 'object') return { offset: 0, ...channel };
  const m = RGB[matrix];
  switch (channel) {
    case 'luma':
      return { y: 1, cb: 0, cr: 0, offset: 0 };
    case 'red':
      return { y: 1, cb: 0, cr: m.red, offset: 0 };
    case 'green':
      return { y: 1, cb: m.greenCb, cr: m.greenCr, offset: 0 };
    case 'blue':
      return { y: 1, cb: m.blue, cr: 0, offset: 0 };
    case 'saturation red':
      return { y: 0, cb: -m.greenCb, cr: m.red - m.greenCr, offset: 0 };
  }
}

/**
 * Box-filters `rect` of the picture (pixels, fractions allowed, may reach over the frame's edge) into a
 * `width` × `height` grey image of the given channel; in `buffer`, if one is given that is large enough.
 */
export function sampleLine(
  picture: Picture,
  rect: Rect,
  width: number,
  height: number,
  channel: Channel,
  buffer?: Float32Array,
): LineImage {
  const size = width * height;
  const data = buffer && buffer.length >= size ? buffer.subarray(0, size) : new Float32Array(size);
  const w = channelWeights(channel, picture.color.matrix);
  const lumaScale = picture.color.fullRange ? 1 : 255 / 219;
  const chromaScale = picture.color.fullRange ? 1 : 255 / 224;
  const offset = w.offset - (picture.color.fullRange ? 0 : 16 * lumaScale * w.y) - 128 * chromaScale * (w.cb + w.cr);
  const parts: Part[] = [];
  if (w.y !== 0) parts.push({ plane: picture.y, rect, weight: w.y * lumaScale });
  if (w.cb !== 0 || w.cr !== 0) {
    const sx = 2 ** -picture.chromaShiftX;
    const sy = 2 ** -picture.chromaShiftY;
    const chroma = { x: rect.x * sx, y: rect.y * sy, width: rect.width * sx, height: rect.height * sy };
    if (w.cb !== 0) parts.push({ plane: picture.u, rect: chroma, weight: w.cb * chromaScale });
    if (w.cr !== 0) parts.push({ plane: picture.v, rect: chroma, weight: w.cr * chromaScale });
  }
  boxFilter(parts, width, height, offset, data);
  return { data, width, height };
}
