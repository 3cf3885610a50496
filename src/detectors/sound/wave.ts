import { Fft } from '../../compute/fft.ts';
import { HOP, RATE, STEP } from './spectrum.ts';

/** Samples of a block's transform, and frames from one block to the next. */
export const SIZE = 32_768;
export const BLOCK = 68;
/** Longest waveform that is compared, in samples; of a longer one the beginning. */
export const LONGEST_WAVE = SIZE - BLOCK * HOP;
/** Hertz between which sound is compared. */
const LOWEST = 80;
const HIGHEST = 9000;
/** Hertz over which the spectrum of a block is smoothed before it is made flat. */
const SMOOTH = 30;
/** Power beneath which a frequency counts as silent: a share of the block's mean, and that of 16-bit noise. */
const QUIET = 1e-2;
const SILENCE = 1e-10;
/** Samples of a cell in which the usual answer is measured, and cells on each side that tell it. */
export const CELL = 480;
const AROUND = 10;

/** First and last frequency that is compared, as a place in the transform. */
export const LOW = Math.round((LOWEST * SIZE) / RATE);
export const HIGH = Math.round((HIGHEST * SIZE) / RATE);
const WIDTH = Math.round((SMOOTH * SIZE) / RATE / 2);

/** One occurrence as it was recorded, with what was heard around it. */
export interface Recorded {
  readonly samples: Float32Array;
  /** The sample at which the sound begins, about. */
  readonly start: number;
}

/** A waveform and how many occurrences have it. */
export interface Shared {
  readonly samples: Float32Array;
  readonly examples: number;
}

/** Where a waveform answers. */
export interface Echo {
  /** Number of the waveform. */
  readonly wave: number;
  /** Seconds of its first sample. */
  readonly t: number;
  /** How many times the usual answer about it. */
  readonly clear: number;
  /** dB by which it is louder than learnt. */
  readonly gain: number;
}

/** The spectrum of a block and the power that makes it flat. */
export class Flattened {
  readonly re = new Float64Array(SIZE);
  readonly im = new Float64Array(SIZE);
  power = new Float64Array(SIZE / 2 + 1);
  static readonly #fft = new Fft(SIZE);

  /** Takes up to SIZE samples. */
  constructor(samples: Float32Array) {
    this.re.set(samples.subarray(0, SIZE));
    Flattened.#fft.forward(this.re, this.im);
    const { re, im } = this;
    const sums = new Float64Array(SIZE / 2 + 2);
    for (let k = 0; k <= SIZE / 2; k++) sums[k + 1] = sums[k]! + re[k]! ** 2 + im[k]! ** 2;
    const mean = (sums[HIGH + 1]! - sums[LOW]!) / (HIGH + 1 - LOW);
    const floor = QUIET * mean + SILENCE * SIZE;
    for (let k = 0; k <= SIZE / 2; k++) {
      const [from, to] = [Math.max(0, k - WIDTH), Math.min(SIZE / 2, k + WIDTH)];
      this.power[k] = (sums[to + 1]! - sums[from]!) / (to + 1 - from) + floor;
    }
  }

  /** The same block, of which something can be taken away; its flatness stays. */
  copy(): Flattened {
    const copy = new Flattened(new Float32Array(0));
    copy.re.set(this.re);
    copy.im.set(this.im);
    copy.power = this.power;
    return copy;
  }

  /** Takes a waveform away that begins at sample `at`. */
  take(wave: Wave, at: number, gain: number): void {
    const turn = (-2 * Math.PI * at) / SIZE;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    let [c, d] = [gain * Math.cos(LOW * turn), gain * Math.sin(LOW * turn)];
    for (let k = LOW; k <= HIGH; k++) {
      this.re[k]! -= wave.re[k]! * c - wave.im[k]! * d;
      this.im[k]! -= wave.re[k]! * d + wave.im[k]! * c;
      [c, d] = [c * cos - d * sin, c * sin + d * cos];
    }
  }

  /** What is heard from a sample on, all frequencies alike loud. */
  flat(at: number, length: number): Float32Array {
    const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
    for (let k = LOW; k <= HIGH; k++) {
      const loud = Math.sqrt(this.power[k]!);
      re[k] = re[SIZE - k] = this.re[k]! / loud;
      im[k] = this.im[k]! / loud;
      im[SIZE - k] = -im[k]!;
    }
    Flattened.#fft.inverse(re, im);
    return Float32Array.from(re.subarray(at, at + length));
  }

  /**
   * Answers of two waveforms (the second may be missing), sample by sample: what a matched filter in this block's own noise
   * gives, as a share of the waveform's own level.
   */
  answers(a: Wave, b: Wave | undefined): [Float64Array, Float64Array] {
    const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
    const one = this.#energy(a);
    const other = b ? this.#energy(b) : 1;
    for (let k = LOW; k <= HIGH; k++) {
      const [x, y, p] = [this.re[k]!, this.im[k]!, this.power[k]!];
      const [ar, ai] = [a.re[k]! / (p * one), -a.im[k]! / (p * one)];
      // X·conj(S)/P: a real answer for each waveform, the second's as the imaginary part.
      const [u, v] = [x * ar - y * ai, x * ai + y * ar];
      let [r, s] = [0, 0];
      if (b) {
        const [br, bi] = [b.re[k]! / (p * other), -b.im[k]! / (p * other)];
        [r, s] = [x * br - y * bi, x * bi + y * br];
      }
      re[k] = u - s;
      im[k] = v + r;
      re[SIZE - k] = u + s;
      im[SIZE - k] = r - v;
    }
    Flattened.#fft.inverse(re, im);
    return [re, im];
  }

