import { crc32, inflateSync } from 'node:zlib';

/** A picture of 8-bit red, green, blue and alpha, interleaved. */
export interface RgbaPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Chunks that do not change what the pixels are; any other, as a colour profile, is left to a full decoder. */
const HARMLESS = new Set(['tEXt', 'zTXt', 'iTXt', 'tIME', 'pHYs', 'bKGD', 'sRGB', 'sBIT', 'eXIf']);
/** Samples per pixel by colour type: grey, colour, palette, each perhaps with alpha (PNG, section 11.2.2). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Decodes the PNG files that icons usually are: 8 bits a sample, not interlaced, without a colour profile, at most so many pixels a
 * side. Undefined for every other file, damaged ones included: a full decoder takes more time to load than icons to be read.
 */
export function readPlainPng(file: Uint8Array, longestSide: number): RgbaPicture | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  let header: Buffer | undefined;
  let palette: Buffer | undefined;
  let transparent: Buffer | undefined;
  const parts: Buffer[] = [];
  let ended = false;
  for (let at = 8; !ended && at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined;
    const name = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, end - 4);
    at = end;
    if (name === 'IHDR') header = content;
    else if (name === 'PLTE') palette = content;
    else if (name === 'tRNS') transparent = content;
    else if (name === 'IDAT') parts.push(content);
    else if (name === 'IEND') ended = true;
    else if (!HARMLESS.has(name)) return undefined;
  }
  if (!ended || header?.length !== 13) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const type = header[9]!;
  const samples = SAMPLES[type];
  // Depth 8, the one compression and filtering there are, no interlacing.
  const plain = header[8] === 8 && header[10] === 0 && header[11] === 0 && header[12] === 0;
  const fits = width > 0 && height > 0 && width <= longestSide && height <= longestSide;
  if (!plain || !fits || samples === undefined || (transparent !== undefined && type !== 3)) return undefined;
  const line = width * samples;
  const rows = inflated(Buffer.concat(parts), (line + 1) * height);
  if (!rows || !unfilter(rows, line, samples, height)) return undefined;
  return { width, height, data: toRgba(rows, type, line, height, palette, transparent) };
}

function inflated(data: Buffer, size: number): Buffer | undefined {
  try {
    const rows = inflateSync(data, { maxOutputLength: size });
    return rows.length === size ? rows : undefined;
  } catch {
    return undefined;
  }
}

/** Undoes the prediction of each row (PNG, section 9.2), in place; each row has the number of its filter in front. */
function unfilter(rows: Buffer, line: number, samples: number, height: number): boolean {
  for (let y = 0; y < height; y++) {
    const from = y * (line + 1) + 1;
    const above = y === 0 ? -1 : from - line - 1;
    const filter = rows[from - 1]!;
    if (filter > 4) return false;
    if (filter === 0) continue;
    for (let i = 0; i < line; i++) {
      const left = i < samples ? 0 : rows[from + i - samples]!;
      const up = above < 0 ? 0 : rows[above + i]!;
      const corner = above < 0 || i < samples ? 0 : rows[above + i - samples]!;
      const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
      rows[from + i] = (rows[from + i]! + guess) & 255;
    }
  }
  return true;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function toRgba(
  rows: Buffer,
  type: number,
  line: number,
  height: number,
  palette: Buffer | undefined,
  transparent: Buffer | undefined,
): Uint8Array {
  const samples = SAMPLES[type]!;
  const width = line / samples;
  const data = new Uint8Array(4 * width * height);
  let to = 0;
  for (let y = 0; y < height; y++) {
    let from = y * (line + 1) + 1;
    for (let x = 0; x < width; x++, from += samples, to += 4) {
      const value = rows[from]!;
      const colored = type === 2 || type === 6;
      for (let k = 0; k < 3; k++)
        data[to + k] = type === 3 ? (palette?.[3 * value + k] ?? 0) : colored ? rows[from + k]! : value;
      data[to + 3] = type === 3 ? (transparent?.[value] ?? 255) : samples % 2 === 0 ? rows[from + samples - 1]! : 255;
    }
  }
  return data;
}
