import { roundTime, type Rational } from '../../time.ts';
import { HIDDEN, KEY, REFERENCE } from '../packets/packet-index.ts';
import type { PacketRow } from '../packets/frame-order.ts';
import { TimestampClock } from '../packets/timestamp-clock.ts';

/** A frame of a live stream whose place in presentation order is known. */
export interface LiveFrame {
  /** Its packet's number, in decode order. */
  readonly position: number;
  /** Seconds since the first frame. */
  readonly t: number;
  /** Later frames may refer to it. */
  readonly isReference: boolean;
  /** A group of pictures begins with it. */
  readonly isKey: boolean;
}

/** Decoding times may step back by this much without a restart of the clock. */
const CLOCK_TOLERANCE_SECONDS = 0.5;
/** Decoding times may jump ahead by this much because packets were lost. */
const MAX_LOSS_SECONDS = 600;

/** What places the packets of a live stream in time. */
export interface LiveTimelineOptions {
  readonly timeBase: Rational;
  readonly frameRate: Rational;
  /** The format's clock may restart far ahead (`FrameOrder`). */
  readonly restarts: boolean;
  /** Seconds since the first frame of the session at which this stream begins. */
  readonly start: number;
}

/**
 * Puts the frames of packets, given in decode order, into presentation order, each as soon as no later packet can come before
 * it: by then the decoding time of another packet has reached its presentation time. Gives the frames the times that
 * `FrameOrder` gives them when the whole recording is known.
 */
export class LiveTimeline {
  readonly #clock: TimestampClock;
  readonly #secondsPerTick: number;
  readonly #start: number;
  #origin: number | undefined;
  #waiting: (LiveFrame & { readonly time: number })[] = [];
  #position = 0;
  #latest = Number.NEGATIVE_INFINITY;
  /** By how much presentation times stepped back at most, in ticks: where there are no decoding times. */
  #reordering = 0;
  #lastT = 0;
  /** Ticks between a frame's time and its timestamp: since the stored clock restarted last, and before. */
  #shifts: readonly number[] = [0];

  constructor({ timeBase, frameRate, restarts, start }: LiveTimelineOptions) {
    const second = timeBase.den / timeBase.num;
    const step = frameRate.num > 0 ? (second * frameRate.den) / frameRate.num : 1;
    const maxLoss = restarts ? MAX_LOSS_SECONDS * second : Number.POSITIVE_INFINITY;
    this.#clock = new TimestampClock(CLOCK_TOLERANCE_SECONDS * second, step, maxLoss);
    this.#secondsPerTick = timeBase.num / timeBase.den;
    this.#start = start;
  }

  /** Seconds since the first frame of the session, at the latest frame. */
  get latest(): number {
    return Number.isFinite(this.#latest) ? this.#secondsAt(this.#latest) : this.#start;
  }

  /**
   * Seconds since the first frame of the session at a time of the container, which need not be a frame's: of sound. Undefined
   * before the first frame. Where the stored clock has restarted, the time is the one that is nearer to the latest frame.
   */
  timeOf(seconds: number): number | undefined {
    if (this.#origin === undefined) return undefined;
    const { latest } = this;
    const times = this.#shifts.map((shift) => this.#start + seconds + (shift - this.#origin!) * this.#secondsPerTick);
    return times.reduce((best, t) => (Math.abs(t - latest) < Math.abs(best - latest) ? t : best));
  }

  /** Takes the next packet. @returns Its number, and its time in seconds; no time where it is not shown. */
  add({ pts, dts, flags }: Pick<PacketRow, 'pts' | 'dts' | 'flags'>): {
    readonly position: number;
    readonly t: number | undefined;
  } {
    const position = this.#position++;
    const isKey = (flags & KEY) !== 0;
    const time = this.#clock.read(position, pts, dts, position === 0 || isKey);
    // Frames before the first keyframe cannot be decoded, nor what is shown before it.
    if (this.#origin === undefined && isKey && (flags & HIDDEN) === 0) this.#origin = time;
    this.#reordering = Math.max(this.#reordering, this.#latest - time);
    const isShown = this.#origin !== undefined && time >= this.#origin && (flags & HIDDEN) === 0;
    if (isShown) {
      const frame = { position, time, t: this.#secondsAt(time), isReference: (flags & REFERENCE) !== 0, isKey };
      const at = this.#waiting.findLastIndex((one) => one.time <= time) + 1;
      this.#waiting.splice(at, 0, frame);
    }
    this.#latest = Math.max(this.#latest, time);
    const offset = Number.isNaN(pts) ? 0 : time - pts;
    if (!Number.isNaN(pts) && offset !== this.#shifts[0]) this.#shifts = [offset, this.#shifts[0]!];
    this.#known = Number.isNaN(dts) ? this.#latest - this.#reordering : Number.isNaN(pts) ? time : dts + offset;
    return { position, t: isShown ? this.#secondsAt(time) : undefined };
  }

  #known = Number.NEGATIVE_INFINITY;

  /** Takes the frames whose place is known. @param isOver No more packets follow. */
  take(isOver = false): LiveFrame[] {
    const count = isOver ? this.#waiting.length : this.#waiting.findLastIndex(({ time }) => time <= this.#known) + 1;
    return this.#waiting.splice(0, count).map(({ position, t, isReference, isKey }) => {
      this.#lastT = Math.max(this.#lastT, t);
      return { position, t: this.#lastT, isReference, isKey };
    });
  }

  #secondsAt(time: number): number {
    return roundTime(this.#start + (time - (this.#origin ?? time)) * this.#secondsPerTick);
  }
}
