import type { RawFrame } from './frame.ts';
import type { QualityMeter } from './meter.ts';

/** An incident of a stream. Times in seconds on the session's timeline. */
export type StreamIncident =
  /** No new picture for `ms`. */
  | { readonly kind: 'freeze'; readonly t: number; readonly end: number; readonly ms: number }
  /** `frames` pictures were late in close succession. */
  | { readonly kind: 'stutter'; readonly t: number; readonly end: number; readonly frames: number }
  /** Delay at or above the limit; `ms` is the maximum. */
  | { readonly kind: 'lag'; readonly t: number; readonly end: number; readonly ms: number }
  /** Low overall quality: `score` is the mean and `least` the minimum combined weighted score of a second. */
  | { readonly kind: 'bad'; readonly t: number; readonly end: number; readonly score: number; readonly least: number }
  | { readonly kind: 'bitrate'; readonly t: number; readonly end: number; readonly from: number; readonly to: number }
  | {
      readonly kind: 'resolution';
      readonly t: number;
      readonly end: number;
      readonly from: string;
      readonly to: string;
    };

/** Thresholds of incidents. */
export interface IncidentOptions {
  /**
   * Minimum ms without a new picture for a freeze. Default: three frames, or a frame + 150 ms if longer (as
   * `freezeCount` of the WebRTC statistics).
   */
  readonly freezeMs?: number | undefined;
  /** Maximum seconds between late pictures of one stutter; default 1. */
  readonly stutterGap?: number | undefined;
  /** Minimum late pictures of a stutter; default 3. */
  readonly stutterFrames?: number | undefined;
  /** Minimum delay of a lag in ms; default 100, where the latency score reaches 0. */
  readonly lagMs?: number | undefined;
  /** Minimum seconds of a lag; default 0.5. */
  readonly lagSeconds?: number | undefined;
  /** Quality is bad from a second with a mean CWS below `bad` to the first one above `good`; defaults 40 and 60. */
  readonly bad?: number | undefined;
  readonly good?: number | undefined;
  /** The bitrate is measured, not set: its variations are no incidents. */
  readonly measuredRate?: boolean | undefined;
}

/**
 * Detects incidents frame by frame.
 *
 * @example
 * ```ts
 * const [meter, values, detector] = [new QualityMeter({ fps: 60 }), new RawValueReader(), new IncidentDetector(60)];
 * for (const captured of [0, 17, 400]) {
 *   const raw = values.next({ frame: 0, captured });
 *   meter.push(raw);
 *   detector.add(meter, raw);
 * }
 * detector.finish()[0].kind; // 'freeze'
 * ```
 */
export class IncidentDetector {
  readonly #found: StreamIncident[] = [];
  readonly #options: Required<{ [K in keyof Omit<IncidentOptions, 'measuredRate'>]: number }>;
  readonly #measuredRate: boolean;
  readonly #lateMs: number;
  #stutter: { t: number; end: number; frames: number } | undefined;
  #lag: { t: number; end: number; ms: number } | undefined;
  #second: { at: number; sum: number; frames: number } | undefined;
  #bad: { t: number; end: number; sum: number; seconds: number; least: number } | undefined;
  #bitrate: number | undefined;
  #resolution: string | undefined;
  #last = 0;

