/**
 * What is read of all places, as the sum of `inputWidth`: some 80 s on one core. A screen full of text that changes, such as a console,
 * would take minutes.
 */
const MAX_READ_WIDTH = 2_500_000;
/** Share of it that may be spent ahead of time. */
const SPENT_AHEAD = 0.1;

/** Bounds what is read: where too much changes, places that cost more than others are read less often. */
export class ReadBudget {
  readonly #spent: number[];
  #all = 0;

  constructor(places: number) {
    this.#spent = Array.from({ length: places }, () => 0);
  }

  /**
   * Whether a place may be read now.
   *
   * @param width What it costs.
   * @param share Of the work that is done, 0…1.
   */
  take(place: number, width: number, share: number): boolean {
    const isOver = this.#all > MAX_READ_WIDTH * (share + SPENT_AHEAD);
    if (isOver && this.#spent[place]! >= this.#all / this.#spent.length) return false;
    this.#spent[place]! += width;
    this.#all += width;
    return true;
  }
}

/** Reads in a row that surely say the same, after which every second sample of a place is read. */
const MIN_STEADY_READS = 6;
const MIN_STEADY_CONFIDENCE = 0.9;

/** Decides which samples of a place are read: not all where it says the same again and again, though the scene around it moves. */
export class SteadyReads {
  #text = '';
  #count = 0;
  #isSkipped = false;

  /** Takes what was read; undefined: nothing. */
  add(reading: { readonly text: string; readonly confidence: number } | undefined): void {
    const isSure = reading !== undefined && reading.confidence >= MIN_STEADY_CONFIDENCE;
    this.#count = isSure && (this.#count === 0 || reading.text === this.#text) ? this.#count + 1 : 0;
    this.#text = reading?.text ?? '';
  }

  /** Whether the next sample is read. */
  isDue(): boolean {
    this.#isSkipped = this.#count >= MIN_STEADY_READS && !this.#isSkipped;
    return !this.#isSkipped;
  }
}
