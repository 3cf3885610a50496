import type { Rect } from '../geometry.ts';
import type { ColorEncoding, Picture, Plane } from '../media/picture.ts';
import { LUMA_WEIGHTS } from './color.ts';
import { RGB_WASM } from './rgb-wasm.ts';
import { instantiateWasm, reserveMemory, type WasmFunction } from './wasm.ts';

/** A crop in memory of its own: `channels` interleaved bytes a pixel (grey, or RGB), rows without padding. */
export interface Crop {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
}

/** Copies a rectangle of whole pixels out of a crop. */
export function cutCrop({ data, width, channels }: Crop, { x, y, width: wide, height }: Rect): Crop {
  const out = new Uint8Array(wide * height * channels);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * width + x) * channels;
    out.set(data.subarray(from, from + wide * channels), row * wide * channels);
  }
  return { data: out, width: wide, height, channels };
}

/** Row width from which a native copy or comparison beats a loop (bench/speed/regions.ts). */
const MIN_NATIVE_ROW = 64;

/**
 * Copies the plane's own luma codes in `rect`, row after row: 16…235 for limited range. This is what the change gate compares;
 * `cropGrey` gives levels that do not depend on the encoding's range.
 *
 * @param rect Whole pixels inside the picture.
 * @param out Where to write; default new memory.
 * @throws RangeError if `rect` is not whole pixels of the picture, or `out` is too small.
 */
export function cropLuma(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const { data, stride } = picture.y;
  const { x, y, width, height } = requireInside(picture, rect);
  const target = out ?? new Uint8Array(width * height);
  requireRoom(target, width * height, rect);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * stride + x;
    const to = row * width;
    if (width >= MIN_NATIVE_ROW) target.set(rowOf(data, from, width), to);
    else for (let i = 0; i < width; i++) target[to + i] = data[from + i]!;
  }
  return target;
}

/** A view of one row. Planes are Buffers, whose own `subarray` is slower. */
function rowOf(data: Uint8Array, from: number, width: number): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset + from, width);
}

function requireRoom(target: Uint8Array, bytes: number, { width, height }: Rect): void {
  if (target.length < bytes) throw new RangeError(`crop of ${width}×${height} does not fit ${target.length} bytes`);
}

/** Copies the luma in `rect` as full-range grey: black 0, white 255, whatever the video's range. As `cropLuma` otherwise. */
export function cropGrey(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const grey = cropLuma(picture, rect, out);
  if (picture.color.fullRange) return grey;
  const count = rect.width * rect.height;
  for (let i = 0; i < count; i++) grey[i] = LIMITED_TO_FULL[grey[i]!]!;
  return grey;
}

/** round((code − 16) · 255 / 219), clamped: luma codes of limited range as full range. */
const LIMITED_TO_FULL = Uint8ClampedArray.from({ length: 256 }, (_, code) => ((code - 16) * 255) / 219);

/**
 * Converts the pixels of `rect` to interleaved RGB, by the picture's matrix and range, in 16-bit fixed point (within 1 of the
 * real-valued formula). Chroma is the nearest sample, not interpolated. As `cropLuma` otherwise.
 */
export function cropRgb(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const { width, height } = requireInside(picture, rect);
  const target = out ?? new Uint8Array(width * height * 3);
  requireRoom(target, width * height * 3, rect);
  if (!convertBySimd(picture, rect, target)) convertInPlainCode(picture, rect, target);
  return target;
}

/** Converts a rectangle without WebAssembly: faster where few pixels of wide rows are wanted. The bytes are the same. */
export function convertInPlainCode(picture: Picture, { x, y, width, height }: Rect, target: Uint8Array): void {
  const { y: luma, u, v, chromaShiftX: shiftX, chromaShiftY: shiftY } = picture;
  const [yData, uData, vData] = [luma.data, u.data, v.data];
  const { level, redV, greenU, greenV, blueU } = conversionTables(picture.color);
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
      // (value & 255) === value holds just for 0…255; otherwise the sign shows which end it passed.
      target[to] = (r & 255) === r ? r : r < 0 ? 0 : 255;
      target[to + 1] = (g & 255) === g ? g : g < 0 ? 0 : 255;
      target[to + 2] = (b & 255) === b ? b : b < 0 ? 0 : 255;
      to += 3;
    }
  }
}

