import { clamp } from '../statistics.ts';
import type { ConstantsInput } from './constants.ts';
import { type FrameRecord, roundTrip, type SessionInfo } from './frame.ts';
import { type SessionQuality, scoreSession } from './meter.ts';
import { kendall, RunningStatistics, ranks, spearman } from './statistics.ts';

// ITU-T G.1072 (01/2020 with Corrigendum 1, 10/2020), "Opinion model predicting gaming quality of experience for cloud
// gaming services": the equations and coefficients of the Recommendation, as its authors published them with the model.

/** Sensitivity of a game to delay and frame loss, or its encoding complexity. */
const sensitivities = ['low', 'medium', 'high'] as const;
/** How strongly a game reacts to delay and frame loss, or how hard it is to encode. */
export type Sensitivity = (typeof sensitivities)[number];

/** Input of the model in its units, with the ranges it was fitted for. */
interface G1072Input {
  /** Mbit/s, 0.3 to 50. */
  readonly bitrate: number;
  /** Frames a second, 10 to 60. */
  readonly fps: number;
  /** Pixels; 640 × 480 to 1920 × 1080. */
  readonly width: number;
  readonly height: number;
  /** Round trip in ms, 0 to 400. */
  readonly delay: number;
  /** Share of packets lost if losses freeze the picture, 0 to 0.5. */
  readonly loss?: number | undefined;
  /** Share of frames lost in percent if measured; otherwise derived from `loss`. */
  readonly frameLoss?: number | undefined;
  /** Share of packets lost if losses damage the picture. */
  readonly slicingLoss?: number | undefined;
  /** Default mode: everything high. */
  readonly interaction?: Sensitivity | undefined;
  readonly complexity?: Sensitivity | undefined;
}

/** Impairments on the scale of 0 (none) to 100, the transmission rating from them, and the opinion score. */
interface G1072Score {
  /** 1.3 to 4.64. */
  readonly mos: number;
  /** 0 to 100. */
  readonly rating: number;
  readonly coding: number;
  readonly transmission: number;
  readonly temporal: number;
  readonly inputFrames: number;
  readonly inputDelay: number;
}

type Row = readonly number[];
type Table = Readonly<Record<Sensitivity, Row>>;

const codingTable: Table = {
  low: [
    52.505238, -28.0170325, -2.68405109, 5.46647668, 12.4214486, -28.0191642, 0.215799183, 19.7091683, 3358.30546,
    28.369915, 0.0234972977, 0.00164739513, 0.0895913579,
  ],
  medium: [
    37.9882097, -13.7207634, 8.57836656, 3.2658129, 6.83275916, -127.997288, 0.479594798, 0.612878511, 0.00139396166,
    56.2892863, 0.00475669545, 0.0581327058, 2.38014343,
  ],
  high: [
    47.7463038, -12.0699723, 9.05167501, 3.41919377, 7.62306351, -167.837954, 0.0760332685, 1.57176227, 3.68595885,
    74.0570804, 0.00406000335, 2.58892015e-8, 0.868406685,
  ],
};
const temporalTable: Table = {
  low: [29.13, 0.01344, -1.283, 6.724],
  medium: [47.03, 0.01747, -1.823, 10.7],
  high: [47.03, 0.01747, -1.823, 10.7],
};
const framesTable: Table = {
  low: [23.43, 0.008574, -0.9253, 5.855],
  medium: [54.71, 0.02589, -2.485, 9.306],
  high: [54.71, 0.02589, -2.485, 9.306],
};
const delayTable: Table = {
  low: [47.97, 2.097, 0.01073, -4.567],
  medium: [90, 1.191, 0.009775, -18.73],
  high: [90, 1.191, 0.009775, -18.73],
};

