import { Fft } from '../../compute/fft.ts';
import { AudioReader } from '../audio.ts';

/** The pulse of a piece of music. */
export interface Beats {
  /** Beats per minute. */
  readonly tempo: number;
  /** Seconds of each beat, ascending. */
  readonly times: readonly number[];
}

const SAMPLE_RATE = 22_050;
const WINDOW = 1024;
const HOP = 256;
/** Frequencies of the bands whose growth is an onset, in octaves from 60 Hz. */
const BANDS = 24;
const LOWEST_HZ = 60;
const HIGHEST_HZ = 8000;
/** Tempi that are considered, and the likeliest. */
const MIN_TEMPO = 60;
const MAX_TEMPO = 200;
const LIKELY_TEMPO = 120;
/** Standard deviation of the logarithm of the tempo, in octaves. */
const TEMPO_SPREAD_OCTAVES = 0.9;
/** How strictly beats keep the tempo. */
const TIGHTNESS = 400;

/**
 * Finds tempo and beats of the first seconds of a sound file: onsets are where the energy of a band grows, the tempo is the lag at which
 * they repeat, and the beats are the sequence that lies on most of them and keeps the tempo (Ellis, "Beat Tracking by Dynamic
 * Programming", Journal of New Music Research 36, 2007).
 *
 * @returns undefined for a file without a pulse: silence, or less than two seconds.
 */
export function findBeats(path: string, seconds: number): Beats | undefined {
  const onsets = onsetStrength(path, seconds);
  if (onsets.length < (2 * SAMPLE_RATE) / HOP || onsets.every((value) => value === 0)) return undefined;
  const period = beatPeriod(onsets);
  const frames = trackBeats(onsets, period);
  return {
    tempo: (60 * SAMPLE_RATE) / (HOP * period),
    // An onset is found when it enters the window, at its end.
    times: frames.map((frame) => (frame * HOP + WINDOW / 2) / SAMPLE_RATE),
  };
}

/** How much the energy of the bands grows, for each hop; mean 0 and deviation 1 at the sound, not below 0. */
function onsetStrength(path: string, seconds: number): Float64Array {
  const fft = new Fft(WINDOW);
  const [re, im] = [new Float64Array(WINDOW), new Float64Array(WINDOW)];
  const hann = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW));
  const edges = Array.from({ length: BANDS + 1 }, (_, i) =>
    Math.round((LOWEST_HZ * (HIGHEST_HZ / LOWEST_HZ) ** (i / BANDS) * WINDOW) / SAMPLE_RATE),
  );
  const history = new Float64Array(WINDOW);
  let filled = 0;
  let before = new Float64Array(BANDS);
  const growth: number[] = [];
  using reader = new AudioReader(path);
  for (const { samples } of reader.read({ sampleRate: SAMPLE_RATE, to: seconds })) {
    for (const sample of samples) {
      history[filled++] = sample;
      if (filled < WINDOW) continue;
      for (let i = 0; i < WINDOW; i++) re[i] = history[i]! * hann[i]!;
      im.fill(0);
      fft.forward(re, im);
      const bands = new Float64Array(BANDS);
      for (let band = 0; band < BANDS; band++) {
        const end = Math.max(edges[band]! + 1, edges[band + 1]!);
        for (let bin = edges[band]!; bin < end; bin++) bands[band]! += re[bin]! ** 2 + im[bin]! ** 2;
        bands[band] = Math.log10(1e-4 + bands[band]!);
      }
      growth.push(growth.length === 0 ? 0 : bands.reduce((sum, level, i) => sum + Math.max(0, level - before[i]!), 0));
      before = bands;
      history.copyWithin(0, HOP);
      filled = WINDOW - HOP;
    }
  }
  const mean = growth.reduce((sum, value) => sum + value, 0) / Math.max(1, growth.length);
  const variance = growth.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, growth.length);
  const deviation = Math.sqrt(variance);
  return Float64Array.from(growth, (value) => (deviation > 1e-9 ? Math.max(0, (value - mean) / deviation) : 0));
}

/** The lag in hops at which onsets repeat best, weighted by how common its tempo is. */
function beatPeriod(onsets: Float64Array): number {
  const hopsPerMinute = (60 * SAMPLE_RATE) / HOP;
  const score = (lag: number): number => {
    let sum = 0;
    for (let i = lag; i < onsets.length; i++) sum += onsets[i]! * onsets[i - lag]!;
    const octaves = Math.log2(hopsPerMinute / lag / LIKELY_TEMPO) / TEMPO_SPREAD_OCTAVES;
    return (sum / (onsets.length - lag)) * Math.exp(-0.5 * octaves ** 2);
  };
  let best = Math.round(hopsPerMinute / LIKELY_TEMPO);
  for (let lag = Math.ceil(hopsPerMinute / MAX_TEMPO); lag <= hopsPerMinute / MIN_TEMPO && lag < onsets.length; lag++)
    if (score(lag) > score(best)) best = lag;
  return refinedLag(onsets, best);
}

/** A fraction of a hop: the lag whose multiples repeat best, by a parabola through the score of eight periods. */
function refinedLag(onsets: Float64Array, lag: number): number {
  let [best, most] = [lag, Number.NEGATIVE_INFINITY];
  for (let candidate = lag - 1; candidate <= lag + 1; candidate += 0.02) {
    let sum = 0;
    for (let multiple = 1; multiple <= 8; multiple++) {
      const distance = multiple * candidate;
      const whole = Math.floor(distance);
      const share = distance - whole;
      for (let i = whole + 1; i < onsets.length; i++)
        sum += onsets[i]! * ((1 - share) * onsets[i - whole]! + share * onsets[i - whole - 1]!);
    }
    if (sum > most) [best, most] = [candidate, sum];
  }
  return best;
}

/** The sequence of hops with the most onset strength whose distances are near the period. */
function trackBeats(onsets: Float64Array, period: number): number[] {
  const scores = Float64Array.from(onsets);
  const from = new Int32Array(onsets.length).fill(-1);
  for (let i = 0; i < onsets.length; i++) {
    let best = Number.NEGATIVE_INFINITY;
    for (let j = Math.round(i - 2 * period); j <= Math.round(i - period / 2); j++) {
      if (j < 0) continue;
      const value = scores[j]! - TIGHTNESS * Math.log((i - j) / period) ** 2;
      if (value > best) {
        best = value;
        from[i] = j;
      }
    }
    if (best > 0) scores[i] = onsets[i]! + best;
    else from[i] = -1;
  }
  let last = 0;
  // The last beat is one of the last period.
  for (let i = Math.max(0, Math.floor(onsets.length - period)); i < onsets.length; i++)
    if (scores[i]! > (scores[last] ?? 0) || last < onsets.length - period) last = i;
  const beats: number[] = [];
  for (let at = last; at >= 0; at = from[at]!) beats.unshift(at);
  return beats;
}
