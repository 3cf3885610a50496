import { BLOCKS } from './block-motion.ts';
import { roundDigits, type PatternFinder, type PatternMatch, medianOrZero, type MotionSample } from './patterns.ts';

/** Samples before and after a cut that it is compared with. */
const SAMPLES_BEFORE = 6;
const SAMPLES_AFTER = 2;
/** Minimum change, in grey levels, at a cut. */
const MIN_CHANGE = 6;
/** Minimum ratio of the change at a cut to the usual change around it. */
const MIN_CHANGE_RATIO = 1.7;
/** Minimum ratio to the change of each adjacent sample: a fast turn of the camera lasts for several samples. */
const MIN_ADJACENT_RATIO = 1.2;
/** Lower bound of the usual change, in grey levels. */
const MIN_USUAL_CHANGE = 4;
/** Speed, in heights per second, from which two samples in the same direction are a turn of the camera. */
const MIN_TURN_SPEED = 4;

/** Change, in grey levels, from which a sample distinguishes the overlay from the scene. */
const MIN_OVERLAY_CHANGE = 3;
/** Number of such samples from which a block can belong to the overlay, and how many are remembered. */
const MIN_OVERLAY_SAMPLES = 10;
const MAX_OVERLAY_SAMPLES = 60;
/** Minimum share of the samples in which a block of the overlay is in place. */
const MIN_STILL_SHARE = 0.8;
/** Minimum number of blocks outside the overlay. */
const MIN_SCENE_BLOCKS = 6;

/**
 * Learns which blocks belong to the overlay (numbers, names, the weapon in hand). They survive every cut and would lower the share of
 * lost structure.
 */
class Overlay {
  /** For each block, whether it was in place (1) in the latest samples. */
  readonly #past = new Map<number, (0 | 1)[]>();

  /** Share of the structure outside the overlay that is lost; of all structure if there is too little outside. */
  lostShare({ blocks = '', lost }: MotionSample): number {
    let [scene, gone] = [0, 0];
    for (let i = 0; i < blocks.length; i++) {
      if (blocks[i] === BLOCKS.plain || this.#isOverlay(i)) continue;
      scene++;
      if (blocks[i] === BLOCKS.lost) gone++;
    }
    return scene < MIN_SCENE_BLOCKS ? lost : gone / scene;
  }

  learn({ blocks = '', change }: MotionSample): void {
    if (change < MIN_OVERLAY_CHANGE) return;
    for (let i = 0; i < blocks.length; i++) {
      if (blocks[i] === BLOCKS.plain) continue;
      const past = this.#past.get(i) ?? [];
      past.push(blocks[i] === BLOCKS.still ? 1 : 0);
      if (past.length > MAX_OVERLAY_SAMPLES) past.shift();
      this.#past.set(i, past);
    }
  }

  #isOverlay(block: number): boolean {
    const past = this.#past.get(block) ?? [];
    const still = past.reduce((sum: number, one) => sum + one, 0);
    return past.length >= MIN_OVERLAY_SAMPLES && still >= MIN_STILL_SHARE * past.length;
  }
}

/**
 * Finds cuts: nearly all structure outside the overlay is new, and the picture changes much more than in the samples around. A fast turn
 * of the camera also loses structure, but over several samples in the same direction.
 */
export class CutFinder implements PatternFinder {
  readonly #minimumLost: number;
  readonly #overlay = new Overlay();
  #window: MotionSample[] = [];
  /** Number of samples of the window that have been judged. */
  #judged = 0;

  constructor(minimumLost: number) {
    this.#minimumLost = minimumLost;
  }

  push(sample: MotionSample): PatternMatch[] {
    this.#window.push({ ...sample, lost: this.#overlay.lostShare(sample) });
    this.#overlay.learn(sample);
    const found: PatternMatch[] = [];
    while (this.#judged + SAMPLES_AFTER < this.#window.length) found.push(...this.#judge());
    return found;
  }

  end(): PatternMatch[] {
    const found: PatternMatch[] = [];
    while (this.#judged < this.#window.length) found.push(...this.#judge());
    this.#window = [];
    this.#judged = 0;
    return found;
  }

  pendingSince(): number | undefined {
    return this.#window.slice(this.#judged).find((sample) => this.#isCandidate(sample))?.t;
  }

  #isCandidate({ lost, change }: MotionSample): boolean {
    return lost >= this.#minimumLost && change >= MIN_CHANGE;
  }

  #judge(): PatternMatch[] {
    const at = this.#judged++;
    const sample = this.#window[at]!;
    const before = this.#window.slice(Math.max(0, at - SAMPLES_BEFORE), at);
    const after = this.#window.slice(at + 1, at + 1 + SAMPLES_AFTER);
    if (at > SAMPLES_BEFORE) {
      this.#window.shift();
      this.#judged--;
    }
    if (!this.#isCandidate(sample)) return [];
    const usual = Math.max(MIN_USUAL_CHANGE, medianOrZero([...before, ...after].map(({ change }) => change)));
    const ratio = sample.change / usual;
    const near = [...before.slice(-SAMPLES_AFTER), ...after];
    if (ratio < MIN_CHANGE_RATIO || near.some(({ change }) => change * MIN_ADJACENT_RATIO >= sample.change)) return [];
    if ([before.at(-1), after[0]].some((next) => next && isTurn(next, sample))) return [];
    const confidence = Math.max(0, 1 - 0.5 * (MIN_CHANGE_RATIO / ratio) ** 2 - 0.5 * (1 - sample.lost));
    const detail = { lost: roundDigits(sample.lost), usual: roundDigits(usual), change: roundDigits(sample.change) };
    return [{ t: sample.t, value: 'cut', confidence, detail }];
  }
}

/** Whether two adjacent samples belong to a fast turn of the camera within one scene. */
function isTurn(next: MotionSample, sample: MotionSample): boolean {
  const [x, y] = [sample.x ?? 0, sample.y ?? 0];
  const [nextX, nextY] = [next.x ?? 0, next.y ?? 0];
  const [fast, nextFast] = [Math.hypot(x, y), Math.hypot(nextX, nextY)];
  if (Math.min(fast, nextFast) < MIN_TURN_SPEED || next.lost > 0.85) return false;
  return x * nextX + y * nextY > 0.5 * fast * nextFast;
}