/** What luma, U and V add to the channels, by code, in 16-bit fixed point. */
interface ConversionTables {
  readonly level: Int32Array;
  readonly redV: Int32Array;
  readonly greenU: Int32Array;
  readonly greenV: Int32Array;
  readonly blueU: Int32Array;
}

const tableCache = new Map<string, ConversionTables>();

function conversionTables(color: ColorEncoding): ConversionTables {
  const key = `${color.matrix}${color.fullRange}`;
  const cached = tableCache.get(key);
  if (cached) return cached;
  const { red: kr, blue: kb } = LUMA_WEIGHTS[color.matrix];
  const kg = 1 - kr - kb;
  const lumaScale = color.fullRange ? 1 : 255 / 219;
  const chromaScale = color.fullRange ? 1 : 255 / 224;
  const made: ConversionTables = {
    level: fixedPoint(lumaScale, color.fullRange ? 0 : 16, 32768),
    redV: fixedPoint(chromaScale * 2 * (1 - kr), 128),
    greenU: fixedPoint((-chromaScale * 2 * (1 - kb) * kb) / kg, 128),
    greenV: fixedPoint((-chromaScale * 2 * (1 - kr) * kr) / kg, 128),
    blueU: fixedPoint(chromaScale * 2 * (1 - kb), 128),
  };
  tableCache.set(key, made);
  return made;
}

/** (code − zero) · scale for every code, in 16-bit fixed point, plus `add`. */
function fixedPoint(scale: number, zero: number, add = 0): Int32Array {
  return Int32Array.from({ length: 256 }, (_, code) => Math.round((code - zero) * scale * 65536) + add);
}

/** Exports of tools/wasm/rgb.wat. */
interface ConversionKernel extends Record<'convert', WasmFunction> {
  readonly memory: WebAssembly.Memory;
}

/** Bytes of a matrix's tables: a level, and what U and V add to three channels and an unused fourth. */
const TABLE_BYTES = 4 * 256 + 2 * 16 * 256;
/** Rows are copied whole: largest ratio of a row to the part of it that is wanted. */
const MAX_ROW_RATIO = 24;
/** Most pixels that are converted at once: the kernel's memory is never given back. */
const MAX_SIMD_PIXELS = 4 << 20;

let converter: ConversionKernel | undefined;
let converterBytes = new Uint8Array(0);
let tablesEnd = 16;
const tableAddresses = new Map<ConversionTables, number>();

/** Converts a rectangle with SIMD; returns false where copying the rows would cost more than plain code. */
function convertBySimd(picture: Picture, { x, y, width, height }: Rect, target: Uint8Array): boolean {
  const { y: luma, u, v, chromaShiftX: shiftX, chromaShiftY: shiftY, color } = picture;
  if (width === 0 || height === 0 || width * height > MAX_SIMD_PIXELS) return false;
  if (luma.stride > MAX_ROW_RATIO * width || u.stride !== v.stride) return false;
  const from = y * luma.stride + x;
  const chroma = (y >> shiftY) * u.stride + (x >> shiftX);
  const last = ((y + height - 1) >> shiftY) * u.stride + ((x + width - 1) >> shiftX);
  const size = (height - 1) * luma.stride + width;
  const part = last - chroma + 1;
  converter ??= instantiateWasm(RGB_WASM) as unknown as ConversionKernel;
  const at = tableAddress(converter, conversionTables(color));
  const [lumaAt, uAt, vAt] = [tablesEnd, tablesEnd + size, tablesEnd + size + part];
  const out = vAt + part;
  reserve(converter, out + 3 * width * height + 4);
  converterBytes.set(luma.data.subarray(from, from + size), lumaAt);
  converterBytes.set(u.data.subarray(chroma, chroma + part), uAt);
  converterBytes.set(v.data.subarray(chroma, chroma + part), vAt);
  const [phaseX, phaseY] = [x & ((1 << shiftX) - 1), y & ((1 << shiftY) - 1)];
  converter.convert(lumaAt, luma.stride, uAt, vAt, u.stride, width, height, phaseX, phaseY, shiftX, shiftY, at, out);
  target.set(converterBytes.subarray(out, out + 3 * width * height));
  return true;
}

