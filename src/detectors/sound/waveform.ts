import { Fft } from '../../compute/fft.ts';
import { roundTime } from '../../time.ts';
import type { AudioObservation, Listener, SoundFrame } from '../kind.ts';
import type { SoundFingerprint } from './fingerprint.ts';
import { FRAME_SAMPLES, FRAME_SECONDS, SAMPLE_RATE } from './spectrogram.ts';

/** Samples in a block's transform, and frames from one block to the next. */
export const BLOCK_SAMPLES = 32_768;
/** Frames from one block to the next. */
const BLOCK_STEP_FRAMES = 68;
/** Longest waveform that is matched; longer ones are cut off. */
export const MAX_WAVEFORM_SAMPLES = BLOCK_SAMPLES - BLOCK_STEP_FRAMES * FRAME_SAMPLES;
/** Frequencies that are compared. */
const LOWEST_HERTZ = 80;
const HIGHEST_HERTZ = 9000;
/** Width of the smoothing of a block's power spectrum before whitening. */
const SMOOTHING_HERTZ = 30;
/** Least power of a frequency: a share of the block's mean, and that of 16-bit noise. */
const MIN_POWER_SHARE = 1e-2;
const MIN_POWER = 1e-10;
/** Cells in which the noise of a correlation is measured, and the number of cells on each side that are averaged. */
export const NOISE_CELL_SAMPLES = 480;
const NOISE_CELLS_AROUND = 10;

/** First and last bin of the transform that is compared. */
export const LOWEST_BIN = Math.round((LOWEST_HERTZ * BLOCK_SAMPLES) / SAMPLE_RATE);
/** Last bin of the transform that is compared. */
export const HIGHEST_BIN = Math.round((HIGHEST_HERTZ * BLOCK_SAMPLES) / SAMPLE_RATE);
const SMOOTHING_BINS = Math.round((SMOOTHING_HERTZ * BLOCK_SAMPLES) / SAMPLE_RATE / 2);

/** A recorded occurrence of a sound with what surrounds it. */
export interface RecordedExample {
  readonly samples: Float32Array;
  /** The sample at which the sound begins, approximately. */
  readonly start: number;
}

/** A waveform that several occurrences share. */
export interface SharedWaveform {
  readonly samples: Float32Array;
  readonly examples: number;
}

/** A place where a waveform correlates with the sound. */
export interface WaveformMatch {
  /** Number of the waveform. */
  readonly wave: number;
  /** Seconds of its first sample. */
  readonly t: number;
  /** Correlation divided by the noise around it. */
  readonly clear: number;
  /** Gain over the learned level, in dB. */
  readonly gain: number;
}

/** The spectrum of a block of sound, and the power spectrum that whitens it. */
export class WhitenedBlock {
  readonly re = new Float64Array(BLOCK_SAMPLES);
  readonly im = new Float64Array(BLOCK_SAMPLES);
  power = new Float64Array(BLOCK_SAMPLES / 2 + 1);
  static readonly #fft = new Fft(BLOCK_SAMPLES);

  /** @param samples At most `BLOCK_SAMPLES` samples. */
  constructor(samples: Float32Array) {
    this.re.set(samples.subarray(0, BLOCK_SAMPLES));
    WhitenedBlock.#fft.forward(this.re, this.im);
    const { re, im } = this;
    const sums = new Float64Array(BLOCK_SAMPLES / 2 + 2);
    for (let k = 0; k <= BLOCK_SAMPLES / 2; k++) sums[k + 1] = sums[k]! + re[k]! ** 2 + im[k]! ** 2;
    const mean = (sums[HIGHEST_BIN + 1]! - sums[LOWEST_BIN]!) / (HIGHEST_BIN + 1 - LOWEST_BIN);
    const floor = MIN_POWER_SHARE * mean + MIN_POWER * BLOCK_SAMPLES;
    for (let k = 0; k <= BLOCK_SAMPLES / 2; k++) {
      const [from, to] = [Math.max(0, k - SMOOTHING_BINS), Math.min(BLOCK_SAMPLES / 2, k + SMOOTHING_BINS)];
      this.power[k] = (sums[to + 1]! - sums[from]!) / (to + 1 - from) + floor;
    }
  }

  /** Returns a copy from which waveforms can be subtracted; it shares the power spectrum. */
  copy(): WhitenedBlock {
    const copy = new WhitenedBlock(new Float32Array(0));
    copy.re.set(this.re);
    copy.im.set(this.im);
    copy.power = this.power;
    return copy;
  }

