import { PlaybyplayError } from '../../errors.ts';
import { getScripts, languageName } from '../../language/tags.ts';
import { Pattern } from '../../pattern.ts';
import {
  anyText,
  bothConstraints,
  type Constraint,
  patternConstraint,
  textsConstraint,
} from '../../recognition/constraint.ts';
import type { LineSteps } from '../../recognition/decode.ts';
import { loadTextModels } from '../../recognition/models.ts';
import { RecentLines } from '../../recognition/recent-lines.ts';
import { cutPart, findParts, findRow } from '../../recognition/row-parts.ts';
import { TextFinder } from '../../recognition/text-finder.ts';
import {
  charactersOf,
  emptiness,
  readLine,
  readText,
  type TextReading,
  TextRecognizer,
} from '../../recognition/text-recognizer.ts';
import { type Crop, cutCrop } from '../../regions/crop.ts';
import type { PreparedCrop, Requirement } from '../kind.ts';
import type { TextOptions } from './options.ts';

/** What a line can say, and how it is looked for. */
export interface GeneralReaderOptions {
  /** Languages of the text, as BCP 47 tags. */
  readonly languages: readonly string[];
  /** The characters that can occur. */
  readonly charset?: string | undefined;
  /** Regular expression of the whole text; its first group, if it has one, is what counts. */
  readonly pattern?: string | undefined;
  /** The texts that can occur, with `SLOT` for names. */
  readonly texts?: readonly string[] | undefined;
  /** Finds the lines in the region first, for text that fills it only in part. */
  readonly find?: boolean | undefined;
  /** Several texts stand next to each other in the region, of which one is read. */
  readonly row?: TextOptions['row'];
  /** Where the text starts from, in a region with space for one more character. */
  readonly align?: TextOptions['align'];
}

/** Confidence below which a line is read once more, and the space for another character that is then left out, in heights. */
const CERTAIN = 0.8;
const FREE_SPACE = 0.55;

/** A line, or several joined by spaces, as the general reader read it. */
export interface GeneralReading {
  readonly text: string;
  readonly confidence: number;
}

/** Scripts whose characters the recogniser knows, besides those that all scripts share. */
const KNOWN_SCRIPTS = new Set(['Latn', 'Hans', 'Hant', 'Hani']);

/** Largest number of finders that are kept, one for each size of crop. */
const MAX_FINDERS = 4;

/**
 * The general reader of a detector: reads fonts that nobody has taught it, with a trained network that follows only what the field
 * can say. Results depend on the crop alone.
 */
export class GeneralReader implements Disposable {
  readonly #options: GeneralReaderOptions;
  readonly #constraint: Constraint;
  readonly #pattern: Pattern | undefined;
  readonly #recognizer: SharedRecognizer;
  readonly #finders = new Map<string, Promise<TextFinder>>();

  private constructor(options: GeneralReaderOptions, constraint: Constraint, recognizer: SharedRecognizer) {
    this.#options = options;
    this.#constraint = constraint;
    this.#pattern = options.pattern === undefined ? undefined : new Pattern(`^(?:${options.pattern})$`);
    this.#recognizer = recognizer;
  }

  /**
   * Loads the networks.
   *
   * @throws PlaybyplayError `no-text-models`, `runtime-missing`, `no-language-data` for languages in other scripts than Latin and
   *   Chinese, or `bad-pattern`.
   */
  static async open(options: GeneralReaderOptions): Promise<GeneralReader> {
    const { languages } = options;
    const foreign = languages.find((tag) => !getScripts([tag]).every((script) => KNOWN_SCRIPTS.has(script)));
    if (foreign !== undefined)
      throw new PlaybyplayError(
        'no-language-data',
        `the general reader does not know the script of ${languageName(foreign)} (${foreign})`,
        {
          hint: 'Read it with an atlas, or with "fallback": { "reader": "tesseract" }.',
        },
      );
    const constraint = constraintOf(options);
    return new GeneralReader(options, constraint, await SharedRecognizer.open(languages));
  }

