import type { Rational } from '../../time.ts';
import { Recording, type AudioTrack, type PlannedPacket } from './recording.ts';

/** A part of a recording: the frames with start ≤ t < end, in seconds from its first video frame. */
export interface Cut {
  readonly media: string;
  readonly start: number;
  readonly end: number;
  /** Seconds of the recording per second of the reel: 0.5 is slow motion at half speed. Default 1. */
  readonly speed?: number;
}

/** A cut on the frames of its recording and its place in the reel. */
export interface TimedCut {
  readonly recording: Recording;
  readonly packets: readonly PlannedPacket[];
  /** Tick from which the packets were read. */
  readonly from: bigint;
  /** Presentation times of its frames in ticks of the recording, ascending. */
  readonly times: readonly bigint[];
  /** Time of the first frame after it, in ticks of the recording. */
  readonly to: bigint;
  readonly speed: number;
  /** Position and length in ticks of the reel. */
  readonly offset: bigint;
  readonly length: bigint;
  /** Index in the list of cuts that was asked for. */
  readonly index: number;
}

/** The cuts of a reel, one after the other. */
export interface Timeline {
  readonly timeBase: Rational;
  readonly frameRate: Rational;
  /** Every frame of the reel lasts one frame of `frameRate`; otherwise frames keep their times. */
  readonly constant: boolean;
  readonly cuts: readonly TimedCut[];
  /** Ticks of the reel. */
  readonly length: bigint;
}

/** Recordings that are opened once each and closed together. */
export class RecordingPool implements Disposable {
  readonly #open = new Map<string, Recording>();
  readonly #track: AudioTrack;

  constructor(track: AudioTrack = 0) {
    this.#track = track;
  }

  open(path: string): Recording {
    const recording = this.#open.get(path) ?? new Recording(path, this.#track);
    this.#open.set(path, recording);
    return recording;
  }

  [Symbol.dispose](): void {
    for (const recording of this.#open.values()) recording[Symbol.dispose]();
  }
}

/** Highest rate to which recordings of different rates are brought. */
const MAX_COMMON_RATE = 60;

/**
 * Lays cuts end to end. Recordings of one rate keep the times of their frames. Where rates differ, or `frameRate` is given,
 * or a cut changes its speed, all get one constant rate: by default the highest, at most 60. Cuts without a frame are left out.
 */
export function createTimeline(cuts: readonly Cut[], recordings: RecordingPool, frameRate?: Rational): Timeline {
  const sources = cuts.map((cut) => recordings.open(cut.media));
  const rates = sources.map((source) => source.frameRate);
  const fastest = rates.toSorted((a, b) => b.num / b.den - a.num / a.den)[0]!;
  const isMixed = rates.some((rate) => Math.abs(rate.num / rate.den - fastest.num / fastest.den) > 0.01);
  const constant = frameRate !== undefined || isMixed || cuts.some(({ speed = 1 }) => speed !== 1);
  const isTooFast = constant && fastest.num / fastest.den > MAX_COMMON_RATE;
  const rate = frameRate ?? (isTooFast ? { num: MAX_COMMON_RATE, den: 1 } : fastest);
  const timeBase = constant ? { num: rate.den, den: rate.num } : commonTimeBase(sources);
  const timed: TimedCut[] = [];
  let offset = 0n;
  for (const [index, cut] of cuts.entries()) {
    const recording = sources[index]!;
    const from = recording.ticks(cut.start);
    const part = recording.index(from, recording.ticks(cut.end));
    if (part.times.length === 0) continue;
    const { speed = 1 } = cut;
    const rounded = rescaleAt(speed, part.next - part.times[0]!, recording.timeBase, timeBase);
    const length = rounded > 0n ? rounded : 1n;
    const { packets, times, next: to } = part;
    timed.push({ recording, packets, from, times, to, speed, offset, length, index });
    offset += length;
  }
  return { timeBase, frameRate: rate, constant, cuts: timed, length: offset };
}

/** The time base of all recordings, or one fine enough for any of them. */
function commonTimeBase(sources: readonly Recording[]): Rational {
  const first = sources[0]!.timeBase;
  const isSame = sources.every(({ timeBase }) => timeBase.num === first.num && timeBase.den === first.den);
  return isSame ? first : { num: 1, den: 90_000 };
}

/** Converts ticks from one time base to another, rounded to the nearest. */
export function rescale(ticks: bigint, from: Rational, to: Rational): bigint {
  const num = BigInt(from.num) * BigInt(to.den);
  const den = BigInt(from.den) * BigInt(to.num);
  const half = den / 2n;
  return ticks >= 0n ? (ticks * num + half) / den : -((-ticks * num + half) / den);
}

/** Converts ticks of a recording to those of a reel that shows it at a speed. */
export function rescaleAt(speed: number, ticks: bigint, from: Rational, to: Rational): bigint {
  if (speed === 1) return rescale(ticks, from, to);
  return BigInt(Math.round((Number(ticks) * from.num * to.den) / (from.den * to.num * speed)));
}

/** Converts ticks to seconds. */
export function secondsIn(ticks: bigint, { num, den }: Rational): number {
  return (Number(ticks) * num) / den;
}
