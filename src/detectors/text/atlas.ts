import { integer, list, number, oneOf } from '../../schema/build.ts';
import { PlaybyplayError } from '../../errors.ts';
import { convertReadingOrder, resolveLookalikes, splitGraphemes } from '../../language/text.ts';
import { parseColor, toYCbCr } from '../../regions/color.ts';
import type { CharacterSize } from '../kind.ts';
import { parseJsonFile } from '../../schema/parse.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { channelSchema, channelWeights, cubicTaps, type Scale, WHITE } from './line-image.ts';

const POSITIVE = { type: 'number', exclusiveMinimum: 0 } as const;
const GLYPH_SIDE = integer([1, 256]);

const glyphSchema = {
  type: 'object',
  required: ['char', 'width', 'level', 'sigma'],
  properties: {
    char: { type: 'string', minLength: 1 },
    width: GLYPH_SIDE,
    level: { type: 'string', description: 'Expected gray levels, width × height bytes in base64.' },
    sigma: {
      type: 'string',
      description: 'Standard deviations in gray levels, width × height bytes in base64; 255: any level.',
    },
  },
} as const;

/** The JSON Schema of an atlas: one file per font in the folder of the profile, written by `playbyplay profile glyphs`. */
export const atlasSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:atlas:1',
  title: 'A font as it appears on the screen',
  type: 'object',
  required: ['format', 'name', 'layout', 'channel', 'pixels', 'height', 'background', 'illumination', 'glyphs'],
  properties: {
    format: { const: 'playbyplay/atlas/1' },
    name: { type: 'string' },
    source: {
      type: 'string',
      description: 'Origin of the glyphs, such as recordings or a font file, and its license.',
    },
    layout: oneOf(
      ['fixed', 'proportional'],
      '`fixed`: every character is `pitch` pixels wide; `proportional`: each has its own `width`.',
    ),
    channel: channelSchema,
    pixels: {
      type: 'object',
      required: ['x', 'y'],
      description: 'Pixels of the atlas per pixel of the reference frame.',
      properties: { x: POSITIVE, y: POSITIVE },
    },
    height: GLYPH_SIDE,
    pitch: { ...POSITIVE, description: 'Fixed layout: distance from one character to the next.' },
    space: number([], 'Proportional layout: width of a space.'),
    gaps: {
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: { type: 'number' },
      description: 'Proportional layout: smallest and largest gap between characters of a word, in pixels.',
    },
    background: { ...POSITIVE, description: 'Standard deviation of the background in gray levels.' },
    illumination: {
      type: 'object',
      required: ['gain', 'offset'],
      description: 'Standard deviations of the gain (about 1) and the offset (gray levels, about 0) of the light.',
      properties: { gain: number([0]), offset: { type: 'number' } },
    },
    inks: list(
      { type: 'string', pattern: '^#[0-9a-fA-F]{6}$', $comment: 'must be a color like #ffb000' },
      [1, 16],
      'Colors of the font if there are several: levels are those of the white font, and luma and color differences are read together instead of `channel`.',
    ),
    ground: {
      type: 'object',
      required: ['level', 'ink'],
      description:
        'Usual levels of background and ink if glyphs also describe the background around their ink: an even surface matches no glyph, and ink that no glyph explains is detected.',
      properties: { level: { type: 'number' }, ink: { type: 'number' } },
    },
    glyphs: { type: 'array', minItems: 1, items: glyphSchema },
  },
  if: { properties: { layout: { const: 'fixed' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { required: ['pitch'] },
} as const satisfies Schema;

/** A font as it appears on the screen: per glyph, the expected gray level of every pixel and how much it varies. */
export interface AtlasFile extends FromSchema<typeof atlasSchema> {}

/** A glyph of an {@link AtlasFile}. */
export interface GlyphFile extends FromSchema<typeof glyphSchema> {}

/** A glyph ready for scoring: its informative pixels as parallel arrays. */
export interface Glyph {
  readonly char: string;
  readonly width: number;
  readonly dx: Int16Array;
  readonly dy: Int16Array;
  readonly level: Float32Array;
  /** 1 / variance. */
  readonly weight: Float32Array;
  readonly sumW: number;
  readonly sumWT: number;
  readonly sumWTT: number;
  /** Σ log(1 / variance). */
  readonly logWeights: number;
}

/** An atlas that is ready for matching. */
export interface Atlas {
  readonly file: AtlasFile;
  /** Per ink, what the levels are multiplied by: in the one channel, or in Y', Cb and Cr. */
  readonly inks: readonly (readonly number[])[];
  readonly glyphs: readonly Glyph[];
  /** Added to the levels of glyphs and of line images alike; default 0. */
  readonly shift?: number;
}

/**
 * Parses an atlas file.
 *
 * @param name Names the file in errors.
 * @throws PlaybyplayError `bad-atlas`.
 */
export function parseAtlas(json: string, name: string): Atlas {
  const hint = 'Learn it again with `playbyplay profile glyphs`.';
  const file = parseJsonFile(atlasSchema, json, { source: name, code: 'bad-atlas', hint });
  const problem = findPixelProblem(file);
  if (problem) throw new PlaybyplayError('bad-atlas', `${name}: ${problem}`, { hint });
  return prepareAtlas(file);
}

/** Whether a font is read by its colours, so that it cannot be read from a grey picture. */
export function readsColors({ channel, inks }: AtlasFile): boolean {
  return inks !== undefined || channel !== 'luma';
}

/** Returns the size of a usual character, in pixels of the reference frame. */
export function charactersOf({ pixels, pitch, height, glyphs }: AtlasFile, figures: boolean): CharacterSize {
  const widths = glyphs.map(({ width }) => width).toSorted((a, b) => a - b);
  const width = pitch ?? widths[widths.length >> 1] ?? 0;
  return { width: width / pixels.x, height: height / pixels.y, figures };
}

const MAX_ATLAS_PIXELS = 4_000_000;

/** Finds glyphs whose pixels do not have the size of the glyph. */
function findPixelProblem({ glyphs, height }: AtlasFile): string | undefined {
  let pixels = 0;
  for (const { char, width, level, sigma } of glyphs) {
    const size = width * height;
    pixels += size;
    if (pixels > MAX_ATLAS_PIXELS) return `the glyphs have more than ${MAX_ATLAS_PIXELS} pixels`;
    if (Buffer.from(level, 'base64').length !== size) return `glyph ${char} needs ${size} levels`;
    if (Buffer.from(sigma, 'base64').length !== size) return `glyph ${char} needs ${size} deviations`;
  }
  return undefined;
}

/**
 * Prepares an atlas for scoring.
 *
 * @param noise Variance of every pixel besides the learnt one.
 */
export function prepareAtlas(file: AtlasFile, noise = 0): Atlas {
  const glyphs = file.glyphs.map((glyph) => prepareGlyph(glyph, file, noise));
  return { file, inks: file.inks ? file.inks.map(inkToYCbCr) : [[1]], glyphs };
}

/** Converts an ink `#rrggbb` to Y', Cb and Cr (ITU-R BT.709), in shares of white. */
export function inkToYCbCr(color: string): number[] {
  const [red, green, blue] = parseColor(color);
  return [...toYCbCr(red / 255, green / 255, blue / 255)];
}

function prepareGlyph({ char, width, ...glyph }: GlyphFile, file: AtlasFile, noise: number): Glyph {
  return {
    char,
    width,
    ...pixelsOf(Buffer.from(glyph.level, 'base64'), Buffer.from(glyph.sigma, 'base64'), width, file.background, noise),
  };
}

/** Collects a glyph's informative pixels. Writing into typed arrays takes half the time of growing lists. */
function pixelsOf(
  levels: Uint8Array,
  sigmas: Uint8Array,
  width: number,
  background: number,
  noise: number,
): Omit<Glyph, 'char' | 'width'> {
  const { length } = levels;
  const dx = new Int16Array(length);
  const dy = new Int16Array(length);
  const level = new Float32Array(length);
  const weight = new Float32Array(length);
  let count = 0;
  let sumW = 0;
  let sumWT = 0;
  let sumWTT = 0;
  let logWeights = 0;
  for (let i = 0, x = 0, y = 0; i < length; i++, x++) {
    if (x === width) {
      x = 0;
      y++;
    }
    const sigma = Math.max(1, sigmas[i]!);
    if (sigma >= background * 0.8) continue;
    const w = 1 / (sigma * sigma + noise);
    const shade = levels[i]!;
    dx[count] = x;
    dy[count] = y;
    level[count] = shade;
    weight[count] = w;
    count++;
    sumW += w;
    sumWT += w * shade;
    sumWTT += w * shade ** 2;
    logWeights += Math.log(w);
  }
  return {
    dx: dx.slice(0, count),
    dy: dy.slice(0, count),
    level: level.slice(0, count),
    weight: weight.slice(0, count),
    sumW,
    sumWT,
    sumWTT,
    logWeights,
  };
}

/** Mean difference over the ink, in grey levels, below which two glyphs look the same. */
const MAX_LOOKALIKE_DIFFERENCE = 12;

const lookalikeMaps = new WeakMap<Atlas, ReadonlyMap<string, string>>();

/** Returns a function that maps characters whose glyphs look the same in this font (I and l, say) to the first of them. */
export function lookalikes(atlas: Atlas): (char: string) => string {
  let first = lookalikeMaps.get(atlas);
  if (!first) {
    first = findLookalikes(atlas);
    lookalikeMaps.set(atlas, first);
  }
  const map = first;
  return (char) => map.get(char) ?? char;
}

function findLookalikes({ glyphs, file }: Atlas): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const shapes = glyphs.map((glyph): Shape => {
    const { width, dx, dy, level } = glyph;
    const ink = new Int16Array(width * file.height).fill(-1);
    const rows = new Float64Array(file.height);
    for (let i = 0; i < dx.length; i++) {
      const at = dy[i]! * width + dx[i]!;
      ink[at] = level[i]!;
      rows[dy[i]!]! += Math.max(0, ink[at]!);
    }
    return { ink, rows, pixels: dx.length };
  });
  for (const [b, glyph] of glyphs.entries()) {
    for (let a = 0; a < b && !first.has(glyph.char); a++) {
      const other = glyphs[a]!;
      if (other.width === glyph.width && isSame(shapes[a]!, shapes[b]!))
        first.set(glyph.char, first.get(other.char) ?? other.char);
    }
  }
  return first;
}

/** Where I and l look the same, writes the one that English would: l within a word of small letters. */
export function plainCase(text: string, canon: (char: string) => string): string {
  if (canon('l') !== canon('I')) return text;
  return text.replace(/[Il]/g, (char, at: number) => {
    const [before, after] = [text[at - 1] ?? ' ', text[at + 1] ?? ' '];
    if (/[a-z]/.test(before) || (/[a-z]/.test(after) && /[\p{L}]/u.test(before))) return 'l';
    return /[A-Z]/.test(before) || !/\p{L}/u.test(before) ? 'I' : char;
  });
}

/** A glyph's grey levels, −1 where it has no pixel, the sums of its rows, and its number of pixels. */
interface Shape {
  readonly ink: Int16Array;
  readonly rows: Float64Array;
  readonly pixels: number;
}

function isSame(a: Shape, b: Shape): boolean {
  // Row sums bound the difference from below, which spares most pairs the comparison of pixels.
  let least = 0;
  for (let y = 0; y < a.rows.length; y++) least += Math.abs(a.rows[y]! - b.rows[y]!);
  if (least > 0 && least >= MAX_LOOKALIKE_DIFFERENCE * (a.pixels + b.pixels)) return false;
  return difference(a.ink, b.ink) < MAX_LOOKALIKE_DIFFERENCE;
}

/** Mean difference of two inks over the pixels that either has. */
function difference(a: Int16Array, b: Int16Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < a.length; i++) {
    const p = a[i]!;
    const q = b[i]!;
    if (p < 0 && q < 0) continue;
    sum += Math.abs(Math.max(0, p) - Math.max(0, q));
    count++;
  }
  return sum / Math.max(1, count);
}

