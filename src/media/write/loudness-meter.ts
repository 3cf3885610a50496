import { mean } from '../../statistics.ts';
import { type Biquad, kWeighting, lufs } from '../k-weighting.ts';
import type { StereoAudio } from './recording.ts';

/**
 * Measures integrated loudness of stereo audio (ITU-R BS.1770-4): K-weighting, blocks of 400 ms every 100 ms, an absolute
 * gate at −70 LUFS and a relative one 10 LU below the mean of what passes it.
 */
export class LoudnessMeter {
  readonly #filters: readonly Biquad[][];
  readonly #hop: number;
  readonly #powers: number[] = [];
  #power = 0;
  #filled = 0;
  #peak = 0;

  constructor(rate: number) {
    this.#hop = Math.round(rate / 10);
    this.#filters = [0, 1].map(() => kWeighting(rate));
  }

  /** Adds samples. */
  add({ left, right }: StereoAudio): void {
    const [l, r] = this.#filters;
    for (let i = 0; i < left.length; i++) {
      const a = left[i]!;
      const b = right[i]!;
      this.#peak = Math.max(this.#peak, Math.abs(a), Math.abs(b));
      this.#power += l![1]!.next(l![0]!.next(a)) ** 2 + r![1]!.next(r![0]!.next(b)) ** 2;
      if (++this.#filled < this.#hop) continue;
      this.#powers.push(this.#power / this.#hop);
      this.#power = 0;
      this.#filled = 0;
    }
  }

  /** Greatest absolute sample; above 1 beyond full scale. */
  get peak(): number {
    return this.#peak;
  }

  /** Integrated loudness in LUFS; undefined for silence or less than 400 ms. */
  get integrated(): number | undefined {
    const blocks: number[] = [];
    for (let i = 3; i < this.#powers.length; i++) {
      blocks.push((this.#powers[i]! + this.#powers[i - 1]! + this.#powers[i - 2]! + this.#powers[i - 3]!) / 4);
    }
    const loud = blocks.filter((power) => lufs(power) > -70);
    if (loud.length === 0) return undefined;
    const gate = lufs(mean(loud)) - 10;
    return lufs(mean(loud.filter((power) => lufs(power) > gate)));
  }
}
