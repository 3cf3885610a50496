import type { FrameRecord, SessionInfo } from '../frame.ts';
import { scoreSession, type SessionQuality } from '../meter.ts';
import type { ConstantsInput } from '../constants.ts';
import { type G1072Score, g1072 } from './g1072.ts';
import { rtcScore } from './rtcscore.ts';

/** What the models that judge a stream by a few means need of it. */
export interface SessionMeans {
  /** Mean target bitrate, bits per second. */
  readonly bitrate: number;
  readonly width: number;
  readonly height: number;
  /** Frames a second rendered, and those shown. */
  readonly renderedFps: number;
  readonly shownFps: number;
  /** ms. */
  readonly roundTrip: number;
  /** ms from received to presented. */
  readonly clientDelay: number;
  /** Share of frames that were never shown. */
  readonly lost: number;
}

/** One session judged three ways. */
export interface Judgement {
  readonly quality: SessionQuality;
  readonly means: SessionMeans;
  readonly g1072: G1072Score;
  readonly rtcScore: number;
  /** CapFrameX's stutter: share of the time in frames that took 2.5 times their moving average. */
  readonly stutterShare: number;
}

/** Judges a session by the metric and by the models beside it. Undefined where the models' input is not known. */
export function judge(
  records: readonly FrameRecord[],
  info: SessionInfo,
  constants?: ConstantsInput,
): Judgement | undefined {
  const means = meansOf(records, info);
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

function meansOf(records: readonly FrameRecord[], info: SessionInfo): SessionMeans | undefined {
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
    const trip = tripOf(record);
    if (trip !== undefined) {
      trips++;
      tripSum += trip;
    }
    if (record.presented !== undefined && record.received !== undefined) {
      waits++;
      waitSum += record.presented - record.received;
    }
  }
  const seconds = secondsOf(records);
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

function tripOf(record: FrameRecord): number | undefined {
  const { roundTripDelay, returned, transmitted, presented, received } = record;
  if (roundTripDelay !== undefined) return roundTripDelay;
  if (returned === undefined || transmitted === undefined || presented === undefined || received === undefined) {
    return undefined;
  }
  return returned - transmitted - (presented - received);
}

function secondsOf(records: readonly FrameRecord[]): number {
  const times = records.map((record) => record.captured ?? record.rendered).filter((time) => time !== undefined);
  return times.length < 2 ? 0 : (times.at(-1)! - times[0]!) / 1000;
}

/** Share of the time in frames longer than 2.5 times the moving average of 500 frames around them (CapFrameX). */
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
