import { RowReader } from '../../recognition/row-reader.ts';
import { charactersOf, TextRecognizer } from '../../recognition/text-recognizer.ts';
import type { Crop } from '../../regions/crop.ts';
import type { Deferred, Detector, Observation, View } from '../kind.ts';
import { PART_SEPARATOR, type RowDetail } from './row-tracker.ts';

/** Crops that are read at a time. */
const BATCH_SIZE = 8;

/** Reads the rows of a feed in a smooth font that nobody has taught. */
export class RowDetector implements Detector {
  readonly together = BATCH_SIZE;
  readonly #recognizer: TextRecognizer;
  readonly #reader: RowReader;

  private constructor(recognizer: TextRecognizer, isSplit: boolean) {
    this.#recognizer = recognizer;
    this.#reader = new RowReader(recognizer, isSplit);
  }

  /**
   * @param isSplit Whether texts on either side of an icon are parts of their own.
   * @param languages Of the texts, as BCP 47 tags.
   */
  static async open(isSplit: boolean, languages: readonly string[]): Promise<RowDetector> {
    return new RowDetector(await TextRecognizer.open({ allows: charactersOf(languages) }), isSplit);
  }

  async read(view: View): Promise<Observation> {
    const crop = await view.prepared();
    return crop.width === 0 || crop.height === 0 ? OUTSIDE : (await this.#readAll([crop]))[0]!;
  }

  async defer(view: View): Promise<Deferred | Observation> {
    const crop = await view.prepared();
    if (crop.width === 0 || crop.height === 0) return OUTSIDE;
    // A copy: the crop's buffer is shared with other detectors.
    const data = Uint8Array.from(crop.data);
    return { deferred: { ...crop, data }, memory: [data.buffer] };
  }

  async settle(deferred: Deferred): Promise<Observation> {
    return (await this.settleAll([deferred]))[0]!;
  }

  async settleAll(deferred: readonly Deferred[]): Promise<readonly Observation[]> {
    return await this.#readAll(deferred.map((one) => one.deferred as Crop));
  }

  async #readAll(crops: readonly Crop[]): Promise<readonly Observation[]> {
    return (await this.#reader.read(crops)).map((rows): Observation => {
      if (rows.length === 0) return { state: 'absent', confidence: 0.95 };
      const value = rows.map(({ parts }) => parts.map(({ text }) => text).join(PART_SEPARATOR)).join('\n');
      const confidence = Math.min(...rows.flatMap(({ parts }) => parts.map((part) => part.confidence)));
      return { state: 'seen', value, confidence, detail: { rows } satisfies RowDetail };
    });
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
    this.#recognizer[Symbol.dispose]();
  }
}

const OUTSIDE: Observation = { state: 'unreadable', confidence: 1 };
