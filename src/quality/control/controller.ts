import type { ConstantsInput } from '../constants.ts';
import {
  type Change,
  clampRate,
  defaultBounds,
  describeSettings,
  listChanges,
  type Parameter,
  type Prediction,
  scaleRate,
  type SettingsBounds,
  smallerSize,
  StreamModel,
  type StreamSettings,
  type StreamState,
  targetRate,
} from './settings.ts';
import type { Observation } from './observer.ts';

/** Settings for the next interval. */
export interface Decision {
  /** Seconds. */
  readonly t: number;
  readonly settings: StreamSettings;
  /** Empty if nothing changes. */
  readonly changes: readonly Change[];
}

/** Options of `QualityController`. */
export interface ControllerOptions {
  readonly bounds?: SettingsBounds;
  /** Share of the network's capacity to aim at, and the share above which the bitrate is lowered at once. */
  readonly load?: { readonly aim: number; readonly most: number };
  /** Minimum seconds between two changes of a setting; lowering the bitrate waits one second only. */
  readonly hold?: Partial<Record<Parameter, number>>;
  /** Minimum predicted gain of a change: of the bitrate alone, and of any other setting. */
  readonly gain?: { readonly bitrate: number; readonly other: number };
  /** Share of lost frames and ms of queueing that indicate congestion. */
  readonly congestion?: { readonly lost: number; readonly queue: number };
  /** Seconds of capacity history, and the share of its worst seconds that is ignored. */
  readonly memory?: number;
  readonly worst?: number;
  /** Seconds at the start without changes other than for congestion. */
  readonly warmUp?: number;
  /** Initial safety margin below the worst capacity seen; decays with a time constant of two minutes. */
  readonly doubt?: number;
  /** Constants of the metric to be maximized. */
  readonly constants?: ConstantsInput;
}

const defaults = {
  load: { aim: 0.5, most: 1 },
  hold: { bitrate: 20, qp: 20, size: 30, fps: 30, preset: 20 },
  gain: { bitrate: 1, other: 2 },
  congestion: { lost: 0.1, queue: 45 },
  memory: 300,
  worst: 0.05,
  warmUp: 5,
  doubt: 0.3,
};

/**
 * Adjusts a stream to its network and machine. Predicts the metric for neighbouring settings and takes the best one if
 * the gain is large enough; congestion lowers the bitrate at once. Settings have bounds and a minimum time between
 * changes, and settings that overloaded the machine are avoided for a while. The decisions depend only on the
 * observations.
 *
 * @example
 * ```ts
 * const settings = { bitrate: 8e6, width: 1280, height: 720, fps: 60, preset: 'fast' };
 * const controller = new QualityController(settings);
 * const observer = new StreamObserver(new QualityMeter({ fps: 60 }));
 * observer.add({ frame: 0, captured: 0 }); // every frame …
 * console.log(controller.decide(observer.take()).settings); // every half second …
 * ```
 */
export class QualityController {
  readonly bounds: SettingsBounds;
  readonly #options: typeof defaults;
  readonly #model: StreamModel;
  #settings: StreamSettings;
  #state: StreamState | undefined;
  /** Observed capacity per second. */
  readonly #capacities: { second: number; capacity: number }[] = [];
  #capacity: number | undefined;
  #worst: number | undefined;
  #t = 0;
  readonly #changedAt = new Map<Parameter, number>();
  #slowSince: number | undefined;
  /** Settings that overloaded rendering, and until when to avoid them. */
  #overload: { fps: number; pixels: number; until: number; rest: number } | undefined;

