import type { Rect } from '../../geometry.ts';
import type { Picture, Plane } from '../../media/picture.ts';

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

/** Coverage of output cells by source samples along one axis: for output i, samples first[i]… with weights summing to 1. */
interface Coverage {
  readonly first: Int32Array;
  readonly count: Int32Array;
  readonly weights: Float32Array;
  readonly stride: number;
  /** Whether cell i is sample first[0] + i, unweighted. */
  readonly plain: boolean;
}

const coverages = new Map<string, Coverage>();

/** Box filter of [start, start + length) into `cells` equal cells; samples outside 0…limit−1 repeat the edge. */
function coverage(start: number, length: number, cells: number, limit: number): Coverage {
  const key = `${start},${length},${cells},${limit}`;
  const known = coverages.get(key);
  if (known) return known;
  const step = length / cells;
  const stride = Math.ceil(step) + 2;
  const first = new Int32Array(cells);
  const count = new Int32Array(cells);
  const weights = new Float32Array(cells * stride);
  for (let i = 0; i < cells; i++) {
    const from = start + i * step;
    const to = from + step;
    const low = Math.floor(from);
    const lowest = Math.min(Math.max(low, 0), limit - 1);
    first[i] = lowest;
    let last = lowest;
    for (let sample = low; sample < to; sample++) {
      const part = Math.min(to, sample + 1) - Math.max(from, sample);
      if (part <= 1e-9) continue;
      const at = Math.min(Math.max(sample, 0), limit - 1);
      weights[i * stride + (at - lowest)]! += part / step;
      last = at;
    }
    count[i] = last - lowest + 1;
  }
  const plain = step === 1 && Number.isInteger(start) && start >= 0 && start + cells <= limit;
  const made = { first, count, weights, stride, plain };
  if (coverages.size > 512) coverages.clear();
  coverages.set(key, made);
  return made;
}

let rowBuffer = new Float32Array(256);

/** Adds `weight` × the box-filtered plane to `out` (width × height). */
function accumulate(plane: Plane, rect: Rect, out: LineImage, weight: number): void {
  const { data, stride } = plane;
  const { width, height } = out;
  const across = coverage(rect.x, rect.width, width, plane.width);
  const down = coverage(rect.y, rect.height, height, plane.height);
  if (rowBuffer.length < width) rowBuffer = new Float32Array(width);
  const row = rowBuffer;
  const top = down.first[0]!;
  const bottom = down.first[height - 1]! + down.count[height - 1]! - 1;
  let firstCell = 0;
  for (let y = top; y <= bottom; y++) {
    const base = y * stride;
    if (across.plain && down.plain) {
      const from = base + across.first[0]!;
      const to = (y - top) * width;
      for (let x = 0; x < width; x++) out.data[to + x]! += data[from + x]! * weight;
      continue;
    }
    for (let x = 0; x < width; x++) {
      const at = base + across.first[x]!;
      const n = across.count[x]!;
      const w = x * across.stride;
      let sum = 0;
      for (let k = 0; k < n; k++) sum += data[at + k]! * across.weights[w + k]!;
      row[x] = sum;
    }
    while (firstCell < height && down.first[firstCell]! + down.count[firstCell]! <= y) firstCell++;
    for (let cell = firstCell; cell < height && down.first[cell]! <= y; cell++) {
      const share = down.weights[cell * down.stride + (y - down.first[cell]!)]! * weight;
      if (share === 0) continue;
      const to = cell * width;
      for (let x = 0; x < width; x++) out.data[to + x]! += row[x]! * share;
    }
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
  const data = buffer && buffer.length >= size ? buffer.subarray(0, size).fill(0) : new Float32Array(size);
  const image: LineImage = { data, width, height };
  const w = channelWeights(channel, picture.color.matrix);
  const lumaScale = picture.color.fullRange ? 1 : 255 / 219;
  const chromaScale = picture.color.fullRange ? 1 : 255 / 224;
  const offset = w.offset - (picture.color.fullRange ? 0 : 16 * lumaScale * w.y) - 128 * chromaScale * (w.cb + w.cr);
  if (offset !== 0) image.data.fill(offset);
  if (w.y !== 0) accumulate(picture.y, rect, image, w.y * lumaScale);
  if (w.cb !== 0 || w.cr !== 0) {
    const sx = 2 ** -picture.chromaShiftX;
    const sy = 2 ** -picture.chromaShiftY;
    const chroma = { x: rect.x * sx, y: rect.y * sy, width: rect.width * sx, height: rect.height * sy };
    if (w.cb !== 0) accumulate(picture.u, chroma, image, w.cb * chromaScale);
    if (w.cr !== 0) accumulate(picture.v, chroma, image, w.cr * chromaScale);
  }
  return image;
}