  /**
   * How loud a waveform is that begins at sample `at`, as a share of its own level. A frequency that is all but silent here counts no
   * more than the waveform has of it: what was learnt there is no part of the sound, and what stands all about it says nothing of its level.
   */
  level(wave: Wave, at: number): number {
    const turn = (2 * Math.PI * at) / SIZE;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    let [c, d] = [Math.cos(LOW * turn), Math.sin(LOW * turn)];
    let [together, own] = [0, 0];
    for (let k = LOW; k <= HIGH; k++) {
      const [re, im] = [wave.re[k]!, wave.im[k]!];
      const power = re * re + im * im;
      const weight = 1 / (this.power[k]! + power);
      const [x, y] = [this.re[k]!, this.im[k]!];
      together += weight * ((x * c - y * d) * re + (x * d + y * c) * im);
      own += weight * power;
      [c, d] = [c * cos - d * sin, c * sin + d * cos];
    }
    return together / own;
  }

  #energy(wave: Wave): number {
    let sum = 0;
    for (let k = LOW; k <= HIGH; k++) sum += (wave.re[k]! ** 2 + wave.im[k]! ** 2) / this.power[k]!;
    return (2 * sum) / SIZE;
  }
}

/** A waveform's spectrum. */
export class Wave {
  readonly re = new Float64Array(SIZE);
  readonly im = new Float64Array(SIZE);
  static readonly #fft = new Fft(SIZE);

  constructor(samples: Float32Array) {
    this.re.set(samples.subarray(0, LONGEST_WAVE));
    Wave.#fft.forward(this.re, this.im);
  }
}

/** How usual answers are about every sample: the median over cells of their mean size. */
export function usual(answer: Float64Array): Float64Array {
  const count = Math.floor(answer.length / CELL);
  const cells = Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let at = i * CELL; at < (i + 1) * CELL; at++) sum += Math.abs(answer[at]!);
    return sum / CELL;
  });
  return cells.map((_, i) => {
    const about = cells.slice(Math.max(0, i - AROUND), i + AROUND + 1).toSorted();
    return about[about.length >> 1]!;
  });
}

/** Hears waveforms in sound that comes frame by frame, block by block; blocks stand at fixed times. */
export class WaveEar {
  /** Seconds of sound after a waveform's beginning that must be at hand. */
  readonly delay = (SIZE + HOP) / RATE;
  readonly #waves: readonly Wave[];
  readonly #least: number;
  readonly #samples = new Float32Array(SIZE);
  /** Number of the block's first frame, and of the frame that comes next. */
  #first = 0;
  #next = -1;

  /** `least`: how many times the usual answer makes an echo. */
  constructor(waves: readonly Wave[], least: number) {
    this.#waves = waves;
    this.#least = least;
  }

  /** Seconds before which everything is heard. */
  get start(): number {
    return this.#first * STEP;
  }

  /** The echoes of a block if the frame completes one. Sound that does not follow on the last begins anew. */
  push(t: number, samples: Float32Array): Echo[] | undefined {
    const frame = Math.round(t / STEP);
    if (frame !== this.#next) this.#restart(frame);
    const at = (frame - this.#first) * HOP;
    this.#samples.set(samples.subarray(0, Math.min(HOP, SIZE - at)), at);
    this.#next = frame + 1;
    if ((frame + 1 - this.#first) * HOP < SIZE) return undefined;
    const echoes = this.#echoes();
    // What of the frame did not fit belongs to the next block.
    const into = (frame - this.#first) * HOP;
    this.#samples.set(samples, into);
    return echoes;
  }

  /** The echoes in what is left; then it begins anew. */
  flush(): Echo[] {
    const echoes: Echo[] = [];
    while (this.#first < this.#next) echoes.push(...this.#echoes());
    this.#next = -1;
    return echoes;
  }

  #restart(frame: number): void {
    this.#samples.fill(0);
    this.#first = Math.floor(frame / BLOCK) * BLOCK;
  }

  /** What begins in the first part of the block; then it moves on. */
  #echoes(): Echo[] {
    const block = new Flattened(this.#samples);
    const echoes: Echo[] = [];
    for (let i = 0; i < this.#waves.length; i += 2) {
      const answers = block.answers(this.#waves[i]!, this.#waves[i + 1]);
      for (const [j, answer] of answers.entries()) {
        if (this.#waves[i + j]) this.#peaks(block, answer, i + j, echoes);
      }
    }
    this.#samples.copyWithin(0, BLOCK * HOP);
    this.#samples.fill(0, SIZE - BLOCK * HOP);
    this.#first += BLOCK;
    return echoes;
  }

  #peaks(block: Flattened, answer: Float64Array, wave: number, echoes: Echo[]): void {
    const level = usual(answer);
    for (let at = 0; at < BLOCK * HOP; at++) {
      const value = answer[at]!;
      const around = level[Math.floor(at / CELL)]!;
      if (value <= this.#least * around || value <= (answer[at - 1] ?? answer.at(-1)!) || value < answer[at + 1]!)
        continue;
      if (!(around > 0)) continue;
      const t = this.#first * STEP + at / RATE;
      const loud = Math.max(1e-6, block.level(this.#waves[wave]!, at));
      echoes.push({ wave, t, clear: value / around, gain: 20 * Math.log10(loud) });
    }
  }
}