/** Returns a function that lists all characters of an atlas that look like one, itself among them. */
export function lookalikesIn(atlas: Atlas): (char: string) => readonly string[] {
  const canon = lookalikes(atlas);
  const classes = Map.groupBy(new Set(atlas.glyphs.map(({ char }) => char)), canon);
  return (char) => classes.get(canon(char)) ?? [char];
}

/**
 * Converts a line of glyphs, seen from left to right, to text: in reading order, with letters that look the same in two scripts
 * resolved to the script of the word. Without languages the line is returned as seen.
 */
export function toReadingOrder(
  seen: string,
  languages: readonly string[],
  alike: (char: string) => readonly string[],
): string {
  if (languages.length === 0 || seen === '') return seen;
  return resolveLookalikes(convertReadingOrder(splitGraphemes(seen), languages).join(''), alike, languages);
}

/**
 * Contrasts for which a font is prepared: what is seen with less than the first is compared with the font for the nearest one
 * below. The last is what Doom leaves when the screen is reddest.
 */
const PREPARED_CONTRASTS: readonly number[] = [0.36, 0.24, 0.16, 0.1];
/** Standard deviation, in recorded levels, of what compression does to a level besides the font's own deviations. */
const COMPRESSION_NOISE = 1.5;
/** Standard deviation of the measured mean level, as recorded. */
const OFFSET_DEVIATION = 1;
/** Standard deviation of the measured contrast. */
const GAIN_DEVIATION = 0.2;
/** Largest number of a font's pixels that count as showing one chroma sample. */
const MAX_SHARED_PIXELS = 8;

