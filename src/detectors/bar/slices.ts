import type { Rect } from '../../geometry.ts';
import type { PreparedCrop, View } from '../kind.ts';
import type { GaugeShape } from './options.ts';

/** A gauge cut across its direction, from its empty end to its full end: for each slice its pixels as RGB triples. */
export type Slices = readonly (readonly number[])[];

/** Slices of a full ring: half a degree each. */
const MAX_RING_SLICES = 720;

/** Cuts a gauge into slices: columns or rows of a bar, sectors of a ring. */
export function cutSlices(crop: PreparedCrop, view: View, options: GaugeShape): Slices {
  const { direction = 'right' } = options;
  // The unpadded region in pixels of the crop, which preprocessing may have resized.
  const fx = crop.width / view.rect.width;
  const fy = crop.height / view.rect.height;
  const box = {
    x: (view.inner.x - view.rect.x) * fx,
    y: (view.inner.y - view.rect.y) * fy,
    width: view.inner.width * fx,
    height: view.inner.height * fy,
  };
  if (direction === 'clockwise' || direction === 'counterclockwise')
    return cutRing(crop, box, options, direction === 'clockwise');
  const [left, right] = [Math.max(0, Math.round(box.x)), Math.min(crop.width, Math.round(box.x + box.width))];
  const [top, bottom] = [Math.max(0, Math.round(box.y)), Math.min(crop.height, Math.round(box.y + box.height))];
  const isVertical = direction === 'up' || direction === 'down';
  const [from, to, first, last] = isVertical ? [top, bottom, left, right] : [left, right, top, bottom];
  const slices = Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const pixels: number[] = [];
    for (let j = first; j < last; j++) addPixel(pixels, crop, isVertical ? j : from + i, isVertical ? from + i : j);
    return pixels;
  });
  return direction === 'left' || direction === 'up' ? slices.toReversed() : slices;
}

function cutRing(
  crop: PreparedCrop,
  box: Rect,
  { start = 0, sweep = 360, radii = [0.7, 1] }: GaugeShape,
  isClockwise: boolean,
): Slices {
  const count = Math.max(
    2,
    Math.min(MAX_RING_SLICES, Math.round((sweep / 360) * Math.PI * Math.max(box.width, box.height))),
  );
  const slices = Array.from({ length: count }, (): number[] => []);
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  for (let y = 0; y < crop.height; y++) {
    for (let x = 0; x < crop.width; x++) {
      const dx = (x + 0.5 - cx) / (box.width / 2);
      const dy = (y + 0.5 - cy) / (box.height / 2);
      const radius = Math.hypot(dx, dy);
      if (radius < radii[0] || radius > radii[1]) continue;
      // Clockwise from twelve o'clock.
      const angle = (Math.atan2(dx, -dy) * 180) / Math.PI;
      const along = ((((isClockwise ? angle - start : start - angle) % 360) + 360) % 360) / sweep;
      if (along < 1) addPixel(slices[Math.floor(along * count)]!, crop, x, y);
    }
  }
  // A sector without a pixel's centre takes its neighbour's pixels.
  return slices
    .map((pixels, i) => (pixels.length > 0 ? pixels : (slices[i - 1] ?? pixels)))
    .filter((pixels) => pixels.length > 0);
}

function addPixel(pixels: number[], { data, width, channels }: PreparedCrop, x: number, y: number): void {
  const at = (y * width + x) * channels;
  if (channels === 1) pixels.push(data[at]!, data[at]!, data[at]!);
  else pixels.push(data[at]!, data[at + 1]!, data[at + 2]!);
}
