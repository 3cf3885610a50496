import { digits, type Finder, type Happening, medianOf, type Step } from './series.ts';

/** Samples before and after a cut that it is compared with. */
const BEFORE = 6;
const AFTER = 2;
/** Grey levels by which two scenes differ at least, and how many times as much as samples around them do. */
const CHANGE = 6;
const TIMES = 1.7;
/** How many times as much as the samples next to it: a fast turn lasts for several. */
const ABOVE = 1.2;
/** Grey levels by which samples of a game that moves differ at least. */
const MOVING = 4;

/**
 * Another scene from one sample to the next: nearly all structure is new, and the picture changes much more than in the samples
 * around. A fast turn loses structure, too, but over several samples.
 */
export class CutFinder implements Finder {
  readonly #least: number;
  #window: Step[] = [];
  /** Samples of the window that have been judged. */
  #judged = 0;

  constructor(least: number) {
    this.#least = least;
  }

  push(step: Step): Happening[] {
    this.#window.push(step);
    const found: Happening[] = [];
    while (this.#judged + AFTER < this.#window.length) found.push(...this.#judge());
    return found;
  }

  end(): Happening[] {
    const found: Happening[] = [];
    while (this.#judged < this.#window.length) found.push(...this.#judge());
    this.#window = [];
    this.#judged = 0;
    return found;
  }

  since(): number | undefined {
    return this.#window.slice(this.#judged).find((step) => this.#isCandidate(step))?.t;
  }

  #isCandidate({ lost, change }: Step): boolean {
    return lost >= this.#least && change >= CHANGE;
  }

  #judge(): Happening[] {
    const at = this.#judged++;
    const step = this.#window[at]!;
    const before = this.#window.slice(Math.max(0, at - BEFORE), at);
    const after = this.#window.slice(at + 1, at + 1 + AFTER);
    if (at > BEFORE) {
      this.#window.shift();
      this.#judged--;
    }
    if (!this.#isCandidate(step)) return [];
    const usual = Math.max(MOVING, medianOf([...before, ...after].map(({ change }) => change)));
    const times = step.change / usual;
    const near = [...before.slice(-AFTER), ...after];
    if (times < TIMES || near.some(({ change }) => change * ABOVE >= step.change)) return [];
    const confidence = Math.max(0, 1 - 0.5 * (TIMES / times) ** 2 - 0.5 * (1 - step.lost));
    const detail = { lost: digits(step.lost), usual: digits(usual), change: digits(step.change) };
    return [{ t: step.t, value: 'cut', confidence, detail }];
  }
}
