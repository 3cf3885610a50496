import type { Rect } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { boxFilter, type Part } from './box-filter.ts';
import type { FromSchema } from '../../schema/from-schema.ts';

/** The JSON Schema of a {@link Channel}. */
export const channelSchema = {
  oneOf: [
    { enum: ['luma', 'red', 'green', 'blue', 'saturation red'] },
    {
      type: 'object',
      required: ['y', 'cb', 'cr'],
      properties: {
        y: { type: 'number' },
        cb: { type: 'number' },
        cr: { type: 'number' },
        offset: { type: 'number' },
      },
    },
  ],
} as const;

/**
 * What a grey level of a line image means: luma, one of R'G'B', or a weighting of Y', Cb, Cr (Cb and Cr centred on 0, everything
 * in full-range units of 0…255). Choose one in which the font's ink stands out from its surroundings.
 */
export type Channel = FromSchema<typeof channelSchema>;

/** A grey picture of a text line at the resolution of its font; row-major, values about 0…255. */
export interface LineImage {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
  /** Where the light was normalised: the contrast that it had left. */
  readonly gain?: number;
  /** Where the light was normalised: how many of the image's pixels show one chroma sample. */
  readonly sharedPixels?: number;
  /** Cb and Cr of the same pixels, for a font of several inks; `data` is luma then. */
  readonly chroma?: readonly [Float32Array, Float32Array];
}

/** Colour differences alone. */
export const CB: Channel = { y: 0, cb: 1, cr: 0 };
/** The red colour difference alone. */
export const CR: Channel = { y: 0, cb: 0, cr: 1 };

interface Weights {
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
  readonly offset: number;
}

/** Inverse of the R'G'B' → Y'CbCr matrices (ITU-R BT.601, BT.709, BT.2020), for full-range values. */
const RGB_FROM_YCBCR = {
  bt601: { red: 1.402, greenCb: -0.344136, greenCr: -0.714136, blue: 1.772 },
  bt709: { red: 1.5748, greenCb: -0.187324, greenCr: -0.468124, blue: 1.8556 },
  bt2020: { red: 1.4746, greenCb: -0.164553, greenCr: -0.571353, blue: 1.8814 },
} as const;

/** Returns a channel's weights of full-range Y', Cb and Cr. */
export function channelWeights(channel: Channel, matrix: keyof typeof RGB_FROM_YCBCR): Weights {
  if (typeof channel === 'object') return { offset: 0, ...channel };
  const m = RGB_FROM_YCBCR[matrix];
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
 * Box-filters part of a picture into a small grey image.
 *
 * @param rect In pixels of the picture; may be fractional and reach over the frame's edge, which is then repeated.
 * @param width Pixels of the result, as `height`.
 * @param buffer Where to write, if it is large enough; default new memory.
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

/** A pair of factors or distances, across and down. */
export interface Scale {
  readonly x: number;
  readonly y: number;
}

/** The level of white, which `LineEnlarger` and resized atlases count from. */
export const WHITE = 255;

/** Returns the pixels, with their weights, that make up one at `centre`, where a pixel is `scale` pixels of the result. */
export function cubicTaps(centre: number, scale: number): [pixel: number, weight: number][] {
  const reach = 2 / Math.min(1, scale);
  const taps: [number, number][] = [];
  let total = 0;
  for (let at = Math.ceil(centre - reach - 0.5); at + 0.5 < centre + reach; at++) {
    const weight = cubic((at + 0.5 - centre) * Math.min(1, scale));
    taps.push([at, weight]);
    total += weight;
  }
  return taps.map(([at, weight]) => [at, weight / total]);
}

/** Cubic convolution (Keys 1981, a = −0.5). */
function cubic(x: number): number {
  const a = Math.abs(x);
  if (a < 1) return (1.5 * a - 2.5) * a * a + 1;
  return a < 2 ? ((-0.5 * a + 2.5) * a - 4) * a + 2 : 0;
}

/**
 * Samples luma like `sampleLine`, by cubic interpolation, where a pixel of the line is less than one of the picture. Levels are
 * relative to `WHITE`, as a resized atlas has them.
 */
export class LineEnlarger {
  #key = '';
  #columns: (readonly (readonly [number, number])[])[] = [];
  #row = new Float64Array(0);

  /** Samples `rect` of the picture into `buffer`. */
  sample({ y: plane, color }: Picture, rect: Rect, width: number, height: number, buffer: Float32Array): LineImage {
    const key = `${rect.x} ${rect.width} ${width} ${plane.width}`;
    if (key !== this.#key) {
      const clamp = (at: number): number => Math.max(0, Math.min(plane.width - 1, at));
      this.#columns = Array.from({ length: width }, (_, x) =>
        cubicTaps(rect.x + ((x + 0.5) * rect.width) / width, 1).map(([at, weight]) => [clamp(at), weight] as const),
      );
      this.#row = new Float64Array(plane.width);
      this.#key = key;
    }
    const [gain, black] = color.fullRange ? [1, 0] : [255 / 219, 16];
    const [first, last] = [this.#columns[0]![0]![0], this.#columns.at(-1)!.at(-1)![0]];
    const data = buffer.subarray(0, width * height);
    const row = this.#row;
    for (let y = 0; y < height; y++) {
      row.fill(0, first, last + 1);
      for (const [at, weight] of cubicTaps(rect.y + ((y + 0.5) * rect.height) / height, 1)) {
        const base = Math.max(0, Math.min(plane.height - 1, at)) * plane.stride;
        for (let x = first; x <= last; x++) row[x]! += weight * plane.data[base + x]!;
      }
      for (let x = 0; x < width; x++) {
        let level = 0;
        for (const [at, weight] of this.#columns[x]!) level += weight * row[at]!;
        data[y * width + x] = gain * (level - black) - WHITE;
      }
    }
    return { data, width, height };
  }
}