/** Computes the opinion score of a stream. */
export function g1072(input: G1072Input): G1072Score {
  const interaction = input.interaction ?? 'high';
  const complexity = input.complexity ?? 'high';
  const frameLoss = input.frameLoss ?? deriveFrameLoss(input);
  const { coding, transmission } = video(input, codingTable[complexity]);
  const temporal = clamp(byFrames(input.fps, frameLoss, temporalTable[interaction]), 0, 61.29);
  const inputFrames = clamp(byFrames(input.fps, frameLoss, framesTable[interaction]), 0, 68.98);
  const [height, shift, slope, offset] = delayTable[interaction] as [number, number, number, number];
  const inputDelay = clamp(height / (1 + Math.exp(shift - slope * input.delay)) + offset, 0, 68.98);
  const rating = clamp(
    100 - 0.788 * coding - 0.896 * transmission - 0.227 * temporal - 0.625 * inputFrames - 0.848 * inputDelay,
    0,
    100,
  );
  return { mos: toOpinionScore(rating), rating, coding, transmission, temporal, inputFrames, inputDelay };
}

/** Share of frames (percent) that packet losses cost, by bitrate, rate and the time to ask again (Equation 5). */
function deriveFrameLoss({ bitrate, fps, delay, loss = 0 }: G1072Input): number {
  if (delay < 16) return 0;
  const kept = Math.exp(-(0.08526 + 0.00073 * fps + 1.425e-4 * bitrate * fps) * (0.09656 * delay - 1.5) * loss);
  return 100 * (1 - kept);
}

function byFrames(fps: number, frameLoss: number, [a, b, c, d]: Row): number {
  return a! + b! * fps ** 2 + c! * fps + d! * Math.log(frameLoss + 1);
}

function video(input: G1072Input, row: Row): { coding: number; transmission: number } {
  const [a1, a2, a3, a4, c1, c2, c3, t1, t2, t3, t4, t5, t6] = row as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const bits = (input.bitrate * 1e6) / (input.width * input.height * input.fps);
  const content = c1 * Math.exp(c2 * bits) + c3;
  const quantized = Math.min(a1 * Math.exp(a2 * bits) + a3 * content + a4, 65);
  const loss = input.slicingLoss ?? 0;
  const magnitude = ((t3 - quantized) * loss) / (quantized * t4 + loss);
  const effective = t5 * Math.exp(t6 * magnitude) - t5;
  return { coding: clamp(quantized, 0, 78.78), transmission: loss === 0 ? 0 : t1 * Math.log(t2 * effective + 1) };
}

/** Opinion score of a rating. */
function toOpinionScore(rating: number): number {
  const linear = 1.3 + ((4.64 - 1.3) / 100) * rating;
  return clamp(linear + rating * (rating - 60) * (100 - rating) * 7e-6, 1.3, 4.64);
}

/** Input of the video opinion score of the open-source library rtcscore, in its units. */
interface RtcScoreInput {
  /** Bits per second received. */
  readonly bitrate: number;
  /** Pixels of the window that shows the picture. */
  readonly width: number;
  readonly height: number;
  /** Frames a second shown, and those of the source. */
  readonly fps: number;
  readonly expectedFps: number;
  /** ms. */
  readonly roundTrip: number;
  /** ms that frames wait in the receiver. */
  readonly bufferDelay?: number | undefined;
  /** 1.2 for VP9, 1 for H.264 and VP8. */
  readonly codecFactor?: number | undefined;
}

/**
 * A mean opinion score from 1 to 5 in the manner of rtcscore: logarithmic in the bits per pixel and frame (0.56, 5.36),
 * less 1.9 · ln(expected / shown frames), less 2 for each second of delay (buffer and half of the round trip).
 */
export function rtcScore(input: RtcScoreInput): number {
  if (!(input.fps > 0) || !(input.bitrate > 0)) return 1;
  const bits = ((input.codecFactor ?? 1) * input.bitrate) / (input.width * input.height * input.fps);
  const base = Math.min(5, Math.max(1, 0.56 * Math.log(bits) + 5.36));
  const delay = (input.bufferDelay ?? 0) + input.roundTrip / 2;
  return Math.min(5, Math.max(1, base - 1.9 * Math.log(input.expectedFps / input.fps) - 0.002 * delay));
}

/** Session means that the other models use. */
interface SessionMeans {
  /** Mean target bitrate, bits per second. */
  readonly bitrate: number;
  readonly width: number;
  readonly height: number;
  /** Rendered and presented frames per second. */
  readonly renderedFps: number;
  readonly shownFps: number;
  /** ms. */
  readonly roundTrip: number;
  /** ms from received to presented. */
  readonly clientDelay: number;
  /** Share of frames never presented. */
  readonly lost: number;
}

