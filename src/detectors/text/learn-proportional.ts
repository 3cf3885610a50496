import { type Atlas, type AtlasFile, type GlyphFile, prepareAtlas } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import {
  backgroundDeviation,
  makeGlyph,
  type GlyphStatistics,
  type LabelledLine,
  sparsePixels,
  computeStatistics,
} from './learn-fixed.ts';
import {
  alignLabel,
  labelCharacters,
  type SegmentedCharacter,
  type SegmentedLine,
  segmentLines,
  lowerMedian,
  medianWidths,
} from './segmentation.ts';

/** Options of learning a proportional font. */
export interface LearnProportionalOptions
  extends Omit<AtlasFile, 'format' | 'glyphs' | 'background' | 'ground' | 'layout' | 'pitch' | 'space' | 'gaps'> {
  /** Pixels around the text's box in every image. */
  readonly margin: number;
  /** Least standard deviation of a pixel, in grey levels: what compression does to the cleanest picture. */
  readonly noise?: number;
}

/** A learnt proportional font. */
export interface LearnedProportionalFont {
  readonly atlas: Atlas;
  /** By line whether its characters were found. */
  readonly segmented: readonly boolean[];
  /** Fewest columns from the box's left edge to the first character's cell, and from the last one's to the right edge. */
  readonly lead: number;
  readonly tail: number;
}

/** Columns left and right of the ink that belong to a glyph: they distinguish it from wider ones. */
const GLYPH_PADDING = 1;
/** Largest difference, in pixels, of an example's width from its character's median. */
const MAX_WIDTH_DEVIATION = 1;

/**
 * Learns a proportional font from labelled lines: segments lines at columns without ink (`segmentLines`) and makes a glyph of all
 * examples of a character, as `learnFixed` does. Lines that cannot be segmented so are then aligned by that font, which thereby
 * learns what scenery does to its characters.
 *
 * @returns Undefined where no line can be segmented.
 */
export function learnProportional(
  lines: readonly LabelledLine[],
  options: LearnProportionalOptions,
): LearnedProportionalFont | undefined {
  const { margin } = options;
  const found = segmentLines(lines, margin);
  const widths = medianWidths(found.flatMap((line) => line?.characters ?? []));
  const usual = (one: SegmentedCharacter): boolean =>
    Math.abs(inkWidth(one) - widths.get(one.char)!) <= MAX_WIDTH_DEVIATION;
  let good = found.map((line) => (line?.characters.every(usual) ? line : undefined));
  const plain = good.filter((line) => line !== undefined);
  if (plain.length === 0) return undefined;
  const gaps = measureGaps(plain, widths);
  // Characters that occur in no segmented line are assumed to have the median width.
  const most = lowerMedian([...widths.values()]);
  for (const { text } of lines)
    for (const { char } of labelCharacters(text)) if (!widths.has(char)) widths.set(char, most);
  let atlas = makeFont(plain, widths, gaps, options);
  for (let round = 0; round < ALIGNMENT_ROUNDS; round++) {
    const scorer = new GlyphScorer(atlas);
    good = lines.map((line, i) =>
      found[i] && good[i] ? good[i] : alignLabel(line, atlas, scorer, margin, GLYPH_PADDING, most + 2 * GLYPH_PADDING),
    );
    atlas = makeFont(
      good.filter((line) => line !== undefined),
      widths,
      gaps,
      options,
    );
  }
  return {
    atlas,
    segmented: good.map((line) => line !== undefined),
    lead: Math.min(...plain.map(({ characters }) => characters[0]!.start - GLYPH_PADDING - margin)),
    tail: Math.min(
      ...plain.map(({ image, characters }) => image.width - margin - characters.at(-1)!.end - GLYPH_PADDING),
    ),
  };
}

/** Rounds of aligning lines with the font that was learnt from the others. */
const ALIGNMENT_ROUNDS = 2;

type Widths = ReadonlyMap<string, number>;
type Gaps = { readonly gaps: readonly [number, number]; readonly space: number };