  /**
   * Reads crops of the region. They are batched where they are alike.
   *
   * @returns By crop: what is read; or the confidence that nothing is there.
   */
  async read(crops: readonly PreparedCrop[]): Promise<readonly (GeneralReading | { readonly absent: number })[]> {
    const lines = await Promise.all(crops.map((crop) => (this.#options.find ? this.#findLines(crop) : [crop])));
    const items = lines.flat();
    const whole = await this.#recognizer.lines.recognize(items);
    const steps = whole.map((line, i) => this.#partOf(line, items[i]!));
    const readings = await this.#confirm(
      items,
      steps.map((line) => this.#readLine(line)),
    );
    let next = 0;
    return lines.map((found) => {
      const [from, end] = [next, (next += found.length)];
      const own = steps.slice(from, end);
      const read = readings.slice(from, end).flatMap((reading) => reading ?? []);
      if (read.length === 0) return { absent: Math.min(1, ...own.map(emptiness)) };
      const text = read.map((one) => one.text).join(' ');
      return { text: this.#valueOf(text), confidence: Math.min(...read.map(({ confidence }) => confidence)) };
    });
  }

  /**
   * Reads unsure lines without the space that is free for another character: the network reads single figures better without it. What
   * both say counts with the higher confidence.
   */
  async #confirm(
    crops: readonly Crop[],
    readings: readonly (TextReading | undefined)[],
  ): Promise<readonly (TextReading | undefined)[]> {
    const { align } = this.#options;
    if (align === undefined) return readings;
    const unsure = readings.flatMap((reading, n) => {
      const { width, height } = crops[n]!;
      const space = Math.round(FREE_SPACE * height);
      return reading && reading.confidence < CERTAIN && width - space >= space
        ? [{ n, rect: { x: freeLeft(align, space), y: 0, width: width - space, height } }]
        : [];
    });
    const steps = await this.#recognizer.lines.recognize(unsure.map(({ n, rect }) => cutCrop(crops[n]!, rect)));
    const confirmed = [...readings];
    for (const [i, { n }] of unsure.entries()) {
      const other = this.#readLine(steps[i]!);
      const { text, confidence } = readings[n]!;
      if (other && other.confidence > confidence && this.#valueOf(other.text) === this.#valueOf(text))
        confirmed[n] = other;
    }
    return confirmed;
  }

  /** The part of a row that is read; the line itself where it is no row. */
  #partOf(line: LineSteps, { width, height }: Crop): LineSteps {
    const { row } = this.#options;
    if (!row) return line;
    const parts = findParts(line);
    const start = findRow(parts, row.parts);
    if (start === undefined) return { blank: line.blank, candidates: line.candidates.map(() => []) };
    return cutPart(line, parts.slice(start, start + row.parts.length), row.part, width / height);
  }

  #readLine(line: LineSteps): TextReading | undefined {
    const { pattern, charset, texts } = this.#options;
    if (pattern === undefined && charset === undefined && texts === undefined) return readText(line);
    const hasGroup = this.#pattern !== undefined && this.#pattern.groups > 0;
    return readLine(line, this.#constraint, hasGroup ? (text) => this.#valueOf(text).replaceAll(' ', '') : undefined);
  }

  /** What counts of a text: the first group of the pattern, if it has one. */
  #valueOf(text: string): string {
    return this.#pattern && this.#pattern.groups > 0 ? (this.#pattern.exec(text)?.[1] ?? text) : text;
  }

  /** The lines in a crop, from top to bottom. */
  async #findLines(crop: PreparedCrop): Promise<readonly Crop[]> {
    const { width, height } = crop;
    const key = `${width} ${height}`;
    let finder = this.#finders.get(key);
    if (!finder) {
      if (this.#finders.size >= MAX_FINDERS) this.#closeFinders();
      this.#finders.set(key, (finder = TextFinder.open({ width, height })));
    }
    const boxes = await (await finder).find(crop);
    return boxes.map((box) => {
      const [x, y] = [Math.floor(box.x), Math.floor(box.y)];
      const right = Math.min(width, Math.ceil(box.x + box.width));
      const bottom = Math.min(height, Math.ceil(box.y + box.height));
      return cutCrop(crop, { x, y, width: right - x, height: bottom - y });
    });
  }

  #closeFinders(): void {
    for (const finder of this.#finders.values()) void finder.then((one) => one[Symbol.dispose]()).catch(() => {});
    this.#finders.clear();
  }

  [Symbol.dispose](): void {
    this.#recognizer[Symbol.dispose]();
    this.#closeFinders();
  }
}

/** A recogniser that all readers of the same scripts use, so that what one of them saw need not be read again for another. */
class SharedRecognizer implements Disposable {
  static readonly #open = new Map<string, { readonly shared: Promise<SharedRecognizer>; users: number }>();
  readonly lines: RecentLines;
  readonly #recognizer: TextRecognizer;
  readonly #scripts: string;

  private constructor(recognizer: TextRecognizer, scripts: string) {
    this.#recognizer = recognizer;
    this.#scripts = scripts;
    this.lines = new RecentLines(recognizer);
  }

  static async open(languages: readonly string[]): Promise<SharedRecognizer> {
    const scripts = [...new Set(getScripts(languages))].toSorted().join(' ');
    let entry = SharedRecognizer.#open.get(scripts);
    if (!entry) {
      const shared = TextRecognizer.open({ allows: charactersOf(languages) }).then(
        (recognizer) => new SharedRecognizer(recognizer, scripts),
      );
      SharedRecognizer.#open.set(scripts, (entry = { shared, users: 0 }));
    }
    entry.users++;
    return await entry.shared.catch((error: unknown) => {
      SharedRecognizer.#open.delete(scripts);
      throw error;
    });
  }

  /** Is called once by each reader. */
  [Symbol.dispose](): void {
    const entry = SharedRecognizer.#open.get(this.#scripts);
    if (!entry || --entry.users > 0) return;
    SharedRecognizer.#open.delete(this.#scripts);
    this.#recognizer[Symbol.dispose]();
  }
}

/** Pixels of a free space that are left of the text. */
function freeLeft(align: 'left' | 'right' | 'centre', space: number): number {
  return align === 'left' ? 0 : align === 'right' ? space : Math.round(space / 2);
}

/** The networks as a requirement of readings. */
export async function generalReaderRequirements(): Promise<readonly Requirement[]> {
  return [{ name: 'PP-OCRv4', hash: (await loadTextModels()).hash }];
}

function constraintOf({ charset, pattern, texts }: GeneralReaderOptions): Constraint {
  const all: Constraint[] = [];
  if (charset !== undefined) all.push(anyText((char) => charset.includes(char)));
  try {
    if (pattern !== undefined) all.push(patternConstraint(pattern));
    if (texts !== undefined) all.push(textsConstraint(texts));
  } catch (error) {
    throw new PlaybyplayError('bad-pattern', `the general reader cannot use this: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return all.length === 0 ? anyText() : all.reduce(bothConstraints);
}
