import { normalizeText } from '../../language/text.ts';
import type { PreparedCrop } from '../kind.ts';
import type { LanguageData } from './language-data.ts';
import type { TesseractReader } from './tesseract.ts';
import type { FallbackOptions } from './options.ts';

/** Largest confidence of a reading: the recogniser's own is no probability, and high for misread pixel fonts, too. */
const MAX_CONFIDENCE = 0.85;

/** Reads unknown fonts with a recogniser that is loaded on first use. Results depend on the crop alone. */
export class Fallback implements Disposable {
  readonly #options: FallbackOptions;
  readonly #charset: string | undefined;
  #reader: Promise<TesseractReader> | undefined;

  readonly #data: () => readonly LanguageData[];
  readonly #languages: readonly string[];

  /** @param data Finds the recogniser's language data; called with the first crop. */
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

  /** Reads a prepared crop; undefined where nothing could be read. */
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
    return line === '' || confidence < reject ? undefined : { text: line, confidence: MAX_CONFIDENCE * confidence };
  }

  /** Ends the recogniser after its pending reads. */
  [Symbol.dispose](): void {
    const reader = this.#reader;
    this.#reader = undefined;
    void reader?.then((one) => one[Symbol.asyncDispose]()).catch(() => {});
  }
}
