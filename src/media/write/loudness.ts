import { type Biquad, kWeighting, lufs } from '../k-weighting.ts';
import type { StereoAudio } from './recording.ts';

/**
 * Integrated loudness after ITU-R BS.1770-4 (stereo): K-weighting, blocks of 400 ms every 100 ms, an absolute gate at
 * −70 LUFS and a relative one 10 LU below the mean of what passes it.
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

  /** Greatest sample, 0 to 1 and more. */
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Decibels below full scale. */
const CEILING = -2.3;

/**
 * Applies a gain and keeps samples under a ceiling: the gain falls ahead of a peak that would pass it (5 ms look-ahead)
 * and comes back over 100 ms. Delays nothing: what it looks ahead over is held back and given by `flush`. The ceiling
 * leaves room for what rises between samples and what the sound's encoder adds (docs/decisions.md).
 */
export class Limiter {
  readonly #gain: number;
  readonly #ceiling: number;
  readonly #ahead: number;
  readonly #recovery: number;
  #left: Float32Array = new Float32Array(0);
  #right: Float32Array = new Float32Array(0);
  #current: number;

  constructor(rate: number, gain: number, ceiling = 10 ** (CEILING / 20)) {
    this.#gain = gain;
    this.#ceiling = ceiling;
    this.#ahead = Math.round(rate * 0.005);
    this.#recovery = 1 - Math.exp(-1 / (0.1 * rate));
    this.#current = gain;
  }

  /** Takes sound, gives what is finished of it and of what came before. */
  push({ left, right }: StereoAudio): StereoAudio {
    this.#left = joined(this.#left, left);
    this.#right = joined(this.#right, right);
    return this.#take(Math.max(0, this.#left.length - this.#ahead));
  }

  flush(): StereoAudio {
    return this.#take(this.#left.length);
  }

  #peaksOver(level: number): { at: number; peak: number }[] {
    const hot: { at: number; peak: number }[] = [];
    for (let i = 0; i < this.#left.length; i++) {
      const peak = Math.max(Math.abs(this.#left[i]!), Math.abs(this.#right[i]!));
      if (peak > level) hot.push({ at: i, peak });
    }
    return hot;
  }

  #take(count: number): StereoAudio {
    const left = new Float32Array(count);
    const right = new Float32Array(count);
    const hot = this.#peaksOver(this.#ceiling / this.#gain);
    let next = 0;
    for (let i = 0; i < count; i++) {
      while (next < hot.length && hot[next]!.at < i) next++;
      // The steepest descent needed so that every peak ahead is met in time.
      let step = Math.max(0, this.#gain - this.#current) * this.#recovery;
      for (let h = next; h < hot.length && hot[h]!.at <= i + this.#ahead; h++) {
        const { at, peak } = hot[h]!;
        if (peak * (this.#current + step) <= this.#ceiling) continue;
        step = Math.min(step, (this.#ceiling / peak - this.#current) / (at - i + 1));
      }
      this.#current += step;
      left[i] = this.#left[i]! * this.#current;
      right[i] = this.#right[i]! * this.#current;
    }
    this.#left = this.#left.slice(count);
    this.#right = this.#right.slice(count);
    return { left, right };
  }
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * StereoAudio brought to an integrated loudness in LUFS, peaks limited to `ceiling` in decibels. `sound` is run through several
 * times, always the same.
 */
export function* normalizeLoudness(
  sound: () => Iterable<StereoAudio>,
  rate: number,
  target: number,
  ceiling = CEILING,
): Generator<StereoAudio> {
  let gain = 1;
  // Limiting takes loudness away, so the gain is corrected by what the result measures.
  for (let pass = 0; pass < 5; pass++) {
    const meter = new LoudnessMeter(rate);
    for (const part of pass === 0 ? sound() : limited(sound(), rate, gain, ceiling)) meter.add(part);
    const measured = meter.integrated;
    if (measured === undefined || Math.abs(target - measured) < 0.1) break;
    gain = Math.min(gain * 10 ** ((target - measured) / 20), MOST_GAIN);
  }
  yield* limited(sound(), rate, gain, ceiling);
}

/** 24 dB: what is quieter is meant to be quiet. */
const MOST_GAIN = 10 ** (24 / 20);

function* limited(sound: Iterable<StereoAudio>, rate: number, gain: number, ceiling: number): Generator<StereoAudio> {
  const limiter = new Limiter(rate, gain, 10 ** (ceiling / 20));
  for (const part of sound) yield limiter.push(part);
  yield limiter.flush();
}
