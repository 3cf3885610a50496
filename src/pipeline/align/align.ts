import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readStream } from '../../detectors/stream/read-stream.ts';
import { PlaybyplayError } from '../../errors.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { findConsensus, fitClockLine, measureScatter, offsetAt, type OffsetMeasurement } from './clock-line.ts';
import { computeOnsets, type OnsetEnvelope, OnsetMatcher, onsetsFromTimes } from './onsets.ts';
import { EXCERPT_SECONDS, measureOffset, type SoundTrack } from './waveform.ts';

/** The clock of a second record of a session relative to the recording's. */
export interface ClockAlignment {
  /** Whether both show the same session; if not, the other members mean nothing. */
  readonly matched: boolean;
  /** Time of the recording at which the second clock shows 0, in seconds. */
  readonly offset: number;
  /** Parts per million by which the recording's clock runs ahead: recording = offset + (1 + drift/10⁶) · second. */
  readonly drift: number;
  /** Confidence from 0 to 1: how many of the excerpts compared agree. */
  readonly confidence: number;
  /** Number of excerpts compared. */
  readonly places: number;
  /** Number of them that agree. */
  readonly agreeing: number;
  /** Root mean square difference of those from the alignment, in seconds. */
  readonly scatter: number;
  /** What was compared: the waveforms of two sound tracks, their onsets, or the times of a log with onsets. */
  readonly by: 'waveform' | 'onsets' | 'moments';
}

/** Options of `alignSound` and `alignMoments`. */
export interface AlignOptions {
  /** Index of the sound track of the first recording; default 0. */
  readonly track?: number;
  /** Index of the sound track of the second recording; default 0. */
  readonly otherTrack?: number;
  readonly signal?: AbortSignal;
}

/** Excerpts whose onsets are compared: length, number, and offsets considered of each. */
const MIN_EXCERPT_FRAMES = 800;
const MAX_EXCERPT_FRAMES = 4000;
const MAX_EXCERPTS = 20;
const CANDIDATES_PER_EXCERPT = 3;
const MIN_ONSET_CLARITY = 4.5;
/** Tolerance between offsets by onsets: the drift within an excerpt, and the frame length. */
const ONSET_TOLERANCE_SECONDS = 0.04;
/** Waveforms compared, and tolerance between offsets by them. */
const MAX_WAVEFORMS = 40;
const MIN_WAVEFORM_CLARITY = 7;
const WAVEFORM_TOLERANCE_SECONDS = 0.004;
/** Shortest span from which drift is measured. */
const MIN_DRIFT_SPAN_SECONDS = 20;
/** Excerpts that must agree, and their share of those compared: of two pieces of music with equal tempo 3 of 16 agreed. */
const MIN_AGREEING = 4;
const MIN_AGREEING_WAVEFORMS = 0.35;
const MIN_AGREEING_ONSETS = 0.5;
/** Clarity from which fewer excerpts suffice. */
const HIGH_ONSET_CLARITY = 8;
/** Records of a log from which it can be aligned. */
const MIN_LOG_RECORDS = 8;
const FRAMES_PER_SECOND = 100;

/**
 * Aligns two recordings by their sound.
 *
 * @throws PlaybyplayError as opening them does.
 *
 * @example
 * const { matched, offset } = alignSound('match.mp4', 'microphone.wav');
 */
export function alignSound(first: string, second: string, options: AlignOptions = {}): ClockAlignment {
  const a = openSoundTrack(first, options.track ?? 0);
  const b = openSoundTrack(second, options.otherTrack ?? 0);
  const whole = computeOnsets(a, options.signal);
  const other = computeOnsets(b, options.signal);
  const coarse = findConsensus(matchOnsets(whole, other), ONSET_TOLERANCE_SECONDS);
  if (!coarse) return unmatched('onsets', 0);
  const line = fitClockLine(coarse.members, MIN_DRIFT_SPAN_SECONDS);
  const length = other.frames / FRAMES_PER_SECOND - EXCERPT_SECONDS;
  const measured: OffsetMeasurement[] = [];
  let compared = 0;
  const count = Math.max(4, Math.min(MAX_WAVEFORMS, Math.floor(length / 2)));
  for (let i = 0; i < count; i++) {
    options.signal?.throwIfAborted();
    const at = Math.max(0, (length * (i + 0.5)) / count);
    const offset = offsetAt(line, at);
    if (at + offset < 0.3 || at + offset + EXCERPT_SECONDS > whole.frames / FRAMES_PER_SECOND) continue;
    compared++;
    const found = measureOffset(a, b, at, offset);
    // With drift, the offset is that of the middle of the excerpt.
    if (found && found.clarity >= MIN_WAVEFORM_CLARITY) measured.push({ at: at + EXCERPT_SECONDS / 2, ...found });
  }
  const fine = findConsensus(measured, WAVEFORM_TOLERANCE_SECONDS);
  if (fine && fine.members.length >= Math.max(MIN_AGREEING, MIN_AGREEING_WAVEFORMS * compared))
    return toAlignment('waveform', fine.members, compared);
  return alignByOnsets(coarse.members, whole, other);
}

