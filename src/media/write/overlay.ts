import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as opentype from 'opentype.js';
import type { Font, Glyph, PathCommand } from 'opentype.js';
import sharp from 'sharp';
import type { Rect } from '../../geometry.ts';
import type { Plane } from '../picture.ts';
import type { FramePlanes } from './reel.ts';

/** The outline of a line of text, in pixels; the origin is the left end of the baseline. */
interface TextOutline {
  /** SVG path data. */
  readonly path: string;
  readonly width: number;
}

/** Height of capitals, ascent and descent of the font, as fractions of its size. */
export const fontMetrics = { capital: 0.73, ascent: 0.93, descent: 0.24 } as const;

// Node cannot see the names that this CommonJS bundle exports, hence `require`.
const require = createRequire(import.meta.url);
const { parse } = require('opentype.js') as typeof opentype;

let loaded: Font | undefined;

/**
 * DejaVu Sans Bold from its npm package, so that text looks the same on every machine, also on one without fonts. It covers
 * Latin, Greek, Cyrillic and many symbols, but no Chinese, Japanese or Korean.
 */
function font(): Font {
  if (!loaded) {
    const path = require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff');
    const file = readFileSync(path);
    loaded = parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
  }
  return loaded;
}

/** Outlines text on one line, with kerning; characters without a glyph show as a box. @param size Font size in pixels. */
export function outlineText(text: string, size: number): TextOutline {
  const face = font();
  const scale = size / face.unitsPerEm;
  let x = 0;
  let path = '';
  let previous: Glyph | undefined;
  for (const character of text) {
    const glyph = face.charToGlyph(character);
    if (previous) x += face.getKerningValue(previous, glyph) * scale;
    path += pathData(glyph.getPath(x, 0, size).commands);
    x += (glyph.advanceWidth ?? 0) * scale;
    previous = glyph;
  }
  return { path, width: x };
}

function hundredths(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Writes SVG path data; the library's own writer joins numbers ("8.4 -0" becomes "8.40"). */
function pathData(commands: readonly PathCommand[]): string {
  return commands
    .map((c) => {
      if (c.type === 'Z') return 'Z';
      if (c.type === 'Q') return `Q${hundredths(c.x1)} ${hundredths(c.y1)} ${hundredths(c.x)} ${hundredths(c.y)}`;
      if (c.type === 'C')
        return `C${hundredths(c.x1)} ${hundredths(c.y1)} ${hundredths(c.x2)} ${hundredths(c.y2)} ${hundredths(c.x)} ${hundredths(c.y)}`;
      return `${c.type}${hundredths(c.x)} ${hundredths(c.y)}`;
    })
    .join('');
}

/** Breaks text into at most `lines` lines no wider than `width` pixels; the last ends in … where text is left over. */
export function wrapText(text: string, size: number, width: number, lines = 2): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  const result: string[] = [];
  let line = '';
  for (const [index, word] of words.entries()) {
    const longer = line ? `${line} ${word}` : word;
    if (line && outlineText(longer, size).width > width) {
      if (result.length === lines - 1)
        return [...result, truncate([line, ...words.slice(index)].join(' '), size, width)];
      result.push(line);
      line = word;
    } else line = longer;
  }
  return line ? [...result, truncate(line, size, width)] : result;
}