/** Address of a matrix's tables, which stay in the kernel's memory: there are few of them. */
function tableAddress(kernel: ConversionKernel, tables: ConversionTables): number {
  const known = tableAddresses.get(tables);
  if (known !== undefined) return known;
  const at = tablesEnd;
  tablesEnd += TABLE_BYTES;
  reserve(kernel, tablesEnd);
  const { level, redV, greenU, greenV, blueU } = tables;
  const words = new Int32Array(kernel.memory.buffer, at, TABLE_BYTES / 4);
  words.set(level);
  for (let code = 0; code < 256; code++) {
    words.set([0, greenU[code]!, blueU[code]!], 256 + 4 * code);
    words.set([redV[code]!, greenV[code]!, 0], 1280 + 4 * code);
  }
  tableAddresses.set(tables, at);
  return at;
}

function reserve({ memory }: ConversionKernel, size: number): void {
  reserveMemory(memory, size);
  if (converterBytes.buffer !== memory.buffer) converterBytes = new Uint8Array(memory.buffer);
}

/**
 * Whether the luma in `rect` is exactly that of `previous`, a `cropLuma` of the same rectangle. Exact on purpose: with a
 * tolerance a reading would depend on which samples were read before it.
 */
export function sameLuma(picture: Picture, rect: Rect, previous: Uint8Array): boolean {
  return samePlane(picture.y, requireInside(picture, rect), previous, 0);
}

/** Returns the rectangle of chroma samples that cover `rect`. */
function chromaRect(picture: Picture, rect: Rect): Rect {
  const x = rect.x >> picture.chromaShiftX;
  const y = rect.y >> picture.chromaShiftY;
  return {
    x,
    y,
    width: Math.max(0, ((rect.x + rect.width - 1) >> picture.chromaShiftX) + 1 - x),
    height: Math.max(0, ((rect.y + rect.height - 1) >> picture.chromaShiftY) + 1 - y),
  };
}

/** Copies the samples of all three planes that `rect` touches, one plane after the other: what `samePixels` compares. */
export function cropPlanes(picture: Picture, rect: Rect, out?: Uint8Array): Uint8Array {
  const chroma = chromaRect(picture, requireInside(picture, rect));
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

/** Whether luma and chroma in `rect` are exactly those of `previous`, a `cropPlanes` of the same rectangle. */
export function samePixels(picture: Picture, rect: Rect, previous: Uint8Array): boolean {
  const chroma = chromaRect(picture, requireInside(picture, rect));
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
  if (width >= MIN_NATIVE_ROW) {
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

/** Returns `rect`; throws RangeError unless it is whole pixels inside the picture. */
function requireInside(picture: Picture, rect: Rect): Rect {
  const { x, y, width, height } = rect;
  const whole = Number.isInteger(x) && Number.isInteger(y) && Number.isInteger(width) && Number.isInteger(height);
  if (!whole || x < 0 || y < 0 || width < 0 || height < 0 || x + width > picture.width || y + height > picture.height) {
    throw new RangeError(
      `${width}×${height} at ${x},${y} is not whole pixels of a ${picture.width}×${picture.height} picture`,
    );
  }
  return rect;
}
