/** Which frames are sampled: about every so many seconds, every n-th frame, or all. */
export type Sampling = { readonly interval: number } | { readonly every: number } | { readonly all: true };

/** The frames of a video in presentation order: times in seconds, ascending, and 1 where later frames may refer to one. */
export interface FrameTimes {
  readonly t: ArrayLike<number>;
  readonly reference: ArrayLike<number>;
}

/** One sample: tick `tick` of its grid is taken from frame number `frame`. */
export interface Sample {
  readonly tick: number;
  readonly frame: number;
}

/** A stretch of time in seconds: samples whose frame lies in `[from, to)`. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * The samples of a video, ascending. Tick k of an interval lies at k · interval; its sample is the nearest eligible frame
 * (the earlier on a tie), at most half an interval away. Eligible are reference frames where one lies that near, else all
 * frames; so the choice depends on the stream alone. A frame halfway between two ticks may serve both. Times are compared
 * in whole microseconds. `every: n` takes frames 0, n, 2n…; a range cuts samples away and never moves the others.
 */
export function planSamples(frames: FrameTimes, sampling: Sampling, range: TimeRange = {}): Sample[] {
  const planner = new SamplePlanner(sampling, range);
  return [...planner.add(frames), ...planner.end()];
}

/** Plans while the frames are still being found: gives each sample as soon as no later frame can change it. */
export class SamplePlanner {
  readonly #range: { readonly from: number; readonly to: number };
  /** Distance of ticks in microseconds; 0 when frames are counted. */
  readonly #step: number;
  readonly #every: number;
  /** Frames that may still be taken: times in microseconds, 1 for reference frames. */
  #times: number[] = [];
  #references: number[] = [];
  /** Of these the first that counts, and the number of the first in the video. */
  #head = 0;
  #base = 0;
  #tick = 0;

  constructor(sampling: Sampling, range: TimeRange = {}) {
    this.#range = { from: range.from ?? Number.NEGATIVE_INFINITY, to: range.to ?? Number.POSITIVE_INFINITY };
    this.#step = 'interval' in sampling ? Math.round(sampling.interval * 1e6) : 0;
    this.#every = 'every' in sampling ? sampling.every : 1;
    if ('interval' in sampling && !(this.#step >= 1)) {
      throw new RangeError(`interval must be at least a microsecond, not ${sampling.interval} s`);
    }
    if (!Number.isInteger(this.#every) || this.#every < 1) {
      throw new RangeError(`every must be a positive whole number, not ${this.#every}`);
    }
  }

  /** Takes the frames that follow those taken before. */
  add(frames: FrameTimes): Sample[] {
    for (let i = 0; i < frames.t.length; i++) {
      this.#times.push(Math.round(frames.t[i]! * 1e6));
      this.#references.push(frames.reference[i]!);
    }
    return this.#settle(this.#times.at(-1) ?? 0);
  }

  /**
   * The number of the first frame of which it is not known yet whether it is a sample.
   *
   * @param spacing Seconds between the reference frames of a steady stream. Where frames keep coming like that, one that is further
   * than `spacing` before a tick is not its sample, as a nearer one will follow. With 0, only what is certain counts.
   */
  undecided(spacing = 0): number {
    const waiting = this.#base + this.#times.length;
    if (this.#step === 0) return waiting;
    const nearest = this.#tick * this.#step - Math.min(this.#step / 2, spacing > 0 ? spacing * 1e6 : Infinity);
    const index = this.#times.findIndex((t) => t >= nearest);
    return index < 0 ? waiting : this.#base + index;
  }

  /** No more frames will come. */
  end(): Sample[] {
    return this.#settle(Number.POSITIVE_INFINITY);
  }

  /** The samples that frames after `known` (microseconds) cannot change. */
  #settle(known: number): Sample[] {
    const samples: Sample[] = [];
    const take = this.#step > 0 ? () => this.#nextTick(known) : () => this.#nextCount();
    for (let sample = take(); sample; sample = take()) {
      const t = this.#times[sample.frame - this.#base]! / 1e6;
      if (t >= this.#range.from && t < this.#range.to) samples.push(sample);
    }
    this.#times = this.#times.slice(this.#head);
    this.#references = this.#references.slice(this.#head);
    this.#base += this.#head;
    this.#head = 0;
    return samples;
  }

  #nextCount(): Sample | undefined {
    const frame = this.#tick * this.#every;
    if (frame >= this.#base + this.#times.length) {
      this.#head = this.#times.length;
      return undefined;
    }
    return { tick: this.#tick++, frame };
  }

  #nextTick(known: number): Sample | undefined {
    const step = this.#step;
    // Frames that are nearer to the tick before.
    if (this.#tick > 0)
      while (this.#head < this.#times.length && 2 * (this.#times[this.#head]! - (this.#tick - 1) * step) < step)
        this.#head++;
    if (this.#head === this.#times.length) return undefined;
    // Ticks that no frame is near are passed over in one go.
    const tick = Math.max(this.#tick, Math.ceil((2 * this.#times[this.#head]! - step) / (2 * step)));
    const at = tick * step;
    let best = -1;
    let bestReference = -1;
    for (let i = this.#head; i < this.#times.length && 2 * (this.#times[i]! - at) <= step; i++) {
      const distance = Math.abs(this.#times[i]! - at);
      if (best < 0 || distance < Math.abs(this.#times[best]! - at)) best = i;
      if (!this.#references[i]) continue;
      if (bestReference < 0 || distance < Math.abs(this.#times[bestReference]! - at)) bestReference = i;
    }
    // What follows is no nearer to the tick than the reference frame found, or too far from it.
    const enough = bestReference < 0 ? undefined : Math.abs(this.#times[bestReference]! - at);
    if (2 * (known - at) <= step && !(enough !== undefined && known - at >= enough)) return undefined;
    this.#tick = tick + 1;
    return { tick, frame: this.#base + (bestReference >= 0 ? bestReference : best) };
  }
}
