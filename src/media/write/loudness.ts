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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Default limit of peaks, in decibels relative to full scale. It leaves room for peaks between samples and for AAC. */
const DEFAULT_CEILING_DB = -2.3;
/** What is quieter than the target by more than this is meant to be quiet. */
const MAX_GAIN = 10 ** (24 / 20);
const MAX_PASSES = 5;
const TOLERANCE_LU = 0.1;

/**
 * Applies a gain and keeps samples under a ceiling: the gain falls within 5 ms before a peak that would exceed it and
 * recovers over 100 ms. `flush` returns what is held back for the look-ahead, so nothing is delayed.
 */
export class Limiter {
  readonly #gain: number;
  readonly #ceiling: number;
  readonly #lookAhead: number;
  readonly #recovery: number;
  #left: Float32Array = new Float32Array(0);
  #right: Float32Array = new Float32Array(0);
  #current: number;

  constructor(rate: number, gain: number, ceiling = 10 ** (DEFAULT_CEILING_DB / 20)) {
    this.#gain = gain;
    this.#ceiling = ceiling;
    this.#lookAhead = Math.round(rate * 0.005);
    this.#recovery = 1 - Math.exp(-1 / (0.1 * rate));
    this.#current = gain;
  }

  /** Adds samples; returns those that are finished. */
  push({ left, right }: StereoAudio): StereoAudio {
    this.#left = joined(this.#left, left);
    this.#right = joined(this.#right, right);
    return this.#take(Math.max(0, this.#left.length - this.#lookAhead));
  }

  /** Returns the samples that are left. */
  flush(): StereoAudio {
    return this.#take(this.#left.length);
  }

  #peaksOver(level: number): { at: number; peak: number }[] {
    const peaks: { at: number; peak: number }[] = [];
    for (let i = 0; i < this.#left.length; i++) {
      const peak = Math.max(Math.abs(this.#left[i]!), Math.abs(this.#right[i]!));
      if (peak > level) peaks.push({ at: i, peak });
    }
    return peaks;
  }

  #take(count: number): StereoAudio {
    const left = new Float32Array(count);
    const right = new Float32Array(count);
    const peaks = this.#peaksOver(this.#ceiling / this.#gain);
    let next = 0;
    for (let i = 0; i < count; i++) {
      while (next < peaks.length && peaks[next]!.at < i) next++;
      // The steepest descent that meets every peak ahead in time.
      let step = Math.max(0, this.#gain - this.#current) * this.#recovery;
      for (let h = next; h < peaks.length && peaks[h]!.at <= i + this.#lookAhead; h++) {
        const { at, peak } = peaks[h]!;
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
 * Brings audio to an integrated loudness with limited peaks.
 *
 * @param createAudio Starts the audio from the beginning; called once per pass.
 * @param rate Samples per second.
 * @param target Integrated loudness in LUFS.
 * @param ceiling Limit of peaks in decibels relative to full scale.
 */
export function* normalizeLoudness(
  createAudio: () => Iterable<StereoAudio>,
  rate: number,
  target: number,
  ceiling = DEFAULT_CEILING_DB,
): Generator<StereoAudio> {
  let gain = 1;
  // Limiting reduces loudness, so the gain is corrected by measuring the result.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const meter = new LoudnessMeter(rate);
    for (const part of pass === 0 ? createAudio() : limited(createAudio(), rate, gain, ceiling)) meter.add(part);
    const measured = meter.integrated;
    if (measured === undefined || Math.abs(target - measured) < TOLERANCE_LU) break;
    gain = Math.min(gain * 10 ** ((target - measured) / 20), MAX_GAIN);
  }
  yield* limited(createAudio(), rate, gain, ceiling);
}

function* limited(audio: Iterable<StereoAudio>, rate: number, gain: number, ceiling: number): Generator<StereoAudio> {
  const limiter = new Limiter(rate, gain, 10 ** (ceiling / 20));
  for (const part of audio) yield limiter.push(part);
  yield limiter.flush();
}
