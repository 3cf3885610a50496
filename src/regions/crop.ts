import type { Rect } from '../geometry.ts';
import type { Picture, Plane } from '../media/picture.ts';
import { convertBySimd, tables } from './rgb.ts';

export { LUMA_WEIGHTS } from './rgb.ts';

/** From this width on a native copy or comparison of a row beats a typed loop (measured, Node 24: bench/speed/regions.ts). */
const NATIVE_ROW = 64;

/**
 * The plane's own luma codes in `rect` (whole pixels, inside the picture), row after row: 16…235 for limited range. What
 * the change gate compares; see `cropGrey` for levels that do not depend on the encoding's range.
 */
export function cropLuma(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const { data, stride } = picture.y;
  const { x, y, width, height } = inside(picture, rect);
  const target = out ?? new Uint8Array(width * height);
  if (target.length < width * height)
    throw new RangeError(`crop of ${width}×${height} does not fit ${target.length} bytes`);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * stride + x;
    const to = row * width;
    if (width >= NATIVE_ROW) target.set(rowOf(data, from, width), to);
    else for (let i = 0; i < width; i++) target[to + i] = data[from + i]!;
  }
  return target;
}

/** A plane is a buffer, whose own `subarray` takes longer. */
function rowOf(data: Uint8Array, from: number, width: number): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset + from, width);
}

/** The luma in `rect` as full-range grey: black 0, white 255, whatever range the video is encoded in. */
export function cropGrey(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const grey = cropLuma(picture, rect, out);
  if (picture.color.fullRange) return grey;
  const levels = LIMITED_TO_FULL;
  const count = rect.width * rect.height;
  for (let i = 0; i < count; i++) grey[i] = levels[grey[i]!]!;
  return grey;
}

/** round((code − 16) · 255 / 219), clamped: luma codes of limited range as full range. */
const LIMITED_TO_FULL = Uint8ClampedArray.from({ length: 256 }, (_, code) => ((code - 16) * 255) / 219);

/**
 * The pixels of `rect` as interleaved RGB, by the picture's matrix and range, in 16-bit fixed point (within 1 of the
 * real-valued formula). Chroma is the nearest sample (no interpolation): a subsampled edge is as blocky as it was coded.
 */
export function cropRgb(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const { x, y, width, height } = inside(picture, rect);
  const target = out ?? new Uint8Array(width * height * 3);
  if (target.length < width * height * 3)
    throw new RangeError(`crop of ${width}×${height} does not fit ${target.length} bytes`);
  if (convertBySimd(picture, x, y, width, height, target)) return target;
  return convert(picture, x, y, width, height, target);
}

/** The same in plain code, for places that are few among wide lines. */
export function convert(
  picture: Picture,
  x: number,
  y: number,
  width: number,
  height: number,
  target: Uint8Array,
): Uint8Array {
  const { y: luma, u, v, chromaShiftX: shiftX, chromaShiftY: shiftY } = picture;
  const [yData, uData, vData] = [luma.data, u.data, v.data];
  const { level, redV, greenU, greenV, blueU } = tables(picture.color);
  let to = 0;
  for (let row = y; row < y + height; row++) {
    const yRow = row * luma.stride;
    const uRow = (row >> shiftY) * u.stride;
    const vRow = (row >> shiftY) * v.stride;
    let chroma = -1;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let column = x; column < x + width; column++) {
      const at = column >> shiftX;
      if (at !== chroma) {
        chroma = at;
        const cb = uData[uRow + at]!;
        const cr = vData[vRow + at]!;
        red = redV[cr]!;
        green = greenU[cb]! + greenV[cr]!;
        blue = blueU[cb]!;
      }
      const base = level[yData[yRow + column]!]!;
      const r = (base + red) >> 16;
      const g = (base + green) >> 16;
      const b = (base + blue) >> 16;
      // (value & 255) === value holds just for 0…255; else the sign tells which end it passed.
      target[to] = (r & 255) === r ? r : r < 0 ? 0 : 255;
      target[to + 1] = (g & 255) === g ? g : g < 0 ? 0 : 255;
      target[to + 2] = (b & 255) === b ? b : b < 0 ? 0 : 255;
      to += 3;
    }
  }
  return target;
}

/**
 * Whether the luma in `rect` is exactly that of `previous` (a `cropLuma` of the same rectangle). Stops at the first row
 * that differs. Exact on purpose: a tolerance would let a reading depend on which samples were read before it.
 */
export function sameLuma(picture: Picture, rect: Rect, previous: Uint8Array): boolean {
  return samePlane(picture.y, inside(picture, rect), previous, 0);
}

/** The chroma samples that cover `rect`. */
export function chromaRect(picture: Picture, rect: Rect): Rect {
  const x = rect.x >> picture.chromaShiftX;
  const y = rect.y >> picture.chromaShiftY;
  return {
    x,
    y,
    width: Math.max(0, ((rect.x + rect.width - 1) >> picture.chromaShiftX) + 1 - x),
    height: Math.max(0, ((rect.y + rect.height - 1) >> picture.chromaShiftY) + 1 - y),
  };
}

/** The samples of all three planes that `rect` touches, one plane after the other: what `samePixels` compares. */
export function cropPlanes(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const chroma = chromaRect(picture, inside(picture, rect));
  const size = rect.width * rect.height;
  const part = chroma.width * chroma.height;
  const target = out && out.length === size + 2 * part ? out : new Uint8Array(size + 2 * part);
  cropLuma(picture, rect, target);
  for (const [plane, at] of [
    [picture.u, size],
    [picture.v, size + part],
  ] as const) {
    for (let row = 0; row < chroma.height; row++) {
      const from = (chroma.y + row) * plane.stride + chroma.x;
      target.set(rowOf(plane.data, from, chroma.width), at + row * chroma.width);
    }
  }
  return target;
}

/** Whether luma and chroma in `rect` are exactly those of `previous` (a `cropPlanes` of the same rectangle). */
export function samePixels(picture: Picture, rect: Rect, previous: Uint8Array): boolean {
  const chroma = chromaRect(picture, inside(picture, rect));
  const size = rect.width * rect.height;
  const part = chroma.width * chroma.height;
  return (
    samePlane(picture.y, rect, previous, 0) &&
    samePlane(picture.u, chroma, previous, size) &&
    samePlane(picture.v, chroma, previous, size + part)
  );
}

function samePlane(plane: Plane, rect: Rect, previous: Uint8Array, offset: number): boolean {
  const { data, stride } = plane;
  const { x, y, width, height } = rect;
  if (width >= NATIVE_ROW) {
    const rows = Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    for (let row = 0; row < height; row++) {
      const from = (y + row) * stride + x;
      const to = offset + row * width;
      if (rows.compare(previous, to, to + width, from, from + width) !== 0) return false;
    }
    return true;
  }
  for (let row = 0; row < height; row++) {
    const from = (y + row) * stride + x;
    const to = offset + row * width;
    for (let i = 0; i < width; i++) if (data[from + i] !== previous[to + i]) return false;
  }
  return true;
}

/** The rectangle; throws RangeError unless it is whole pixels of the picture. */
export function inside(picture: Picture, rect: Rect): Rect {
  const { x, y, width, height } = rect;
  const whole = Number.isInteger(x) && Number.isInteger(y) && Number.isInteger(width) && Number.isInteger(height);
  if (!whole || x < 0 || y < 0 || width < 0 || height < 0 || x + width > picture.width || y + height > picture.height) {
    throw new RangeError(
      `${width}×${height} at ${x},${y} is not whole pixels of a ${picture.width}×${picture.height} picture`,
    );
  }
  return rect;
}
