import { digits, type Finder, type Happening, medianOf, type Step } from './series.ts';

/** Samples before and after a cut that it is compared with. */
const BEFORE = 6;
const AFTER = 2;
/** Grey levels by which two scenes differ at least. */
const DIFFERENCE = 6;

/**
 * Another scene from one sample to the next: nearly all structure is new, and much more of it than in the samples around. A
 * fast turn loses structure, too, but over several samples.
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

  #isCandidate({ lost, difference }: Step): boolean {
    return lost >= this.#least && difference >= DIFFERENCE;
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
    const around = [medianOf(before.map(({ lost }) => lost)), medianOf(after.map(({ lost }) => lost))];
    const usual = Math.max(...around);
    const greatest = [...before.slice(-AFTER), ...after].every(({ lost }) => lost < step.lost);
    if (!greatest) return [];
    const confidence = Math.max(0, Math.min(1, step.lost - 0.8 * usual));
    const detail = { lost: digits(step.lost), usual: digits(usual), difference: digits(step.difference) };
    return [{ t: step.t, value: 'cut', confidence, detail }];
  }
}
