import type { Rect, Size } from '../../geometry.ts';
import type { Picture, Plane } from '../../media/picture.ts';

/** Width to height of the pictures that games draw. */
const SCREENS = [4 / 3, 16 / 9, 16 / 10, 5 / 4, 64 / 27] as const;
/** Pixels less oblong than this are square. */
const SQUARE = 0.03;

/** A picture with square pixels, in memory of its own: `aspect` says how many times as wide as high those given are. */
export function toSquarePixels(picture: Picture, aspect = picture.pixelAspect ?? 1): Picture {
  if (aspect === 1) return picture;
  const { t, chromaShiftX, chromaShiftY, color } = picture;
  const width = Math.max(1, Math.round(picture.width * aspect));
  const widened = (plane: Plane, shift: number): Plane => widen(plane, -(-width >> shift));
  const [y, u, v] = [
    widened(picture.y, 0),
    widened(picture.u, chromaShiftX),
    widened(picture.v, chromaShiftX),
  ] as const;
  const { height } = picture;
  return { t, width, height, chromaShiftX, chromaShiftY, color, y, u, v, [Symbol.dispose]() {} };
}

/** Each row at another width: what a sample covers, averaged. */
function widen({ data, stride, width, height }: Plane, to: number): Plane {
  const out = new Uint8Array(to * height);
  const step = width / to;
  for (let x = 0; x < to; x++) {
    // Between two samples where it grows, over all that are covered where it shrinks.
    const [from, end] = step > 1 ? [x * step, (x + 1) * step] : [(x + 0.5) * step - 0.5, (x + 0.5) * step + 0.5];
    const [first, last] = [Math.floor(from), Math.ceil(end) - 1];
    for (let row = 0; row < height; row++) {
      let sum = 0;
      let weight = 0;
      for (let k = first; k <= last; k++) {
        const share = Math.min(k + 1, end) - Math.max(k, from);
        sum += share * data[row * stride + Math.min(width - 1, Math.max(0, k))]!;
        weight += share;
      }
      out[row * to + x] = Math.round(sum / weight);
    }
  }
  return { data: out, stride: to, width: to, height };
}

/**
 * How oblong the pixels may be of a game that fills such parts (fractions) of a frame but was drawn for another screen: 4:3
 * stretched to 16:9, 16:9 squeezed into 4:3.
 */
export function aspectsOf(frame: Size, parts: readonly Rect[]): readonly number[] {
  const found: number[] = [];
  for (const { width, height } of parts)
    for (const screen of SCREENS) {
      const aspect = (screen * height * frame.height) / (width * frame.width);
      if (Math.abs(aspect - 1) < SQUARE || aspect < 0.5 || aspect > 2) continue;
      if (!found.some((one) => Math.abs(one / aspect - 1) < 0.01)) found.push(aspect);
    }
  return found;
}
