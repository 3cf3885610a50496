import type { Rect } from '../../geometry.ts';
import type { View } from '../kind.ts';
import { resizeAtlas } from '../text/atlas-variants.ts';
import type { Atlas } from '../text/atlas.ts';
import { LineEnlarger, type LineImage, sampleLine, type Scale } from '../text/line-image.ts';
import type { Cell, LineReading } from '../text/line-reading.ts';
import { GlyphReader } from '../text/glyph-reader.ts';
import { InkReader } from './inks.ts';

/** From this many pixels of the video per pixel of the font on, the font is read as it was learnt. */
const AS_LEARNT = 0.9;
/** Places between two pixels of the video that are told apart. */
const PHASES = 4;
/** What the evidence of a small letter counts at least, as a share of that of its enlarged pixels. */
const LEAST_SHARE = 0.45;

/** Characters of a line that begin at the same place between two pixels of the video. */
interface Group {
  readonly reader: GlyphReader;
  readonly columns: readonly number[];
}

/** Reads the lines of a feed, drawn in a font of fixed pitch: in the size in which it was learnt, or smaller. */
export class LineReader {
  readonly #atlas: Atlas;
  readonly #lines: number;
  readonly #learnt: GlyphReader;
  readonly #enlarger = new LineEnlarger();
  readonly #inks: InkReader | undefined;
  #buffer = new Float32Array(0);
  #part = new Float32Array(0);
  /** For lines that were made smaller: readers by place, and what the lines of each height consist of. */
  readonly #readers = new Map<string, GlyphReader>();
  #groups: readonly (readonly Group[])[] = [];
  #groupsOf = '';
  /** What the lines read before, as hints: by line and group. */
  #before: readonly (readonly LineReading[])[] = [];

  /** `inks`: the colours in which characters can be drawn besides white. */
  constructor(atlas: Atlas, lines: number, inks: readonly string[] = []) {
    this.#atlas = atlas;
    this.#inks = inks.length === 0 ? undefined : new InkReader(atlas, inks);
    this.#lines = lines;
    this.#learnt = new GlyphReader(atlas);
  }

  /** The characters of every line, from left to right. */
  read({ picture, inner, scaleX, scaleY }: View): (readonly Cell[])[] {
    const { pixels, height, pitch, channel } = this.#atlas.file;
    const scale = { x: scaleX / pixels.x, y: scaleY / pixels.y };
    const width = Math.floor(inner.width / scale.x / pitch!) * pitch!;
    // A region narrower than a character, or one outside the frame, has no lines to speak of.
    if (width === 0) return Array.from({ length: this.#lines }, () => []);
    const lineHeight = inner.height / this.#lines;
    const small = Math.min(scale.x, scale.y) < AS_LEARNT;
    if (this.#buffer.length < width * height) this.#buffer = new Float32Array(width * height);
    if (small) this.#arrange(inner, lineHeight, width / pitch!, scale);
    const share = Math.max(LEAST_SHARE, scale.x * scale.y);
    const now: LineReading[][] = [];
    const found = Array.from({ length: this.#lines }, (_, slot) => {
      const box = { x: inner.x, y: inner.y + slot * lineHeight, width: width * scale.x, height: lineHeight };
      const image = small
        ? this.#enlarger.sample(picture, box, width, height, this.#buffer)
        : sampleLine(picture, box, width, height, channel, this.#buffer);
      const before = this.#before.slice(slot, slot + 2);
      if (!small) {
        const reading = this.#learnt.read(image, 'left', 0, hintsOf(before, 0));
        now.push([reading]);
        return this.#inks?.read(picture, box, image.data, width, reading.cells) ?? reading.cells;
      }
      const own: LineReading[] = [];
      now.push(own);
      return this.#groups[slot]!.flatMap((group, g) => {
        const reading = group.reader.read(this.#partOf(image, group.columns), 'left', 0, hintsOf(before, g));
        own.push(reading);
        return reading.cells.map((cell) => ({
          ...cell,
          x: group.columns[Math.round(cell.x / pitch!)]! * pitch!,
          // Fewer pixels were looked at than they were drawn to.
          llr: cell.llr * share,
          secondLlr: cell.secondLlr * share,
        }));
      }).toSorted((a, b) => a.x - b.x);
    });
    this.#before = now;
    return found;
  }

  /** Puts the columns of each line into groups. */
  #arrange(inner: Rect, lineHeight: number, columns: number, scale: Scale): void {
    const key = [inner.x, inner.y, lineHeight, columns, scale.x, scale.y].join(' ');
    if (key === this.#groupsOf) return;
    this.#groupsOf = key;
    this.#before = [];
    this.#readers.clear();
    const pitch = this.#atlas.file.pitch! * scale.x;
    this.#groups = Array.from({ length: this.#lines }, (_, slot) => {
      const y = phaseOf(inner.y + slot * lineHeight);
      const byPlace = new Map<number, number[]>();
      for (let column = 0; column < columns; column++) {
        const x = phaseOf(inner.x + column * pitch);
        byPlace.set(x, [...(byPlace.get(x) ?? []), column]);
      }
      return [...byPlace].map(([x, own]) => ({ reader: this.#readerAt(scale, { x, y }), columns: own }));
    });
  }

  #readerAt(scale: Scale, phase: Scale): GlyphReader {
    const key = `${phase.x} ${phase.y}`;
    let reader = this.#readers.get(key);
    if (!reader) {
      reader = new GlyphReader(resizeAtlas(this.#atlas, scale, phase));
      this.#readers.set(key, reader);
    }
    return reader;
  }

  /** Some columns of a line, side by side. */
  #partOf({ data, width, height }: LineImage, columns: readonly number[]): LineImage {
    const pitch = this.#atlas.file.pitch!;
    const own = columns.length * pitch;
    if (this.#part.length < own * height) this.#part = new Float32Array(width * height);
    const part = this.#part.subarray(0, own * height);
    for (let y = 0; y < height; y++)
      for (const [i, column] of columns.entries()) {
        const from = y * width + column * pitch;
        part.set(data.subarray(from, from + pitch), y * own + i * pitch);
      }
    return { data: part, width: own, height };
  }
}

function phaseOf(at: number): number {
  return (Math.round((at - Math.floor(at)) * PHASES) % PHASES) / PHASES;
}

function hintsOf(lines: readonly (readonly LineReading[])[], group: number): LineReading[] {
  return lines.flatMap((line) => line[group] ?? []);
}
