import type { Rect } from '../../geometry.ts';
import type { View } from '../kind.ts';
import type { Atlas } from './atlas.ts';
import { type LightMeter, relight } from './light.ts';
import { CB, type Channel, CR, type LineImage, sampleLine } from './line-image.ts';

/** How like its reference the light's region must be for anything to be read. */
const LIKENESS = 0.5;

/** Where line images are made: none outlives the reading of it. */
const buffers = [new Float32Array(1024), new Float32Array(1024), new Float32Array(1024)];

/**
 * The line in the view's region at the atlas's resolution with `margin` pixels around, in plain light where a meter is
 * given. Undefined when the light's reference is not there to be seen.
 */
export function lineImage(
  view: View,
  atlas: Atlas,
  margin: number,
  light?: { readonly meter: LightMeter; readonly region: string; readonly key: string },
  scale = 1,
): LineImage | undefined {
  const { pixels, height, channel } = atlas.file;
  const stepX = (scale * view.scaleX) / pixels.x;
  const stepY = (scale * view.scaleY) / pixels.y;
  const inner = scale === 1 ? view.inner : about(view.inner, scale);
  const width = Math.max(1, Math.round(inner.width / stepX));
  const measured =
    light && view.once(`light ${light.key}`, () => light.meter.measure(view.picture, view.place(light.region)));
  if (measured && measured.likeness < LIKENESS) return undefined;
  const box = {
    x: inner.x - margin * stepX,
    y: inner.y - margin * stepY,
    width: (width + 2 * margin) * stepX,
    height: (height + 2 * margin) * stepY,
  };
  const [columns, rows] = [width + 2 * margin, height + 2 * margin];
  const coarse = 2 ** (view.picture.chromaShiftX + view.picture.chromaShiftY) / (stepX * stepY);
  const channels: readonly Channel[] = atlas.file.inks ? ['luma', CB, CR] : [channel];
  const [image, cb, cr] = channels.map((one, plane) => {
    if (buffers[plane]!.length < columns * rows) buffers[plane] = new Float32Array(columns * rows);
    const made = sampleLine(view.picture, box, columns, rows, one, buffers[plane]);
    if (measured) relight(made, measured, one, view.picture.color.matrix);
    return made;
  });
  return {
    ...image!,
    ...(cb && cr ? { chroma: [cb.data, cr.data] } : {}),
    ...(measured ? { gain: measured.gain, coarse } : {}),
  };
}

/** `rect` so many times as large, about its middle. */
function about({ x, y, width, height }: Rect, scale: number): Rect {
  const grown = scale - 1;
  return { x: x - (width * grown) / 2, y: y - (height * grown) / 2, width: width * scale, height: height * scale };
}

/** Whether the region, so many times as large, lies in what is watched of the picture: all within its padding and the frame. */
export function hasRoom({ inner, rect, picture }: View, scale: number): boolean {
  const { x, y, width, height } = about(inner, scale);
  const slack = 1;
  return (
    x >= (rect.x > 0 ? rect.x - slack : Number.NEGATIVE_INFINITY) &&
    y >= (rect.y > 0 ? rect.y - slack : Number.NEGATIVE_INFINITY) &&
    (rect.x + rect.width >= picture.width || x + width <= rect.x + rect.width + slack) &&
    (rect.y + rect.height >= picture.height || y + height <= rect.y + rect.height + slack)
  );
}