function truncate(text: string, size: number, width: number): string {
  if (outlineText(text, size).width <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && outlineText(`${characters.join('').trimEnd()}…`, size).width > width)
    characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** A transparent image prepared for blending over 4:2:0 frames, with even position and size. */
export interface Overlay {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Luma, and both chroma planes at half size, already multiplied by their opacity. */
  readonly luma: Uint8Array;
  readonly blue: Uint8Array;
  readonly red: Uint8Array;
  /** Opacity of each luma sample and of each chroma sample. */
  readonly alpha: Uint8Array;
  readonly chromaAlpha: Uint8Array;
}

/**
 * Renders an image for blending, in BT.709.
 *
 * @param picture SVG, or an image file that sharp reads.
 * @param x Left edge in pixels, rounded to even.
 * @param y Top edge in pixels, rounded to even.
 */
export async function renderOverlay(picture: string | Buffer, x: number, y: number): Promise<Overlay> {
  const { data, info } = await sharp(Buffer.from(picture))
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const width = info.width + (info.width & 1);
  const height = info.height + (info.height & 1);
  const overlay = {
    x: Math.round(x / 2) * 2,
    y: Math.round(y / 2) * 2,
    width,
    height,
    luma: new Uint8Array(width * height),
    alpha: new Uint8Array(width * height),
    blue: new Uint8Array((width * height) / 4),
    red: new Uint8Array((width * height) / 4),
    chromaAlpha: new Uint8Array((width * height) / 4),
  };
  const cb = new Float32Array((width * height) / 4);
  const cr = new Float32Array((width * height) / 4);
  const ca = new Float32Array((width * height) / 4);
  for (let row = 0; row < info.height; row++) {
    for (let column = 0; column < info.width; column++) {
      const at = (row * info.width + column) * 4;
      const [r, g, b, a] = [data[at]! / 255, data[at + 1]! / 255, data[at + 2]! / 255, data[at + 3]! / 255];
      const luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      const i = row * width + column;
      overlay.luma[i] = Math.round((16 + 219 * luma) * a);
      overlay.alpha[i] = Math.round(a * 255);
      const c = (row >> 1) * (width >> 1) + (column >> 1);
      cb[c]! += ((128 + (224 * (b - luma)) / 1.8556) * a) / 4;
      cr[c]! += ((128 + (224 * (r - luma)) / 1.5748) * a) / 4;
      ca[c]! += a / 4;
    }
  }
  for (let c = 0; c < ca.length; c++) {
    overlay.blue[c] = Math.round(cb[c]!);
    overlay.red[c] = Math.round(cr[c]!);
    overlay.chromaAlpha[c] = Math.round(ca[c]! * 255);
  }
  return overlay;
}

/** Blends an overlay over a frame, in place; parts outside are left out. @param opacity 0 to 1. */
export function blendOverlay({ planes, strides, width, height }: FramePlanes, overlay: Overlay, opacity = 1): void {
  const scaled = Math.round(opacity * 256);
  blendPlane({ data: planes[0]!, stride: strides[0]!, width, height }, overlay.luma, overlay.alpha, overlay, scaled);
  const half = { x: overlay.x >> 1, y: overlay.y >> 1, width: overlay.width >> 1, height: overlay.height >> 1 };
  for (const [index, samples] of [overlay.blue, overlay.red].entries()) {
    const plane = { data: planes[index + 1]!, stride: strides[index + 1]!, width: width >> 1, height: height >> 1 };
    blendPlane(plane, samples, overlay.chromaAlpha, half, scaled);
  }
}

/** @param samples Premultiplied by `alpha`. @param opacity 0 to 256. */
function blendPlane(plane: Plane, samples: Uint8Array, alpha: Uint8Array, at: Rect, opacity: number): void {
  const { data, stride } = plane;
  const left = Math.max(0, -at.x);
  const right = Math.min(at.width, plane.width - at.x);
  for (let row = Math.max(0, -at.y); row < Math.min(at.height, plane.height - at.y); row++) {
    let to = (at.y + row) * stride + at.x + left;
    for (let from = row * at.width + left; from < row * at.width + right; from++, to++) {
      const a = (alpha[from]! * opacity) >> 8;
      if (a > 0) data[to] = Math.min(255, ((samples[from]! * opacity) >> 8) + (data[to]! * (255 - a) + 127) / 255);
    }
  }
}

/** How captions look. */
interface CaptionStyle {
  /** Frame size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Font size in pixels; default a 24th of the frame's shorter side. */
  readonly size?: number;
}

/**
 * Draws caption lines as SVG: white letters with a dark outline on a translucent dark plate, readable on any background, at
 * most 86 % of the frame's width.
 */
export function captionSvg(
  lines: readonly string[],
  style: CaptionStyle,
): { svg: string; width: number; height: number } {
  const size = style.size ?? Math.round(Math.min(style.width, style.height) / 24);
  const maxWidth = style.width * 0.86;
  const rows = lines.flatMap((line) => wrapText(line, size, maxWidth, 2)).map((text) => outlineText(text, size));
  const pad = Math.round(size * 0.45);
  const step = size * 1.28;
  const width = 2 * Math.ceil((Math.max(0, ...rows.map((row) => row.width)) + 2 * pad) / 2);
  const height = 2 * Math.ceil((rows.length * step + 2 * pad - (step - size)) / 2);
  const paths = rows.map((row, index) => {
    const baseline = pad + index * step + size * (fontMetrics.capital + 0.1);
    return `<path transform="translate(${((width - row.width) / 2).toFixed(1)} ${baseline.toFixed(1)})" d="${row.path}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<rect width="${width}" height="${height}" rx="${pad * 0.6}" fill="#000" fill-opacity="0.5"/>
<g stroke="#000" stroke-width="${(size / 7).toFixed(1)}" stroke-linejoin="round" fill="#000">${paths.join('')}</g>
<g fill="#fff">${paths.join('')}</g></svg>`;
  return { svg, width, height };
}

/** Draws a title with a line below it, centred, as SVG of the frame's size. */
export function titleSvg(title: string, subtitle: string, width: number, height: number): string {
  const size = Math.round(Math.min(width, height) / 11);
  const small = Math.round(size * 0.46);
  const rows = [
    ...wrapText(title, size, width * 0.84, 3).map((text) => ({ text, size, gap: size * 1.25 })),
    ...wrapText(subtitle, small, width * 0.84, 3).map((text) => ({ text, size: small, gap: small * 1.6 })),
  ];
  const total = rows.reduce((sum, row) => sum + row.gap, 0);
  let y = (height - total) / 2;
  const paths = rows.map((row) => {
    y += row.gap;
    const { path, width: length } = outlineText(row.text, row.size);
    return `<path transform="translate(${((width - length) / 2).toFixed(1)} ${y.toFixed(1)})" fill="${row.size === size ? '#fff' : '#ffd84d'}" d="${path}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#000" fill-opacity="0.55"/>${paths.join('')}</svg>`;
}
