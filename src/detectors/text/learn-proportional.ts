import { type Atlas, type AtlasFile, type GlyphFile, prepareAtlas } from './atlas.ts';
import { GlyphScorer } from './glyph-scorer.ts';
import { deviation, glyphOf, type GlyphStatistics, type LabelledLine, sparse, statisticsOf } from './learn-fixed.ts';
import {
  alignLabel,
  charactersOf,
  type CutCharacter,
  type CutLine,
  cutLines,
  median,
  widthsOf,
} from './segmentation.ts';

export interface LearnProportionalOptions
  extends Omit<AtlasFile, 'format' | 'glyphs' | 'background' | 'ground' | 'layout' | 'pitch' | 'space' | 'gaps'> {
  /** Pixels around the text's box in every image. */
  readonly margin: number;
  /** Least standard deviation of a pixel, in grey levels: what compression does to the cleanest picture. */
  readonly noise?: number;
}

/** What became of the labelled lines. */
export interface LearntProportional {
  readonly atlas: Atlas;
  /** By line whether its characters were found. */
  readonly cut: readonly boolean[];
  /** Columns from the box's left edge to the first character's cell, and from the last one's to the right edge: the least of all lines. */
  readonly lead: number;
  readonly tail: number;
}

/** Columns left and right of the ink that belong to a glyph: what is beside it tells it from wider ones. */
const BESIDE = 1;
/** How far the ink of an appearance may be from its character's usual width, in pixels. */
const WIDTHS = 1;

/**
 * Learns a font whose characters have widths of their own from labelled lines: cuts the lines into characters where nothing stands between
 * them (`cutLines`), and makes of all appearances of a character its glyph, as `learnFixed` does. In lines that cannot be cut so the
 * characters are then found by that font, which thereby learns what scenery does to them. Undefined where no line can be cut.
 */
export function learnProportional(
  lines: readonly LabelledLine[],
  options: LearnProportionalOptions,
): LearntProportional | undefined {
  const { margin } = options;
  const found = cutLines(lines, margin);
  const widths = widthsOf(found.flatMap((line) => line?.characters ?? []));
  const usual = (one: CutCharacter): boolean => Math.abs(widthOf(one) - widths.get(one.char)!) <= WIDTHS;
  let good = found.map((line) => (line?.characters.every(usual) ? line : undefined));
  const plain = good.filter((line) => line !== undefined);
  if (plain.length === 0) return undefined;
  const gaps = gapsOf(plain, widths);
  // Those that stand in no line that can be cut are taken for as wide as most.
  const most = median([...widths.values()]);
  for (const { text } of lines)
    for (const { char } of charactersOf(text)) if (!widths.has(char)) widths.set(char, most);
  let atlas = fontOf(plain, widths, gaps, options);
  for (let round = 0; round < ROUNDS; round++) {
    const scorer = new GlyphScorer(atlas);
    good = lines.map((line, i) =>
      found[i] && good[i] ? good[i] : alignLabel(line, atlas, scorer, margin, BESIDE, most + 2 * BESIDE),
    );
    atlas = fontOf(
      good.filter((line) => line !== undefined),
      widths,
      gaps,
      options,
    );
  }
  return {
    atlas,
    cut: good.map((line) => line !== undefined),
    lead: Math.min(...plain.map(({ characters }) => characters[0]!.start - BESIDE - margin)),
    tail: Math.min(...plain.map(({ image, characters }) => image.width - margin - characters.at(-1)!.end - BESIDE)),
  };
}

/** How often lines that could not be cut are looked through with the font that was learnt from the others. */
const ROUNDS = 2;

type Widths = ReadonlyMap<string, number>;
type Gaps = { readonly gaps: readonly [number, number]; readonly space: number };

function cellOf(char: string, widths: Widths): number {
  return widths.get(char)! + 2 * BESIDE;
}

/** The font as it looks in these lines. */
function fontOf(lines: readonly CutLine[], widths: Widths, gaps: Gaps, options: LearnProportionalOptions): Atlas {
  const { margin, noise = 6, ...rest } = options;
  const patches = lines.flatMap(({ image, characters }) =>
    characters.map(({ char, start }) => ({
      char,
      pixels: patchAt(image, start - BESIDE, cellOf(char, widths), margin, options.height),
    })),
  );
  const statistics = [...Map.groupBy(patches, ({ char }) => char)].map(([char, seen]) => ({
    char,
    ...statisticsOf(
      seen.map(({ pixels }) => pixels),
      options.illumination,
    ),
  }));
  const spread = spreadByLevel(statistics);
  const background = deviation(patches.flatMap(({ pixels }) => [...sparse(pixels)]));
  const rows = groundOf(lines, margin, options.height);
  const glyphs = statistics
    .toSorted((a, b) => (a.char < b.char ? -1 : 1))
    .map((one) => {
      const width = cellOf(one.char, widths);
      return discreet(
        glyphOf(one, width, noise, (i) => spread(one.mean[i]!)),
        rows,
        width,
        background,
      );
    });
  const ground = levelsOf(glyphs, rows, background);
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

/** The levels of ground and ink: of the pixels that tell least, and most. Undefined where no line shows any ground. */
function levelsOf(
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
      if (sigmas[i]! >= GROUND_SHARE * background) continue;
      // What is farthest from the ground is ink rather than its edge.
      const weight = (one - level) ** 4 / sigmas[i]! ** 2;
      sum += weight * one;
      weights += weight;
    }
  }
  return { level: Math.round(level), ink: Math.round(weights > 0 ? sum / weights : level) };
}

