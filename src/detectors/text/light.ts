import { PlaybyplayError } from '../../errors.ts';
import type { Landmark, Placement } from '../kind.ts';
import type { Picture } from '../../media/picture.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { parseJsonFile } from '../../schema/parse.ts';
import { CB, type Channel, channelWeights, CR, type LineImage, sampleLine } from './line-image.ts';

const PLANE = { type: 'string', description: 'width × height bytes in base64' } as const;
const SIDE = { type: 'integer', minimum: 1, maximum: 4096 } as const;

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
export interface Light {
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
export function relight(image: LineImage, light: Light, channel: Channel, matrix: Picture['color']['matrix']): void {
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
