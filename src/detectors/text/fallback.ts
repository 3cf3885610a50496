import { normalizeText } from '../../language/text.ts';
import type { PreparedCrop } from '../kind.ts';
import { GeneralReader } from './general-reader.ts';
import type { LanguageData } from './language-data.ts';
import type { TesseractReader } from './tesseract.ts';
import type { FallbackOptions } from './options.ts';

/** Largest confidence of a reading: the recogniser's own is no probability, and high for misread pixel fonts, too. */
const MAX_CONFIDENCE = 0.85;

/** What the text can be, for the recognisers that can use it. */
export interface ExpectedText {
  readonly charset?: string | undefined;
  readonly pattern?: string | undefined;
}

/** Reads unknown fonts with a recogniser that is loaded on first use. Results depend on the crop alone. */
export class Fallback implements Disposable {
  readonly #options: FallbackOptions;
  readonly #expected: ExpectedText;
  #tesseract: Promise<TesseractReader> | undefined;
  #general: Promise<GeneralReader> | undefined;

  readonly #data: () => readonly LanguageData[];
  readonly #languages: readonly string[];

  /** @param data Finds the recogniser's language data; called with the first crop. */
  constructor(
    options: FallbackOptions,
    expected: ExpectedText,
    data: () => readonly LanguageData[],
    languages: readonly string[],
  ) {
    this.#options = options;
    this.#expected = expected;
    this.#data = data;
    this.#languages = languages;
  }

  /** Reads a prepared crop; undefined where nothing could be read. */
  async read(crop: PreparedCrop): Promise<{ text: string; confidence: number } | undefined> {
    const { reader, whitelist = this.#expected.charset, layout, reject = 0.6 } = this.#options;
    if (reader === 'general') {
      const { pattern } = this.#expected;
      this.#general ??= GeneralReader.open({ languages: this.#languages, charset: whitelist, pattern });
      const [read] = await (await this.#general).read([crop]);
      return read && 'text' in read && read.confidence >= reject ? read : undefined;
    }
    this.#tesseract ??= import('./tesseract.ts').then(
      ({ TesseractReader: Reader }) =>
        new Reader({
          languages: this.#data(),
          ...(whitelist === undefined ? {} : { whitelist }),
          ...(layout === undefined ? {} : { layout }),
        }),
    );
    const { text, confidence } = await (await this.#tesseract).read(crop);
    const line = this.#languages.length === 0 ? text.trim() : normalizeText(text, this.#languages);
    return line === '' || confidence < reject ? undefined : { text: line, confidence: MAX_CONFIDENCE * confidence };
  }

  /** Ends the recognisers after their pending reads. */
  [Symbol.dispose](): void {
    void this.#tesseract?.then((one) => one[Symbol.asyncDispose]()).catch(() => {});
    void this.#general?.then((one) => one[Symbol.dispose]()).catch(() => {});
    this.#tesseract = undefined;
    this.#general = undefined;
  }
}