  constructor(settings: StreamSettings, options: ControllerOptions = {}) {
    this.bounds = options.bounds ?? defaultBounds;
    this.#options = {
      load: { ...defaults.load, ...options.load },
      hold: { ...defaults.hold, ...options.hold },
      gain: { ...defaults.gain, ...options.gain },
      congestion: { ...defaults.congestion, ...options.congestion },
      memory: options.memory ?? defaults.memory,
      worst: options.worst ?? defaults.worst,
      warmUp: options.warmUp ?? defaults.warmUp,
      doubt: options.doubt ?? defaults.doubt,
    };
    this.#model = new StreamModel(options.constants);
    this.#settings = clampRate(settings, this.bounds);
  }

  get settings(): StreamSettings {
    return this.#settings;
  }

  /** Decides the settings for the next interval from the measurements of the last one. */
  decide(seen: Observation): Decision {
    this.#t = seen.t;
    this.#learn(seen);
    const before = this.#settings;
    const reason = this.#congested(seen);
    const changes =
      reason === undefined ? (this.#reduceRenderLoad(seen) ?? this.#improve()) : this.#reduceBitrate(reason);
    if (this.#settings !== before) for (const { parameter } of changes) this.#changedAt.set(parameter, seen.t);
    return { t: seen.t, settings: this.#settings, changes };
  }

  #canChange(parameter: Parameter, seconds = this.#options.hold[parameter]): boolean {
    return this.#t - (this.#changedAt.get(parameter) ?? Number.NEGATIVE_INFINITY) >= seconds;
  }

  /** Updates the smoothed state. */
  #learn(seen: Observation): void {
    if (seen.capacity !== undefined) this.#remember(Math.floor(seen.t), seen.capacity);
    const captureInterval = smooth(this.#state?.captureInterval, seen.captureInterval);
    const encodeTime = smooth(this.#state?.encodeTime, seen.encodeTime);
    const roundTrip = smooth(this.#state?.roundTrip, seen.roundTrip);
    const stackLatency = smooth(
      this.#state?.stackLatency,
      seen.stackLatency ?? this.#state?.stackLatency ?? estimateStackLatency(seen),
    );
    if (captureInterval === undefined || encodeTime === undefined || roundTrip === undefined) return;
    if (stackLatency === undefined || this.#capacity === undefined) return;
    this.#state = { captureInterval, encodeTime, roundTrip, stackLatency, capacity: this.#capacity };
  }

  #remember(second: number, capacity: number): void {
    const last = this.#capacities.at(-1);
    if (last?.second === second) last.capacity = Math.min(last.capacity, capacity);
    else this.#capacities.push({ second, capacity });
    while (this.#capacities[0]!.second < second - this.#options.memory) this.#capacities.shift();
    const sorted = this.#capacities.map((one) => one.capacity).toSorted((a, b) => a - b);
    // A short history may have been a good phase: rely on less.
    const trust = 1 - this.#options.doubt * Math.exp(-this.#t / 120);
    this.#worst = sorted[Math.floor(sorted.length * this.#options.worst)]! * trust;
    this.#capacity = capacity;
  }

  /** Reason for congestion, if any. */
  #congested(seen: Observation): string | undefined {
    const { lost, queue } = this.#options.congestion;
    if (seen.lost > lost) return `${(100 * seen.lost).toFixed(0)} % of the frames are lost`;
    if (seen.queue !== undefined && seen.queue > queue)
      return `frames wait ${seen.queue.toFixed(0)} ms in the network queue`;
    const load = this.#capacity === undefined ? 0 : targetRate(this.#settings) / this.#capacity;
    if (load > this.#options.load.most) return `the network is used to ${(100 * load).toFixed(0)} %`;
    return undefined;
  }

  /** Lowers the bitrate towards the reliable capacity, by at least a tenth and at most half. */
  #reduceBitrate(reason: string): Change[] {
    const parameter = this.#settings.qp === undefined ? 'bitrate' : 'qp';
    if (!this.#canChange(parameter, 1)) return [];
    const now = targetRate(this.#settings);
    const goal = this.#worst === undefined ? 0.7 * now : this.#options.load.aim * this.#worst;
    return this.#setRate(Math.min(0.9, Math.max(0.5, goal / now)), reason);
  }

  #setRate(factor: number, reason: string): Change[] {
    const { bitrate, qp } = this.#settings;
    const step =
      qp === undefined ? 0 : Math.sign(1 - factor) * Math.max(1, Math.round(Math.abs(6 * Math.log2(factor))));
    const changed = qp === undefined ? { bitrate: bitrate * factor } : { qp: qp + step };
    return this.#apply(clampRate({ ...this.#settings, ...changed }, this.bounds), reason);
  }

  /** Lowers the size, else the frame rate, if rendering was too slow for two seconds. */
  #reduceRenderLoad({ captureInterval }: Observation): Change[] | undefined {
    const { fps, width, height } = this.#settings;
    const slow = captureInterval !== undefined && captureInterval > (1.08 * 1000) / fps;
    if (!slow) {
      this.#slowSince = undefined;
      return undefined;
    }
    this.#slowSince ??= this.#t;
    if (this.#t - this.#slowSince < 2 || !this.#canChange('size', 3) || !this.#canChange('fps', 3)) return [];
    const why = `rendering takes ${captureInterval.toFixed(1)} of ${(1000 / fps).toFixed(1)} ms a frame`;
    const pixels = width * height;
    const again = this.#overload && this.#t - this.#overload.until < 30;
    const rest = again ? Math.min(160, 2 * this.#overload!.rest) : 20;
    this.#overload = { fps, pixels, until: this.#t + rest, rest };
    this.#slowSince = undefined;
    const smaller = smallerSize(this.bounds, width, height);
    // Half of a frame's rendering time does not depend on its size: if far too slow, a smaller size does not help.
    if (smaller && captureInterval < (1.35 * 1000) / fps) return this.#apply({ ...this.#settings, ...smaller }, why);
    const lower = this.bounds.rates.find((rate) => rate < fps);
    if (lower !== undefined) return this.#apply({ ...this.#settings, fps: lower }, why);
    return smaller ? this.#apply({ ...this.#settings, ...smaller }, why) : [];
  }

  /** Takes the neighbouring settings with the largest predicted gain, if it is large enough. */
  #improve(): Change[] {
    const state = this.#state;
    if (!state || this.#t < this.#options.warmUp) return [];
    const now = this.#settings;
    const here = this.#model.expect(now, state, now);
    let best: { settings: StreamSettings; expected: Prediction; gain: number } | undefined;
    for (const settings of this.#candidates()) {
      if (targetRate(settings) > Math.max(targetRate(now), this.#options.load.aim * this.#worst!)) continue;
      const expected = this.#model.expect(now, state, settings);
      const other = settings.width !== now.width || settings.fps !== now.fps || settings.preset !== now.preset;
      const gain = expected.total - here.total - (other ? this.#options.gain.other : this.#options.gain.bitrate);
      if (gain > 0 && gain > (best?.gain ?? 0)) best = { settings, expected, gain };
    }
    if (!best) return [];
    const { expected } = best;
    return this.#apply(
      best.settings,
      `picture ${signed(expected.picture, here.picture)}, delay ${signed(expected.stackLatency, here.stackLatency)} ms: ${signed(expected.total, here.total)} in total`,
    );
  }

  *#candidates(): Generator<StreamSettings> {
    const now = this.#settings;
    const { sizes, rates, presets } = this.bounds;
    const limit = this.#options.load.aim * this.#worst!;
    const bitFree = this.#canChange(now.qp === undefined ? 'bitrate' : 'qp');
    for (const size of this.#canChange('size') ? sizes : [now]) {
      for (const fps of this.#canChange('fps') ? rates : [now.fps]) {
        if (this.#isOverload(fps, size.width * size.height)) continue;
        for (const preset of this.#canChange('preset') ? presets : [now.preset]) {
          const base = { ...now, width: size.width, height: size.height, fps, preset };
          yield base;
          // Shares of the safe capacity: a fuller link adds delay.
          for (const share of bitFree ? [1, 0.8, 0.65, 0.5, 0.35] : []) {
            yield clampRate(scaleRate(base, (share * limit) / targetRate(base)), this.bounds);
          }
        }
      }
    }
  }

  #isOverload(fps: number, pixels: number): boolean {
    const { fps: nowFps, width, height } = this.#settings;
    if (!this.#overload || this.#t >= this.#overload.until) return false;
    if (fps === nowFps && pixels === width * height) return false;
    return fps >= this.#overload.fps && pixels >= this.#overload.pixels;
  }

  #apply(settings: StreamSettings, reason: string): Change[] {
    const changes = listChanges(this.#settings, settings, reason);
    if (changes.length > 0) this.#settings = settings;
    return changes;
  }
}

function smooth(known: number | undefined, now: number | undefined): number | undefined {
  return known === undefined || now === undefined ? (now ?? known) : known + 0.2 * (now - known);
}

function signed(to: number, from: number): string {
  return `${to >= from ? '+' : '−'}${Math.abs(to - from).toFixed(1)}`;
}

/** Estimates the stack latency without inputs: the sum of the known parts plus one frame on either side. */
function estimateStackLatency(seen: Observation): number | undefined {
  if (seen.roundTrip === undefined || seen.captureInterval === undefined) return undefined;
  return seen.roundTrip + (seen.encodeTime ?? 0) + 2 * seen.captureInterval;
}

/** Formats a decision: `12.5 s: bitrate 8.0 → 6.0 Mbit/s (frames wait 40 ms in the queue)`. */
export function describeDecision({ t, changes, settings }: Decision): string {
  return `${t.toFixed(1)} s: ${changes.length === 0 ? `${describeSettings(settings)} stays` : describeChanges(changes)}`;
}

/** Formats changes of settings and their reason: `bitrate 8.0 → 6.0 Mbit/s (frames wait 40 ms in the queue)`. */
export function describeChanges(changes: readonly Change[]): string {
  const parts = changes.map(({ parameter, from, to }) => `${parameter} ${from} → ${to}`);
  return `${parts.join(', ')} (${changes[0]!.reason})`;
}