interface Ground {
  readonly mean: number;
  readonly spread: number;
}

/** Grey levels that ink and ground must be apart at least. */
const APART = 12;
/** The deviation of ground within a glyph, as a share of the background's. */
const GROUND_SHARE = 0.75;

/** What is seen beside and between the characters, row by row; where they fill their boxes, right beside their ink. */
function groundOf(lines: readonly CutLine[], margin: number, height: number): readonly Ground[] {
  const apart = groundBeside(lines, margin, height, BESIDE);
  return apart.some(({ mean }) => Number.isNaN(mean)) ? groundBeside(lines, margin, height, 0) : apart;
}

function groundBeside(lines: readonly CutLine[], margin: number, height: number, beside: number): readonly Ground[] {
  return Array.from({ length: height }, (_, row) => {
    const levels = lines.flatMap(({ image: { data, width }, characters }) => {
      const isInk = (x: number): boolean =>
        characters.some(({ start, end }) => x >= start - beside && x < end + beside);
      const columns = Array.from({ length: width - 2 * margin }, (_one, x) => x + margin).filter((x) => !isInk(x));
      return columns.map((x) => data[(margin + row) * width + x]!);
    });
    const mean = levels.reduce((sum, level) => sum + level, 0) / Math.max(1, levels.length);
    const variance = levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / Math.max(1, levels.length);
    return { mean: levels.length === 0 ? Number.NaN : mean, spread: Math.sqrt(variance) };
  });
}

/**
 * A glyph whose pixels without ink speak against it where something else stands, and hardly for it: of what is seen beside the text
 * nothing may look like a character, however even it is.
 */
function discreet(glyph: GlyphFile, ground: readonly Ground[], width: number, background: number): GlyphFile {
  const level = Buffer.from(glyph.level, 'base64');
  const sigma = Uint8Array.from(Buffer.from(glyph.sigma, 'base64'), (one, i) => {
    const { mean, spread } = ground[Math.floor(i / width)]!;
    const isGround = Math.abs(level[i]! - mean) < Math.max(APART, spread);
    return isGround ? Math.max(one, Math.min(255, Math.round(GROUND_SHARE * background))) : one;
  });
  return { ...glyph, sigma: Buffer.from(sigma).toString('base64') };
}

function widthOf({ start, end }: CutCharacter): number {
  return end - start;
}

function patchAt(
  { data, width: columns }: CutLine['image'],
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

/** Gaps between the cells of neighbours within words, and what a space adds to them. */
function gapsOf(lines: readonly CutLine[], widths: Widths): Gaps {
  const all = lines.flatMap(({ characters }) =>
    characters.slice(1).map(({ start, afterSpace }, i) => ({
      gap: start - characters[i]!.start - cellOf(characters[i]!.char, widths),
      afterSpace,
    })),
  );
  const within = all.filter(({ afterSpace }) => !afterSpace).map(({ gap }) => gap);
  const gaps: [number, number] = within.length === 0 ? [0, 0] : [Math.min(...within), Math.max(...within)];
  // Of narrow characters in cells as wide as others the gap is wider: two of them need not have stood side by side.
  const cells = [...widths.values()];
  if (all.every(({ afterSpace }) => !afterSpace))
    gaps[1] = Math.max(gaps[1], gaps[0] + Math.max(...cells) - Math.min(...cells));
  const spaces = all.filter(({ afterSpace }) => afterSpace).map(({ gap }) => gap);
  const usual = spaces.length === 0 ? gaps[1] + 6 : median(spaces);
  return { gaps, space: Math.max(2 + gaps[1] - gaps[0], usual - Math.round((gaps[0] + gaps[1]) / 2)) };
}

const BINS = 16;

/** How much pixels of a level vary, over all glyphs: ink and ground do differently. */
function spreadByLevel(statistics: readonly GlyphStatistics[]): (level: number) => number {
  const sums = new Float64Array(BINS);
  const counts = new Float64Array(BINS);
  const bin = (level: number): number => Math.min(BINS - 1, Math.max(0, Math.floor((level * BINS) / 256)));
  for (const { mean, variance, count } of statistics)
    for (const [i, v] of variance.entries()) {
      sums[bin(mean[i]!)]! += v * count;
      counts[bin(mean[i]!)]! += count;
    }
  return (level) => sums[bin(level)]! / Math.max(1, counts[bin(level)]!);
}
