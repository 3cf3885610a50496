import { splitGraphemes } from '../../language/text.ts';
import type { Atlas } from '../text/atlas.ts';

/** First code of Unicode's private use area. */
const PRIVATE_USE = 0xe000;

/**
 * Maps characters of several code units (a letter with its marks, a rare ideograph) to one private-use character each, because a
 * feed's line has one code unit per column.
 */
export class Units {
  readonly #units = new Map<string, string>();
  readonly #chars = new Map<string, string>();

  constructor(atlas: Atlas) {
    for (const { char } of atlas.glyphs) {
      if (char.length < 2 || this.#units.has(char)) continue;
      const unit = String.fromCharCode(PRIVATE_USE + this.#units.size);
      this.#units.set(char, unit);
      this.#chars.set(unit, char);
    }
  }

  /** Returns the code unit of a character of the font. */
  encodeChar(char: string): string {
    return this.#units.get(char) ?? char;
  }

  /** Converts a text to one code unit per character. */
  encode(text: string): string {
    if (this.#units.size === 0) return text;
    return splitGraphemes(text)
      .map((char) => this.encodeChar(char))
      .join('');
  }

  /** Converts code units back to text. */
  decode(text: string): string {
    return this.#units.size === 0 ? text : text.replace(/[\uE000-\uF8FF]/g, (unit) => this.#chars.get(unit) ?? unit);
  }
}