  constructor(fps: number, options: IncidentOptions = {}) {
    const frame = 1000 / fps;
    this.#lateMs = 1.5 * frame;
    this.#measuredRate = options.measuredRate ?? false;
    this.#options = {
      freezeMs: options.freezeMs ?? Math.max(3 * frame, frame + 150),
      stutterGap: options.stutterGap ?? 1,
      stutterFrames: options.stutterFrames ?? 3,
      lagMs: options.lagMs ?? 100,
      lagSeconds: options.lagSeconds ?? 0.5,
      bad: options.bad ?? 40,
      good: options.good ?? 60,
    };
  }

  add(meter: QualityMeter, raw: RawFrame): void {
    this.#last = raw.t;
    this.#delta(raw.t, raw.pictureDelta);
    const delay = raw.stackLatency ?? raw.roundTripDelay;
    if (delay !== undefined) this.#delay(raw.t, delay);
    this.#score(raw.t, meter.latest.cws);
    this.#settings(raw);
  }

  #delta(t: number, delta: number | undefined): void {
    if (delta === undefined) return;
    if (delta >= this.#options.freezeMs) {
      this.#found.push({ kind: 'freeze', t: Math.max(0, t - delta / 1000), end: t, ms: delta });
    } else if (delta >= this.#lateMs) {
      if (this.#stutter && t - this.#stutter.end > this.#options.stutterGap) this.#endStutter();
      this.#stutter ??= { t: Math.max(0, t - delta / 1000), end: t, frames: 0 };
      this.#stutter.frames++;
      this.#stutter.end = t;
    }
  }

  #endStutter(): void {
    const stutter = this.#stutter;
    this.#stutter = undefined;
    if (stutter && stutter.frames >= this.#options.stutterFrames) this.#found.push({ kind: 'stutter', ...stutter });
  }

  #delay(t: number, delay: number): void {
    if (delay >= this.#options.lagMs) {
      this.#lag ??= { t, end: t, ms: 0 };
      this.#lag.end = t;
      this.#lag.ms = Math.max(this.#lag.ms, delay);
    } else if (this.#lag) {
      this.#endLag(t);
    }
  }

  #endLag(t: number): void {
    const lag = this.#lag;
    this.#lag = undefined;
    if (lag && t - lag.t >= this.#options.lagSeconds) this.#found.push({ kind: 'lag', ...lag, end: t });
  }

  #score(t: number, cws: number | undefined): void {
    if (cws === undefined) return;
    const at = Math.floor(t);
    if (this.#second && this.#second.at !== at) this.#endSecond();
    this.#second ??= { at, sum: 0, frames: 0 };
    this.#second.sum += cws;
    this.#second.frames++;
  }

  #endSecond(): void {
    const { at, sum, frames } = this.#second!;
    this.#second = undefined;
    const mean = sum / frames;
    if (this.#bad && mean > this.#options.good) this.#endBad();
    else if (this.#bad || mean < this.#options.bad) {
      this.#bad ??= { t: at, end: at, sum: 0, seconds: 0, least: 100 };
      this.#bad.end = at + 1;
      this.#bad.sum += mean;
      this.#bad.seconds++;
      this.#bad.least = Math.min(this.#bad.least, mean);
    }
  }

  #endBad(): void {
    const bad = this.#bad;
    this.#bad = undefined;
    if (!bad) return;
    const end = Math.min(bad.end, this.#last);
    this.#found.push({ kind: 'bad', t: bad.t, end, score: bad.sum / bad.seconds, least: bad.least });
  }

  #settings(raw: RawFrame): void {
    const { targetBitrate, width, height, t } = raw;
    if (targetBitrate !== undefined && !this.#measuredRate) {
      // Controllers vary the bitrate constantly: report changes of more than a tenth.
      const from = this.#bitrate;
      if (from === undefined || Math.abs(targetBitrate - from) > 0.1 * from) {
        if (from !== undefined) this.#found.push({ kind: 'bitrate', t, end: t, from, to: targetBitrate });
        this.#bitrate = targetBitrate;
      }
    }
    if (width !== undefined && height !== undefined) {
      const to = `${width}x${height}`;
      const from = this.#resolution;
      if (from !== undefined && from !== to) this.#found.push({ kind: 'resolution', t, end: t, from, to });
      this.#resolution = to;
    }
  }

  /** Returns the incidents that have ended, and removes them: those of a session that goes on. */
  take(): readonly StreamIncident[] {
    return this.#found.splice(0);
  }

  /** Ends the session and returns the incidents by time. */
  finish(): readonly StreamIncident[] {
    this.#endStutter();
    this.#endLag(this.#last);
    if (this.#second) this.#endSecond();
    this.#endBad();
    return this.#found.toSorted((a, b) => a.t - b.t || a.end - b.end);
  }
}
