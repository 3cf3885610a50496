import type { Crop } from '../regions/crop.ts';
import type { LineSteps } from './decode.ts';
import type { TextRecognizer } from './text-recognizer.ts';

/** Pictures that are remembered: those of a batch or two. */
const MAX_LINES = 48;

/**
 * What a recogniser saw in pictures lately: detectors that read parts of one region each want the same of it, and the network runs once.
 */
export class RecentLines {
  readonly #recognizer: TextRecognizer;
  readonly #lines: { readonly crop: Crop; readonly line: Promise<LineSteps> }[] = [];

  constructor(recognizer: TextRecognizer) {
    this.#recognizer = recognizer;
  }

  /** As `TextRecognizer.recognize`. */
  async recognize(crops: readonly Crop[]): Promise<readonly LineSteps[]> {
    const known = crops.map((crop) => this.#lines.find((one) => isSame(one.crop, crop))?.line);
    const unknown = crops.filter((_, i) => !known[i]);
    const read = this.#recognizer.recognize(unknown);
    let next = 0;
    const lines = crops.map((crop, i) => {
      if (known[i]) return known[i];
      const at = next++;
      const line = read.then((all) => all[at]!);
      // The buffer of a crop may be used again.
      this.#lines.push({ crop: { ...crop, data: Uint8Array.from(crop.data) }, line });
      return line;
    });
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
    return await Promise.all(lines);
  }
}

function isSame(a: Crop, b: Crop): boolean {
  return (
    a.width === b.width && a.height === b.height && a.channels === b.channels && Buffer.compare(a.data, b.data) === 0
  );
}
