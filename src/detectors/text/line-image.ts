import type { Rect } from '../../geometry.ts';
import type { Landmark, Placement, View } from '../kind.ts';
import type { Atlas } from './atlas.ts';
import type { Picture } from '../../media/picture.ts';
import { boxFilter, type Part } from './box-filter.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { integer } from '../../schema/build.ts';
import { PlaybyplayError } from '../../errors.ts';
import { parseJsonFile } from '../../schema/parse.ts';

/** Correlation of the light's region with its reference below which nothing is read. */
const MIN_LIGHT_LIKENESS = 0.5;

/** Shared by all line images: none outlives its reading. */
const buffers = [new Float32Array(1024), new Float32Array(1024), new Float32Array(1024)];

/** How the light on a text line is measured. */
interface LightSource {
  readonly meter: LightMeter;
  readonly region: string;
  /** Names the meter among all of a picture. */
  readonly key: string;
}

/**
 * Samples the line in the view's region at the atlas's resolution, with `margin` pixels around it, in normal light where a light
 * source is given.
 *
 * @param scale How many times as large the text is drawn about the middle of its region.
 * @returns The image, valid until the next call; undefined where the light's reference cannot be seen.
 */
export function sampleTextLine(
  view: View,
  atlas: Atlas,
  margin: number,
  light?: LightSource,
  scale = 1,
): LineImage | undefined {
  const { pixels, height, channel } = atlas.file;
  const stepX = (scale * view.scaleX) / pixels.x;
  const stepY = (scale * view.scaleY) / pixels.y;
  const inner = scale === 1 ? view.inner : scaleAboutCentre(view.inner, scale);
  const width = Math.max(1, Math.round(inner.width / stepX));
  const measured =
    light && view.once(`light ${light.key}`, () => light.meter.measure(view.picture, view.place(light.region)));
  if (measured && measured.likeness < MIN_LIGHT_LIKENESS) return undefined;
  const [columns, rows] = [width + 2 * margin, height + 2 * margin];
  const box = {
    x: inner.x - margin * stepX,
    y: inner.y - margin * stepY,
    width: columns * stepX,
    height: rows * stepY,
  };
  const channels: readonly Channel[] = atlas.file.inks ? ['luma', CB, CR] : [channel];
  const [image, cb, cr] = channels.map((one, plane) => {
    if (buffers[plane]!.length < columns * rows) buffers[plane] = new Float32Array(columns * rows);
    const made = sampleLine(view.picture, box, columns, rows, one, buffers[plane]);
    if (measured) normalizeLight(made, measured, one, view.picture.color.matrix);
    return made;
  });
  const sharedPixels = 2 ** (view.picture.chromaShiftX + view.picture.chromaShiftY) / (stepX * stepY);
  return {
    ...image!,
    ...(cb && cr ? { chroma: [cb.data, cr.data] } : {}),
    ...(measured ? { gain: measured.gain, sharedPixels } : {}),
  };
}

function scaleAboutCentre({ x, y, width, height }: Rect, scale: number): Rect {
  const grown = scale - 1;
  return { x: x - (width * grown) / 2, y: y - (height * grown) / 2, width: width * scale, height: height * scale };
}

/** Whether the region, `scale` times as large, lies within its padding and the frame, which the change gate watches. */
export function fitsPadding({ inner, rect, picture }: View, scale: number): boolean {
  const { x, y, width, height } = scaleAboutCentre(inner, scale);
  const slack = 1;
  return (
    x >= (rect.x > 0 ? rect.x - slack : Number.NEGATIVE_INFINITY) &&
    y >= (rect.y > 0 ? rect.y - slack : Number.NEGATIVE_INFINITY) &&
    (rect.x + rect.width >= picture.width || x + width <= rect.x + rect.width + slack) &&
    (rect.y + rect.height >= picture.height || y + height <= rect.y + rect.height + slack)
  );
}

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

const PLANE = { type: 'string', description: 'width × height bytes in base64' } as const;
const SIDE = integer([1, 4096]);

/** The JSON Schema of a light reference. */
export const lightSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:light:1',
  title: 'A light reference',
  type: 'object',
  required: ['format', 'width', 'height', 'y', 'cb', 'cr'],
  properties: {
    format: { const: 'playbyplay/light/1' },
    width: SIDE,
    height: SIDE,
    y: PLANE,
    cb: { ...PLANE, description: 'width × height bytes in base64, 128 in the middle' },
    cr: { ...PLANE, description: 'width × height bytes in base64, 128 in the middle' },
  },
} as const satisfies Schema;

/**
 * A picture of a constant part of the HUD in normal light. Comparing it with a frame shows how the game has tinted or faded the
 * whole picture: a blend towards any color turns every level c into gain · c + offset, with one gain for all channels.
 */
