import { type FrameRecord, type RawFrame, RawValueReader } from '../frame.ts';
import { upperMedian } from '../../statistics.ts';
import { RunningStatistics } from '../statistics.ts';
import type { QualityMeter } from '../meter.ts';

/** Measurements of an interval of a running stream. Times in ms; undefined if unknown. */
export interface Observation {
  /** Seconds since the start of the session, at the end of the interval. */
  readonly t: number;
  readonly frames: number;
  /** Mean time between captures: the application's rendering speed. */
  readonly captureInterval: number | undefined;
  /** Mean time from capture to encoded: the encoder's load. */
  readonly encodeTime: number | undefined;
  readonly roundTrip: number | undefined;
  readonly stackLatency: number | undefined;
  /** Share of the sent frames that never arrived. */
  readonly lost: number;
  /** Estimated network capacity in bits per second, from the extra transmission time of large frames. */
  readonly capacity: number | undefined;
  /** Mean round trip of the interval above the recent median: time spent in the network's queue. */
  readonly queue: number | undefined;
  /** Mean combined weighted score of the interval, and the base at its end. */
  readonly quality: number | undefined;
  readonly base: number | undefined;
  readonly picture: number | undefined;
}

/**
 * Measures a stream interval by interval for a controller and scores it.
 *
 * @example
 * ```ts
 * const observer = new StreamObserver(new QualityMeter({ fps: 60 }));
 * observer.add({ frame: 0, captured: 0 });
 * observer.add({ frame: 1, captured: 20 });
 * observer.take().captureInterval; // 20
 * ```
 */
export class StreamObserver {
  readonly #meter: QualityMeter;
  readonly #values = new RawValueReader();
  /** Size and round trip of the frames of about the last ten seconds. */
  readonly #sent: { bits: number; trip: number }[] = [];
  #interval = new IntervalStatistics();
  #t = 0;

  constructor(meter: QualityMeter) {
    this.#meter = meter;
  }

  /** Takes the next frame and returns its raw values. */
  add(record: FrameRecord): RawFrame {
    const raw = this.#values.next(record);
    this.#meter.push(raw);
    this.#t = raw.t;
    const interval = this.#interval;
    interval.frames++;
    interval.capture.add(raw.captureDelta);
    if (record.encoded !== undefined && record.captured !== undefined)
      interval.encode.add(record.encoded - record.captured);
    if (record.transmitted !== undefined) {
      interval.sent++;
      if (record.received === undefined) interval.lost++;
    }
    if (raw.roundTripDelay !== undefined) {
      interval.trips.push(raw.roundTripDelay);
      if (record.bytes !== undefined) this.#sent.push({ bits: 8 * record.bytes, trip: raw.roundTripDelay });
      if (this.#sent.length > 600) this.#sent.splice(0, this.#sent.length - 600);
    }
    interval.stack.add(raw.stackLatency);
    const { cws, picture } = this.#meter.latest;
    interval.quality.add(cws);
    interval.picture.add(picture);
    return raw;
  }

  /** Measurements since the previous call. */
  take(): Observation {
    const { frames, sent, lost, capture, encode, trips, stack, quality, picture } = this.#interval;
    this.#interval = new IntervalStatistics();
    const roundTrip = trips.length > 0 ? trips.reduce((sum, trip) => sum + trip, 0) / trips.length : undefined;
    const usual = medianTrip(this.#sent);
    return {
      t: this.#t,
      frames,
      captureInterval: meanOf(capture),
      encodeTime: meanOf(encode),
      roundTrip,
      stackLatency: meanOf(stack),
      lost: sent === 0 ? 0 : lost / sent,
      capacity: this.#capacity(),
      queue: roundTrip === undefined || usual === undefined ? undefined : Math.max(0, roundTrip - usual),
      quality: meanOf(quality),
      base: this.#meter.latest.base,
      picture: meanOf(picture),
    };
  }

  /**
   * Larger frames take longer by their bits over the capacity: the slope between the means of the smaller and the
   * larger half.
   */
  #capacity(): number | undefined {
    // Use the last two seconds, so that a drop in capacity is seen in time.
    const recent = this.#sent.slice(-150);
    if (recent.length < 30) return undefined;
    const order = recent.toSorted((a, b) => a.bits - b.bits);
    const half = order.length >> 1;
    const small = means(order.slice(0, half));
    const large = means(order.slice(-half));
    const perBit = (large.trip - small.trip) / (large.bits - small.bits);
    return perBit > 0 ? 1000 / perBit : undefined;
  }
}

function means(sent: readonly { bits: number; trip: number }[]): { bits: number; trip: number } {
  const sum = sent.reduce((all, one) => ({ bits: all.bits + one.bits, trip: all.trip + one.trip }), {
    bits: 0,
    trip: 0,
  });
  return { bits: sum.bits / sent.length, trip: sum.trip / sent.length };
}

function meanOf({ count, mean }: RunningStatistics): number | undefined {
  return count === 0 ? undefined : mean;
}

function medianTrip(sent: readonly { trip: number }[]): number | undefined {
  return sent.length < 30 ? undefined : upperMedian(sent.map(({ trip }) => trip));
}

class IntervalStatistics {
  frames = 0;
  sent = 0;
  lost = 0;
  readonly trips: number[] = [];
  readonly capture = new RunningStatistics();
  readonly encode = new RunningStatistics();
  readonly stack = new RunningStatistics();
  readonly quality = new RunningStatistics();
  readonly picture = new RunningStatistics();
}
