import { BANDS, FRAME_SECONDS, SAMPLE_RATE, SILENCE_DB, Spectrogram } from '../../detectors/sound/spectrogram.ts';
import { readAudio } from '../../media/audio.ts';
import { Fft } from '../../compute/fft.ts';
import { basename } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import { readInputText } from '../../files/input.ts';
import { readStream } from '../../detectors/stream/read-stream.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';

/** Limit of the size of a log whose times are aligned. */
const MAX_LOG_BYTES = 256 << 20;
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
interface OnsetEnvelope {
  readonly groups: readonly Float32Array[];
  readonly frames: number;
}

/**
 * Computes the onset envelope of a sound track.
 *
 * @throws PlaybyplayError as `readAudio` does.
 */
function computeOnsets({ path, origin, track }: SoundTrack, signal?: AbortSignal): OnsetEnvelope {
  const flux: number[][] = Array.from({ length: GROUPS }, () => []);
  const spectrograph = new Spectrogram();
  let before: Float32Array | undefined;
  for (const block of readAudio(path, { track, sampleRate: SAMPLE_RATE, origin, signal })) {
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
function onsetsFromTimes(times: readonly number[]): OnsetEnvelope {
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
class OnsetMatcher {
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

const WAVEFORM_RATE = 8000;
/** Length of the excerpts compared, and how far on each side of its expected position one is searched. */
const EXCERPT_SECONDS = 3.5;
const SEARCH_SECONDS = 0.25;
const FFT_SIZE = 65_536;
/** Frequency bins of 100 to 3500 Hz. */
const [FIRST_BIN, LAST_BIN] = [100, 3500].map((hertz) => Math.round((hertz * FFT_SIZE) / WAVEFORM_RATE)) as [
  number,
  number,
];
const fft = new Fft(FFT_SIZE);

/** A sound track of a file. */
interface SoundTrack {
  readonly path: string;
  readonly track: number;
  /** Container time of time 0, in seconds. */
  readonly origin: number;
}

function readExcerpt({ path, track, origin }: SoundTrack, from: number, length: number): Float64Array {
  const samples = new Float64Array(FFT_SIZE);
  for (const block of readAudio(path, { track, origin, sampleRate: WAVEFORM_RATE, from, to: from + length })) {
    const at = Math.round((block.t - from) * WAVEFORM_RATE);
    for (const [i, value] of block.samples.entries()) if (at + i >= 0 && at + i < FFT_SIZE) samples[at + i] = value;
  }
  return samples;
}

/**
 * Measures the offset of two recordings by generalized cross-correlation with phase transform (GCC-PHAT), which does not depend
 * on the recorders' frequency responses.
 *
 * @param at Start of the excerpt, in seconds of the second recording.
 * @param offset Expected offset in seconds.
 * @returns Undefined where the first recording does not reach, or both are silent.
 */
function measureOffset(
  first: SoundTrack,
  second: SoundTrack,
  at: number,
  offset: number,
): { offset: number; clarity: number } | undefined {
  const from = at + offset - SEARCH_SECONDS;
  if (from < 0) return undefined;
  const a = readExcerpt(first, from, EXCERPT_SECONDS + 2 * SEARCH_SECONDS);
  const b = readExcerpt(second, at, EXCERPT_SECONDS);
  const [aIm, bIm] = [new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE)];
  fft.forward(a, aIm);
  fft.forward(b, bIm);
  const [re, im] = [new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE)];
  for (let k = FIRST_BIN; k <= LAST_BIN; k++) {
    const [x, y] = [a[k]! * b[k]! + aIm[k]! * bIm[k]!, aIm[k]! * b[k]! - a[k]! * bIm[k]!];
    const size = Math.hypot(x, y) + 1e-9;
    re[k] = re[FFT_SIZE - k] = x / size;
    im[k] = y / size;
    im[FFT_SIZE - k] = -y / size;
  }
  fft.inverse(re, im);
  const reach = Math.round(2 * SEARCH_SECONDS * WAVEFORM_RATE);
  let best = 0;
  let sum = 0;
  for (let lag = 0; lag <= reach; lag++) {
    sum += re[lag]! ** 2;
    if (Math.abs(re[lag]!) > Math.abs(re[best]!)) best = lag;
  }
  const level = Math.sqrt(sum / (reach + 1));
  if (!(level > 0)) return undefined;
  return { offset: from + best / WAVEFORM_RATE - at, clarity: Math.abs(re[best]!) / level };
}

/** A measured offset between two clocks. */
interface OffsetMeasurement {
  /** Seconds on the second clock. */
  readonly at: number;
  /** Seconds by which the first clock is ahead of it at that time. */
  readonly offset: number;
  /** Ratio of the correlation peak to the root mean square of the correlation; the weight of the measurement. */
  readonly clarity: number;
}

/** Offset of a clock as a litolerance function of time: offset + drift · at. */
interface ClockLine {
  readonly offset: number;
  /** Seconds per second. */
  readonly drift: number;
}

/** Largest drift between two recorders, in seconds per second. */
const MAX_DRIFT = 1e-3;

/** Returns the offset at `at` seconds. */
function offsetAt({ offset, drift }: ClockLine, at: number): number {
  return offset + drift * at;
}

/**
 * Finds the line with the greatest weight of measurements within `tolerance` seconds of it. Of several measurements at one time
 * the clarityest counts.
 */
function findConsensus(
  measured: readonly OffsetMeasurement[],
  tolerance: number,
): { line: ClockLine; members: OffsetMeasurement[] } | undefined {
  let best: { line: ClockLine; members: OffsetMeasurement[]; weight: number } | undefined;
  const attempt = (line: ClockLine): void => {
    const members = selectMembers(line, measured, tolerance);
    const weight = members.reduce((sum, { clarity }) => sum + clarity, 0);
    if (!best || weight > best.weight) best = { line, members, weight };
  };
  for (const one of measured) {
    attempt({ offset: one.offset, drift: 0 });
    for (const other of measured) {
      const apart = other.at - one.at;
      if (apart <= 0) continue;
      const drift = (other.offset - one.offset) / apart;
      if (Math.abs(drift) <= MAX_DRIFT) attempt({ offset: one.offset - drift * one.at, drift });
    }
  }
  return best;
}

function selectMembers(
  line: ClockLine,
  measured: readonly OffsetMeasurement[],
  tolerance: number,
): OffsetMeasurement[] {
  const byTime = new Map<number, OffsetMeasurement>();
  for (const one of measured) {
    if (Math.abs(one.offset - offsetAt(line, one.at)) > tolerance) continue;
    const known = byTime.get(one.at);
    if (!known || one.clarity > known.clarity) byTime.set(one.at, one);
  }
  return [...byTime.values()];
}

/** Fits a line by least squares; without drift if the measurements span less than `minDriftSpan` seconds. */
function fitClockLine(measured: readonly OffsetMeasurement[], minDriftSpan: number): ClockLine {
  const count = measured.length;
  const at = measured.reduce((sum, one) => sum + one.at, 0) / count;
  const offset = measured.reduce((sum, one) => sum + one.offset, 0) / count;
  const span = Math.max(...measured.map((one) => one.at)) - Math.min(...measured.map((one) => one.at));
  if (count < 3 || span < minDriftSpan) return { offset, drift: 0 };
  const squares = measured.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  const drift = measured.reduce((sum, one) => sum + (one.at - at) * (one.offset - offset), 0) / squares;
  return { offset: offset - drift * at, drift };
}

/** Returns the root mean square distance of the measurements from the line, in seconds. */
function measureScatter(line: ClockLine, measured: readonly OffsetMeasurement[]): number {
  return Math.sqrt(
    measured.reduce((sum, one) => sum + (one.offset - offsetAt(line, one.at)) ** 2, 0) / measured.length,
  );
}

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
interface AlignOptions {
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
  const { entries } = readStream(readInputText(log, 'bad-stream', { maxBytes: MAX_LOG_BYTES }), basename(log));
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
  if (whole.frames === 0 || other.frames === 0) return [];
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