  /** Subtracts a waveform that begins at sample `at`. */
  subtract(wave: WaveformSpectrum, at: number, gain: number): void {
    const turn = (-2 * Math.PI * at) / BLOCK_SAMPLES;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    let [c, d] = [gain * Math.cos(LOWEST_BIN * turn), gain * Math.sin(LOWEST_BIN * turn)];
    for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) {
      this.re[k]! -= wave.re[k]! * c - wave.im[k]! * d;
      this.im[k]! -= wave.re[k]! * d + wave.im[k]! * c;
      [c, d] = [c * cos - d * sin, c * sin + d * cos];
    }
  }

  /** Returns the whitened sound from a sample on. */
  whitened(at: number, length: number): Float32Array {
    const [re, im] = [new Float64Array(BLOCK_SAMPLES), new Float64Array(BLOCK_SAMPLES)];
    for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) {
      const loud = Math.sqrt(this.power[k]!);
      re[k] = re[BLOCK_SAMPLES - k] = this.re[k]! / loud;
      im[k] = this.im[k]! / loud;
      im[BLOCK_SAMPLES - k] = -im[k]!;
    }
    WhitenedBlock.#fft.inverse(re, im);
    return Float32Array.from(re.subarray(at, at + length));
  }

  /**
   * Correlates the block with two waveforms by matched filters for the block's own noise.
   *
   * @returns Per waveform and sample: the waveform's level relative to the learned one.
   */
  correlate(a: WaveformSpectrum, b: WaveformSpectrum | undefined): [Float64Array, Float64Array] {
    const [re, im] = [new Float64Array(BLOCK_SAMPLES), new Float64Array(BLOCK_SAMPLES)];
    const one = this.#energy(a);
    const other = b ? this.#energy(b) : 1;
    for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) {
      const [x, y, p] = [this.re[k]!, this.im[k]!, this.power[k]!];
      const [ar, ai] = [a.re[k]! / (p * one), -a.im[k]! / (p * one)];
      // X·conj(S)/P, real per waveform: the second's is the imaginary part.
      const [u, v] = [x * ar - y * ai, x * ai + y * ar];
      let [r, s] = [0, 0];
      if (b) {
        const [br, bi] = [b.re[k]! / (p * other), -b.im[k]! / (p * other)];
        [r, s] = [x * br - y * bi, x * bi + y * br];
      }
      re[k] = u - s;
      im[k] = v + r;
      re[BLOCK_SAMPLES - k] = u + s;
      im[BLOCK_SAMPLES - k] = r - v;
    }
    WhitenedBlock.#fft.inverse(re, im);
    return [re, im];
  }

  /**
   * Measures the level of a waveform that begins at sample `at`, relative to the learned one. Nearly silent frequencies count no more than
   * the waveform's own power there: the rest was learned from background.
   */
  level(wave: WaveformSpectrum, at: number): number {
    const turn = (2 * Math.PI * at) / BLOCK_SAMPLES;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    let [c, d] = [Math.cos(LOWEST_BIN * turn), Math.sin(LOWEST_BIN * turn)];
    let [together, own] = [0, 0];
    for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) {
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

  #energy(wave: WaveformSpectrum): number {
    let sum = 0;
    for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) sum += (wave.re[k]! ** 2 + wave.im[k]! ** 2) / this.power[k]!;
    return (2 * sum) / BLOCK_SAMPLES;
  }
}

/** The spectrum of a waveform. */
export class WaveformSpectrum {
  readonly re = new Float64Array(BLOCK_SAMPLES);
  readonly im = new Float64Array(BLOCK_SAMPLES);
  static readonly #fft = new Fft(BLOCK_SAMPLES);

  constructor(samples: Float32Array) {
    this.re.set(samples.subarray(0, MAX_WAVEFORM_SAMPLES));
    WaveformSpectrum.#fft.forward(this.re, this.im);
  }
}

/** Returns the noise of a correlation by cell: the median over nearby cells of their mean magnitude. */
export function localNoise(answer: Float64Array): Float64Array {
  const count = Math.floor(answer.length / NOISE_CELL_SAMPLES);
  const cells = Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let at = i * NOISE_CELL_SAMPLES; at < (i + 1) * NOISE_CELL_SAMPLES; at++) sum += Math.abs(answer[at]!);
    return sum / NOISE_CELL_SAMPLES;
  });
  return cells.map((_, i) => {
    const about = cells.slice(Math.max(0, i - NOISE_CELLS_AROUND), i + NOISE_CELLS_AROUND + 1).toSorted();
    return about[about.length >> 1]!;
  });
}

