import type { ColorEncoding, Picture, Plane } from '../media/picture.ts';
import { RGB_WASM } from './rgb-wasm.ts';

interface ConversionTables {
  readonly level: Int32Array;
  readonly redV: Int32Array;
  readonly greenU: Int32Array;
  readonly greenV: Int32Array;
  readonly blueU: Int32Array;
}

/** Luma weights of red and blue (ITU-R BT.601, BT.709, BT.2020 non-constant luminance). */
export const LUMA_WEIGHTS = {
  bt601: { red: 0.299, blue: 0.114 },
  bt709: { red: 0.2126, blue: 0.0722 },
  bt2020: { red: 0.2627, blue: 0.0593 },
} as const;

/** (code − zero) · scale for every code, in 16-bit fixed point. */
function fixed(scale: number, zero: number, add = 0): Int32Array {
  return Int32Array.from({ length: 256 }, (_, code) => Math.round((code - zero) * scale * 65536) + add);
}

const tableCache = new Map<string, ConversionTables>();

/** The tables of an encoding: what luma, U and V add to the channels, in 16-bit fixed point. */
export function tables(color: ColorEncoding): ConversionTables {
  const key = `${color.matrix}${color.fullRange}`;
  const cached = tableCache.get(key);
  if (cached) return cached;
  const { red: kr, blue: kb } = LUMA_WEIGHTS[color.matrix];
  const kg = 1 - kr - kb;
  const lumaScale = color.fullRange ? 1 : 255 / 219;
  const chromaScale = color.fullRange ? 1 : 255 / 224;
  const made: ConversionTables = {
    level: fixed(lumaScale, color.fullRange ? 0 : 16, 32768),
    redV: fixed(chromaScale * 2 * (1 - kr), 128),
    greenU: fixed((-chromaScale * 2 * (1 - kb) * kb) / kg, 128),
    greenV: fixed((-chromaScale * 2 * (1 - kr) * kr) / kg, 128),
    blueU: fixed(chromaScale * 2 * (1 - kb), 128),
  };
  tableCache.set(key, made);
  return made;
}

/** Exports of tools/wasm/rgb.wat; every argument is an address or a count. */
interface Kernels {
  readonly memory: WebAssembly.Memory;
  convert(
    luma: number,
    pitch: number,
    u: number,
    v: number,
    chroma: number,
    width: number,
    height: number,
    phaseX: number,
    phaseY: number,
    shiftX: number,
    shiftY: number,
    tables: number,
    out: number,
  ): void;
}

/** Bytes of a matrix's tables: a level, and what U and V add to three channels and a fourth that is none. */
const TABLES = 4 * 256 + 2 * 16 * 256;
/** Bytes of luma copied for a pixel that is wanted, at most: lines are copied whole. */
const WIDEST = 24;
/** Pixels that are converted at once, at most: the memory is kept. */
const MOST = 4 << 20;

let kernels: Kernels | undefined;
let bytes = new Uint8Array(0);
let end = 16;
const placed = new Map<ConversionTables, number>();

/** Converts a rectangle that lies inside the picture; false where copying the lines would cost more than plain code. */
export function convertBySimd(
  { y: luma, u, v, chromaShiftX: shiftX, chromaShiftY: shiftY, color }: Picture,
  x: number,
  y: number,
  width: number,
  height: number,
  target: Uint8Array,
): boolean {
  if (width === 0 || height === 0 || width * height > MOST) return false;
  if (luma.stride > WIDEST * width || u.stride !== v.stride) return false;
  const from = y * luma.stride + x;
  const chroma = (y >> shiftY) * u.stride + (x >> shiftX);
  const last = ((y + height - 1) >> shiftY) * u.stride + ((x + width - 1) >> shiftX);
  const size = (height - 1) * luma.stride + width;
  const part = last - chroma + 1;
  kernels ??= load();
  const at = tablesAt(kernels, tables(color));
  const out = end + size + 2 * part;
  reserve(kernels, out + 3 * width * height + 4);
  bytes.set(span(luma, from, size), end);
  bytes.set(span(u, chroma, part), end + size);
  bytes.set(span(v, chroma, part), end + size + part);
  const [phaseX, phaseY] = [x & ((1 << shiftX) - 1), y & ((1 << shiftY) - 1)];
  kernels.convert(
    end,
    luma.stride,
    end + size,
    end + size + part,
    u.stride,
    width,
    height,
    phaseX,
    phaseY,
    shiftX,
    shiftY,
    at,
    out,
  );
  target.set(bytes.subarray(out, out + 3 * width * height));
  return true;
}

function span({ data }: Plane, from: number, length: number): Uint8Array {
  return data.subarray(from, from + length);
}

function load(): Kernels {
  const module = new WebAssembly.Module(Buffer.from(RGB_WASM, 'base64'));
  return new WebAssembly.Instance(module).exports as unknown as Kernels;
}

/** Where a matrix's tables are; there are few of them. */
function tablesAt(to: Kernels, made: ConversionTables): number {
  const known = placed.get(made);
  if (known !== undefined) return known;
  const at = end;
  end += TABLES;
  reserve(to, end);
  const { level, redV, greenU, greenV, blueU } = made;
  const words = new Int32Array(to.memory.buffer, at, TABLES / 4);
  words.set(level);
  for (let code = 0; code < 256; code++) {
    words.set([0, greenU[code]!, blueU[code]!], 256 + 4 * code);
    words.set([redV[code]!, greenV[code]!, 0], 1280 + 4 * code);
  }
  placed.set(made, at);
  return at;
}

function reserve({ memory }: Kernels, size: number): void {
  const missing = size - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  if (bytes.buffer !== memory.buffer) bytes = new Uint8Array(memory.buffer);
}
