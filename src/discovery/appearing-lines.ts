import type { Rect, Size } from '../geometry.ts';
import type { Picture } from '../media/picture.ts';
import { boundsOfGroups, bridgeGaps, EdgePictures, isSameEdge } from './steady-edges.ts';

/** Height, in pixels, to which pictures are reduced: messages are larger than figures. */
const MAX_HEIGHT = 400;
/** Share of a picture's edges that may appear at once: more is a new scene, or one that has come to rest. */
const MAX_NEW_SHARE = 0.4;
/** Gap between characters, in fractions of the picture's height, and between words, in heights of a line. */
const MAX_CHARACTER_GAP = 0.014;
const MAX_WORD_GAP = 0.9;
/** By how much the words of a line may differ: heights as a ratio, middles in heights. */
const MAX_HEIGHT_RATIO = 1.6;
const MAX_ROW_DISTANCE = 0.35;
/** Height of a line, in fractions of the picture's, and its width in heights. */
const [MIN_HEIGHT, MAX_LINE_HEIGHT] = [0.016, 0.2];
const [MIN_ASPECT, MAX_ASPECT] = [1.2, 30];
/** Share of a line's pixels that are edges. */
const MIN_DENSITY = 0.25;
/** Lines that are tried at a time: those with the most edges. */
const MAX_LINES = 6;
/** Margin around a line, in heights. */
const MARGIN = 0.12;

/**
 * Finds lines that appear in front of the scene and stay for a moment, such as messages: edges that were not there before, and are
 * the same half a second later. The scene moves on, or has been there before.
 */
export class AppearingLines {
  readonly #pictures: EdgePictures;
  #before:
    | { readonly recording: number; readonly edges: Int16Array; readonly kept: Uint8Array | undefined }
    | undefined;

  /** @param size Of all pictures. */
  constructor(size: Size) {
    this.#pictures = new EdgePictures(size, MAX_HEIGHT);
  }

  /**
   * Takes the next picture of a recording; pictures of another size are left out.
   *
   * @returns Where lines appeared in the picture before that are still there, in pixels of the picture.
   */
  add(picture: Picture, recording: number): readonly Rect[] {
    const own = this.#pictures.read(picture);
    if (!own) return [];
    const { edges } = own;
    const before = this.#before?.recording === recording ? this.#before : undefined;
    if (!before) {
      this.#before = { recording, edges, kept: undefined };
      return [];
    }
    const count = edges.length / 2;
    const [kept, fresh] = [new Uint8Array(count), new Uint8Array(count)];
    let [drawn, appeared] = [0, 0];
    for (let i = 0; i < count; i++) {
      const same = isSameEdge(before.edges, edges, i);
      if (same === undefined) continue;
      drawn++;
      if (!same) continue;
      kept[i] = 1;
      if (before.kept?.[i] !== 0) continue;
      fresh[i] = 1;
      appeared++;
    }
    this.#before = { recording, edges, kept };
    return appeared > MAX_NEW_SHARE * drawn ? [] : this.#linesOf(fresh);
  }

  #linesOf(mask: Uint8Array): readonly Rect[] {
    const { width, height, factor } = this.#pictures;
    const gap = Math.max(2, Math.round(MAX_CHARACTER_GAP * height));
    const words = boundsOfGroups(bridgeGaps(mask, width, height, gap), mask, width, height).filter(
      ({ rect }) => rect.height >= MIN_HEIGHT * height && rect.height <= MAX_LINE_HEIGHT * height,
    );
    return joinWords(words)
      .filter(
        ({ rect, edges }) =>
          rect.width >= MIN_ASPECT * rect.height &&
          rect.width <= MAX_ASPECT * rect.height &&
          edges >= MIN_DENSITY * rect.width * rect.height,
      )
      .toSorted((a, b) => b.edges - a.edges)
      .slice(0, MAX_LINES)
      .map(({ rect }) => {
        const margin = MARGIN * rect.height;
        const [left, top] = [Math.max(0, rect.x - margin), Math.max(0, rect.y - margin)];
        const right = Math.min(width, rect.x + rect.width + margin);
        const bottom = Math.min(height, rect.y + rect.height + margin);
        return { x: left * factor, y: top * factor, width: (right - left) * factor, height: (bottom - top) * factor };
      });
  }
}

interface Word {
  readonly rect: Rect;
  readonly edges: number;
}

/** Joins words of one height that lie in a row. */
function joinWords(words: readonly Word[]): readonly Word[] {
  const lines: Word[] = [];
  for (const word of words.toSorted((a, b) => a.rect.x - b.rect.x)) {
    const at = lines.findIndex(({ rect }) => isNextWord(rect, word.rect));
    if (at < 0) lines.push(word);
    else {
      const [a, b] = [lines[at]!.rect, word.rect];
      const y = Math.min(a.y, b.y);
      const right = Math.max(a.x + a.width, b.x + b.width);
      const rect = { x: a.x, y, width: right - a.x, height: Math.max(a.y + a.height, b.y + b.height) - y };
      lines[at] = { rect, edges: lines[at]!.edges + word.edges };
    }
  }
  return lines;
}

function isNextWord(line: Rect, word: Rect): boolean {
  const height = Math.min(line.height, word.height);
  return (
    Math.max(line.height, word.height) <= MAX_HEIGHT_RATIO * height &&
    Math.abs(line.y + line.height / 2 - word.y - word.height / 2) <= MAX_ROW_DISTANCE * height &&
    word.x - line.x - line.width <= MAX_WORD_GAP * height
  );
}