const dimmed = new WeakMap<Atlas, Map<number, Atlas>>();

/**
 * Returns the font as it is expected at a reduced contrast. Normalising a dim picture amplifies its noise, so that pixels say less
 * and may fit worse.
 *
 * @param gain Measured contrast; near 1 the font itself is returned.
 * @param sharedPixels How many of the font's pixels show one chroma sample, whose evidence then counts once.
 */
export function dimAtlas(atlas: Atlas, gain: number, sharedPixels = 1): Atlas {
  if (gain >= PREPARED_CONTRASTS[0]!) return atlas;
  const step = PREPARED_CONTRASTS.findLastIndex((contrast) => gain < contrast);
  const shared = 2 ** Math.ceil(Math.log2(Math.min(MAX_SHARED_PIXELS, Math.max(1, sharedPixels))) - 0.1);
  const all = dimmed.get(atlas) ?? new Map<number, Atlas>();
  dimmed.set(atlas, all);
  const key = step * 2 * MAX_SHARED_PIXELS + shared;
  const made = all.get(key) ?? dimTo(atlas, PREPARED_CONTRASTS[step + 1] ?? PREPARED_CONTRASTS[step]!, shared);
  all.set(key, made);
  return made;
}

function dimTo({ file }: Atlas, gain: number, shared: number): Atlas {
  const weights = file.inks ? { y: 1, cb: 0, cr: 0 } : channelWeights(file.channel, 'bt709');
  const size = Math.hypot(weights.y, weights.cb, weights.cr) / gain;
  const illumination = {
    gain: Math.hypot(file.illumination.gain, GAIN_DEVIATION),
    offset: Math.hypot(file.illumination.offset, OFFSET_DEVIATION * size),
  };
  const noise = weights.y ** 2 + shared * (weights.cb ** 2 + weights.cr ** 2);
  return prepareAtlas({ ...file, illumination }, noise * (COMPRESSION_NOISE / gain) ** 2);
}

