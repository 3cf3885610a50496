import type { Observation, PreparedCrop } from '../kind.ts';
import type { TesseractOptions, TesseractReader } from './tesseract.ts';

/** How text is read that no glyph of the atlas fits, or that has no atlas. */
export interface FallbackOptions {
  readonly reader: 'tesseract';
  /** Characters that can occur; default the detector's `charset`, else all. */
  readonly whitelist?: string;
  /** What the region holds; default one `line`. */
  readonly layout?: NonNullable<TesseractOptions['layout']>;
  /** The recogniser's own confidence from which on a reading counts; default 0.6. */
  readonly reject?: number;
}

/** The recogniser's confidence is no probability: it is sure of misread pixel fonts too, so it never counts for more than this. */
const MOST = 0.85;

/** The recogniser of unknown fonts, loaded when it is first asked. What it answers depends on the crop alone. */
export class Fallback implements Disposable {
  readonly #options: FallbackOptions;
  readonly #charset: string | undefined;
  #reader: Promise<TesseractReader> | undefined;

  constructor(options: FallbackOptions, charset: string | undefined) {
    this.#options = options;
    this.#charset = charset;
  }

  /** Reads a prepared crop: the text and how much it counts; undefined where nothing could be read. */
  async read(crop: PreparedCrop): Promise<{ text: string; confidence: number } | undefined> {
    const { whitelist = this.#charset, layout, reject = 0.6 } = this.#options;
    this.#reader ??= import('./tesseract.ts').then(
      ({ TesseractReader: Reader }) =>
        new Reader({ ...(whitelist === undefined ? {} : { whitelist }), ...(layout === undefined ? {} : { layout }) }),
    );
    const { text, confidence } = await (await this.#reader).read(crop);
    const line = text.trim();
    return line === '' || confidence < reject ? undefined : { text: line, confidence: MOST * confidence };
  }

  /** Ends the recogniser once it has answered what it was asked. */
  [Symbol.dispose](): void {
    const reader = this.#reader;
    this.#reader = undefined;
    void reader?.then((one) => one[Symbol.asyncDispose]()).catch(() => {});
  }
}

/** An observation as the value kind wants it: the text itself, or the number that it is. */
export function valueOf(text: string, confidence: number, value: 'text' | 'number'): Observation {
  if (value === 'text') return { state: 'seen', value: text, confidence };
  const number = Number(text);
  if (text === '' || text.includes(' ') || !Number.isFinite(number))
    return { state: 'unreadable', confidence, detail: text };
  return { state: 'seen', value: number, confidence };
}
