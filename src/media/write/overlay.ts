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

/** Height of capitals, ascent and descent of the plain typeface, as fractions of its size. */
export const fontMetrics = { capital: 0.73, ascent: 0.93, descent: 0.24 } as const;

// Node cannot see the names that this CommonJS bundle exports, hence `require`.
const require = createRequire(import.meta.url);
const { parse } = require('opentype.js') as typeof opentype;

/** A font and those that replace it for characters that it lacks. */
export interface Typeface {
  readonly fonts: readonly Font[];
  /** Height of capitals, as a fraction of the size. */
  readonly capital: number;
}

/** What a typeface is for: `plain` for small text, `text` for captions, `display` for titles. */
export type TypefaceRole = 'plain' | 'text' | 'display';

/**
 * Font files from npm packages, so that text looks the same on every machine, also on one without fonts. The last covers Latin,
 * Greek, Cyrillic and many symbols, but no Chinese, Japanese or Korean.
 */
const PLAIN_FILES = ['dejavu-sans/files/dejavu-sans-latin-700-normal.woff'];
const FONT_FILES: Readonly<Record<TypefaceRole, readonly string[]>> = {
  plain: PLAIN_FILES,
  text: [
    'barlow-condensed/files/barlow-condensed-latin-700-normal.woff',
    'barlow-condensed/files/barlow-condensed-latin-ext-700-normal.woff',
    ...PLAIN_FILES,
  ],
  display: ['anton/files/anton-latin-400-normal.woff', 'anton/files/anton-latin-ext-400-normal.woff', ...PLAIN_FILES],
};

const typefaces = new Map<TypefaceRole, Typeface>();
const builtInFonts = new Map<string, Font>();

/** The built-in typeface for a purpose. */
export function typeface(role: TypefaceRole): Typeface {
  const known = typefaces.get(role);
  if (known) return known;
  const fonts = FONT_FILES[role].map(builtInFont);
  const face = withMetrics(fonts);
  typefaces.set(role, face);
  return face;
}

/**
 * A typeface of a font file, with the built-in one for characters that it lacks.
 *
 * @throws Error If the file is no TrueType, OpenType or WOFF font.
 */
export function typefaceOf(file: Buffer, role: TypefaceRole): Typeface {
  return withMetrics([parseFont(file), ...typeface(role).fonts]);
}

/** A font of an npm package, which several typefaces share. */
function builtInFont(file: string): Font {
  const known = builtInFonts.get(file);
  if (known) return known;
  const font = parseFont(readFileSync(require.resolve(`@fontsource/${file}`)));
  builtInFonts.set(file, font);
  return font;
}

/** Glyphs are parsed when they are used: texts need a few of the thousands. */
function parseFont(file: Buffer): Font {
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
  return parse(bytes, { lowMemory: true });
}

function withMetrics(fonts: readonly Font[]): Typeface {
  const [first] = fonts;
  const box = first!.charToGlyph('H').getBoundingBox();
  return { fonts, capital: box.y2 > 0 ? box.y2 / first!.unitsPerEm : fontMetrics.capital };
}

/**
 * Outlines text on one line, with kerning; characters without a glyph show as a box.
 *
 * @param size Font size in pixels.
 */
export function outlineText(text: string, size: number, face: Typeface = typeface('plain')): TextOutline {
  let x = 0;
  let path = '';
  let previous: { readonly font: Font; readonly glyph: Glyph } | undefined;
  for (const character of text) {
    const font = face.fonts.find((each) => each.charToGlyphIndex(character) > 0) ?? face.fonts.at(-1)!;
    const scale = size / font.unitsPerEm;
    const glyph = font.charToGlyph(character);
    if (previous?.font === font) x += font.getKerningValue(previous.glyph, glyph) * scale;
    path += pathData(glyph.getPath(x, 0, size).commands);
    x += (glyph.advanceWidth ?? 0) * scale;
    previous = { font, glyph };
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
export function wrapText(text: string, size: number, width: number, lines = 2, face?: Typeface): string[] {
  const words = text.split(/\s+/).filter(Boolean);
  const result: string[] = [];
  let line = '';
  for (const [index, word] of words.entries()) {
    const longer = line ? `${line} ${word}` : word;
    if (line && outlineText(longer, size, face).width > width) {
      if (result.length === lines - 1)
        return [...result, truncate([line, ...words.slice(index)].join(' '), size, width, face)];
      result.push(line);
      line = word;
    } else line = longer;
  }
  return line ? [...result, truncate(line, size, width, face)] : result;
}

function truncate(text: string, size: number, width: number, face?: Typeface): string {
  if (outlineText(text, size, face).width <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && outlineText(`${characters.join('').trimEnd()}…`, size, face).width > width)
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

/** Fills a rectangle of a frame with a colour. @param color Such as `#ffd84d`. */
export function fillRectangle({ planes, strides, width, height }: FramePlanes, rect: Rect, color: string): void {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255) as [
    number,
    number,
    number,
  ];
  const luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const levels = [16 + 219 * luma, 128 + (224 * (b - luma)) / 1.8556, 128 + (224 * (r - luma)) / 1.5748];
  for (const [plane, level] of levels.entries()) {
    const size = plane === 0 ? 1 : 2;
    const left = Math.max(0, Math.round(rect.x / size));
    const right = Math.min(width / size, Math.round((rect.x + rect.width) / size));
    const bottom = Math.min(height / size, Math.round((rect.y + rect.height) / size));
    for (let y = Math.max(0, Math.round(rect.y / size)); y < bottom; y++)
      planes[plane]!.fill(Math.round(level), y * strides[plane]! + left, y * strides[plane]! + Math.max(left, right));
  }
}