export interface LightFile extends FromSchema<typeof lightSchema> {}

/** The light on a picture, relative to the reference. */
interface Light {
  readonly gain: number;
  readonly offset: { readonly y: number; readonly cb: number; readonly cr: number };
  /** Correlation of luma with the reference, −1…1: low where the reference is covered or not shown. */
  readonly likeness: number;
}

interface Reference {
  readonly width: number;
  readonly height: number;
  readonly y: Float32Array;
  readonly mean: { readonly y: number; readonly cb: number; readonly cr: number };
  readonly variance: number;
}

/** Measures the light on pictures with one reference. */
export class LightMeter {
  readonly #reference: Reference;

  constructor(json: string, name: string) {
    const file = parseJsonFile(lightSchema, json, { source: name, code: 'bad-light' });
    const [y, cb, cr] = [decode(file.y), decode(file.cb), decode(file.cr)];
    if ([y, cb, cr].some((plane) => plane.length !== file.width * file.height))
      throw new PlaybyplayError('bad-light', `${name}: the planes do not have width × height bytes`);
    const mean = { y: meanOf(y), cb: meanOf(cb) - 128, cr: meanOf(cr) - 128 };
    const variance = y.reduce((sum, value) => sum + (value - mean.y) ** 2, 0) / y.length;
    this.#reference = { width: file.width, height: file.height, y, mean, variance: Math.max(1, variance) };
  }

  /** Returns the reference, which fills `region`, as a landmark for placing the HUD. */
  landmark(region: string): Landmark {
    const { width: columns, height: rows, y } = this.#reference;
    const levels = Uint8Array.from(y);
    const weights = new Uint8Array(levels.length).fill(255);
    return { region, width: 0, height: 0, columns, rows, levels, weights };
  }

  /** Measures the light where the reference is placed. */
  measure(picture: Picture, place: Placement): Light {
    const { width, height, y, mean, variance } = this.#reference;
    const seen = sampleLine(picture, place.inner, width, height, 'luma');
    const seenMean = meanOf(seen.data);
    let covariance = 0;
    let seenVariance = 0;
    for (let i = 0; i < y.length; i++) {
      covariance += (seen.data[i]! - seenMean) * (y[i]! - mean.y);
      seenVariance += (seen.data[i]! - seenMean) ** 2;
    }
    covariance /= y.length;
    seenVariance /= y.length;
    const gain = covariance / variance;
    const chroma = (channel: Channel): number => meanOf(sampleLine(picture, place.inner, 1, 1, channel).data);
    return {
      gain,
      offset: {
        y: seenMean - gain * mean.y,
        cb: chroma(CB) - gain * mean.cb,
        cr: chroma(CR) - gain * mean.cr,
      },
      likeness: covariance / Math.sqrt(variance * Math.max(1, seenVariance)),
    };
  }
}

/** Normalises a line image in place to the levels that it would have in normal light. */
export function normalizeLight(
  image: LineImage,
  light: Light,
  channel: Channel,
  matrix: Picture['color']['matrix'],
): void {
  const weights = channelWeights(channel, matrix);
  const offset = weights.y * light.offset.y + weights.cb * light.offset.cb + weights.cr * light.offset.cr;
  const gain = Math.max(0.1, light.gain);
  for (let i = 0; i < image.data.length; i++) image.data[i] = (image.data[i]! - offset) / gain;
}

/** Makes a reference from pictures in normal light: their mean. */
export function lightFrom(pictures: readonly LineImage[][]): LightFile {
  const planes = pictures[0]!.map((_, plane) => {
    const { width, height } = pictures[0]![plane]!;
    const bytes = Uint8Array.from({ length: width * height }, (_unused, i) => {
      const sum = pictures.reduce((total, picture) => total + picture[plane]!.data[i]!, 0);
      return Math.round(Math.min(255, Math.max(0, sum / pictures.length + (plane === 0 ? 0 : 128))));
    });
    return Buffer.from(bytes).toString('base64');
  });
  const { width, height } = pictures[0]![0]!;
  return { format: 'playbyplay/light/1', width, height, y: planes[0]!, cb: planes[1]!, cr: planes[2]! };
}

/** Samples the three planes of a placed region that `lightFrom` averages. */
export function lightPlanes(picture: Picture, place: Placement, width: number, height: number): LineImage[] {
  return (['luma', CB, CR] as const).map((channel) => sampleLine(picture, place.inner, width, height, channel));
}

function decode(plane: string): Float32Array {
  return Float32Array.from(Buffer.from(plane, 'base64'));
}

function meanOf(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
