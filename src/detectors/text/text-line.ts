import type { Rect } from '../../geometry.ts';
import type { View } from '../kind.ts';
import type { Atlas } from './atlas.ts';
import { type LightMeter, relight } from './light.ts';
import { CB, type Channel, CR, type LineImage, sampleLine } from './line-image.ts';

/** Correlation of the light's region with its reference below which nothing is read. */
const MIN_LIGHT_LIKENESS = 0.5;

/** Shared by all line images: none outlives its reading. */
const buffers = [new Float32Array(1024), new Float32Array(1024), new Float32Array(1024)];

/** How the light on a text line is measured. */
export interface LightSource {
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
    if (measured) relight(made, measured, one, view.picture.color.matrix);
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