/** Matches waveforms in sound that arrives frame by frame. Blocks start at fixed times. */
class WaveformMatcher {
  /** Seconds of sound after a waveform's beginning that must be at hand. */
  readonly delay = (BLOCK_SAMPLES + FRAME_SAMPLES) / SAMPLE_RATE;
  readonly #waves: readonly WaveformSpectrum[];
  readonly #least: number;
  readonly #samples = new Float32Array(BLOCK_SAMPLES);
  /** Number of the block's first frame, and of the frame that comes next. */
  #first = 0;
  #next = -1;

  /** @param least Least clarity of a match. */
  constructor(waves: readonly WaveformSpectrum[], least: number) {
    this.#waves = waves;
    this.#least = least;
  }

  /** Time in seconds up to which all matches have been returned. */
  get start(): number {
    return this.#first * FRAME_SECONDS;
  }

  /** The matches of a block if the frame completes one. Sound that does not follow on the last begins anew. */
  push(t: number, samples: Float32Array): WaveformMatch[] | undefined {
    const frame = Math.round(t / FRAME_SECONDS);
    if (frame !== this.#next) this.#restart(frame);
    const at = (frame - this.#first) * FRAME_SAMPLES;
    this.#samples.set(samples.subarray(0, Math.min(FRAME_SAMPLES, BLOCK_SAMPLES - at)), at);
    this.#next = frame + 1;
    if ((frame + 1 - this.#first) * FRAME_SAMPLES < BLOCK_SAMPLES) return undefined;
    const matches = this.#matches();
    // What of the frame did not fit belongs to the next block.
    const into = (frame - this.#first) * FRAME_SAMPLES;
    this.#samples.set(samples, into);
    return matches;
  }

  /** The matches in what is left; then it begins anew. */
  flush(): WaveformMatch[] {
    const matches: WaveformMatch[] = [];
    while (this.#first < this.#next) matches.push(...this.#matches());
    this.#next = -1;
    return matches;
  }

  #restart(frame: number): void {
    this.#samples.fill(0);
    this.#first = Math.floor(frame / BLOCK_STEP_FRAMES) * BLOCK_STEP_FRAMES;
  }

  /** What begins in the first part of the block; then it moves on. */
  #matches(): WaveformMatch[] {
    const block = new WhitenedBlock(this.#samples);
    const matches: WaveformMatch[] = [];
    for (let i = 0; i < this.#waves.length; i += 2) {
      const answers = block.correlate(this.#waves[i]!, this.#waves[i + 1]);
      for (const [j, answer] of answers.entries()) {
        if (this.#waves[i + j]) this.#addPeaks(block, answer, i + j, matches);
      }
    }
    this.#samples.copyWithin(0, BLOCK_STEP_FRAMES * FRAME_SAMPLES);
    this.#samples.fill(0, BLOCK_SAMPLES - BLOCK_STEP_FRAMES * FRAME_SAMPLES);
    this.#first += BLOCK_STEP_FRAMES;
    return matches;
  }

  #addPeaks(block: WhitenedBlock, answer: Float64Array, wave: number, matches: WaveformMatch[]): void {
    const level = localNoise(answer);
    for (let at = 0; at < BLOCK_STEP_FRAMES * FRAME_SAMPLES; at++) {
      const value = answer[at]!;
      const around = level[Math.floor(at / NOISE_CELL_SAMPLES)]!;
      if (value <= this.#least * around || value <= (answer[at - 1] ?? answer.at(-1)!) || value < answer[at + 1]!)
        continue;
      if (!(around > 0)) continue;
      const t = this.#first * FRAME_SECONDS + at / SAMPLE_RATE;
      const loud = Math.max(1e-6, block.level(this.#waves[wave]!, at));
      matches.push({ wave, t, clear: value / around, gain: 20 * Math.log10(loud) });
    }
  }
}

/** Matches of one sound within this time are one occurrence. */
const SAME_OCCURRENCE_SECONDS = 0.06;
/** Time within which a match of another sound competes, and the share of its clarity that a match must reach. */
const COMPETING_SECONDS = 0.04;
const COMPETING_SHARE = 0.5;

/** dB by which its level may differ before it must be clearer than otherwise, and those that ask for twice as clear. */
const EXPECTED_GAIN_DB = 4;
const GAIN_FOR_DOUBLE_CLARITY_DB = 20;

interface Candidate extends WaveformMatch {
  readonly label: string;
}

/**
 * Recognizes sounds by their waveform, with matched filters for the current noise. Of matches of one sound less than
 * `apart` seconds apart only the clearest counts.
 */
export class WaveformListener implements Listener {
  readonly delay: number;
  readonly #matcher: WaveformMatcher;
  readonly #labels: readonly string[];
  /** Seconds from a waveform's beginning to that of its sound. */
  readonly #onsets: readonly number[];
  readonly #least: number;
  readonly #within: number;
  readonly #apart: number;
  #open: Candidate[] = [];

  /** @param least Least clarity of a match. @param within Largest gain relative to the learned level, in dB. */
  constructor(prints: readonly SoundFingerprint[], least: number, within: number, apart = SAME_OCCURRENCE_SECONDS) {
    const waves = prints.flatMap(({ label, waves: some }) => some.map((samples) => ({ label, samples })));
    this.#matcher = new WaveformMatcher(
      waves.map(({ samples }) => new WaveformSpectrum(samples)),
      least,
    );
    this.#labels = waves.map(({ label }) => label);
    this.#onsets = waves.map(({ samples }) => onsetOf(samples));
    this.#least = least;
    this.#within = within;
    this.#apart = apart;
    this.delay =
      this.#matcher.delay +
      BLOCK_STEP_FRAMES * FRAME_SECONDS +
      Math.max(apart, COMPETING_SECONDS) +
      Math.max(...this.#onsets);
  }

  hear({ t, samples }: SoundFrame): AudioObservation[] {
    const matches = this.#matcher.push(t, samples);
    if (matches === undefined) return [];
    return this.#settle(matches, this.#matcher.start - Math.max(this.#apart, COMPETING_SECONDS));
  }

  pause(): AudioObservation[] {
    return this.#settle(this.#matcher.flush(), Number.POSITIVE_INFINITY);
  }

  /** What nothing that is still to come can outdo. */
  #settle(matches: readonly WaveformMatch[], until: number): AudioObservation[] {
    this.#open.push(...matches.map((match) => ({ ...match, label: this.#labels[match.wave]! })));
    const inOrder = this.#open.toSorted((a, b) => a.t - b.t);
    const heard = inOrder.filter((one) => one.t < until && !this.#isOutdone(one)).map((one) => this.#toHeard(one));
    // Matches that were returned may still outdo others.
    this.#open = inOrder.filter(({ t }) => t >= until);
    return heard.filter((one) => one !== undefined).toSorted((a, b) => a.t - b.t);
  }

  #isOutdone(one: Candidate): boolean {
    return this.#open.some((other) => {
      if (other === one) return false;
      const apart = Math.abs(other.t - one.t);
      if (other.label === one.label)
        return apart < this.#apart && (other.clear > one.clear || (other.clear === one.clear && other.t < one.t));
      return apart < COMPETING_SECONDS && other.clear * COMPETING_SHARE > one.clear;
    });
  }

  #toHeard({ t, clear, gain, wave, label }: Candidate): AudioObservation | undefined {
    const differs = Math.max(0, Math.abs(gain) - EXPECTED_GAIN_DB);
    if (Math.abs(gain) > this.#within || clear < this.#least * (1 + differs / GAIN_FOR_DOUBLE_CLARITY_DB))
      return undefined;
    return {
      t: roundTime(Math.round((t + this.#onsets[wave]!) * SAMPLE_RATE) / SAMPLE_RATE),
      observation: {
        state: 'seen',
        value: label,
        confidence: 1 - 0.5 * (this.#least / clear) ** 2,
        detail: { clear: Math.round(clear * 10) / 10, gain: Math.round(gain * 10) / 10 },
      },
    };
  }
}

/** Seconds to the first half hundredth that is a fifth as loud as the loudest. */
function onsetOf(samples: Float32Array): number {
  const cell = FRAME_SAMPLES / 2;
  const levels = Array.from({ length: Math.ceil(samples.length / cell) }, (_, i) =>
    samples.subarray(i * cell, (i + 1) * cell).reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  );
  const loudest = Math.max(...levels);
  return (levels.findIndex((level) => level >= loudest / 5) * cell) / SAMPLE_RATE;
}
