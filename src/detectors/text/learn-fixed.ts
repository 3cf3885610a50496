import { splitGraphemes } from '../../language/text.ts';
import { type Atlas, type AtlasFile, type GlyphFile, prepareAtlas } from './atlas.ts';
import type { LineImage } from './line-image.ts';
import type { Align } from './options.ts';
import { upperMedian } from '../../statistics.ts';

/** A line image and its text. */
export interface LabelledLine {
  readonly image: LineImage;
  /** From left to right. */
  readonly text: string;
}

/** Options of learning a font of fixed pitch. */
export interface LearnOptions extends Omit<AtlasFile, 'format' | 'glyphs' | 'background' | 'layout'> {
  readonly layout: 'fixed';
  /** Pixels from one character to the next; need not be whole. */
  readonly pitch: number;
  readonly align: Align;
  /** Pixels around the text's box in every image. */
  readonly margin: number;
  /** Least standard deviation of a pixel, in grey levels, as compression causes it; default 6. */
  readonly noise?: number;
}

interface Patch {
  readonly char: string;
  readonly pixels: Float32Array;
}

/**
 * Learns a fixed-pitch font from labelled lines: for each character the mean and the deviation of every pixel over its examples,
 * after normalising each example's light (gain and offset). Where the background shines through, the deviation is large and the
 * pixel drops out of the glyph. The blank is learnt like any other character: on a HUD's own panel it is as informative as a digit.
 * Outliers, such as wrong labels and a covered HUD, are left out.
 *
 * @throws RangeError if no line has a label that fits its image.
 */
export function learnFixed(lines: readonly LabelledLine[], options: LearnOptions): Atlas {
  const { align: _align, margin: _margin, noise = 6, ...rest } = options;
  const patches = lines.flatMap((line) => cutPatches(line, options));
  if (patches.length === 0) throw new RangeError('no labelled characters');
  const background = backgroundDeviation(patches.flatMap((patch) => [...sparsePixels(patch.pixels)]));
  const byChar = new Map<string, Float32Array[]>();
  for (const { char, pixels } of patches) {
    const known = byChar.get(char);
    if (known) known.push(pixels);
    else byChar.set(char, [pixels]);
  }
  const glyphs: GlyphFile[] = [];
  const statistics = [...byChar].map(([char, examples]) => ({
    char,
    ...computeStatistics(examples, options.illumination),
  }));
  const pooled = poolVariance(statistics);
  for (const one of statistics.toSorted((a, b) => (a.char < b.char ? -1 : 1)))
    glyphs.push(makeGlyph(one, Math.floor(options.pitch), noise, (i) => pooled[i]!));
  return prepareAtlas({ format: 'playbyplay/atlas/1', ...rest, background, glyphs });
}

/** Statistics of a character's pixels over its examples. */
export interface GlyphStatistics {
  readonly char: string;
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly count: number;
}

/**
 * Makes a glyph of `width` pixels. Few examples say little about the deviation: it is shrunk towards that of the other glyphs
 * (`pooled`, by pixel), and widened by what a shift would cause.
 */
export function makeGlyph(
  { char, mean, variance, count }: GlyphStatistics,
  width: number,
  noise: number,
  pooled: (pixel: number) => number,
): GlyphFile {
  const slope = slopes(mean, width);
  const sigma = variance.map((v, i) => {
    const shrunk = (v * count + pooled(i) * 4) / (count + 4);
    return Math.min(255, Math.sqrt(Math.max(noise ** 2, shrunk) + (EDGE_JITTER * slope[i]!) ** 2));
  });
  return { char, width, level: encode(mean), sigma: encode(sigma) };
}

function cutPatches({ image, text }: LabelledLine, options: LearnOptions): Patch[] {
  const { pitch, height, align, margin } = options;
  const box = image.width - 2 * margin;
  const capacity = Math.max(1, Math.floor(box / pitch + 1e-6));
  const characters = splitGraphemes(text.normalize('NFC'));
  if (characters.length > capacity) return [];
  // A centred text of the other parity is half a character off.
  const cells = align === 'centre' && capacity > 1 ? capacity - ((capacity - characters.length) % 2) : capacity;
  const rest = box - cells * pitch;
  const lead = align === 'left' ? 0 : align === 'right' ? rest : rest / 2;
  const skip = align === 'left' ? 0 : align === 'right' ? cells - characters.length : (cells - characters.length) / 2;
  // A fraction of a pixel belongs to no character.
  const width = Math.floor(pitch);
  return Array.from({ length: cells }, (_, cell) => {
    const x = Math.round(margin + lead + cell * pitch);
    const pixels = new Float32Array(width * height);
    for (let row = 0; row < height; row++)
      for (let col = 0; col < width; col++)
        pixels[row * width + col] = image.data[(margin + row) * image.width + x + col]!;
    return { char: characters[cell - Math.floor(skip)] ?? ' ', pixels };
  });
}

