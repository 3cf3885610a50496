import { graphemesOf } from '../../language/text.ts';
import type { Atlas } from '../text/atlas.ts';

/** Where private characters begin: what stands for a glyph of several. */
const PRIVATE = 0xe000;

/**
 * A feed's line has a character a column. Characters as people count them can have several code units (a letter with its marks, a rare
 * ideograph): within the feed each of these is one private character.
 */
export class Units {
  readonly #units = new Map<string, string>();
  readonly #chars = new Map<string, string>();

  constructor(atlas: Atlas) {
    for (const { char } of atlas.glyphs) {
      if (char.length < 2 || this.#units.has(char)) continue;
      const unit = String.fromCharCode(PRIVATE + this.#units.size);
      this.#units.set(char, unit);
      this.#chars.set(unit, char);
    }
  }

  /** One unit for a character of the font. */
  of(char: string): string {
    return this.#units.get(char) ?? char;
  }

  /** A text with a unit a character. */
  into(text: string): string {
    if (this.#units.size === 0) return text;
    return graphemesOf(text)
      .map((char) => this.of(char))
      .join('');
  }

  /** The text that units stand for. */
  out(text: string): string {
    return this.#units.size === 0 ? text : text.replace(/[\uE000-\uF8FF]/g, (unit) => this.#chars.get(unit) ?? unit);
  }
}
