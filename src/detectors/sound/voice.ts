import { roundTime } from '../../time.ts';
import type { AudioObservation, Listener, Observation, SoundFrame } from '../kind.ts';
import { BANDS, FRAME_SECONDS } from './spectrogram.ts';

/** Number of frames in a decision, centered on its time: 0.6 s, two syllables. */
const WINDOW_FRAMES = 61;
/** Background level: a quantile over the last frames, updated at an interval. */
const BACKGROUND_FRAMES = 200;
const BACKGROUND_INTERVAL_FRAMES = 20;
const BACKGROUND_QUANTILE = 0.2;
/** Largest excess over the background that counts: over silence everything stands out. */
const MAX_EXCESS_DB = 25;
/** Bands of voices (to 4000 Hz): pitch and first formant, and above. */
const [LOW_BAND, MIDDLE_BAND, HIGH_BAND] = [1, 14, 32] as const;
/** Pitch clarity (cepstral peak over mean) of possible, likely and certain voices, and the largest pitch change within 10 ms. */
const CLARITY_LEVELS = [6, 8, 14] as const;
const MAX_GLIDE_OCTAVES = 0.12;

/** Values of one frame. */
interface Row {
  readonly t: number;
  readonly loudness: number;
  readonly values: readonly number[];
}

/** Values of a frame: log clarity; clarity above three levels; excess in three ranges; share of voice bands; change; log pitch. */
const VALUE_COUNT = 10;
/** Values whose mean, and whose deviation, over the window are features. */
const MEANS = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const DEVIATIONS = [0, 4, 5, 6, 7, 9] as const;

/** Describes the last 0.6 s by fifteen features: clarity and steadiness of pitch, frequency range, and modulation. */
export class VoiceFeatures {
  readonly #bands: Float32Array[] = [];
  readonly #rows: Row[] = [];
  #background = new Float32Array(BANDS);
  #over = new Float32Array(BANDS);
  #pitch = 0;
  #frames = 0;

