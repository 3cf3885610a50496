import { toLanguageTags } from '../../language/tags.ts';
import { SLOT } from '../../recognition/constraint.ts';
import type { Assets, Deferred, Detector, Observation, PreparedCrop, View } from '../kind.ts';
import { GeneralReader, type GeneralReading } from './general-reader.ts';
import { parsePhrases } from './lexicon.ts';
import type { TextOptions } from './options.ts';
import { readText } from './read-text.ts';
import { parseValue, textPattern } from './value.ts';

/** Crops that are read at a time. */
const BATCH_SIZE = 16;
/** Confidence below which readings are unreadable, if the profile does not say. */
const MIN_CONFIDENCE = 0.3;
/** Probability of an empty line from which nothing is there. */
const MIN_EMPTINESS = 0.5;

/** A `text` detector with the general reader. */
export class GeneralTextDetector implements Detector {
  readonly together = BATCH_SIZE;
  readonly #reader: GeneralReader;
  readonly #options: TextOptions;
  readonly #languages: readonly string[];
  readonly #plausible: ReturnType<typeof textPattern>;

  private constructor(reader: GeneralReader, options: TextOptions, languages: readonly string[]) {
    this.#reader = reader;
    this.#options = options;
    this.#languages = languages;
    this.#plausible = textPattern(options);
  }

  static async open(options: TextOptions, assets: Assets): Promise<GeneralTextDetector> {
    const languages = toLanguageTags(options.language);
    const { charset, pattern, find, row, align, lexicon } = options;
    const texts = lexicon === undefined ? undefined : textsOf(await readText(assets, lexicon), lexicon);
    return new GeneralTextDetector(
      await GeneralReader.open({ languages, charset, pattern, find, row, align, texts }),
      options,
      languages,
    );
  }

  async read(view: View): Promise<Observation> {
    const [read] = await this.#reader.read([await view.prepared()]);
    return this.#observe(read!);
  }

  async defer(view: View): Promise<Deferred | Observation> {
    const crop = await view.prepared();
    if (crop.width === 0 || crop.height === 0) return { state: 'unreadable', confidence: 1 };
    // A copy: the crop's buffer is shared with other detectors.
    return { deferred: { ...crop, data: Uint8Array.from(crop.data) } };
  }

  async settleAll(deferred: readonly Deferred[]): Promise<readonly Observation[]> {
    const read = await this.#reader.read(deferred.map((one) => one.deferred as PreparedCrop));
    return read.map((one) => this.#observe(one));
  }

  #observe(read: GeneralReading | { readonly absent: number }): Observation {
    if ('absent' in read) {
      const state = read.absent >= MIN_EMPTINESS ? 'absent' : 'unreadable';
      return { state, confidence: read.absent };
    }
    const { text, confidence } = read;
    const { reject = MIN_CONFIDENCE, value = 'text' } = this.#options;
    if (confidence < reject) return { state: 'unreadable', confidence, detail: text };
    return parseValue(text, confidence, value, this.#languages, text.includes(':'), this.#plausible);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }
}

/** The texts of a lexicon file: phrases with slots, or one text a line. */
function textsOf(content: string, name: string): readonly string[] {
  const text = content.replace(/^\uFEFF/, '');
  if (!/^\s*\{/.test(text)) return text.split(/\r?\n/).filter((line) => line !== '');
  return parsePhrases(text, name).wordings.map(({ pieces }) =>
    pieces.map((piece) => ('literal' in piece ? piece.literal : SLOT)).join(''),
  );
}
