import type { Rect } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import type { LineImage } from './line-image.ts';
import { type Atlas, type Glyph, type GlyphFile, prepareAtlas } from './atlas.ts';

/**
 * The font as it looks where the recording was made smaller after the game drew it: `scale` pixels of the video are left of each pixel of the
 * font, across and down, and a glyph begins `phase` pixels (0…1) after the edge of one. Strokes are then spread over their neighbours, and
 * the ground shines through them.
 */
export function resizedAtlas({ file }: Atlas, scale: Across, phase: Across): Atlas {
  const across = (width: number) => matrix(width, scale.x, phase.x);
  const down = matrix(file.height, scale.y, phase.y);
  const glyphs = file.glyphs.map((glyph) => resizedGlyph(glyph, file.height, across(glyph.width), down));
  const small = prepareAtlas({ ...file, glyphs, illumination: LIGHT });
  return { ...small, shift: -WHITE, glyphs: small.glyphs.map(belowWhite) };
}

/** White ink stays white whatever lies behind it: seen from white, another ground is nothing but another gain. */
const WHITE = 255;
const LIGHT = { gain: 0.45, offset: 8 } as const;

function belowWhite(glyph: Glyph): Glyph {
  const level = glyph.level.map((one) => one - WHITE);
  const sumWT = level.reduce((sum, one, i) => sum + one * glyph.weight[i]!, 0);
  const sumWTT = level.reduce((sum, one, i) => sum + one * one * glyph.weight[i]!, 0);
  return { ...glyph, level, sumWT, sumWTT };
}

/** Something across and down. */
export interface Across {
  readonly x: number;
  readonly y: number;
}

function resizedGlyph(glyph: GlyphFile, height: number, across: Float64Array, down: Float64Array): GlyphFile {
  const ink = Float64Array.from(Buffer.from(glyph.level, 'base64'), (level) => Math.max(0, level - GROUND));
  const left = spread(ink, glyph.width, height, across, down);
  const level = left.map((one) => Math.max(0, Math.min(255, Math.round(GROUND + one))));
  const sigma = left.map((one) => {
    const through = (1 - Math.min(1, Math.max(0, one) / (255 - GROUND))) * THROUGH;
    return Math.min(255, Math.round(Math.hypot(through, NOISE)));
  });
  return { ...glyph, level: base64(level), sigma: base64(sigma) };
}

function base64(values: Float64Array): string {
  return Buffer.from(Uint8Array.from(values)).toString('base64');
}

/** What lies behind text: its mean level (that of the atlas's blank pixels) and deviation, and what is uncertain about ink, in grey levels. */
const GROUND = 80;
const THROUGH = 30;
const NOISE = 20;

/** How each pixel of a line of `size` comes out of its pixels when `scale` as many are left of them and it is drawn again. */
function matrix(size: number, scale: number, phase: number): Float64Array {
  const found = new Float64Array(size * size);
  for (let to = 0; to < size; to++)
    for (const [pixel, share] of taps((to + 0.5) * scale + phase, 1))
      for (const [at, weight] of taps((pixel + 0.5 - phase) / scale, scale))
        if (at >= 0 && at < size) found[to * size + at]! += share * weight;
  return found;
}

/** The pixels of which one at `centre` is made, with their weights, where a pixel is `scale` pixels of the result. */
function taps(centre: number, scale: number): [number, number][] {
  const reach = 2 / Math.min(1, scale);
  const found: [number, number][] = [];
  let total = 0;
  for (let at = Math.ceil(centre - reach - 0.5); at + 0.5 < centre + reach; at++) {
    const weight = kernel((at + 0.5 - centre) * Math.min(1, scale));
    found.push([at, weight]);
    total += weight;
  }
  return found.map(([at, weight]) => [at, weight / total]);
}

/** The usual cubic of resizing (Keys, −0.5). */
function kernel(x: number): number {
  const a = Math.abs(x);
  if (a < 1) return (1.5 * a - 2.5) * a * a + 1;
  return a < 2 ? ((-0.5 * a + 2.5) * a - 4) * a + 2 : 0;
}

function spread(
  values: Float64Array,
  width: number,
  height: number,
  across: Float64Array,
  down: Float64Array,
): Float64Array {
  const rows = new Float64Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let i = 0; i < width; i++) rows[y * width + x]! += across[x * width + i]! * values[y * width + i]!;
  const found = new Float64Array(width * height);
  for (let y = 0; y < height; y++)
    for (let i = 0; i < height; i++) {
      const weight = down[y * height + i]!;
      if (weight !== 0) for (let x = 0; x < width; x++) found[y * width + x]! += weight * rows[i * width + x]!;
    }
  return found;
}

/**
 * Draws grey pictures of text lines as `sampleLine` does, where a pixel of the line is less than one of the picture: between the pixels, not
 * in steps. Levels are those above white, as a resized atlas has them.
 */
export class LineEnlarger {
  #key = '';
  #columns: (readonly (readonly [number, number])[])[] = [];
  #row = new Float64Array(0);

  /** The line in `rect` of the picture's luma, in `buffer`. */
  draw({ y: plane, color }: Picture, rect: Rect, width: number, height: number, buffer: Float32Array): LineImage {
    const key = `${rect.x} ${rect.width} ${width} ${plane.width}`;
    if (key !== this.#key) {
      const inside = (at: number): number => Math.max(0, Math.min(plane.width - 1, at));
      this.#columns = Array.from({ length: width }, (_, x) =>
        taps(rect.x + ((x + 0.5) * rect.width) / width, 1).map(([at, weight]) => [inside(at), weight] as const),
      );
      this.#row = new Float64Array(plane.width);
      this.#key = key;
    }
    const [gain, black] = color.fullRange ? [1, 0] : [255 / 219, 16];
    const [first, last] = [this.#columns[0]![0]![0], this.#columns.at(-1)!.at(-1)![0]];
    const data = buffer.subarray(0, width * height);
    const row = this.#row;
    for (let y = 0; y < height; y++) {
      row.fill(0, first, last + 1);
      for (const [at, weight] of taps(rect.y + ((y + 0.5) * rect.height) / height, 1)) {
        const base = Math.max(0, Math.min(plane.height - 1, at)) * plane.stride;
        for (let x = first; x <= last; x++) row[x]! += weight * plane.data[base + x]!;
      }
      for (let x = 0; x < width; x++) {
        let level = 0;
        for (const [at, weight] of this.#columns[x]!) level += weight * row[at]!;
        data[y * width + x] = gain * (level - black) - WHITE;
      }
    }
    return { data, width, height };
  }
}