/** A session scored by the metric and the other models. */
interface ModelScores {
  readonly quality: SessionQuality;
  readonly means: SessionMeans;
  readonly g1072: G1072Score;
  readonly rtcScore: number;
  /** CapFrameX's stutter: share of the time in frames that took 2.5 times their moving average. */
  readonly stutterShare: number;
}

/** Scores a session by the metric and the other models; undefined if their inputs are unknown. */
export function scoreWithModels(
  records: readonly FrameRecord[],
  info: SessionInfo,
  constants?: ConstantsInput,
): ModelScores | undefined {
  const means = computeMeans(records, info);
  if (!means) return undefined;
  const { quality } = scoreSession(records, info, constants ? { constants } : {});
  return {
    quality,
    means,
    g1072: g1072({
      bitrate: means.bitrate / 1e6,
      fps: Math.min(60, info.fps),
      width: means.width,
      height: means.height,
      delay: means.roundTrip,
      frameLoss: 100 * means.lost,
    }),
    rtcScore: rtcScore({
      bitrate: means.bitrate,
      width: means.width,
      height: means.height,
      fps: means.shownFps,
      expectedFps: info.fps,
      roundTrip: means.roundTrip,
      bufferDelay: means.clientDelay,
    }),
    stutterShare: stutterShare(records),
  };
}

function computeMeans(records: readonly FrameRecord[], info: SessionInfo): SessionMeans | undefined {
  let { targetBitrate: bitrate, width, height } = info;
  const [bits, pixels] = [new RunningStatistics(), new RunningStatistics()];
  const [trips, waits] = [new RunningStatistics(), new RunningStatistics()];
  let shown = 0;
  for (const record of records) {
    bitrate = record.targetBitrate ?? bitrate;
    width = record.width ?? width;
    height = record.height ?? height;
    bits.add(bitrate ?? 0);
    pixels.add((width ?? 0) * (height ?? 0));
    trips.add(record.roundTripDelay ?? roundTrip(record));
    const { presented, received } = record;
    if (presented === undefined) continue;
    shown++;
    if (received !== undefined) waits.add(presented - received);
  }
  const seconds = measureSeconds(records);
  if (records.length === 0 || seconds <= 0 || pixels.sum === 0 || bits.sum === 0 || trips.count === 0) return undefined;
  const aspect = (width ?? 16) / (height ?? 9);
  const high = Math.sqrt(pixels.mean / aspect);
  return {
    bitrate: bits.mean,
    width: high * aspect,
    height: high,
    renderedFps: records.length / seconds,
    shownFps: shown / seconds,
    roundTrip: trips.mean,
    clientDelay: waits.count > 0 ? waits.mean : 0,
    lost: Math.max(0, 1 - shown / records.length),
  };
}

function measureSeconds(records: readonly FrameRecord[]): number {
  const times = records.map((record) => record.captured ?? record.rendered).filter((time) => time !== undefined);
  return times.length < 2 ? 0 : (times.at(-1)! - times[0]!) / 1000;
}

/**
 * Share of the time in frames longer than `factor` times the moving average of the `window` frames around them
 * (CapFrameX).
 */
export function stutterShare(records: readonly FrameRecord[], factor = 2.5, window = 500): number {
  const times = records.map((record) => record.captured).filter((time) => time !== undefined);
  const deltas = times.slice(1).map((time, i) => time - times[i]!);
  const sums = [0];
  for (const delta of deltas) sums.push(sums.at(-1)! + delta);
  let stutter = 0;
  for (const [i, delta] of deltas.entries()) {
    const from = Math.max(0, i - (window >> 1));
    const to = Math.min(deltas.length, i + (window >> 1));
    if (delta > (factor * (sums[to]! - sums[from]!)) / (to - from)) stutter += delta;
  }
  return deltas.length === 0 ? 0 : stutter / sums.at(-1)!;
}

/** A named session for a comparison. */
export interface NamedModelScores {
  readonly name: string;
  readonly judgement: ModelScores;
}

/** Rank correlation of two scores over the same sessions. */
interface RankCorrelation {
  readonly a: string;
  readonly b: string;
  /** Null if one score is constant. */
  readonly spearman: number | null;
  readonly kendall: number | null;
}

