import type { Rect } from '../../geometry.ts';
import type { View } from '../kind.ts';
import { type Atlas, resizeAtlas } from '../text/atlas.ts';
import { LineEnlarger, type LineImage, sampleLine, type Scale } from '../text/line-image.ts';
import type { Cell, LineReading } from '../text/line-reading.ts';
import { GlyphReader } from '../text/glyph-reader.ts';
import { InkReader } from './inks.ts';

/** Pixels of the video per pixel of the font from which the font is read as learnt. */
const MIN_LEARNT_SCALE = 0.9;
/** Phases of a character within a pixel of the video that are distinguished. */
const PHASES = 4;
/** Least weight of a small character's evidence, whose pixels were enlarged. */
const MIN_EVIDENCE_WEIGHT = 0.45;

/** Columns of a line whose characters begin at the same phase of a pixel. */
interface PhaseGroup {
  readonly reader: GlyphReader;
  readonly columns: readonly number[];
}

/** Reads the lines of a feed in a fixed-pitch font, at the size at which it was learnt or smaller. */
export class LineReader {
  readonly #atlas: Atlas;
  readonly #lines: number;
  readonly #learnt: GlyphReader;
  readonly #enlarger = new LineEnlarger();
  readonly #inks: InkReader | undefined;
  #buffer = new Float32Array(0);
  #part = new Float32Array(0);
  /** For smaller sizes: readers by phase, and the groups of each line. */
  readonly #readers = new Map<string, GlyphReader>();
  #groups: readonly (readonly PhaseGroup[])[] = [];
  #groupsKey = '';
  /** Previous readings by line and group, as hints. */
  #previous: readonly (readonly LineReading[])[] = [];

  /** @param inks Colours in which characters can be drawn besides white. */
  constructor(atlas: Atlas, lines: number, inks: readonly string[] = []) {
    this.#atlas = atlas;
    this.#inks = inks.length === 0 ? undefined : new InkReader(atlas, inks);
    this.#lines = lines;
    this.#learnt = new GlyphReader(atlas);
  }

  /** Returns the characters of every line, from left to right. */
  read({ picture, inner, scaleX, scaleY }: View): (readonly Cell[])[] {
    const { pixels, height, pitch, channel } = this.#atlas.file;
    const scale = { x: scaleX / pixels.x, y: scaleY / pixels.y };
    const width = Math.floor(inner.width / scale.x / pitch!) * pitch!;
    // The region is narrower than a character, or outside the frame.
    if (width === 0) return Array.from({ length: this.#lines }, () => []);
    const lineHeight = inner.height / this.#lines;
    const small = Math.min(scale.x, scale.y) < MIN_LEARNT_SCALE;
    if (this.#buffer.length < width * height) this.#buffer = new Float32Array(width * height);
    if (small) this.#arrange(inner, lineHeight, width / pitch!, scale);
    const share = Math.max(MIN_EVIDENCE_WEIGHT, scale.x * scale.y);
    const now: LineReading[][] = [];
    const found = Array.from({ length: this.#lines }, (_, slot) => {
      const box = { x: inner.x, y: inner.y + slot * lineHeight, width: width * scale.x, height: lineHeight };
      const image = small
        ? this.#enlarger.sample(picture, box, width, height, this.#buffer)
        : sampleLine(picture, box, width, height, channel, this.#buffer);
      const before = this.#previous.slice(slot, slot + 2);
      if (!small) {
        const reading = this.#learnt.read(image, 'left', 0, hintsOf(before, 0));
        now.push([reading]);
        return this.#inks?.read(picture, box, image.data, width, reading.cells) ?? reading.cells;
      }
      const own: LineReading[] = [];
      now.push(own);
      return this.#groups[slot]!.flatMap((group, g) => {
        const reading = group.reader.read(this.#copyColumns(image, group.columns), 'left', 0, hintsOf(before, g));
        own.push(reading);
        return reading.cells.map((cell) => ({
          ...cell,
          x: group.columns[Math.round(cell.x / pitch!)]! * pitch!,
          // Enlarged pixels are fewer independent ones.
          llr: cell.llr * share,
          secondLlr: cell.secondLlr * share,
        }));
      }).toSorted((a, b) => a.x - b.x);
    });
    this.#previous = now;
    return found;
  }

  /** Groups the columns of each line by phase. */
  #arrange(inner: Rect, lineHeight: number, columns: number, scale: Scale): void {
    const key = [inner.x, inner.y, lineHeight, columns, scale.x, scale.y].join(' ');
    if (key === this.#groupsKey) return;
    this.#groupsKey = key;
    this.#previous = [];
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

  /** Copies some columns of a line side by side. */
  #copyColumns({ data, width, height }: LineImage, columns: readonly number[]): LineImage {
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
