import { type Atlas, type Glyph, type GlyphFile, prepareAtlas } from './atlas.ts';
import { channelWeights, cubicTaps, type Scale, WHITE } from './line-image.ts';

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
