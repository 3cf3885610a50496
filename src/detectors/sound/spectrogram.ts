import { PowerSpectrum } from '../../compute/fft.ts';
import type { AudioBlock } from '../../media/audio.ts';
import { type Biquad, kWeighting, lufs } from '../../media/k-weighting.ts';
import { roundTime } from '../../time.ts';
import type { SoundFrame } from '../kind.ts';

/** Sample rate of analysed sound, in Hz. */
export const SAMPLE_RATE = 24_000;
/** Distance between frames, in seconds and in samples. */
export const FRAME_SECONDS = 0.01;
/** Distance between frames in samples. */
export const FRAME_SAMPLES = SAMPLE_RATE * FRAME_SECONDS;
/** Samples in a frame's spectrum (43 ms), centered on the frame's time. */
const WINDOW_SAMPLES = 1024;
/** Number of bands of equal width on a scale that is linear below 300 Hz and logarithmic above. */
export const BANDS = 48;
const LOWEST_HERTZ = 120;
const HIGHEST_HERTZ = 11_000;
const LINEAR_BELOW_HERTZ = 300;
/** Power of silence, in dB of full scale. */
export const SILENCE_DB = -95;
/** Frames of 10 ms that momentary loudness looks back over: 400 ms (EBU Tech 3341). */
const MOMENTARY_FRAMES = 40;
/** The same of short-term loudness: 3 s. */
const SHORT_TERM_FRAMES = 300;

const window = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW_SAMPLES),
);
/** A sine of full scale has 0 dB. */
const SCALE = 1 / window.reduce((sum, value) => sum + value, 0) ** 2;

function pitch(hertz: number): number {
  return Math.log1p(hertz / LINEAR_BELOW_HERTZ);
}

/** First bin of each band, and the one after the last. */
const edges = Array.from({ length: BANDS + 1 }, (_, i) => {
  const at = pitch(LOWEST_HERTZ) + ((pitch(HIGHEST_HERTZ) - pitch(LOWEST_HERTZ)) * i) / BANDS;
  return Math.round((LINEAR_BELOW_HERTZ * Math.expm1(at) * WINDOW_SAMPLES) / SAMPLE_RATE);
});

/** Turns sound, block by block, into frames at whole hundredths of a second. Holds a tenth of a second. */
export class Spectrogram {
  readonly #spectrum = new PowerSpectrum(WINDOW_SAMPLES);
  readonly #cepstrum = new PowerSpectrum(WINDOW_SAMPLES);
  readonly #power = new Float64Array(WINDOW_SAMPLES / 2 + 1);
  readonly #windowed = new Float64Array(WINDOW_SAMPLES);
  readonly #filters: readonly (readonly Biquad[])[] = [kWeighting(SAMPLE_RATE), kWeighting(SAMPLE_RATE)];
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
    const end = this.#start + this.#samples.length / SAMPLE_RATE;
    if (this.#samples.length === 0 || Math.abs(block.t - end) > 0.5 * FRAME_SECONDS) this.#restart(block.t);
    this.#weigh(block);
    const joined = new Float32Array(this.#samples.length + block.samples.length);
    joined.set(this.#samples);
    joined.set(block.samples, this.#samples.length);
    this.#samples = joined;
    for (;;) {
      const from = Math.round((this.#next * FRAME_SECONDS - this.#start) * SAMPLE_RATE) - WINDOW_SAMPLES / 2;
      if (from < 0) {
        this.#next++;
        // Loudness goes on where there is not yet enough sound for a spectrum.
        this.#listen();
        continue;
      }
      if (from + WINDOW_SAMPLES > this.#samples.length) break;
      yield this.#frame(from);
      this.#next++;
    }
    const used = Math.max(0, Math.round((this.#next * FRAME_SECONDS - this.#start) * SAMPLE_RATE) - WINDOW_SAMPLES / 2);
    if (used < WINDOW_SAMPLES) return;
    this.#samples = this.#samples.slice(used);
    this.#start += used / SAMPLE_RATE;
  }

  #restart(t: number): void {
    this.#samples = new Float32Array(0);
    this.#start = t;
    this.#next = Math.floor(t / FRAME_SECONDS);
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
      if (this.#filled % FRAME_SAMPLES === 1 || at < 0) this.#squares.push(a * a + b * b);
      else this.#squares[at]! += a * a + b * b;
    }
  }

  /** Takes the power of the next hundredth of a second. */
  #listen(): void {
    const next = this.#squares.shift();
    if (next !== undefined) this.#loud.push(next);
    if (this.#loud.length > SHORT_TERM_FRAMES) this.#loud.shift();
  }

  /** Loudness of so many frames that end with this one. */
  #loudnessOver(frames: number): number {
    let sum = 0;
    for (let i = Math.max(0, this.#loud.length - frames); i < this.#loud.length; i++) sum += this.#loud[i]!;
    return Math.max(-120, lufs(Math.max(sum / (frames * FRAME_SAMPLES), 1e-14)));
  }

  #frame(from: number): SoundFrame {
    const windowed = this.#windowed;
    for (let i = 0; i < WINDOW_SAMPLES; i++) windowed[i] = this.#samples[from + i]! * window[i]!;
    const power = this.#spectrum.compute(windowed, this.#power);
    const bands = new Float32Array(BANDS);
    for (let band = 0; band < BANDS; band++) {
      let sum = 0;
      for (let bin = edges[band]!; bin < edges[band + 1]!; bin++) sum += power[bin]!;
      bands[band] = Math.max(SILENCE_DB, 10 * Math.log10(4 * SCALE * sum + 1e-12));
    }
    this.#listen();
    return {
      t: roundTime(this.#next * FRAME_SECONDS),
      bands,
      loudness: this.#loudnessOver(MOMENTARY_FRAMES),
      shortTerm: this.#loudnessOver(SHORT_TERM_FRAMES),
      samples: this.#samples.subarray(from + WINDOW_SAMPLES / 2, from + WINDOW_SAMPLES / 2 + FRAME_SAMPLES),
      pitch: () => this.#pitch(power),
    };
  }

  /**
   * How clearly the frame has a pitch of 90 to 500 Hz: the peak of its cepstrum over the deviation there. Only valid until
   * the next frame is made.
   */
  #pitch(power: Float64Array): { readonly hertz: number; readonly clarity: number } {
    const log = new Float64Array(WINDOW_SAMPLES);
    const top = Math.round((5000 * WINDOW_SAMPLES) / SAMPLE_RATE);
    let mean = 0;
    for (let bin = 0; bin < top; bin++) mean += Math.log(power[bin]! + 1e-9);
    mean /= top;
    for (let bin = 0; bin < top; bin++) {
      // A window over the spectrum keeps its edges from ringing.
      const fade = 0.5 - 0.5 * Math.cos((2 * Math.PI * (bin + 0.5)) / top);
      log[bin] = (Math.log(power[bin]! + 1e-9) - mean) * fade;
    }
    const cepstrum = this.#cepstrum.compute(log, new Float64Array(WINDOW_SAMPLES / 2 + 1));
    const [first, last] = [Math.round(SAMPLE_RATE / 500), Math.round(SAMPLE_RATE / 90)];
    let best = first;
    let sum = 0;
    for (let lag = first; lag <= last; lag++) {
      sum += cepstrum[lag]!;
      if (cepstrum[lag]! > cepstrum[best]!) best = lag;
    }
    return { hertz: SAMPLE_RATE / best, clarity: cepstrum[best]! / (sum / (last - first + 1) + 1e-12) };
  }
}