/**
 * Aligns a log (keys, events, subtitles) with the sounds that a recording has at the times of its records.
 *
 * @throws PlaybyplayError `bad-stream` if the log cannot be read or has too few records.
 */
export async function alignMoments(media: string, log: string, options: AlignOptions = {}): Promise<ClockAlignment> {
  const { entries } = readStream(await readFile(log, 'utf8'), basename(log));
  if (entries.length < MIN_LOG_RECORDS)
    throw new PlaybyplayError(
      'bad-stream',
      `${log} has ${entries.length} records; ${MIN_LOG_RECORDS} are needed to align it`,
    );
  const whole = computeOnsets(openSoundTrack(media, options.track ?? 0), options.signal);
  const moments = onsetsFromTimes(entries.map(({ t }) => t));
  const coarse = findConsensus(matchOnsets(whole, moments), ONSET_TOLERANCE_SECONDS);
  return coarse ? { ...alignByOnsets(coarse.members, whole, moments), by: 'moments' } : unmatched('moments', 0);
}

function alignByOnsets(
  members: readonly OffsetMeasurement[],
  whole: OnsetEnvelope,
  other: OnsetEnvelope,
): ClockAlignment {
  const places = spreadExcerpts(whole, other).length;
  const clarity = members.reduce((sum, one) => sum + one.clarity, 0) / members.length;
  // Two or three excerpts may agree by chance; so few must be very clear.
  const required = MIN_AGREEING_ONSETS * places;
  const isMatch =
    members.length >= Math.max(MIN_AGREEING, required) || (members.length >= required && clarity > HIGH_ONSET_CLARITY);
  return isMatch ? toAlignment('onsets', members, places) : unmatched('onsets', places);
}

function toAlignment(by: ClockAlignment['by'], members: readonly OffsetMeasurement[], places: number): ClockAlignment {
  const line = fitClockLine(members, MIN_DRIFT_SPAN_SECONDS);
  return {
    matched: true,
    offset: rounded(line.offset, 1e4),
    drift: rounded(line.drift * 1e6, 10),
    confidence: rounded(1 - Math.exp((-members.length * members.length) / Math.max(places, members.length) / 2), 1e3),
    places,
    agreeing: members.length,
    scatter: rounded(measureScatter(line, members), 1e5),
    by,
  };
}

function unmatched(by: ClockAlignment['by'], places: number): ClockAlignment {
  return { matched: false, offset: 0, drift: 0, confidence: 0, places, agreeing: 0, scatter: 0, by };
}

/** Spreads excerpts over the second recording. */
function spreadExcerpts(whole: OnsetEnvelope, other: OnsetEnvelope): [from: number, to: number][] {
  const length = Math.min(
    other.frames,
    Math.max(MIN_EXCERPT_FRAMES, Math.min(MAX_EXCERPT_FRAMES, Math.floor(whole.frames / 4))),
  );
  const count = Math.max(1, Math.min(MAX_EXCERPTS, Math.floor((2 * other.frames) / length) - 1));
  return Array.from({ length: count }, (_, i) => {
    const from = count === 1 ? 0 : Math.floor(((other.frames - length) * i) / (count - 1));
    return [from, from + length];
  });
}

/** Finds possible offsets of excerpts of the second recording. */
function matchOnsets(whole: OnsetEnvelope, other: OnsetEnvelope): OffsetMeasurement[] {
  const parts = spreadExcerpts(whole, other);
  const matcher = new OnsetMatcher(whole, Math.max(...parts.map(([from, to]) => to - from)));
  return parts
    .flatMap(([from, to]) => matcher.find(other, from, to, CANDIDATES_PER_EXCERPT))
    .filter(({ clarity }) => clarity >= MIN_ONSET_CLARITY);
}

/** Opens a sound track on the clock of the file's video, or on its own if there is none. */
function openSoundTrack(path: string, track: number): SoundTrack {
  try {
    using file = openVideo(path);
    return { path, track, origin: originSeconds(scanPackets(file)) };
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'no-video-stream') return { path, track, origin: 0 };
    throw error;
  }
}

function rounded(value: number, per: number): number {
  return Math.round(value * per) / per;
}
