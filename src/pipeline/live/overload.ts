import { sum } from '../../statistics.ts';
import type { Gap } from '../reading/chunk-readings.ts';

/** Seconds of the recording for which a plan holds. */
const PLAN_SECONDS = 1;
/** Seconds behind from which as many samples are left out as reading is too slow for, and from which it also has to catch up soon. */
const THINNING_LAG_SECONDS = 0.5;
const CATCH_UP_LAG_SECONDS = 2;
/** Seconds behind from which all samples are read again. */
const RECOVERED_LAG_SECONDS = 0.2;
/** Seconds behind from which leaving out samples does not help. */
const SKIPPING_LAG_SECONDS = 4;
/** A keyframe at most this far behind is a place to go on. */
const MAX_RESUMING_LAG_SECONDS = 1.5;
/** Samples of which at least one is read. */
const MAX_STRIDE = 16;
/** Share of the time that all work may take, so that it catches up: slowly, and within as many seconds as it is behind. */
const TARGET_LOAD = 0.7;
const CATCH_UP_LOAD = 0.5;
/** What is measured of so many samples; of these the most expensive do not count: something is loaded, or another program runs. */
const MEASURED_SAMPLES = 24;
const IGNORED_SAMPLES = 4;

/** What is decided on a sample. */
export interface SampleDecision {
  readonly isRead: boolean;
  /** A plan that begins with this sample: which samples are left out. */
  readonly gap?: Gap;
}

/**
 * Decides which samples are left out when reading takes longer than the recording. The plan holds for a second of the recording
 * and is made at its beginning, so that the log can say what it leaves out before anything of it is read.
 */
export class OverloadControl {
  /** Difference of the machine's clock and the recording's, in seconds, while frames are waited for. */
  #offset: number | undefined;
  #planEnd = Number.NEGATIVE_INFINITY;
  #stride = 1;
  #count = 0;
  /** Seconds that reading takes, for every sample that is read, and decoding and all else, for every sample. */
  readonly #reading = new RecentCosts();
  readonly #other = new RecentCosts();
  /** Mean distance of samples in seconds. */
  #interval: number | undefined;
  #lastT: number | undefined;
  #isSkipping = false;
  /** How many samples were left out. */
  left = 0;

  /** A packet arrived that was waited for, so that nothing is behind; its frame is shown at `t` seconds. */
  arrived(t: number, nowMs: number): void {
    this.#offset = nowMs / 1000 - t;
  }

  /** A packet of a source that does not wait arrived: it is behind at least as long as this. */
  began(t: number, nowMs: number): void {
    this.#offset ??= nowMs / 1000 - t;
  }

  /** How far the recording at `t` seconds is behind, in seconds; 0 while a recording catches up with its beginning. */
  lag(t: number, nowMs: number): number {
    return this.#offset === undefined ? 0 : Math.max(0, nowMs / 1000 - t - this.#offset);
  }

  /** Whether packets are discarded up to a keyframe. @param isKey Decoding can start at the packet. */
  skips(t: number, nowMs: number, isKey: boolean): boolean {
    const lag = this.lag(t, nowMs);
    if (!this.#isSkipping) this.#isSkipping = lag > SKIPPING_LAG_SECONDS;
    else if (isKey && lag < MAX_RESUMING_LAG_SECONDS) this.#isSkipping = false;
    return this.#isSkipping;
  }

  /** Decides on the sample at `t` seconds. */
  decide(t: number, nowMs: number): SampleDecision {
    if (this.#lastT !== undefined && t > this.#lastT) this.#interval = smooth(this.#interval, t - this.#lastT);
    this.#lastT = t;
    if (t < this.#planEnd) {
      const isRead = this.#count++ % this.#stride === 0;
      if (!isRead) this.left++;
      return { isRead };
    }
    const lag = this.lag(t, nowMs);
    this.#stride = this.#chooseStride(lag);
    this.#planEnd = this.#stride === 1 ? Number.NEGATIVE_INFINITY : t + PLAN_SECONDS;
    this.#count = 1;
    if (this.#stride === 1) return { isRead: true };
    const reason = `overload: 1 of ${this.#stride} samples is read, ${lag.toFixed(1)} s behind`;
    return { isRead: true, gap: { t, end: t + PLAN_SECONDS, reason } };
  }

  /** A sample cost so many milliseconds: to read it, if it was, and all work before, decoding included. */
  took({ reading, other }: { readonly reading: number | undefined; readonly other: number }): void {
    if (reading !== undefined) this.#reading.add(reading / 1000);
    this.#other.add(other / 1000);
  }

  #chooseStride(lag: number): number {
    const isRecovered = lag < (this.#stride > 1 ? RECOVERED_LAG_SECONDS : THINNING_LAG_SECONDS);
    if (isRecovered || this.#interval === undefined) return 1;
    const load = lag > CATCH_UP_LAG_SECONDS ? CATCH_UP_LOAD : TARGET_LOAD;
    const available = load * this.#interval - this.#other.mean;
    const needed = available > 0 ? Math.ceil(this.#reading.mean / available) : MAX_STRIDE;
    return Math.min(MAX_STRIDE, Math.max(1, needed));
  }
}

/** The usual cost of the last samples. */
class RecentCosts {
  readonly #costs: number[] = [];

  add(seconds: number): void {
    this.#costs.push(seconds);
    if (this.#costs.length > MEASURED_SAMPLES) this.#costs.shift();
  }

  /** Mean in seconds without the most expensive; 0 while only those are known. */
  get mean(): number {
    const usual = this.#costs.toSorted((a, b) => a - b).slice(0, -IGNORED_SAMPLES);
    return usual.length === 0 ? 0 : sum(usual) / usual.length;
  }
}

function smooth(before: number | undefined, now: number): number {
  return before === undefined ? now : before + 0.1 * (now - before);
}
