import { normalizeText } from '../../language/text.ts';
import type { PreparedCrop } from '../kind.ts';
import type { LanguageData } from './language-data.ts';
import type { TesseractReader } from './tesseract.ts';
import type { FallbackOptions } from './options.ts';

/** The recogniser's confidence is no probability: it is sure of misread pixel fonts too, so it never counts for more than this. */
const MOST = 0.85;

/** The recogniser of unknown fonts, loaded when it is first asked. What it answers depends on the crop alone. */
export class Fallback implements Disposable {
  readonly #options: FallbackOptions;
  readonly #charset: string | undefined;
  #reader: Promise<TesseractReader> | undefined;

  readonly #data: () => readonly LanguageData[];
  readonly #languages: readonly string[];

  /** `data` finds what the recogniser needs for the languages; it is asked with the first crop. */
  constructor(
    options: FallbackOptions,
    charset: string | undefined,
    data: () => readonly LanguageData[],
    languages: readonly string[],
  ) {
    this.#options = options;
    this.#charset = charset;
    this.#data = data;
    this.#languages = languages;
  }

  /** Reads a prepared crop: the text and how much it counts; undefined where nothing could be read. */
  async read(crop: PreparedCrop): Promise<{ text: string; confidence: number } | undefined> {
    const { whitelist = this.#charset, layout, reject = 0.6 } = this.#options;
    this.#reader ??= import('./tesseract.ts').then(
      ({ TesseractReader: Reader }) =>
        new Reader({
          languages: this.#data(),
          ...(whitelist === undefined ? {} : { whitelist }),
          ...(layout === undefined ? {} : { layout }),
        }),
    );
    const { text, confidence } = await (await this.#reader).read(crop);
    const line = this.#languages.length === 0 ? text.trim() : normalizeText(text, this.#languages);
    return line === '' || confidence < reject ? undefined : { text: line, confidence: MOST * confidence };
  }

  /** Ends the recogniser once it has answered what it was asked. */
  [Symbol.dispose](): void {
    const reader = this.#reader;
    this.#reader = undefined;
    void reader?.then((one) => one[Symbol.asyncDispose]()).catch(() => {});
  }
}
