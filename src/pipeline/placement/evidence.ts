/** How sure a sighting of an element must be to count. */
export const MIN_ELEMENT_CONFIDENCE = 0.7;

/** What was seen of a profile's elements on some pictures at one placement. */
export interface Evidence {
  /** Pictures looked at, and those that show at least two elements (one, where the profile has no more). */
  readonly pictures: number;
  readonly showing: number;
  /** In how many pictures each element was seen surely. */
  readonly elements: Readonly<Record<string, number>>;
  /** 0…1: that the profile fits. */
  readonly confidence: number;
}

/** Adds up what pictures show. */
export class EvidenceCounter {
  readonly #names: readonly string[];
  readonly #seen: number[];
  #sum = 0;
  pictures = 0;
  showing = 0;
  strong = 0;

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#seen = names.map(() => 0);
  }

  add(seen: Float64Array): void {
    let strong = 0;
    for (const [i, confidence] of seen.entries()) {
      if (confidence < MIN_ELEMENT_CONFIDENCE) continue;
      strong++;
      this.#seen[i]!++;
      this.#sum += confidence;
    }
    this.pictures++;
    this.strong += strong;
    if (strong >= Math.min(2, this.#names.length)) this.showing++;
  }

  /** One picture with two elements is no accident; a lone element has to be seen in three. */
  get fits(): boolean {
    return this.#names.length > 1 ? this.showing >= 1 : this.strong >= 3;
  }

  get evidence(): Evidence {
    const elements = Object.fromEntries(
      this.#names.map((name, i) => [name, this.#seen[i]!]).filter(([, n]) => n !== 0),
    );
    const confidence =
      this.strong === 0 ? 0 : (this.#sum / this.strong) * (1 - 0.5 ** (this.showing + this.strong / 4));
    const { pictures, showing } = this;
    return { pictures, showing, elements, confidence: this.fits ? Math.round(confidence * 1000) / 1000 : 0 };
  }
}
