import { roundTo } from '../../statistics.ts';
import { roundTime } from '../../time.ts';
import type { AudioObservation, Listener, SoundFrame } from '../kind.ts';
import type { LoudnessOver } from './index.ts';
import { BANDS, FRAME_SECONDS, SILENCE_DB } from './spectrogram.ts';

/** The last values of a series. */
class RecentValues {
  readonly #size: number;
  readonly values: number[] = [];

  constructor(seconds: number) {
    this.#size = Math.max(1, Math.round(seconds / FRAME_SECONDS));
  }

  push(value: number): void {
    this.values.push(value);
    if (this.values.length > this.#size) this.values.shift();
  }

  get full(): boolean {
    return this.values.length === this.#size;
  }

  clear(): void {
    this.values.length = 0;
  }

  quantile(part: number): number {
    return this.values.toSorted((a, b) => a - b)[
      Math.min(this.values.length - 1, Math.floor(part * this.values.length))
    ]!;
  }

  mean(): number {
    return this.values.reduce((sum, value) => sum + value, 0) / Math.max(1, this.values.length);
  }
}

/** Length of the history that loudness is compared with. */
const HISTORY_SECONDS = 10;

/**
 * Detects bursts of loudness: momentary or short-term loudness (EBU R128) at least `rise` LU above the median of the last ten seconds and at
 * least `least` LUFS. A burst ends when loudness has fallen by half of `rise` below the threshold.
 */
export class LoudListener implements Listener {
  readonly delay = FRAME_SECONDS;
  readonly #rise: number;
  readonly #least: number;
  readonly #over: LoudnessOver;
  /** One value in ten frames: loudness is a mean over 400 ms and more. */
  readonly #usual = new RecentValues(HISTORY_SECONDS * 0.1);
  #frames = 0;
  #limit: number | undefined;

  constructor(rise: number, least: number, over: LoudnessOver = 'momentary') {
    this.#rise = rise;
    this.#least = least;
    this.#over = over;
  }

  hear(frame: SoundFrame): AudioObservation[] {
    const { t } = frame;
    const loudness = this.#over === 'short-term' ? frame.shortTerm : frame.loudness;
    const usual = this.#usual.values.length < 10 ? undefined : Math.max(-70, this.#usual.quantile(0.5));
    if (this.#frames++ % 10 === 0) this.#usual.push(loudness);
    if (this.#limit !== undefined) {
      if (loudness > this.#limit - this.#rise / 2) return [];
      this.#limit = undefined;
      return [{ t, observation: { state: 'absent', confidence: 1 } }];
    }
    if (usual === undefined || loudness < Math.max(usual + this.#rise, this.#least)) return [];
    this.#limit = usual + this.#rise;
    const over = loudness - usual;
    return [
      {
        t,
        observation: {
          state: 'seen',
          value: 'loud',
          confidence: 1 - 0.5 * (this.#rise / Math.max(over, this.#rise)) ** 2,
          detail: { loudness: roundTo(loudness, 1), usual: roundTo(usual, 1) },
        },
      },
    ];
  }

  pause(): AudioObservation[] {
    this.#usual.clear();
    this.#limit = undefined;
    return [];
  }
}

/** Number of frames on each side of an onset with less spectral flux. */
const NEIGHBOR_FRAMES = 3;

/**
 * Detects onsets: peaks of the spectral flux (in dB over three frames, silence excluded) that are clearly above the mean of the last
 * second.
 */
export class OnsetListener implements Listener {
  readonly delay = (NEIGHBOR_FRAMES + 3) * FRAME_SECONDS;
  readonly #rise: number;
  readonly #apart: number;
  readonly #usual = new RecentValues(1);
  #bands: Float32Array[] = [];
  #flux: { t: number; value: number }[] = [];
  #last = Number.NEGATIVE_INFINITY;

  constructor(rise: number, apart: number) {
    this.#rise = rise;
    this.#apart = apart;
  }

  hear({ t, bands }: SoundFrame): AudioObservation[] {
    this.#bands.push(bands);
    if (this.#bands.length > 4) this.#bands.shift();
    if (this.#bands.length < 4) return [];
    const before = this.#bands[0]!;
    let sum = 0;
    for (let band = 0; band < BANDS; band++) {
      // Changes near silence do not count.
      sum += Math.max(0, Math.max(bands[band]!, SILENCE_DB + 25) - Math.max(before[band]!, SILENCE_DB + 25));
    }
    this.#flux.push({ t, value: sum / BANDS });
    if (this.#flux.length <= 2 * NEIGHBOR_FRAMES) return [];
    if (this.#flux.length > 2 * NEIGHBOR_FRAMES + 1) this.#flux.shift();
    const middle = this.#flux[NEIGHBOR_FRAMES]!;
    const usual = this.#usual.values.length === 0 ? 0 : this.#usual.mean();
    this.#usual.push(middle.value);
    const first = this.#flux.findIndex(({ value }) => value >= Math.max(...this.#flux.map((one) => one.value)));
    const over = middle.value - usual;
    if (first !== NEIGHBOR_FRAMES || over < this.#rise || middle.t - this.#last < this.#apart) return [];
    this.#last = middle.t;
    const confidence = 1 - 0.5 * (this.#rise / over) ** 2;
    // The flux over three frames peaks when the rise is in their middle.
    const at = roundTime(middle.t - FRAME_SECONDS);
    return [{ t: at, observation: { state: 'seen', value: 'onset', confidence, detail: { rise: roundTo(over, 1) } } }];
  }

  pause(): AudioObservation[] {
    this.#bands = [];
    this.#flux = [];
    this.#usual.clear();
    return [];
  }
}