function cellWidth(char: string, widths: Widths): number {
  return widths.get(char)! + 2 * GLYPH_PADDING;
}

/** Makes a font of the examples in these lines. */
function makeFont(
  lines: readonly SegmentedLine[],
  widths: Widths,
  gaps: Gaps,
  options: LearnProportionalOptions,
): Atlas {
  const { margin, noise = 6, ...rest } = options;
  const patches = lines.flatMap(({ image, characters }) =>
    characters.map(({ char, start }) => ({
      char,
      pixels: cutPatch(image, start - GLYPH_PADDING, cellWidth(char, widths), margin, options.height),
    })),
  );
  const statistics = [...Map.groupBy(patches, ({ char }) => char)].map(([char, seen]) => ({
    char,
    ...computeStatistics(
      seen.map(({ pixels }) => pixels),
      options.illumination,
    ),
  }));
  const spread = varianceByLevel(statistics);
  const background = backgroundDeviation(patches.flatMap(({ pixels }) => [...sparsePixels(pixels)]));
  const rows = measureGround(lines, margin, options.height);
  const glyphs = statistics
    .toSorted((a, b) => (a.char < b.char ? -1 : 1))
    .map((one) => {
      const width = cellWidth(one.char, widths);
      return weakenGround(
        makeGlyph(one, width, noise, (i) => spread(one.mean[i]!)),
        rows,
        width,
        background,
      );
    });
  const ground = groundAndInk(glyphs, rows, background);
  return prepareAtlas({
    format: 'playbyplay/atlas/1',
    ...rest,
    layout: 'proportional',
    ...gaps,
    background,
    ...(ground ? { ground } : {}),
    glyphs,
  });
}

/** Returns the levels of ground and ink; undefined where no line shows any ground. */
function groundAndInk(
  glyphs: readonly GlyphFile[],
  rows: readonly Ground[],
  background: number,
): { readonly level: number; readonly ink: number } | undefined {
  const level = rows.reduce((sum, { mean }) => sum + mean, 0) / rows.length;
  if (Number.isNaN(level)) return undefined;
  let [sum, weights] = [0, 0];
  for (const glyph of glyphs) {
    const sigmas = Buffer.from(glyph.sigma, 'base64');
    for (const [i, one] of Buffer.from(glyph.level, 'base64').entries()) {
      if (sigmas[i]! >= GROUND_DEVIATION_SHARE * background) continue;
      // Pixels far from the ground are ink rather than its edge.
      const weight = (one - level) ** 4 / sigmas[i]! ** 2;
      sum += weight * one;
      weights += weight;
    }
  }
  return { level: Math.round(level), ink: Math.round(weights > 0 ? sum / weights : level) };
}

/** Mean and deviation of the ground in one row. */
interface Ground {
  readonly mean: number;
  readonly spread: number;
}

/** Least difference, in grey levels, between ink and ground. */
const MIN_INK_CONTRAST = 12;
/** Deviation of ground pixels of a glyph, as a share of the background's. */
const GROUND_DEVIATION_SHARE = 0.75;

/** Measures the ground between the characters by row: outside their cells, or, where they fill the box, outside their ink. */
function measureGround(lines: readonly SegmentedLine[], margin: number, height: number): readonly Ground[] {
  const apart = measureGroundOutside(lines, margin, height, GLYPH_PADDING);
  return apart.some(({ mean }) => Number.isNaN(mean)) ? measureGroundOutside(lines, margin, height, 0) : apart;
}

