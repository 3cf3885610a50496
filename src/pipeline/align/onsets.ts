import { BANDS, SILENCE_DB, SAMPLE_RATE, Spectrogram, FRAME_SECONDS } from '../../detectors/sound/spectrogram.ts';
import { readAudio } from '../../media/audio.ts';
import { Fft } from '../../compute/fft.ts';
import type { OffsetMeasurement } from './clock-line.ts';
import type { SoundTrack } from './waveform.ts';

/** Groups of bands in which onsets are measured. */
const GROUPS = 4;
const BANDS_PER_GROUP = BANDS / GROUPS;
/** Power below which no onset counts. */
const MIN_ONSET_DB = SILENCE_DB + 35;
/** Frames on each side over which the mean is subtracted. */
const MEAN_FRAMES = 60;
/** Distance between two candidates of one excerpt, in frames. */
const MIN_CANDIDATE_DISTANCE = 10;

/** Strength of onsets (spectral flux) per hundredth of a second from 0 on, in groups of bands. */
export interface OnsetEnvelope {
  readonly groups: readonly Float32Array[];
  readonly frames: number;
}

/**
 * Computes the onset envelope of a sound track.
 *
 * @throws PlaybyplayError as `readAudio` does.
 */
export function computeOnsets({ path, origin, track }: SoundTrack, signal?: AbortSignal): OnsetEnvelope {
  const flux: number[][] = Array.from({ length: GROUPS }, () => []);
  const spectrograph = new Spectrogram();
  let before: Float32Array | undefined;
  for (const block of readAudio(path, { track, sampleRate: SAMPLE_RATE, origin, ...(signal ? { signal } : {}) })) {
    for (const { t, bands } of spectrograph.push(block)) {
      const frame = Math.round(t / FRAME_SECONDS);
      if (frame < 0) continue;
      const last: Float32Array = before ?? bands;
      for (let group = 0; group < GROUPS; group++) {
        let sum = 0;
        for (let band = group * BANDS_PER_GROUP; band < (group + 1) * BANDS_PER_GROUP; band++) {
          const [now, then] = [Math.max(bands[band]!, MIN_ONSET_DB), Math.max(last[band]!, MIN_ONSET_DB)];
          sum += Math.max(0, now - then);
        }
        flux[group]![frame] = sum / BANDS_PER_GROUP;
      }
      before = bands;
    }
  }
  const frames = Math.max(...flux.map(({ length }) => length));
  return {
    frames,
    groups: flux.map((one) => subtractMean(Float32Array.from({ length: frames }, (_, i) => one[i] ?? 0))),
  };
}

/** Converts times (seconds) to an onset envelope, each spread over five frames. */
export function onsetsFromTimes(times: readonly number[]): OnsetEnvelope {
  const frames = Math.max(0, Math.ceil(Math.max(0, ...times) / FRAME_SECONDS)) + 10;
  const one = new Float32Array(frames);
  for (const t of times)
    for (let i = -2; i <= 2; i++) {
      const at = Math.round(t / FRAME_SECONDS) + i;
      if (at >= 0 && at < frames) one[at]! += 1 - Math.abs(i) / 3;
    }
  const level = subtractMean(one);
  return { frames, groups: Array.from({ length: GROUPS }, () => level) };
}

/** Takes the root, which limits strong onsets, and subtracts the local mean. */
function subtractMean(values: Float32Array): Float32Array {
  const sums = new Float64Array(values.length + 1);
  for (const [i, value] of values.entries()) sums[i + 1] = sums[i]! + Math.sqrt(value);
  return values.map((value, i) => {
    const [from, to] = [Math.max(0, i - MEAN_FRAMES), Math.min(values.length, i + MEAN_FRAMES + 1)];
    return Math.sqrt(value) - (sums[to]! - sums[from]!) / (to - from);
  });
}

/** Finds excerpts of other recordings in one recording by cross-correlation of their onsets. */
export class OnsetMatcher {
  readonly #size: number;
  readonly #fft: Fft;
  readonly #spectra: readonly { re: Float64Array; im: Float64Array }[];
  readonly #frames: number;

  /** @param longest Frames of the longest excerpt. */
  constructor(whole: OnsetEnvelope, longest: number) {
    this.#frames = whole.frames;
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(2, whole.frames + longest)));
    this.#fft = new Fft(this.#size);
    this.#spectra = whole.groups.map((group) => this.#spectrum(group));
  }

  #spectrum(values: Float32Array): { re: Float64Array; im: Float64Array } {
    const [re, im] = [new Float64Array(this.#size), new Float64Array(this.#size)];
    re.set(values);
    this.#fft.forward(re, im);
    return { re, im };
  }

  /**
   * Finds the clearest offsets of the excerpt of frames [from, to), at least a tenth of a second apart. `at` is the middle of the
   * excerpt.
   */
  find(other: OnsetEnvelope, from: number, to: number, count: number): OffsetMeasurement[] {
    const [re, im] = [new Float64Array(this.#size), new Float64Array(this.#size)];
    for (const [group, spectrum] of this.#spectra.entries()) {
      const part = this.#spectrum(other.groups[group]!.subarray(from, to));
      for (let k = 0; k < this.#size; k++) {
        re[k]! += spectrum.re[k]! * part.re[k]! + spectrum.im[k]! * part.im[k]!;
        im[k]! += spectrum.im[k]! * part.re[k]! - spectrum.re[k]! * part.im[k]!;
      }
    }
    this.#fft.inverse(re, im);
    const level = Math.sqrt(re.reduce((sum, value) => sum + value * value, 0) / (this.#frames + to - from));
    if (!(level > 0)) return [];
    const found: OffsetMeasurement[] = [];
    const values = re;
    for (let n = 0; n < count; n++) {
      let at = 0;
      for (let k = 1; k < this.#size; k++) if (values[k]! > values[at]!) at = k;
      const lag = at < this.#frames ? at : at - this.#size;
      found.push({
        at: ((from + to) / 2) * FRAME_SECONDS,
        offset: (lag - from) * FRAME_SECONDS,
        clarity: values[at]! / level,
      });
      for (let k = at - MIN_CANDIDATE_DISTANCE; k <= at + MIN_CANDIDATE_DISTANCE; k++)
        values[(k + this.#size) % this.#size] = Number.NEGATIVE_INFINITY;
    }
    return found;
  }
}
