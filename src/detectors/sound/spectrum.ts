import { PowerSpectrum } from '../../compute/fft.ts';
import type { AudioBlock } from '../../media/audio.ts';
import { type Biquad, kWeighting, lufs } from '../../media/k-weighting.ts';
import { roundTime } from '../../time.ts';
import type { SoundFrame } from '../kind.ts';

/** Samples a second that sound is brought to. */
export const RATE = 24_000;
/** Seconds from one frame to the next, and samples. */
export const STEP = 0.01;
export const HOP = RATE * STEP;
/** Samples that a frame's spectrum is made from, its time in their middle: 43 ms. */
const SIZE = 1024;
/** Bands of equal width on a scale that is linear below 300 Hz and logarithmic above. */
export const BANDS = 48;
const LOWEST = 120;
const HIGHEST = 11_000;
const BEND = 300;
/** Power, in dB of full scale, below which there is silence. */
export const FLOOR = -95;
/** Frames of 10 ms that momentary loudness looks back over: 400 ms (EBU Tech 3341). */
const MOMENTARY = 40;
/** The same of short-term loudness: 3 s. */
const SHORT = 300;

const window = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIZE));
/** A sine of full scale has 0 dB. */
const SCALE = 1 / window.reduce((sum, value) => sum + value, 0) ** 2;

function pitch(hertz: number): number {
  return Math.log1p(hertz / BEND);
}

/** First bin of each band, and the one after the last. */
const edges = Array.from({ length: BANDS + 1 }, (_, i) => {
  const at = pitch(LOWEST) + ((pitch(HIGHEST) - pitch(LOWEST)) * i) / BANDS;
  return Math.round((BEND * Math.expm1(at) * SIZE) / RATE);
});

/** Turns sound, block by block, into frames at whole hundredths of a second. Holds a tenth of a second. */
export class Spectrograph {
  readonly #spectrum = new PowerSpectrum(SIZE);
  readonly #cepstrum = new PowerSpectrum(SIZE);
  readonly #power = new Float64Array(SIZE / 2 + 1);
  readonly #windowed = new Float64Array(SIZE);
  readonly #filters: readonly (readonly Biquad[])[] = [kWeighting(RATE), kWeighting(RATE)];
  /** Sound not yet used up, and the seconds of its first sample. */
  #samples = new Float32Array(0);
  #start = 0;
  /** Number of the next frame: it stands at this many hundredths of a second. */
  #next = 0;
  /** K-weighted squares, by hundredths from `#loudFrom` on; the last is not complete. */
  #squares: number[] = [];
  #filled = 0;
  #loud: number[] = [];

  /** The frames that a block completes. One that does not follow on the last begins anew: frames need 43 ms of sound. */
  *push(block: AudioBlock): Generator<SoundFrame, void, undefined> {
    const end = this.#start + this.#samples.length / RATE;
    if (this.#samples.length === 0 || Math.abs(block.t - end) > 0.5 * STEP) this.#restart(block.t);
    this.#weigh(block);
    const joined = new Float32Array(this.#samples.length + block.samples.length);
    joined.set(this.#samples);
    joined.set(block.samples, this.#samples.length);
    this.#samples = joined;
    for (;;) {
      const from = Math.round((this.#next * STEP - this.#start) * RATE) - SIZE / 2;
      if (from < 0) {
        this.#next++;
        // Loudness goes on where there is not yet enough sound for a spectrum.
        this.#listen();
        continue;
      }
      if (from + SIZE > this.#samples.length) break;
      yield this.#frame(from);
      this.#next++;
    }
    const used = Math.max(0, Math.round((this.#next * STEP - this.#start) * RATE) - SIZE / 2);
    if (used < SIZE) return;
    this.#samples = this.#samples.slice(used);
    this.#start += used / RATE;
  }

  #restart(t: number): void {
    this.#samples = new Float32Array(0);
    this.#start = t;
    this.#next = Math.floor(t / STEP);
    this.#squares = [];
    this.#filled = 0;
    this.#loud = [];
  }

  /** Adds up the K-weighted power of both sides, a sum for every hundredth of a second. */
  #weigh({ samples, sides = [samples, samples] }: AudioBlock): void {
    const [left, right] = this.#filters as [readonly Biquad[], readonly Biquad[]];
    for (let i = 0; i < samples.length; i++) {
      const a = left[1]!.next(left[0]!.next(sides[0][i]!));
      const b = right[1]!.next(right[0]!.next(sides[1][i]!));
      this.#filled++;
      const at = this.#squares.length - 1;
      if (this.#filled % HOP === 1 || at < 0) this.#squares.push(a * a + b * b);
      else this.#squares[at]! += a * a + b * b;
    }
  }

  /** Takes the power of the next hundredth of a second. */
  #listen(): void {
    const next = this.#squares.shift();
    if (next !== undefined) this.#loud.push(next);
    if (this.#loud.length > SHORT) this.#loud.shift();
  }

  /** Loudness of so many frames that end with this one. */
  #loudnessOver(frames: number): number {
    let sum = 0;
    for (let i = Math.max(0, this.#loud.length - frames); i < this.#loud.length; i++) sum += this.#loud[i]!;
    return Math.max(-120, lufs(Math.max(sum / (frames * HOP), 1e-14)));
  }

  #frame(from: number): SoundFrame {
    const windowed = this.#windowed;
    for (let i = 0; i < SIZE; i++) windowed[i] = this.#samples[from + i]! * window[i]!;
    const power = this.#spectrum.compute(windowed, this.#power);
    const bands = new Float32Array(BANDS);
    for (let band = 0; band < BANDS; band++) {
      let sum = 0;
      for (let bin = edges[band]!; bin < edges[band + 1]!; bin++) sum += power[bin]!;
      bands[band] = Math.max(FLOOR, 10 * Math.log10(4 * SCALE * sum + 1e-12));
    }
    this.#listen();
    return {
      t: roundTime(this.#next * STEP),
      bands,
      loudness: this.#loudnessOver(MOMENTARY),
      shortTerm: this.#loudnessOver(SHORT),
      samples: this.#samples.subarray(from + SIZE / 2, from + SIZE / 2 + HOP),
      pitch: () => this.#pitch(power),
    };
  }

  /**
   * How clearly the frame has a pitch of 90 to 500 Hz: the peak of its cepstrum over the deviation there. Only valid until
   * the next frame is made.
   */
  #pitch(power: Float64Array): { readonly hertz: number; readonly clarity: number } {
    const log = new Float64Array(SIZE);
    const top = Math.round((5000 * SIZE) / RATE);
    let mean = 0;
    for (let bin = 0; bin < top; bin++) mean += Math.log(power[bin]! + 1e-9);
    mean /= top;
    for (let bin = 0; bin < top; bin++) {
      // A window over the spectrum keeps its edges from ringing.
      const fade = 0.5 - 0.5 * Math.cos((2 * Math.PI * (bin + 0.5)) / top);
      log[bin] = (Math.log(power[bin]! + 1e-9) - mean) * fade;
    }
    const cepstrum = this.#cepstrum.compute(log, new Float64Array(SIZE / 2 + 1));
    const [first, last] = [Math.round(RATE / 500), Math.round(RATE / 90)];
    let best = first;
    let sum = 0;
    for (let lag = first; lag <= last; lag++) {
      sum += cepstrum[lag]!;
      if (cepstrum[lag]! > cepstrum[best]!) best = lag;
    }
    return { hertz: RATE / best, clarity: cepstrum[best]! / (sum / (last - first + 1) + 1e-12) };
  }
}