/** A session that the metric and another model rank far apart, with an explanation. */
interface Disagreement {
  readonly name: string;
  readonly other: 'G.1072' | 'rtcscore';
  /** Normalized rank by the metric and by the model: 0 worst, 1 best. */
  readonly here: number;
  readonly there: number;
  readonly because: string;
}

const MODEL_SCORES: Readonly<Record<string, (one: ModelScores) => number>> = {
  'metric (raw)': ({ quality }) => quality.raw ?? Number.NaN,
  'G.1072': (one) => one.g1072.rating,
  rtcscore: (one) => one.rtcScore,
  'no stutter (CapFrameX)': (one) => -one.stutterShare,
};

/** Rank correlations of all pairs of scores. */
export function rankCorrelations(sessions: readonly NamedModelScores[]): RankCorrelation[] {
  const names = Object.keys(MODEL_SCORES);
  const values = new Map(names.map((name) => [name, sessions.map(({ judgement }) => MODEL_SCORES[name]!(judgement))]));
  return names.flatMap((a, i) =>
    names.slice(i + 1).map((b) => {
      const [one, other] = [values.get(a)!, values.get(b)!];
      return { a, b, spearman: nullIfNaN(spearman(one, other)), kendall: nullIfNaN(kendall(one, other)) };
    }),
  );
}

/** Sessions whose ranks by the metric and a model differ most, by at least a quarter of the range. */
export function disagreements(sessions: readonly NamedModelScores[], most = 8): Disagreement[] {
  const here = normalizedRanks(sessions.map(({ judgement }) => MODEL_SCORES['metric (raw)']!(judgement)));
  return (['G.1072', 'rtcscore'] as const)
    .flatMap((other) => {
      const there = normalizedRanks(sessions.map(({ judgement }) => MODEL_SCORES[other]!(judgement)));
      return sessions.map(({ name, judgement }, i) => ({
        name,
        other,
        here: here[i]!,
        there: there[i]!,
        because: explainDifference(judgement, here[i]! > there[i]!),
      }));
    })
    .filter(({ here: a, there: b }) => Math.abs(a - b) >= 0.25)
    .toSorted((a, b) => Math.abs(b.here - b.there) - Math.abs(a.here - a.there))
    .slice(0, most);
}

function nullIfNaN(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

/** Normalized rank of each value, from 0 to 1. */
function normalizedRanks(values: readonly number[]): number[] {
  return ranks(values).map((rank) => (rank - 1) / Math.max(1, values.length - 1));
}

/** Explains the rank difference by what models based on means do not see. */
function explainDifference({ quality, means }: ModelScores, better: boolean): string {
  const { base, offset, picture, components } = quality;
  const stack = components['stackLatency'];
  const level = ['captureDelta', 'presentDelta', 'roundTripDelay', 'stackLatency'].map(
    (name) => components[name]?.score ?? 100,
  );
  const poor = Math.min(...level);
  if (better) {
    if (means.roundTrip > 100 || means.lost > 0.2) {
      return `hopeless all the time (${means.roundTrip.toFixed(0)} ms round trip, ${(100 * means.lost).toFixed(0)} % not shown): without unrest the base stays near 0, and the target bitrate gives the picture ${picture?.toFixed(0)} whatever arrives`;
    }
    return `even (offset ${offset?.toFixed(1)}) and the picture counts by its bits alone (${picture?.toFixed(0)}), whatever its size (${means.height.toFixed(0)} lines)`;
  }
  if (base !== null && poor - base > 45) {
    const from =
      stack && stack.std > 8
        ? `the delay from input to picture wavers by ${stack.std.toFixed(0)} ms`
        : 'delay and frame times waver';
    return `unrest that means do not show: ${from}, so six deviations take the base to ${base.toFixed(0)}`;
  }
  if (stack && stack.score < 40) {
    return `input to picture takes ${stack.mean.toFixed(0)} ms; the others see the network's ${means.roundTrip.toFixed(0)} ms only`;
  }
  return `stutter and delay weigh as they are felt: the weakest component scores ${poor.toFixed(0)}`;
}
