import type { Tracker } from '../../cues/tracker.ts';
import type { DetectorSpec } from '../../profile/profile.ts';
import type { Assets, Detector, DetectorKind, Observation, View } from '../kind.ts';
import { type Atlas, lookalikes } from '../text/atlas.ts';
import { GlyphReader } from '../text/glyph-reader.ts';
import { loadAtlas, readText } from '../text/index.ts';
import { sampleLine } from '../text/line-image.ts';
import type { Cell, LineReading } from '../text/line.ts';
import { Lexicon } from './lexicon.ts';
import type { FeedLine } from './lines.ts';
import { FeedTracker } from './tracker.ts';

export interface FeedOptions {
  readonly atlas: string;
  /** How many lines the feed can show; the region is that many lines high. */
  readonly lines: number;
  /** The phrases that lines follow (a lexicon file); they decide between readings. */
  readonly lexicon?: string;
  /** What becomes of lines that no phrase explains: kept as they are read (default), or dropped. */
  readonly others?: 'keep' | 'drop';
  /** Sightings after which a line is read for good; default 20. */
  readonly enough?: number;
}

/** Evidence below which a character is scenery. */
const LEAST = 12;
/** Share of the evidence for a character from which another is noted as its rival. */
const RIVAL = 0.4;

/**
 * Lines that appear, scroll up and vanish, as in a kill feed or a chat. A sample says what each line shows; the tracker
 * follows the lines over their lives.
 */
export const kind: DetectorKind<FeedOptions> = {
  name: 'feed',
  description:
    'Lines that appear, move up and vanish (kill feeds, chats). Each line is followed over its life and read from all its frames together; a lexicon of phrases decides between readings. One `found` cue a line; its detail holds the phrase and its slots.',
  reads: 'luma',
  schema: {
    type: 'object',
    required: ['atlas', 'lines'],
    properties: {
      atlas: { type: 'string', format: 'asset', description: 'Atlas file of a fixed-pitch font.' },
      lines: { type: 'integer', minimum: 1, maximum: 40 },
      lexicon: { type: 'string', format: 'asset', description: 'Lexicon file: the phrases that lines follow.' },
      others: { enum: ['keep', 'drop'] },
      enough: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  },
  async open(options: FeedOptions, assets: Assets): Promise<Detector> {
    return new FeedDetector(await loadAtlas(options.atlas, assets), options.lines);
  },
  async track(name: string, spec: DetectorSpec & FeedOptions, _interval: number, assets: Assets): Promise<Tracker> {
    const canon = lookalikes(await loadAtlas(spec.atlas, assets));
    const lexicon =
      spec.lexicon === undefined ? undefined : new Lexicon(await readText(assets, spec.lexicon), spec.lexicon, canon);
    const rules = {
      samples: spec.stability?.samples ?? 2,
      gaps: spec.stability?.gaps ?? 4,
      confidence: spec.stability?.confidence ?? 0.5,
      enough: spec.enough ?? 20,
      others: spec.others ?? 'keep',
    } as const;
    return new FeedTracker(name, spec.region, rules, lexicon);
  },
};

class FeedDetector implements Detector {
  readonly #reader: GlyphReader;
  readonly #lines: number;
  readonly #canon: (char: string) => string;
  #buffer = new Float32Array(0);
  /** What the lines read before, as hints. */
  #before: readonly LineReading[] = [];

  constructor(atlas: Atlas, lines: number) {
    this.#reader = new GlyphReader(atlas);
    this.#canon = lookalikes(atlas);
    this.#lines = lines;
  }

  read(view: View): Observation {
    const { pixels, height, pitch } = this.#reader.atlas.file;
    const stepX = view.scaleX / pixels.x;
    const width = Math.floor(view.inner.width / stepX / pitch!) * pitch!;
    const lineHeight = view.inner.height / this.#lines;
    if (this.#buffer.length < width * height) this.#buffer = new Float32Array(width * height);
    const found: FeedLine[] = [];
    const now: LineReading[] = [];
    for (let slot = 0; slot < this.#lines; slot++) {
      const box = { x: view.inner.x, y: view.inner.y + slot * lineHeight, width: width * stepX, height: lineHeight };
      const image = sampleLine(view.picture, box, width, height, this.#reader.atlas.file.channel, this.#buffer);
      const hints = this.#before.slice(slot, slot + 2).filter((hint) => hint !== undefined);
      const reading = this.#reader.read(image, 'left', 0, hints);
      now.push(reading);
      const line = this.#lineOf(slot, reading.cells);
      if (line) found.push(line);
    }
    this.#before = now;
    if (found.length === 0) return { state: 'absent', confidence: 0.95 };
    const value = found.map((line) => line.text.trimEnd()).join('\n');
    return { state: 'seen', value, confidence: 0.95, detail: { lines: found } };
  }

  #lineOf(slot: number, cells: readonly Cell[]): FeedLine | undefined {
    const { glyphs, file } = this.#reader.atlas;
    const columnOf = (cell: Cell): number => Math.round(cell.x / file.pitch!);
    const kept = cells.filter((cell) => cell.glyph >= 0 && cell.llr >= LEAST);
    if (kept.length === 0) return undefined;
    const columns = columnOf(kept.at(-1)!) + 1;
    const chars = Array.from({ length: columns }, () => ' ');
    const scores = Array.from({ length: columns }, () => 0);
    const rivals: [number, string, number][] = [];
    for (const cell of kept) {
      const column = columnOf(cell);
      chars[column] = cell.char;
      scores[column] = Math.round(cell.llr);
      const rival = cell.second < 0 ? cell.char : glyphs[cell.second]!.char;
      if (cell.secondLlr >= RIVAL * cell.llr && this.#canon(rival) !== this.#canon(cell.char))
        rivals.push([column, rival, Math.round(cell.secondLlr)]);
    }
    return { slot, text: chars.join(''), scores, ...(rivals.length === 0 ? {} : { rivals }) };
  }

  [Symbol.dispose](): void {}
}
