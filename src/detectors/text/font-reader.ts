import { type Atlas, dimAtlas } from './atlas.ts';
import { GlyphReader } from './glyph-reader.ts';
import type { LineImage } from './line-image.ts';
import type { LineReading } from './line-reading.ts';
import type { Align } from './options.ts';

/** Confidence of the first font's reading from which the others are not tried. */
const CERTAIN_CONFIDENCE = 0.9;
/** Least confidence of another font's reading. */
const MIN_VARIANT_CONFIDENCE = 0.5;

/** Reads text in a font and its variants, each as it is expected at the measured contrast. */
export class FontReader {
  readonly #atlases: readonly Atlas[];
  readonly #charset: readonly string[] | undefined;
  readonly #readers = new Map<Atlas, GlyphReader>();
  /** By reader: its previous line, as a hint. */
  readonly #previous = new Map<GlyphReader, LineReading>();

  constructor(atlases: readonly Atlas[], charset?: readonly string[]) {
    this.#atlases = atlases;
    this.#charset = charset;
  }

  /** Whether a font has none of the characters that can occur. */
  get isEmpty(): boolean {
    const can = (char: string): boolean => char !== ' ' && (this.#charset?.includes(char) ?? true);
    return this.#atlases.some(({ glyphs }) => !glyphs.some(({ char }) => can(char)));
  }

  #readerOf(atlas: Atlas): GlyphReader {
    let reader = this.#readers.get(atlas);
    if (!reader) this.#readers.set(atlas, (reader = new GlyphReader(atlas, this.#charset)));
    return reader;
  }

  /**
   * Reads a line. Where the first font is not certain the most confident reading counts, less the confidence of a different text.
   *
   * @param imageOf Samples the line for a font; undefined where it cannot be seen.
   * @returns Undefined where the line cannot be seen.
   */
  read(imageOf: (atlas: Atlas) => LineImage | undefined, align: Align, margin: number): LineReading | undefined {
    const lines: LineReading[] = [];
    for (const atlas of this.#atlases) {
      const image = imageOf(atlas);
      if (!image) return undefined;
      const lit = dimAtlas(atlas, image.gain ?? 1, image.sharedPixels);
      const line = this.#readOne(this.#readerOf(lit), image, align, margin, lit !== atlas);
      if (lines.length === 0 && line.text !== '' && line.confidence >= CERTAIN_CONFIDENCE) return line;
      lines.push(line);
    }
    // A variant that reads nothing is no evidence, and the first font's blank yields to a variant's text.
    const [first, ...others] = lines as [LineReading, ...LineReading[]];
    const seen = others.filter(({ text, confidence }) => text !== '' && confidence >= MIN_VARIANT_CONFIDENCE);
    const best = mostConfident(first.text === '' && seen.length > 0 ? seen : [first, ...seen])!;
    const other = mostConfident(lines.filter(({ text }) => text !== '' && text !== best.text));
    if (!other) return best;
    // Both readings may be wrong, but not both right.
    const right = best.confidence * (1 - other.confidence);
    return { ...best, confidence: right / Math.max(1e-9, 1 - best.confidence * other.confidence) };
  }

  #readOne(reader: GlyphReader, image: LineImage, align: Align, margin: number, faint: boolean): LineReading {
    const before = this.#previous.get(reader);
    const line = reader.read(image, align, margin, before ? [before] : []);
    if (line.cells.length > 0) this.#previous.set(reader, line);
    // At low contrast a blank is no evidence that nothing is there.
    return faint && line.text === ''
      ? { ...line, confidence: Math.min(MIN_VARIANT_CONFIDENCE, line.confidence) }
      : line;
  }
}

function mostConfident(lines: readonly LineReading[]): LineReading | undefined {
  return lines.toSorted((a, b) => b.confidence - a.confidence)[0];
}