function measureGroundOutside(
  lines: readonly SegmentedLine[],
  margin: number,
  height: number,
  padding: number,
): readonly Ground[] {
  return Array.from({ length: height }, (_, row) => {
    const levels = lines.flatMap(({ image: { data, width }, characters }) => {
      const isInk = (x: number): boolean =>
        characters.some(({ start, end }) => x >= start - padding && x < end + padding);
      const columns = Array.from({ length: width - 2 * margin }, (_one, x) => x + margin).filter((x) => !isInk(x));
      return columns.map((x) => data[(margin + row) * width + x]!);
    });
    const mean = levels.reduce((sum, level) => sum + level, 0) / Math.max(1, levels.length);
    const variance = levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / Math.max(1, levels.length);
    return { mean: levels.length === 0 ? Number.NaN : mean, spread: Math.sqrt(variance) };
  });
}

/**
 * Raises the deviation of a glyph's ground pixels: they then count against it where something else is drawn, but hardly for it, so
 * that no even surface looks like a character.
 */
function weakenGround(glyph: GlyphFile, ground: readonly Ground[], width: number, background: number): GlyphFile {
  const level = Buffer.from(glyph.level, 'base64');
  const sigma = Uint8Array.from(Buffer.from(glyph.sigma, 'base64'), (one, i) => {
    const { mean, spread } = ground[Math.floor(i / width)]!;
    const isGround = Math.abs(level[i]! - mean) < Math.max(MIN_INK_CONTRAST, spread);
    return isGround ? Math.max(one, Math.min(255, Math.round(GROUND_DEVIATION_SHARE * background))) : one;
  });
  return { ...glyph, sigma: Buffer.from(sigma).toString('base64') };
}

function inkWidth({ start, end }: SegmentedCharacter): number {
  return end - start;
}

function cutPatch(
  { data, width: columns }: SegmentedLine['image'],
  x: number,
  width: number,
  margin: number,
  height: number,
): Float32Array {
  const pixels = new Float32Array(width * height);
  for (let row = 0; row < height; row++)
    for (let col = 0; col < width; col++) {
      const from = Math.min(columns - 1, Math.max(0, x + col));
      pixels[row * width + col] = data[(margin + row) * columns + from]!;
    }
  return pixels;
}

/** Measures the gaps between neighbouring cells within words, and what a space adds to them. */
function measureGaps(lines: readonly SegmentedLine[], widths: Widths): Gaps {
  const all = lines.flatMap(({ characters }) =>
    characters.slice(1).map(({ start, afterSpace }, i) => ({
      gap: start - characters[i]!.start - cellWidth(characters[i]!.char, widths),
      afterSpace,
    })),
  );
  const within = all.filter(({ afterSpace }) => !afterSpace).map(({ gap }) => gap);
  const gaps: [number, number] = within.length === 0 ? [0, 0] : [Math.min(...within), Math.max(...within)];
  // Between narrow characters in wide cells the gap is wider; no two of them need have been neighbours.
  const cells = [...widths.values()];
  if (all.every(({ afterSpace }) => !afterSpace))
    gaps[1] = Math.max(gaps[1], gaps[0] + Math.max(...cells) - Math.min(...cells));
  const spaces = all.filter(({ afterSpace }) => afterSpace).map(({ gap }) => gap);
  const usual = spaces.length === 0 ? gaps[1] + 6 : lowerMedian(spaces);
  return { gaps, space: Math.max(2 + gaps[1] - gaps[0], usual - Math.round((gaps[0] + gaps[1]) / 2)) };
}

const LEVEL_BINS = 16;

/** Returns the variance of pixels by level over all glyphs: that of ink and ground differ. */
function varianceByLevel(statistics: readonly GlyphStatistics[]): (level: number) => number {
  const sums = new Float64Array(LEVEL_BINS);
  const counts = new Float64Array(LEVEL_BINS);
  const bin = (level: number): number => Math.min(LEVEL_BINS - 1, Math.max(0, Math.floor((level * LEVEL_BINS) / 256)));
  for (const { mean, variance, count } of statistics)
    for (const [i, v] of variance.entries()) {
      sums[bin(mean[i]!)]! += v * count;
      counts[bin(mean[i]!)]! += count;
    }
  return (level) => sums[bin(level)]! / Math.max(1, counts[bin(level)]!);
}
