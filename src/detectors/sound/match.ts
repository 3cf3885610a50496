import type { SoundPrint } from './print.ts';
import { BANDS } from './spectrum.ts';

/** Frames of a print's beginning before which the background is measured: from the farthest to the nearest. */
const FAR = 30;
const NEAR = 4;
/** Cells that are looked at first. */
const ANCHORS = 48;
/** Least likeness of these for the others to be looked at. */
const PROMISING = 0.2;
/** Shares of the anchors that are taken to be free of other sounds: each gives a gain to try. */
const QUANTILES = [0.12, 0.3, 0.5];

/** How well a print fits where it begins. */
export interface Fit {
  /** 1: every cell as learnt; 0: as many against as for. */
  readonly score: number;
  /** dB by which it is louder than learnt. */
  readonly gain: number;
}

/** A print taken to be heard from frame number `start` on. */
export interface Placed {
  readonly print: SoundPrint;
  readonly start: number;
  readonly gain: number;
}

/** dB above what a sound already recognised explains from which a cell speaks for another. */
const UNEXPLAINED = 5;
/** Share of a sound that counts even if others explain more of it. */
const LEFT = 0.8;

/** The sound of the last seconds, frame by frame, with the mean of each band shortly before every frame. */
export class Past {
  readonly #capacity: number;
  readonly #bands: Float32Array;
  readonly #before: Float32Array;
  readonly #sums = new Float64Array(BANDS);
  readonly #gains = new Float32Array(ANCHORS);
  /** Frames taken so far, since the last hole in the sound. */
  count = 0;

  /** `frames`: how many must be at hand. */
  constructor(frames: number) {
    this.#capacity = frames + FAR + 1;
    this.#bands = new Float32Array(this.#capacity * BANDS);
    this.#before = new Float32Array(this.#capacity * BANDS);
  }

  clear(): void {
    this.count = 0;
    this.#sums.fill(0);
  }

  push(bands: Float32Array): void {
    const slot = this.#slot(this.count);
    // The means of the frames from FAR to NEAR before this one.
    const [enters, leaves] = [this.count - NEAR, this.count - FAR - 1];
    for (let band = 0; band < BANDS; band++) {
      if (enters >= 0) this.#sums[band]! += this.#bands[this.#slot(enters) + band]!;
      if (leaves >= 0) this.#sums[band]! -= this.#bands[this.#slot(leaves) + band]!;
      const known = Math.min(FAR, this.count) - NEAR + 1;
      this.#before[slot + band] = known > 0 ? this.#sums[band]! / known : -60;
    }
    this.#bands.set(bands, slot);
    this.count++;
  }

  /** Where frame number `frame` and its background begin in `bands` and `before`. */
  #slot(frame: number): number {
    return (frame % this.#capacity) * BANDS;
  }

  /** How well `print` fits if its first frame is number `start`; undefined where it cannot. */
  fit(print: SoundPrint, start: number): Fit | undefined {
    if (start < 0 || start + print.frames > this.count) return undefined;
    const anchors = Math.min(ANCHORS, print.at.length);
    const gains = this.#gains.subarray(0, anchors);
    for (let i = 0; i < anchors; i++) gains[i] = this.#level(print, i, start) - print.level[i]!;
    gains.sort();
    let gain = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (const share of QUANTILES) {
      const tried = gains[Math.floor(share * anchors)]!;
      const score = this.#score(print, start, tried, anchors);
      if (score <= most) continue;
      most = score;
      gain = tried;
    }
    if (most < PROMISING) return { score: most, gain };
    let best: Fit = { score: Number.NEGATIVE_INFINITY, gain };
    for (const more of [-2, 2]) {
      const score = this.#score(print, start, gain + more, print.at.length);
      if (score > best.score) best = { score, gain: gain + more };
    }
    return best;
  }

  /** The likeness of a placed print if others are heard as well: what they explain does not count for it. */
  beside({ print, start, gain }: Placed, others: readonly Placed[]): number {
    const explained = new Float32Array(print.frames * BANDS).fill(Number.NEGATIVE_INFINITY);
    for (const other of others) {
      const later = other.start - start;
      for (let i = 0; i < other.print.at.length; i++) {
        const frame = other.print.at[i]! + later;
        if (frame < 0 || frame >= print.frames) continue;
        const at = frame * BANDS + other.print.band[i]!;
        explained[at] = Math.max(explained[at]!, other.print.level[i]! + other.gain);
      }
    }
    return this.#score(print, start, gain, print.at.length, explained);
  }

  #level(print: SoundPrint, i: number, start: number): number {
    return this.#bands[this.#slot(start + print.at[i]!) + print.band[i]!]!;
  }

  /**
   * The weighted mean over cells of: 1 where the level is as learnt, 0 where more is heard (another sound covers it) or where
   * it was as loud before, −1 where what must be there is missing.
   */
  #score(print: SoundPrint, start: number, gain: number, cells: number, explained?: Float32Array): number {
    const background = this.#slot(start);
    let sum = 0;
    let weights = 0;
    let all = 0;
    for (let i = 0; i < cells; i++) {
      const level = this.#level(print, i, start);
      const weight = print.weight[i]!;
      all += weight;
      if (explained && level < explained[print.at[i]! * BANDS + print.band[i]!]! + UNEXPLAINED) continue;
      weights += weight;
      const apart = level - print.level[i]! - gain;
      if (apart <= -4) {
        sum += weight * Math.max(-1, (apart + 4) / 4 + 1);
        continue;
      }
      if (apart >= 8) continue;
      const alike = apart <= 4 ? 1 : (8 - apart) / 4;
      const risen = (level - this.#before[background + print.band[i]!]! - 2) / 4;
      if (risen > 0) sum += weight * alike * Math.min(1, risen);
    }
    // What little is left of a sound that others explain proves nothing.
    return sum / Math.max(weights, LEFT * all);
  }
}