/** Priors of the light on resized text: levels are relative to white, which another ground then only scales. */
const RESIZED_ILLUMINATION = { gain: 0.45, offset: 8 } as const;
/** Ground behind resized text: its mean level (that of the atlas's blank pixels) and deviation, and the ink's deviation. */
const GROUND_LEVEL = 80;
const GROUND_DEVIATION = 30;
const INK_DEVIATION = 20;

/**
 * Returns the font as it looks where the recording was made smaller after the game drew it. Strokes then spread over their
 * neighbours, and the ground shines through them.
 *
 * @param scale Pixels of the video per pixel of the font.
 * @param phase Where a glyph begins within a pixel of the video, 0…1.
 */
export function resizeAtlas({ file }: Atlas, scale: Scale, phase: Scale): Atlas {
  const down = resamplingMatrix(file.height, scale.y, phase.y);
  const glyphs = file.glyphs.map((glyph) =>
    resizeGlyph(glyph, file.height, resamplingMatrix(glyph.width, scale.x, phase.x), down),
  );
  const small = prepareAtlas({ ...file, glyphs, illumination: RESIZED_ILLUMINATION });
  return { ...small, shift: -WHITE, glyphs: small.glyphs.map(relativeToWhite) };
}

function relativeToWhite(glyph: Glyph): Glyph {
  const level = glyph.level.map((one) => one - WHITE);
  const sumWT = level.reduce((sum, one, i) => sum + one * glyph.weight[i]!, 0);
  const sumWTT = level.reduce((sum, one, i) => sum + one * one * glyph.weight[i]!, 0);
  return { ...glyph, level, sumWT, sumWTT };
}

function resizeGlyph(glyph: GlyphFile, height: number, across: Float64Array, down: Float64Array): GlyphFile {
  const ink = Float64Array.from(Buffer.from(glyph.level, 'base64'), (level) => Math.max(0, level - GROUND_LEVEL));
  const spread = applyMatrices(ink, glyph.width, height, across, down);
  const level = spread.map((one) => Math.max(0, Math.min(255, Math.round(GROUND_LEVEL + one))));
  const sigma = spread.map((one) => {
    const through = (1 - Math.min(1, Math.max(0, one) / (255 - GROUND_LEVEL))) * GROUND_DEVIATION;
    return Math.min(255, Math.round(Math.hypot(through, INK_DEVIATION)));
  });
  return { ...glyph, level: base64(level), sigma: base64(sigma) };
}

function base64(values: Float64Array): string {
  return Buffer.from(Uint8Array.from(values)).toString('base64');
}

/** The matrix that shrinks a line of `size` pixels to `scale` of them a pixel and enlarges it again. */
function resamplingMatrix(size: number, scale: number, phase: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let to = 0; to < size; to++)
    for (const [pixel, share] of cubicTaps((to + 0.5) * scale + phase, 1))
      for (const [at, weight] of cubicTaps((pixel + 0.5 - phase) / scale, scale))
        if (at >= 0 && at < size) matrix[to * size + at]! += share * weight;
  return matrix;
}

function applyMatrices(
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
  const result = new Float64Array(width * height);
  for (let y = 0; y < height; y++)
    for (let i = 0; i < height; i++) {
      const weight = down[y * height + i]!;
      if (weight !== 0) for (let x = 0; x < width; x++) result[y * width + x]! += weight * rows[i * width + x]!;
    }
  return result;
}
