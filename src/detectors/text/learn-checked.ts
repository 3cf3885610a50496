import type { Atlas } from './atlas.ts';
import { GlyphReader } from './glyph-reader.ts';
import type { LabelledLine } from './learn-fixed.ts';
import { learnProportional, type LearnProportionalOptions } from './learn-proportional.ts';
import type { Channel } from './line-image.ts';

/** A font that was learnt from labels of which some may be wrong, and how well it reads what it was not learnt from. */
export interface CheckedFont {
  readonly atlas: Atlas;
  /** Held-back lines, and how many of them were read as they are labelled. */
  readonly lines: number;
  readonly exact: number;
}

/** Options of {@link learnChecked}. */
export interface LearnCheckedOptions extends Omit<LearnProportionalOptions, 'channel' | 'noise'> {
  /** Whether a text can be written there at all; others count as unreadable. */
  readonly isPossible: (text: string) => boolean;
}

/** Pixel deviations that are tried, in grey levels. */
const NOISE_LEVELS = [8, 16];
/** Lines without which a font is not learnt. */
const MIN_LINES = 24;
/** Neighbouring lines that stay together when lines are held back: they are often the same picture. */
const BLOCK = 3;
/** Lines of one text of which a mean picture is made. */
const MIN_ALIKE = 3;
/** Share of the held-back lines that must be read as they are labelled: what the font cannot read is left to a fallback. */
const MIN_EXACT_SHARE = 0.6;
/** Confidence from which a reading counts. */
const MIN_CONFIDENCE = 0.5;
/** Confidence from which a reading must be right, and the share of the held-back lines that may be read differently at it. */
const CERTAIN_CONFIDENCE = 0.9;
const MAX_CERTAIN_ERRORS = 0.01;
/**
 * The same share of readings that cannot be written there, such as a clock without its colon: a fallback reads these, but they show
 * how far to trust the font.
 */
const MAX_IMPOSSIBLE = 0.1;
/** Lines in each half without which a digit is not checked. */
const MIN_DIGIT_LINES = 2;
const DIGITS = '0123456789';

/**
 * Learns a proportional font of figures from lines that a general reader labelled, and checks it: lines are held back, and read by a
 * font learnt from the others. A font that lacks a digit is not returned: it would read its neighbour instead.
 *
 * @param byChannel The same lines, in order of time, sampled in each channel that may show the ink best. All have `options.margin`.
 * @returns Undefined where digits are missing, or the held-back lines are not read as they are labelled.
 */
export function learnChecked(
  byChannel: ReadonlyMap<Channel, readonly LabelledLine[]>,
  { isPossible, ...options }: LearnCheckedOptions,
): CheckedFont | undefined {
  let best: Trial | undefined;
  for (const [channel, lines] of byChannel) {
    if (lines.length < MIN_LINES || !hasAllDigits(lines.map(({ text }) => text).join(''))) return undefined;
    for (const noise of NOISE_LEVELS) {
      const trial = crossValidate(lines, { ...options, channel, noise }, isPossible);
      if (trial && (!best || trial.exact > best.exact)) best = trial;
    }
    // Other channels cannot be better.
    if (best && best.exact === best.lines.length) break;
  }
  if (!best || best.exact < MIN_EXACT_SHARE * best.lines.length) return undefined;
  const atlas = learn(best.lines, best.options);
  if (!atlas || !hasAllDigits(atlas.glyphs.map(({ char }) => char).join(''))) return undefined;
  return { atlas, lines: best.lines.length, exact: best.exact };
}

interface Trial {
  readonly lines: readonly LabelledLine[];
  readonly options: LearnProportionalOptions;
  readonly exact: number;
}

/** Reads each half of the lines with the font of the other; undefined where it is certain of wrong readings. */
function crossValidate(
  lines: readonly LabelledLine[],
  options: LearnProportionalOptions,
  isPossible: (text: string) => boolean,
): Trial | undefined {
  const halves = [0, 1].map((half) => lines.filter((_, i) => Math.floor(i / BLOCK) % 2 === half));
  if (!halves.every(showsDigitsOften)) return undefined;
  let [exact, certainErrors, impossible] = [0, 0, 0];
  for (const [n, known] of halves.entries()) {
    const atlas = learn(known, options);
    if (!atlas) return undefined;
    const reader = new GlyphReader(atlas);
    const chars = new Set(atlas.glyphs.map(({ char }) => char));
    for (const { image, text } of halves[1 - n]!) {
      const line = reader.read(image, 'centre', options.margin);
      if (line.confidence < MIN_CONFIDENCE) continue;
      if (!isPossible(line.text)) {
        if (line.text !== '' && line.confidence >= CERTAIN_CONFIDENCE) impossible++;
      } else if (withoutSpaces(line.text) === withoutSpaces(text)) exact++;
      else if (
        line.confidence >= CERTAIN_CONFIDENCE &&
        Array.from(withoutSpaces(text)).every((char) => chars.has(char))
      )
        certainErrors++;
    }
  }
  return certainErrors > MAX_CERTAIN_ERRORS * lines.length || impossible > MAX_IMPOSSIBLE * lines.length
    ? undefined
    : { lines, options, exact };
}

/** Whether enough lines have each digit to learn it from some and check it by others. */
function showsDigitsOften(lines: readonly LabelledLine[]): boolean {
  return Array.from(DIGITS).every(
    (digit) => lines.filter(({ text }) => text.includes(digit)).length >= MIN_DIGIT_LINES,
  );
}

function learn(lines: readonly LabelledLine[], options: LearnProportionalOptions): Atlas | undefined {
  return learnProportional([...meanLines(lines), ...lines], options)?.atlas;
}

/** The mean pictures of lines with the same text: what lies behind the text blurs. */
function meanLines(lines: readonly LabelledLine[]): LabelledLine[] {
  return [...Map.groupBy(lines, ({ text }) => text)].flatMap(([text, alike]) => {
    if (alike.length < MIN_ALIKE) return [];
    const { image } = alike[0]!;
    const data = new Float32Array(image.width * image.height);
    for (const one of alike) for (let i = 0; i < data.length; i++) data[i]! += one.image.data[i]! / alike.length;
    return [{ text, image: { ...image, data } }];
  });
}

function hasAllDigits(text: string): boolean {
  return Array.from(DIGITS).every((digit) => text.includes(digit));
}

/** A text without spaces, which the general reader sees least surely. */
function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '');
}
