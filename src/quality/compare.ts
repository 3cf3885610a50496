import type { FrameRecord, SessionInfo } from './frame.ts';
import { scoreSession, type SessionQuality } from './meter.ts';
import type { ConstantsInput } from './constants.ts';
import { type G1072Score, g1072, rtcScore } from './other-models.ts';
import { kendall, ranks, spearman } from './statistics.ts';

/** Session means that the other models use. */
export interface SessionMeans {
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
export interface ModelScores {
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
  let bits = 0;
  let pixels = 0;
  let shown = 0;
  let trips = 0;
  let tripSum = 0;
  let waits = 0;
  let waitSum = 0;
  for (const record of records) {
    bitrate = record.targetBitrate ?? bitrate;
    width = record.width ?? width;
    height = record.height ?? height;
    bits += bitrate ?? 0;
    pixels += (width ?? 0) * (height ?? 0);
    if (record.presented !== undefined) shown++;
    const trip = readRoundTrip(record);
    if (trip !== undefined) {
      trips++;
      tripSum += trip;
    }
    if (record.presented !== undefined && record.received !== undefined) {
      waits++;
      waitSum += record.presented - record.received;
    }
  }
  const seconds = measureSeconds(records);
  if (records.length === 0 || seconds <= 0 || pixels === 0 || bits === 0 || trips === 0) return undefined;
  const aspect = (width ?? 16) / (height ?? 9);
  const high = Math.sqrt(pixels / records.length / aspect);
  return {
    bitrate: bits / records.length,
    width: high * aspect,
    height: high,
    renderedFps: records.length / seconds,
    shownFps: shown / seconds,
    roundTrip: tripSum / trips,
    clientDelay: waits > 0 ? waitSum / waits : 0,
    lost: Math.max(0, 1 - shown / records.length),
  };
}

function readRoundTrip(record: FrameRecord): number | undefined {
  const { roundTripDelay, returned, transmitted, presented, received } = record;
  if (roundTripDelay !== undefined) return roundTripDelay;
  if (returned === undefined || transmitted === undefined || presented === undefined || received === undefined) {
    return undefined;
  }
  return returned - transmitted - (presented - received);
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
export interface RankCorrelation {
  readonly a: string;
  readonly b: string;
  /** Null if one score is constant. */
  readonly spearman: number | null;
  readonly kendall: number | null;
}

/** A session that the metric and another model rank far apart, with an explanation. */
export interface Disagreement {
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