  /** Adds a frame. Returns features with time and loudness of the window's middle; undefined until the window is full. */
  push({ t, bands, loudness, pitch }: SoundFrame): (Omit<Row, 'values'> & { readonly features: number[] }) | undefined {
    this.#bands.push(bands);
    if (this.#bands.length > BACKGROUND_FRAMES) this.#bands.shift();
    if (this.#frames++ % BACKGROUND_INTERVAL_FRAMES === 0) this.#updateBackground();
    const { hertz, clarity } = pitch();
    const steady = Math.abs(Math.log2(hertz / Math.max(1, this.#pitch))) < MAX_GLIDE_OCTAVES;
    this.#pitch = hertz;
    const over = bands.map((level, band) => Math.max(0, Math.min(MAX_EXCESS_DB, level - this.#background[band]!)));
    let change = 0;
    for (let band = LOW_BAND; band < HIGH_BAND; band++) change += Math.abs(over[band]! - this.#over[band]!);
    this.#over = over;
    const values = [
      Math.log(Math.max(1, clarity)),
      ...CLARITY_LEVELS.map((least) => (steady && clarity > least ? 1 : 0)),
      meanLevel(over, LOW_BAND, MIDDLE_BAND),
      meanLevel(over, MIDDLE_BAND, HIGH_BAND),
      meanLevel(over, HIGH_BAND, BANDS),
      voiceBandShare(bands),
      change / (HIGH_BAND - LOW_BAND),
      Math.log2(hertz),
    ];
    this.#rows.push({ t, loudness, values });
    if (this.#rows.length > WINDOW_FRAMES) this.#rows.shift();
    if (this.#rows.length < WINDOW_FRAMES) return undefined;
    const middle = this.#rows[WINDOW_FRAMES >> 1]!;
    return { t: middle.t, loudness: middle.loudness, features: this.#summary() };
  }

  clear(): void {
    this.#bands.length = 0;
    this.#rows.length = 0;
    this.#frames = 0;
  }

  #updateBackground(): void {
    const count = this.#bands.length;
    const levels = new Float32Array(count);
    this.#background = this.#background.map((_, band) => {
      for (let i = 0; i < count; i++) levels[i] = this.#bands[i]![band]!;
      return levels.toSorted()[Math.floor(BACKGROUND_QUANTILE * (count - 1))]!;
    });
  }

  #summary(): number[] {
    const sums = new Float64Array(VALUE_COUNT);
    const squares = new Float64Array(VALUE_COUNT);
    for (const { values } of this.#rows) {
      for (let i = 0; i < VALUE_COUNT; i++) {
        sums[i]! += values[i]!;
        squares[i]! += values[i]! ** 2;
      }
    }
    const deviation = (i: number): number =>
      Math.sqrt(Math.max(0, squares[i]! / WINDOW_FRAMES - (sums[i]! / WINDOW_FRAMES) ** 2));
    return [...MEANS.map((i) => sums[i]! / WINDOW_FRAMES), ...DEVIATIONS.map(deviation)];
  }
}

function meanLevel(levels: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let band = from; band < to; band++) sum += levels[band]!;
  return sum / (to - from);
}

/** Returns the share of power in the bands of voices. */
function voiceBandShare(bands: Float32Array): number {
  let [inside, all] = [0, 0];
  for (const [band, level] of bands.entries()) {
    const power = 10 ** (level / 10);
    all += power;
    if (band >= LOW_BAND && band < HIGH_BAND) inside += power;
  }
  return inside / all;
}

/** Weights of a logistic regression on the features (tools/train/voice.py); the last is the bias. */
const WEIGHTS = [
  4.835, 1.447, 1.69, -12.5, 0.2261, -0.1177, 0.03034, 16.11, 1.29, 12.2, 0.1066, -0.1687, -0.1564, 15.93, 2.781,
  -34.06,
];

/** Probability at which a voice starts and below which it ends, and frames that it must last. */
const [START_PROBABILITY, END_PROBABILITY] = [0.8, 0.6];
const MIN_FRAMES = 25;

/** Detects speech and shouts by clarity, steadiness and rhythm of pitch over the background. */
export class VoiceListener implements Listener {
  readonly delay = (WINDOW_FRAMES / 2 + MIN_FRAMES) * FRAME_SECONDS;
  readonly #least: number;
  readonly #features = new VoiceFeatures();
  /** Statistics since a voice may have started. */
  #since: { readonly t: number; sum: number; count: number; loudest: number } | undefined;
  #speaking = false;

  constructor(least: number) {
    this.#least = least;
  }

  hear(frame: SoundFrame): AudioObservation[] {
    const described = this.#features.push(frame);
    if (!described) return [];
    const { t, loudness, features } = described;
    const likely = loudness < this.#least ? 0 : voiceProbability(features);
    if (this.#speaking) {
      if (likely >= END_PROBABILITY) return [];
      this.#speaking = false;
      this.#since = undefined;
      return [{ t, observation: { state: 'absent', confidence: 1 - likely } }];
    }
    if (likely < (this.#since ? END_PROBABILITY : START_PROBABILITY)) {
      this.#since = undefined;
      return [];
    }
    this.#since ??= { t, sum: 0, count: 0, loudest: loudness };
    const since = this.#since;
    since.sum += likely;
    since.count++;
    since.loudest = Math.max(since.loudest, loudness);
    if (since.count < MIN_FRAMES) return [];
    this.#speaking = true;
    const observation: Observation = {
      state: 'seen',
      value: since.loudest > -20 ? 'shout' : 'speech',
      confidence: since.sum / since.count,
      detail: { loudness: Math.round(10 * since.loudest) / 10 },
    };
    return [{ t: roundTime(since.t), observation }];
  }

  pause(): AudioObservation[] {
    this.#features.clear();
    this.#since = undefined;
    this.#speaking = false;
    return [];
  }
}

/** Returns the probability that a window contains a voice. */
function voiceProbability(features: readonly number[]): number {
  const sum = features.reduce((all, value, i) => all + value * (WEIGHTS[i] ?? 0), WEIGHTS.at(-1)!);
  return 1 / (1 + Math.exp(-sum));
}
