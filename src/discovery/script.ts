import type { Rect } from '../geometry.ts';
import { anyText } from '../recognition/constraint.ts';
import { readLine, type TextRecognizer } from '../recognition/text-recognizer.ts';
import { type Crop, cutCrop } from '../regions/crop.ts';

/** Lines of a picture that are read, the highest first. */
const MAX_LINES = 12;
/** Chinese characters and confidence of a line that is Chinese, and the number of such lines from which a game is. */
const MIN_CHARACTERS = 2;
const MIN_CONFIDENCE = 0.75;
const MIN_LINES = 3;

/**
 * Finds out whether a game writes Chinese. Otherwise Chinese characters are not read at all: strokes of other letters, of icons and of
 * the scene look like some of them.
 */
export class ChineseEvidence {
  readonly #recognizer: TextRecognizer;
  #lines = 0;

  /** @param recognizer Reads Chinese, too; is not disposed of. */
  constructor(recognizer: TextRecognizer) {
    this.#recognizer = recognizer;
  }

  /** Whether enough was seen. */
  get isChinese(): boolean {
    return this.#lines >= MIN_LINES;
  }

  /** Reads lines that were found in a picture. */
  async add(picture: Crop, lines: readonly Rect[]): Promise<void> {
    const read = await this.#recognizer.recognize(
      lines
        .toSorted((a, b) => b.height - a.height)
        .slice(0, MAX_LINES)
        .map(({ x, y, width, height }) => {
          const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
          const right = Math.min(picture.width, Math.ceil(x + width));
          const bottom = Math.min(picture.height, Math.ceil(y + height));
          return cutCrop(picture, { x: left, y: top, width: right - left, height: bottom - top });
        }),
    );
    for (const line of read) {
      const reading = readLine(line, anyText());
      if (reading && reading.confidence >= MIN_CONFIDENCE && isChineseText(reading.text)) this.#lines++;
    }
  }
}

function isChineseText(text: string): boolean {
  const characters = text.match(/\p{sc=Han}/gu)?.length ?? 0;
  return characters >= MIN_CHARACTERS && characters >= (text.match(/\p{L}/gu)?.length ?? 0) / 2;
}
