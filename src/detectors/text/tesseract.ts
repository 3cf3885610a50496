import type { Worker } from 'tesseract.js';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { TemporaryFolder } from '../../files/output.ts';
import type { PreparedCrop } from '../kind.ts';
import { type LanguageData, languageData } from './language-data.ts';
import { upperMedian } from '../../statistics.ts';

/** Options of a Tesseract reader. */
export interface TesseractOptions {
  /** Characters that can occur; default all. */
  readonly whitelist?: string;
  /** Language data; default English. */
  readonly languages?: readonly LanguageData[];
  /** What a crop holds; default one `line`. */
  readonly layout?: 'line' | 'word' | 'character' | 'block';
  /** Reads after which the worker, which leaks memory, is replaced; default 200. */
  readonly recycleAfter?: number;
  /** Pixels of background added around the crop, as letters at its edge are misread; default 10. */
  readonly margin?: number;
}

/** A reading. Confidences are 0…1; boxes are in pixels of the crop. */
export interface TesseractReading {
  readonly text: string;
  /** The recogniser's own mean over words; not a probability. */
  readonly confidence: number;
  readonly characters: readonly {
    readonly text: string;
    readonly confidence: number;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
}

/** Tesseract's page segmentation modes. */
const LAYOUTS = { line: '7', word: '8', character: '10', block: '6' } as const;

/** Least difference, in levels, between text and its background. */
const MIN_CONTRAST_LEVELS = 16;

/** The LSTM engine: the legacy one adapts to what it has read, so that results depend on the order of the crops. */
const LSTM_ONLY = 1;

/**
 * Recognises unknown text with Tesseract 5 (LSTM), offline, at about 90 ms a crop. Works best with dark text on light, capitals 20 to
 * 30 pixels high.
 *
 * The worker is loaded with the first read, reads one crop at a time in the order of the calls, and is replaced after
 * `recycleAfter` reads, which keeps memory flat. Results depend on the crop alone.
 */
export class TesseractReader implements AsyncDisposable {
  readonly #options: Required<TesseractOptions>;
  #worker: Promise<Worker> | undefined;
  #reads = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: TesseractOptions = {}) {
    const { languages = languageData(['en'], [], undefined) } = options;
    this.#options = { whitelist: '', layout: 'line', recycleAfter: 200, margin: 10, ...options, languages };
    if (!(this.#options.recycleAfter >= 1)) throw new RangeError('recycleAfter must be at least 1');
  }

  /** Number of reads by the current worker. */
  get reads(): number {
    return this.#reads;
  }

  /**
   * Reads a crop (grey or RGB).
   * @throws PlaybyplayError `recogniser-failed` when the recogniser cannot be loaded or breaks.
   */
  read(crop: PreparedCrop): Promise<TesseractReading> {
    const result = this.#queue.then(() => this.#read(crop));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #read(crop: PreparedCrop): Promise<TesseractReading> {
    // Tesseract finds letters in plain surfaces, too.
    if (isFlat(crop)) return { text: '', confidence: 0, characters: [] };
    try {
      if (this.#reads >= this.#options.recycleAfter) await this.#stop();
      this.#worker ??= start(this.#options);
      const worker = await this.#worker;
      this.#reads++;
      const { data } = await worker.recognize(
        encodePortableMap(crop, this.#options.margin),
        {},
        { text: true, blocks: true },
      );
      return readingOf(data, this.#options.margin);
    } catch (error) {
      await this.#stop().catch(() => {});
      throw new PlaybyplayError('recogniser-failed', `Tesseract could not read a crop: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#reads = 0;
    await (await worker)?.terminate();
  }

  /** Waits for pending reads, then ends the worker. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue;
    await this.#stop();
  }
}

async function start({ whitelist, layout, languages }: Required<TesseractOptions>): Promise<Worker> {
  const { createWorker } = await import('tesseract.js');
  await using collected = await collectLanguageData(languages);
  // With unusable data createWorker never settles.
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const starting = createWorker(languages.map(({ code }) => code).join('+'), LSTM_ONLY, {
    langPath: collected.path,
    // Nothing is read or written outside the package.
    cacheMethod: 'none',
    gzip: true,
    errorHandler: (error) => reject(new Error(messageOf(error))),
  });
  failed.catch(() => undefined);
  const worker = await Promise.race([starting, failed]);
  await worker.setParameters({
    tessedit_pageseg_mode: LAYOUTS[layout] as never,
    tessedit_char_whitelist: whitelist,
    user_defined_dpi: '150',
    // Earlier words must not influence later ones.
    tessedit_enable_doc_dict: '0',
    classify_enable_learning: '0',
  });
  return worker;
}

/** Returns one folder with the data of all languages, as Tesseract wants it; copies where the data is in several packages. */
async function collectLanguageData(
  languages: readonly LanguageData[],
): Promise<AsyncDisposable & { readonly path: string }> {
  const [first, ...more] = languages.map(({ folder }) => folder);
  if (first !== undefined && more.every((one) => one === first))
    return { path: first, [Symbol.asyncDispose]: async () => {} };
  const folder = await TemporaryFolder.create();
  for (const { code, load } of languages) await folder.write(`${code}.traineddata.gz`, await load());
  return folder;
}

/** Encodes a crop as a binary portable map (PGM or PPM), which Tesseract's image library reads directly. */
function encodePortableMap(crop: PreparedCrop, margin: number): Buffer {
  const { data, width, height, channels } = crop;
  const [outWidth, outHeight] = [width + 2 * margin, height + 2 * margin];
  const header = Buffer.from(`P${channels === 1 ? 5 : 6}\n${outWidth} ${outHeight}\n255\n`, 'latin1');
  // A border of another colour would be read as a letter.
  const background = Uint8Array.from({ length: channels }, (_, channel) => edgeLevel(crop, channel));
  const pixels = Buffer.alloc(outWidth * outHeight * channels, background);
  for (let y = 0; y < height; y++) {
    const row = data.subarray(y * width * channels, (y + 1) * width * channels);
    pixels.set(row, ((y + margin) * outWidth + margin) * channels);
  }
  return Buffer.concat([header, pixels]);
}

/** Whether nothing in the crop stands out by more than `MIN_CONTRAST_LEVELS`. */
function isFlat({ data }: PreparedCrop): boolean {
  let [least, most] = [255, 0];
  for (const level of data) {
    if (level < least) least = level;
    if (level > most) most = level;
  }
  return most - least < MIN_CONTRAST_LEVELS;
}

/** Returns the median level along the crop's edges. */
function edgeLevel({ data, width, height, channels }: PreparedCrop, channel: number): number {
  const levels: number[] = [];
  for (let x = 0; x < width; x++)
    levels.push(data[x * channels + channel]!, data[((height - 1) * width + x) * channels + channel]!);
  for (let y = 0; y < height; y++)
    levels.push(data[y * width * channels + channel]!, data[((y + 1) * width - 1) * channels + channel]!);
  return upperMedian(levels)!;
}

interface Page {
  readonly text: string | null;
  readonly confidence: number | null;
  readonly blocks: readonly Block[] | null;
}
interface Block {
  readonly paragraphs: readonly { readonly lines: readonly { readonly words: readonly Word[] }[] }[];
}
interface Word {
  readonly symbols: readonly {
    readonly text: string;
    readonly confidence: number;
    readonly bbox: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
  }[];
}

function readingOf({ text, confidence, blocks }: Page, margin: number): TesseractReading {
  const words = (blocks ?? []).flatMap((block) =>
    block.paragraphs.flatMap(({ lines }) => lines.flatMap((line) => line.words)),
  );
  return {
    text: (text ?? '').trimEnd(),
    confidence: (confidence ?? 0) / 100,
    characters: words.flatMap(({ symbols }) =>
      symbols.map(({ text: character, confidence: sure, bbox }) => ({
        text: character,
        confidence: sure / 100,
        x: bbox.x0 - margin,
        y: bbox.y0 - margin,
        width: bbox.x1 - bbox.x0,
        height: bbox.y1 - bbox.y0,
      })),
    ),
  };
}
