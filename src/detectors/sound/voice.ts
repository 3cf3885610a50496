import { roundTime } from '../../time.ts';
import type { Heard, Listener, Observation, SoundFrame } from '../kind.ts';
import { BANDS, STEP } from './spectrum.ts';

/** Frames that a judgement rests on, its time in their middle: 0.6 s, two syllables. */
const SPAN = 61;
/** Frames that tell what sounds all the time, how often that is looked at, and the share of them below it. */
const LATELY = 200;
const ANEW = 20;
const QUIET = 0.2;
/** dB over what sounds all the time beyond which it makes no difference: over silence everything stands out. */
const MOST = 25;
/** Bands of voices (to 4000 Hz): those of their pitch and first formant, and above. */
const [LOW, MIDDLE, HIGH] = [1, 14, 32] as const;
/** Clarity of a pitch (cepstral peak over mean) that a voice may have, mostly has, surely has; and octaves by which it moves within 10 ms. */
const CLEAR = [6, 8, 14] as const;
const GLIDE = 0.12;

/** What a frame tells, before anything is summed up. */
interface Row {
  readonly t: number;
  readonly loudness: number;
  readonly values: readonly number[];
}

/** Values of a row: logarithm of the clarity; clear in three degrees; dB over what sounds all the time, in three ranges; share of voices' bands; change; height. */
const VALUES = 10;
/** Of which the mean over the span counts, and of which the deviation. */
const MEANS = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const DEVIATIONS = [0, 4, 5, 6, 7, 9] as const;

/** Describes the last 0.6 s by fifteen numbers: how clear and steady a pitch is, in which range something sounds, and how it moves. */
export class VoiceFeatures {
  readonly #bands: Float32Array[] = [];
  readonly #rows: Row[] = [];
  #ground = new Float32Array(BANDS);
  #over = new Float32Array(BANDS);
  #pitch = 0;
  #frames = 0;

  /** Undefined until there are enough frames; `t` and `loudness` are of the middle of those described. */
  push({ t, bands, loudness, pitch }: SoundFrame): (Omit<Row, 'values'> & { readonly features: number[] }) | undefined {
    this.#bands.push(bands);
    if (this.#bands.length > LATELY) this.#bands.shift();
    if (this.#frames++ % ANEW === 0) this.#listen();
    const { hertz, clarity } = pitch();
    const steady = Math.abs(Math.log2(hertz / Math.max(1, this.#pitch))) < GLIDE;
    this.#pitch = hertz;
    const over = bands.map((level, band) => Math.max(0, Math.min(MOST, level - this.#ground[band]!)));
    let change = 0;
    for (let band = LOW; band < HIGH; band++) change += Math.abs(over[band]! - this.#over[band]!);
    this.#over = over;
    const values = [
      Math.log(Math.max(1, clarity)),
      ...CLEAR.map((least) => (steady && clarity > least ? 1 : 0)),
      meanOf(over, LOW, MIDDLE),
      meanOf(over, MIDDLE, HIGH),
      meanOf(over, HIGH, BANDS),
      insideOf(bands),
      change / (HIGH - LOW),
      Math.log2(hertz),
    ];
    this.#rows.push({ t, loudness, values });
    if (this.#rows.length > SPAN) this.#rows.shift();
    if (this.#rows.length < SPAN) return undefined;
    const middle = this.#rows[SPAN >> 1]!;
    return { t: middle.t, loudness: middle.loudness, features: this.#summary() };
  }

  clear(): void {
    this.#bands.length = 0;
    this.#rows.length = 0;
    this.#frames = 0;
  }

  #listen(): void {
    const count = this.#bands.length;
    const levels = new Float32Array(count);
    this.#ground = this.#ground.map((_, band) => {
      for (let i = 0; i < count; i++) levels[i] = this.#bands[i]![band]!;
      return levels.toSorted()[Math.floor(QUIET * (count - 1))]!;
    });
  }

  #summary(): number[] {
    const sums = new Float64Array(VALUES);
    const squares = new Float64Array(VALUES);
    for (const { values } of this.#rows) {
      for (let i = 0; i < VALUES; i++) {
        sums[i]! += values[i]!;
        squares[i]! += values[i]! ** 2;
      }
    }
    const deviation = (i: number): number => Math.sqrt(Math.max(0, squares[i]! / SPAN - (sums[i]! / SPAN) ** 2));
    return [...MEANS.map((i) => sums[i]! / SPAN), ...DEVIATIONS.map(deviation)];
  }
}

function meanOf(levels: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let band = from; band < to; band++) sum += levels[band]!;
  return sum / (to - from);
}

/** Share of the power that lies in the bands of voices. */
function insideOf(bands: Float32Array): number {
  let [inside, all] = [0, 0];
  for (const [band, level] of bands.entries()) {
    const power = 10 ** (level / 10);
    all += power;
    if (band >= LOW && band < HIGH) inside += power;
  }
  return inside / all;
}

/** Logistic regression on the features (tools/train/voice.py), the last is the constant. */
const WEIGHTS = [
  4.835, 1.447, 1.69, -12.5, 0.2261, -0.1177, 0.03034, 16.11, 1.29, 12.2, 0.1066, -0.1687, -0.1564, 15.93, 2.781,
  -34.06,
];

/** Probability from which it is a voice, below which it is none any more, and frames for which it must be. */
const [ON, OFF] = [0.8, 0.6];
const HOLD = 25;

/** Speech and shouts, by how clear a pitch is heard, how steady and in what rhythm, over what sounds all the time. */
export class VoiceListener implements Listener {
  readonly delay = (SPAN / 2 + HOLD) * STEP;
  readonly #least: number;
  readonly #features = new VoiceFeatures();
  /** Probabilities since it may be a voice. */
  #since: { readonly t: number; sum: number; count: number; loudest: number } | undefined;
  #speaking = false;

  constructor(least: number) {
    this.#least = least;
  }

  hear(frame: SoundFrame): Heard[] {
    const described = this.#features.push(frame);
    if (!described) return [];
    const { t, loudness, features } = described;
    const likely = loudness < this.#least ? 0 : voiceLikelihood(features);
    if (this.#speaking) {
      if (likely >= OFF) return [];
      this.#speaking = false;
      this.#since = undefined;
      return [{ t, observation: { state: 'absent', confidence: 1 - likely } }];
    }
    if (likely < (this.#since ? OFF : ON)) {
      this.#since = undefined;
      return [];
    }
    this.#since ??= { t, sum: 0, count: 0, loudest: loudness };
    const since = this.#since;
    since.sum += likely;
    since.count++;
    since.loudest = Math.max(since.loudest, loudness);
    if (since.count < HOLD) return [];
    this.#speaking = true;
    const observation: Observation = {
      state: 'seen',
      value: since.loudest > -20 ? 'shout' : 'speech',
      confidence: since.sum / since.count,
      detail: { loudness: Math.round(10 * since.loudest) / 10 },
    };
    return [{ t: roundTime(since.t), observation }];
  }

  pause(): Heard[] {
    this.#features.clear();
    this.#since = undefined;
    this.#speaking = false;
    return [];
  }
}

/** How likely 0.6 s of sound hold a voice. */
function voiceLikelihood(features: readonly number[]): number {
  const sum = features.reduce((all, value, i) => all + value * (WEIGHTS[i] ?? 0), WEIGHTS.at(-1)!);
  return 1 / (1 + Math.exp(-sum));
}
