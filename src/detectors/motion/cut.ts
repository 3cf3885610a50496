import { BLOCKS } from './flow.ts';
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
/** Heights a second from which the samples next to one make it a part of their turn, if they go the same way. */
const TURNING = 4;

/** Grey levels by which a sample differs at least that tells what stands still before the scene. */
const STIRRED = 3;
/** Of how many such samples, and of how large a share of them, a block must be at its place to belong to the overlay. */
const KNOWN = 10;
const REMEMBERED = 60;
const STANDS = 0.8;
/** Blocks that the scene must have besides. */
const SCENE = 6;

/**
 * What stands before the scene, whatever moves in it: figures, names, the weapon in hand. It is found again behind every cut, and
 * would make each of them look like half a cut.
 */
class Overlay {
  /** By block: how it was lately, latest last; 1: at its place. */
  readonly #past = new Map<number, (0 | 1)[]>();

  /** Share of the scene's structure that is lost, where there is enough of it besides the overlay. */
  lostOf({ blocks = '', lost }: Step): number {
    let [scene, gone] = [0, 0];
    for (let i = 0; i < blocks.length; i++) {
      if (blocks[i] === BLOCKS.plain || this.#stands(i)) continue;
      scene++;
      if (blocks[i] === BLOCKS.lost) gone++;
    }
    return scene < SCENE ? lost : gone / scene;
  }

  learn({ blocks = '', change }: Step): void {
    if (change < STIRRED) return;
    for (let i = 0; i < blocks.length; i++) {
      if (blocks[i] === BLOCKS.plain) continue;
      const past = this.#past.get(i) ?? [];
      past.push(blocks[i] === BLOCKS.still ? 1 : 0);
      if (past.length > REMEMBERED) past.shift();
      this.#past.set(i, past);
    }
  }

  #stands(block: number): boolean {
    const past = this.#past.get(block) ?? [];
    const still = past.reduce((sum: number, one) => sum + one, 0);
    return past.length >= KNOWN && still >= STANDS * past.length;
  }
}

/**
 * Another scene from one sample to the next: nearly all structure is new, and the picture changes much more than in the samples
 * around. A fast turn loses structure, too, but over several samples that go the same way. What stands before the scene is left out.
 */
export class CutFinder implements Finder {
  readonly #least: number;
  readonly #overlay = new Overlay();
  #window: Step[] = [];
  /** Samples of the window that have been judged. */
  #judged = 0;

  constructor(least: number) {
    this.#least = least;
  }

  push(step: Step): Happening[] {
    this.#window.push({ ...step, lost: this.#overlay.lostOf(step) });
    this.#overlay.learn(step);
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
    if ([before.at(-1), after[0]].some((next) => next && turns(next, step))) return [];
    const confidence = Math.max(0, 1 - 0.5 * (TIMES / times) ** 2 - 0.5 * (1 - step.lost));
    const detail = { lost: digits(step.lost), usual: digits(usual), change: digits(step.change) };
    return [{ t: step.t, value: 'cut', confidence, detail }];
  }
}

/** Whether both go fast, the same way, and the first is still known to show the same scene. */
function turns(next: Step, step: Step): boolean {
  const [x, y] = [step.x ?? 0, step.y ?? 0];
  const [nextX, nextY] = [next.x ?? 0, next.y ?? 0];
  const [fast, nextFast] = [Math.hypot(x, y), Math.hypot(nextX, nextY)];
  if (Math.min(fast, nextFast) < TURNING || next.lost > 0.85) return false;
  return x * nextX + y * nextY > 0.5 * fast * nextFast;
}