/** Computes mean and variance of a character's pixels over its examples, each with its light normalised, without outliers. */
export function computeStatistics(
  examples: readonly Float32Array[],
  illumination: AtlasFile['illumination'],
): { mean: Float64Array; variance: Float64Array; count: number } {
  let used: readonly Float32Array[] = examples;
  let result = meanAndVariance(used);
  for (let round = 0; round < 3; round++) {
    const fitted = used.map((pixels) => normaliseLight(pixels, result.mean, result.variance, illumination));
    const misfits = fitted.map((pixels) => misfitOf(pixels, result));
    const limit = 4 * upperMedian(misfits)! + 1;
    const kept = fitted.filter((_, i) => misfits[i]! <= limit);
    used = used.filter((_, i) => misfits[i]! <= limit);
    result = meanAndVariance(kept);
  }
  return { ...result, count: used.length };
}

function meanAndVariance(examples: readonly Float32Array[]): { mean: Float64Array; variance: Float64Array } {
  const n = examples[0]!.length;
  const mean = new Float64Array(n);
  const variance = new Float64Array(n);
  for (const pixels of examples) for (let i = 0; i < n; i++) mean[i]! += pixels[i]! / examples.length;
  for (const pixels of examples)
    for (let i = 0; i < n; i++) variance[i]! += (pixels[i]! - mean[i]!) ** 2 / examples.length;
  return { mean, variance };
}

/** Normalises an example to the light of the mean; gain and offset are fitted where the pixels vary little. */
function normaliseLight(
  pixels: Float32Array,
  mean: Float64Array,
  variance: Float64Array,
  illumination: AtlasFile['illumination'],
): Float32Array {
  let w = 1 / Math.max(0.1, illumination.offset) ** 2;
  const priorGain = 1 / Math.max(1e-3, illumination.gain) ** 2;
  let wt = 0;
  let wtt = priorGain;
  let wp = 0;
  let wpt = priorGain;
  for (let i = 0; i < pixels.length; i++) {
    const weight = 1 / (variance[i]! + 36);
    w += weight;
    wt += weight * mean[i]!;
    wtt += weight * mean[i]! ** 2;
    wp += weight * pixels[i]!;
    wpt += weight * pixels[i]! * mean[i]!;
  }
  const determinant = wtt * w - wt * wt;
  const gain = Math.max(0.2, (wpt * w - wp * wt) / determinant);
  const offset = (wp - gain * wt) / w;
  return pixels.map((p) => (p - offset) / gain);
}

function misfitOf(pixels: Float32Array, { mean, variance }: { mean: Float64Array; variance: Float64Array }): number {
  let sum = 0;
  for (let i = 0; i < pixels.length; i++) sum += (pixels[i]! - mean[i]!) ** 2 / (variance[i]! + 36);
  return sum / pixels.length;
}

/** Standard deviation, in pixels, by which scaling and rounding move an edge. */
const EDGE_JITTER = 0.25;

/** Magnitude of the gradient, in grey levels per pixel. */
function slopes(mean: Float64Array, width: number): Float64Array {
  const height = mean.length / width;
  return mean.map((_, i) => {
    const x = i % width;
    const y = Math.floor(i / width);
    const at = (column: number, row: number): number =>
      mean[Math.min(Math.max(row, 0), height - 1) * width + Math.min(Math.max(column, 0), width - 1)]!;
    return Math.hypot(at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1)) / 2;
  });
}

function poolVariance(statistics: readonly { variance: Float64Array; count: number }[]): Float64Array {
  const n = statistics[0]!.variance.length;
  const pooled = new Float64Array(n);
  let total = 0;
  for (const { variance, count } of statistics) {
    total += count;
    for (let i = 0; i < n; i++) pooled[i]! += variance[i]! * count;
  }
  return pooled.map((sum) => sum / total);
}

/** Yields every seventh pixel: enough for an overall deviation. */
export function* sparsePixels(pixels: Float32Array): Generator<number> {
  for (let i = 0; i < pixels.length; i += 7) yield pixels[i]!;
}

/** Returns the standard deviation, at least 10 grey levels. */
export function backgroundDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.max(10, Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length));
}

function encode(levels: Float64Array): string {
  return Buffer.from(Uint8Array.from(levels, (level) => Math.min(255, Math.max(0, Math.round(level))))).toString(
    'base64',
  );
}
