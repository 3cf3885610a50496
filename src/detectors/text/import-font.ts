import { type Atlas, type AtlasFile, type GlyphFile, prepareAtlas } from './atlas.ts';
import { channelWeights } from './line-image.ts';

/** A glyph of a game's font file: RGBA, one image pixel per atlas pixel, as high as the line. */
export interface GlyphImage {
  readonly char: string;
  readonly width: number;
  readonly height: number;
  /** Row-major RGBA bytes. */
  readonly rgba: Uint8Array;
}

/** Options of importing a font. */
export interface ImportOptions extends Omit<AtlasFile, 'format' | 'glyphs'> {
  /** Standard deviation that compression gives to a clean pixel; default 10 grey levels. */
  readonly noise?: number;
  /** Pixels by which scaling and rounding may move an edge (standard deviation); default 0.25. */
  readonly jitter?: number;
  /** Atlas pixels by which a black shadow of every character lies to the right of it and below. */
  readonly shadow?: { readonly x: number; readonly y: number };
}

/** Level that shines through ink that is not opaque, in grey levels. */
const BACKGROUND_LEVEL = 80;

/** Opacity below which a pixel is ignored. */
const MIN_COVER = 0.5;

/**
 * Makes an atlas of the font's own images: opaque pixels are ink, transparent ones are ignored.
 *
 * @throws RangeError if a glyph's height is not the atlas's.
 */
export function atlasFromImages(images: readonly GlyphImage[], options: ImportOptions): Atlas {
  const { noise = 10, jitter = 0.25, shadow, ...rest } = options;
  const glyphs = images.map((plain): GlyphFile => {
    const image = shadow ? addShadow(plain, shadow) : plain;
    if (image.height !== options.height)
      throw new RangeError(`glyph ${image.char} is ${image.height} high, not ${options.height}`);
    const levels = levelsOf(image, options);
    const sigma = Uint8Array.from({ length: levels.length }, (_, i) => {
      const cover = image.rgba[i * 4 + 3]! / 255;
      if (cover < MIN_COVER) return 255;
      const slope = slopeAt(image, levels, i, options.background);
      return Math.min(254, Math.round(Math.hypot(noise, jitter * slope, (1 - cover) * options.background)));
    });
    return {
      char: image.char,
      width: image.width,
      level: Buffer.from(Uint8Array.from(levels)).toString('base64'),
      sigma: Buffer.from(sigma).toString('base64'),
    };
  });
  const order = glyphs.toSorted((a, b) => (a.char < b.char ? -1 : 1));
  return prepareAtlas({ format: 'playbyplay/atlas/1', ...rest, glyphs: order });
}

/** Draws a character over its own shadow, within the character's cell. */
function addShadow(image: GlyphImage, { x: right, y: down }: { readonly x: number; readonly y: number }): GlyphImage {
  const { width, height, rgba } = image;
  const out = new Uint8Array(rgba.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const isInside = x >= right && y >= down;
      const ink = rgba[at + 3]! / 255;
      const dark = isInside ? ((1 - ink) * rgba[((y - down) * width + x - right) * 4 + 3]!) / 255 : 0;
      const cover = ink + dark;
      for (let c = 0; c < 3; c++) out[at + c] = cover > 0 ? Math.round((rgba[at + c]! * ink) / cover) : 0;
      out[at + 3] = Math.round(255 * cover);
    }
  return { ...image, rgba: out };
}

function levelsOf(image: GlyphImage, options: ImportOptions): number[] {
  const weights = channelWeights(options.channel, 'bt709');
  return Array.from({ length: image.width * image.height }, (_, i) => {
    const [red, green, blue] = [image.rgba[i * 4]!, image.rgba[i * 4 + 1]!, image.rgba[i * 4 + 2]!];
    const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    const level =
      weights.y * y + (weights.cb * (blue - y)) / 1.8556 + (weights.cr * (red - y)) / 1.5748 + weights.offset;
    // Where the ink is not opaque the background shines through.
    const cover = image.rgba[i * 4 + 3]! / 255;
    return Math.min(255, Math.max(0, Math.round(cover * level + (1 - cover) * BACKGROUND_LEVEL)));
  });
}

/** Grey levels per pixel around pixel i; a transparent neighbour differs by as much as a background may. */
function slopeAt(image: GlyphImage, levels: readonly number[], i: number, background: number): number {
  const x = i % image.width;
  const y = Math.floor(i / image.width);
  const side = (dx: number, dy: number): number => {
    const column = x + dx;
    const row = y + dy;
    const inside = column >= 0 && column < image.width && row >= 0 && row < image.height;
    const j = row * image.width + column;
    return inside && image.rgba[j * 4 + 3]! >= 255 * MIN_COVER ? levels[j]! - levels[i]! : background;
  };
  return Math.hypot(
    Math.max(Math.abs(side(-1, 0)), Math.abs(side(1, 0))),
    Math.max(Math.abs(side(0, -1)), Math.abs(side(0, 1))),
  );
}

/** Cuts a sheet of `columns` × `rows` equal cells into glyphs of `width` × `height` pixels (box filtered); row by row from `first`. */
export function glyphsOfSheet(
  sheet: { readonly rgba: Uint8Array; readonly width: number; readonly height: number },
  grid: { readonly columns: number; readonly rows: number; readonly first: number },
  size: { readonly width: number; readonly height: number },
  chars: string,
): GlyphImage[] {
  const cellWidth = sheet.width / grid.columns;
  const cellHeight = sheet.height / grid.rows;
  return [...new Set(chars)].map((char) => {
    const cell = char.codePointAt(0)! - grid.first;
    const left = (cell % grid.columns) * cellWidth;
    const top = Math.floor(cell / grid.columns) * cellHeight;
    const rgba = new Uint8Array(size.width * size.height * 4);
    for (let y = 0; y < size.height; y++)
      for (let x = 0; x < size.width; x++) {
        const box = {
          left: left + (x * cellWidth) / size.width,
          right: left + ((x + 1) * cellWidth) / size.width,
          top: top + (y * cellHeight) / size.height,
          bottom: top + ((y + 1) * cellHeight) / size.height,
        };
        rgba.set(boxMean(sheet, box), (y * size.width + x) * 4);
      }
    return { char, width: size.width, height: size.height, rgba };
  });
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Mean colour (weighted by alpha) and alpha of a box, with fractional edges. */
function boxMean(sheet: { readonly rgba: Uint8Array; readonly width: number }, box: Box): number[] {
  const sum = [0, 0, 0, 0];
  let area = 0;
  for (let y = Math.floor(box.top); y < box.bottom; y++)
    for (let x = Math.floor(box.left); x < box.right; x++) {
      const part =
        (Math.min(box.right, x + 1) - Math.max(box.left, x)) * (Math.min(box.bottom, y + 1) - Math.max(box.top, y));
      const at = (y * sheet.width + x) * 4;
      const alpha = sheet.rgba[at + 3]! * part;
      for (let c = 0; c < 3; c++) sum[c]! += sheet.rgba[at + c]! * alpha;
      sum[3]! += alpha;
      area += part;
    }
  return [0, 1, 2].map((c) => (sum[3]! > 0 ? sum[c]! / sum[3]! : 0)).concat(sum[3]! / area);
}
