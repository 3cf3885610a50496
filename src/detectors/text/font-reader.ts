import { dimAtlas } from './atlas-variants.ts';
import type { Atlas } from './atlas.ts';
import { GlyphReader } from './glyph-reader.ts';
import type { LineImage } from './line-image.ts';
import type { LineReading } from './line-reading.ts';
import type { Align } from './options.ts';

/** How sure the first font's reading must be for the others not to be asked. */
const SURE = 0.9;
/** From which on a reading is more likely right than wrong. */
const LIKELY = 0.5;

/** A font and the others that the same text may be drawn in, each as it is to be expected in the light that was measured. */
export class FontReader {
  readonly #atlases: readonly Atlas[];
  readonly #charset: readonly string[] | undefined;
  readonly #readers = new Map<Atlas, GlyphReader>();
  /** The line that each read before, as a hint. */
  readonly #before = new Map<GlyphReader, LineReading>();

  constructor(atlases: readonly Atlas[], charset?: readonly string[]) {
    this.#atlases = atlases;
    this.#charset = charset;
  }

  /** Whether one of the fonts has none of the characters that can occur. */
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
   * Reads the line of which `imageOf` gives the picture as a font wants it; undefined where there is none to read. Where the first font
   * is not sure the surest reading counts, less what another text has for itself.
   */
  read(imageOf: (atlas: Atlas) => LineImage | undefined, align: Align, margin: number): LineReading | undefined {
    const lines: LineReading[] = [];
    for (const atlas of this.#atlases) {
      const image = imageOf(atlas);
      if (!image) return undefined;
      const lit = dimAtlas(atlas, image.gain ?? 1, image.sharedPixels);
      const line = this.#readOne(this.#readerOf(lit), image, align, margin, lit !== atlas);
      if (lines.length === 0 && line.text !== '' && line.confidence >= SURE) return line;
      lines.push(line);
    }
    // That another font sees nothing says nothing; that the first does, little where another one reads something.
    const [first, ...others] = lines as [LineReading, ...LineReading[]];
    const seen = others.filter(({ text, confidence }) => text !== '' && confidence >= LIKELY);
    const best = surest(first.text === '' && seen.length > 0 ? seen : [first, ...seen])!;
    const other = surest(lines.filter(({ text }) => text !== '' && text !== best.text));
    if (!other) return best;
    // Both may be wrong, but not both right.
    const right = best.confidence * (1 - other.confidence);
    return { ...best, confidence: right / Math.max(1e-9, 1 - best.confidence * other.confidence) };
  }

  #readOne(reader: GlyphReader, image: LineImage, align: Align, margin: number, faint: boolean): LineReading {
    const before = this.#before.get(reader);
    const line = reader.read(image, align, margin, before ? [before] : []);
    if (line.cells.length > 0) this.#before.set(reader, line);
    // In little light that nothing is seen does not say that nothing is there.
    return faint && line.text === '' ? { ...line, confidence: Math.min(LIKELY, line.confidence) } : line;
  }
}

function surest(lines: readonly LineReading[]): LineReading | undefined {
  return lines.toSorted((a, b) => b.confidence - a.confidence)[0];
}
