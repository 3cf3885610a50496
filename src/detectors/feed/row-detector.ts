import { RowReader } from '../../recognition/row-reader.ts';
import { charactersOf, TextRecognizer } from '../../recognition/text-recognizer.ts';
import type { Crop } from '../../regions/crop.ts';
import type { Deferred, Detector, Observation, View } from '../kind.ts';
import { describeIconShape, type IconShape, correlateShapes } from '../../recognition/row-icon.ts';
import { type FeedRow, PART_SEPARATOR, type RowDetail } from './row-tracker.ts';

/** Crops that are read at a time. */
const BATCH_SIZE = 8;

/** A named icon. */
export interface NamedShape {
  readonly name: string;
  readonly shape: IconShape;
}

/** Likeness from which an icon is a known one, and by how much the next one must be less alike. */
const MIN_LIKENESS = 0.7;
const MIN_LEAD = 0.05;

/** Reads the rows of a feed in a smooth font that nobody has taught. */
export class RowDetector implements Detector {
  readonly together = BATCH_SIZE;
  readonly #recognizer: TextRecognizer;
  readonly #reader: RowReader;

  readonly #icons: readonly NamedShape[];

  private constructor(recognizer: TextRecognizer, isSplit: boolean, icons: readonly NamedShape[]) {
    this.#recognizer = recognizer;
    this.#icons = icons;
    this.#reader = new RowReader(recognizer, isSplit);
  }

  /**
   * @param isSplit Whether texts on either side of an icon are parts of their own.
   * @param languages Of the texts, as BCP 47 tags.
   * @param icons Icons that may lie between two texts.
   */
  static async open(
    isSplit: boolean,
    languages: readonly string[],
    icons: readonly NamedShape[] = [],
  ): Promise<RowDetector> {
    return new RowDetector(await TextRecognizer.open({ allows: charactersOf(languages) }), isSplit, icons);
  }

  async read(view: View): Promise<Observation> {
    const crop = await view.prepared();
    return crop.width === 0 || crop.height === 0 ? OUTSIDE : (await this.#readAll([crop]))[0]!;
  }

  async defer(view: View): Promise<Deferred | Observation> {
    const crop = await view.prepared();
    if (crop.width === 0 || crop.height === 0) return OUTSIDE;
    // A copy: the crop's buffer is shared with other detectors.
    return { deferred: { ...crop, data: Uint8Array.from(crop.data) } };
  }

  async settleAll(deferred: readonly Deferred[]): Promise<readonly Observation[]> {
    return await this.#readAll(deferred.map((one) => one.deferred as Crop));
  }

  async #readAll(crops: readonly Crop[]): Promise<readonly Observation[]> {
    return (await this.#reader.read(crops)).map((rows): Observation => {
      if (rows.length === 0) return { state: 'absent', confidence: 0.95 };
      const value = rows.map(({ parts }) => parts.map(({ text }) => text).join(PART_SEPARATOR)).join('\n');
      const confidence = Math.min(...rows.flatMap(({ parts }) => parts.map((part) => part.confidence)));
      const detail: RowDetail = {
        rows: rows.map(({ rect, parts, gap }): FeedRow => {
          const icon = gap && this.#nameOf(gap);
          return { rect, parts, ...(icon === undefined ? {} : { icon }) };
        }),
      };
      return { state: 'seen', value, confidence, detail };
    });
  }

  /** The name of the icon in a gap between two texts. */
  #nameOf(gap: Crop): string | undefined {
    const shape = this.#icons.length === 0 ? undefined : describeIconShape(gap);
    if (!shape) return undefined;
    const ranked = this.#icons
      .map((icon) => ({ name: icon.name, likeness: correlateShapes(shape, icon.shape) }))
      .toSorted((a, b) => b.likeness - a.likeness);
    const [best] = ranked;
    const next = ranked.find(({ name }) => name !== best!.name);
    return best!.likeness >= MIN_LIKENESS && best!.likeness - (next?.likeness ?? -1) >= MIN_LEAD
      ? best!.name
      : undefined;
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
    this.#recognizer[Symbol.dispose]();
  }
}

const OUTSIDE: Observation = { state: 'unreadable', confidence: 1 };
