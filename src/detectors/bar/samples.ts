import type { PreparedCrop, View } from '../kind.ts';
import type { Samples } from './fill.ts';
import type { GaugeShape } from './options.ts';

/** Slices of a ring: half a degree or so each. */
const RING_SLICES = 720;

/** The gauge's pixels as RGB triples, slice by slice from its empty end to its full end. */
export function samplesAlong(crop: PreparedCrop, view: View, options: GaugeShape): Samples {
  const { direction = 'right' } = options;
  // The element within the padded, possibly resized crop.
  const fx = crop.width / view.rect.width;
  const fy = crop.height / view.rect.height;
  const box = {
    x: (view.inner.x - view.rect.x) * fx,
    y: (view.inner.y - view.rect.y) * fy,
    width: view.inner.width * fx,
    height: view.inner.height * fy,
  };
  if (direction === 'clockwise' || direction === 'counterclockwise')
    return ring(crop, box, options, direction === 'clockwise');
  const [left, right] = [Math.max(0, Math.round(box.x)), Math.min(crop.width, Math.round(box.x + box.width))];
  const [top, bottom] = [Math.max(0, Math.round(box.y)), Math.min(crop.height, Math.round(box.y + box.height))];
  const across = direction === 'up' || direction === 'down';
  const [from, to, first, last] = across ? [top, bottom, left, right] : [left, right, top, bottom];
  const slices = Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const pixels: number[] = [];
    for (let j = first; j < last; j++) push(pixels, crop, across ? j : from + i, across ? from + i : j);
    return pixels;
  });
  return { slices: direction === 'left' || direction === 'up' ? slices.toReversed() : slices };
}

function ring(
  crop: PreparedCrop,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  { start = 0, sweep = 360, radii = [0.7, 1] }: GaugeShape,
  clockwise: boolean,
): Samples {
  const count = Math.max(
    2,
    Math.min(RING_SLICES, Math.round((sweep / 360) * Math.PI * Math.max(box.width, box.height))),
  );
  const slices = Array.from({ length: count }, (): number[] => []);
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  for (let y = 0; y < crop.height; y++) {
    for (let x = 0; x < crop.width; x++) {
      const dx = (x + 0.5 - cx) / (box.width / 2);
      const dy = (y + 0.5 - cy) / (box.height / 2);
      const radius = Math.hypot(dx, dy);
      if (radius < radii[0] || radius > radii[1]) continue;
      // 0 at twelve o'clock, growing clockwise.
      const angle = (Math.atan2(dx, -dy) * 180) / Math.PI;
      const along = ((((clockwise ? angle - start : start - angle) % 360) + 360) % 360) / sweep;
      if (along < 1) push(slices[Math.floor(along * count)]!, crop, x, y);
    }
  }
  // A slice that no pixel's centre falls into says what its neighbour says.
  return {
    slices: slices
      .map((pixels, i) => (pixels.length > 0 ? pixels : (slices[i - 1] ?? pixels)))
      .filter((pixels) => pixels.length > 0),
  };
}

function push(pixels: number[], { data, width, channels }: PreparedCrop, x: number, y: number): void {
  const at = (y * width + x) * channels;
  if (channels === 1) pixels.push(data[at]!, data[at]!, data[at]!);
  else pixels.push(data[at]!, data[at + 1]!, data[at + 2]!);
}
