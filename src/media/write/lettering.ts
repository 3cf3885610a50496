import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as opentype from 'opentype.js';
import type { Font, Glyph, PathCommand } from 'opentype.js';

/** The outline of a line of text, in pixels; the origin is the left end of the baseline. */
export interface TextOutline {
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
