import type { ConstantsInput } from '../constants.ts';
import { type Prediction, rateOf, StreamModel, type StreamState } from './model.ts';
import type { Observation } from './observer.ts';
import { defaultBounds, describeSettings, type SettingsBounds, type StreamSettings } from './settings.ts';

export type Parameter = 'bitrate' | 'qp' | 'size' | 'fps' | 'preset';

/** One setting that is changed, and why. */
export interface Change {
  readonly parameter: Parameter;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export interface Decision {
  /** Seconds. */
  readonly t: number;
  readonly settings: StreamSettings;
  /** Empty where everything stays as it is. */
  readonly changes: readonly Change[];
}

export interface ControllerOptions {
  readonly bounds?: SettingsBounds;
  /** Of what the line carries: the share that is aimed at, and the one above which the bitrate goes down at once. */
  readonly load?: { readonly aim: number; readonly most: number };
  /** Least seconds between two changes of a setting; a fall of the bitrate waits a second only. */
  readonly hold?: Partial<Record<Parameter, number>>;
  /** Points that other settings must promise to be taken: of the bitrate alone, and of anything else. */
  readonly gain?: { readonly bitrate: number; readonly other: number };
  /** Share of lost frames, and ms in the line's queue, that are taken for congestion. */
  readonly congestion?: { readonly lost: number; readonly queue: number };
  /** Seconds over which the line's capacity is remembered, and the share of its worst seconds that is not relied on. */
  readonly memory?: number;
  readonly worst?: number;
  /** Seconds at the beginning in which the line is only watched (congestion counts all the same). */
  readonly warmUp?: number;
  /** How much less than the worst seen is relied on at first; fades with a time constant of two minutes. */
  readonly doubt?: number;
  /** The metric that is to be raised. */
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
 * Adjusts a stream to what its line and machine can do. From what the stream is like it predicts what the metric would
 * say of each neighbouring setting and takes the best one, if it promises enough; congestion lowers the bitrate at
 * once. Settings have bounds and a least time between changes; what was too much is left alone for a while. It is
 * deterministic: a function of the observations.
 */
export class QualityController {
  readonly bounds: SettingsBounds;
  readonly #options: typeof defaults;
  readonly #model: StreamModel;
  #settings: StreamSettings;
  #state: StreamState | undefined;
  /** What the line was seen to carry, second by second. */
  readonly #capacities: { second: number; capacity: number }[] = [];
  #capacity: number | undefined;
  #worst: number | undefined;
  #t = 0;
  readonly #changedAt = new Map<Parameter, number>();
  #slowSince: number | undefined;
  /** Size and frame rate that rendering could not keep up with, and until when they are left alone. */
  #avoided: { fps: number; pixels: number; until: number; rest: number } | undefined;

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
    this.#settings = this.#clamp(settings);
  }

  get settings(): StreamSettings {
    return this.#settings;
  }

  /** Takes what the last stretch was like and says what holds from now on. */
  decide(seen: Observation): Decision {
    this.#t = seen.t;
    this.#learn(seen);
    const before = this.#settings;
    const reason = this.#congested(seen);
    const changes = reason === undefined ? (this.#keepUp(seen) ?? this.#improve()) : this.#relieve(reason);
    if (this.#settings !== before) for (const { parameter } of changes) this.#changedAt.set(parameter, seen.t);
    return { t: seen.t, settings: this.#settings, changes };
  }

  #clamp(settings: StreamSettings): StreamSettings {
    const { bitrate, qp } = this.bounds;
    return {
      ...settings,
      bitrate: Math.min(bitrate.most, Math.max(bitrate.least, Math.round(settings.bitrate / 1e5) * 1e5)),
      ...(settings.qp !== undefined && { qp: Math.min(qp.most, Math.max(qp.least, Math.round(settings.qp))) }),
    };
  }

  #rested(parameter: Parameter, seconds = this.#options.hold[parameter]): boolean {
    return this.#t - (this.#changedAt.get(parameter) ?? Number.NEGATIVE_INFINITY) >= seconds;
  }

  /** Smooths what was seen over a few stretches. */
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
    // What was seen for a short while only may have been a good while: less is relied on.
    const trust = 1 - this.#options.doubt * Math.exp(-this.#t / 120);
    this.#worst = sorted[Math.floor(sorted.length * this.#options.worst)]! * trust;
    this.#capacity = capacity;
  }

  /** Why the line is too full, if it is. */
  #congested(seen: Observation): string | undefined {
    const { lost, queue } = this.#options.congestion;
    if (seen.lost > lost) return `${(100 * seen.lost).toFixed(0)} % of the frames are lost`;
    if (seen.queue !== undefined && seen.queue > queue) return `frames wait ${seen.queue.toFixed(0)} ms for the line`;
    const load = this.#capacity === undefined ? 0 : rateOf(this.#settings) / this.#capacity;
    if (load > this.#options.load.most) return `the line is used to ${(100 * load).toFixed(0)} %`;
    return undefined;
  }

  /** Lowers the bitrate to what the line is believed to carry, at least by a tenth, at most to a half. */
  #relieve(reason: string): Change[] {
    const parameter = this.#settings.qp === undefined ? 'bitrate' : 'qp';
    if (!this.#rested(parameter, 1)) return [];
    const now = rateOf(this.#settings);
    const goal = this.#worst === undefined ? 0.7 * now : this.#options.load.aim * this.#worst;
    return this.#setRate(Math.min(0.9, Math.max(0.5, goal / now)), reason);
  }

  #setRate(factor: number, reason: string): Change[] {
    const { bitrate, qp } = this.#settings;
    const step =
      qp === undefined ? 0 : Math.sign(1 - factor) * Math.max(1, Math.round(Math.abs(6 * Math.log2(factor))));
    return this.#take(
      this.#clamp({ ...this.#settings, ...(qp === undefined ? { bitrate: bitrate * factor } : { qp: qp + step }) }),
      reason,
    );
  }

  /** A smaller picture, else fewer of them, where rendering has not kept up for two seconds. */
  #keepUp({ captureInterval }: Observation): Change[] | undefined {
    const { fps, width, height } = this.#settings;
    const slow = captureInterval !== undefined && captureInterval > (1.08 * 1000) / fps;
    if (!slow) {
      this.#slowSince = undefined;
      return undefined;
    }
    this.#slowSince ??= this.#t;
    if (this.#t - this.#slowSince < 2 || !this.#rested('size', 3) || !this.#rested('fps', 3)) return [];
    const why = `a frame takes ${captureInterval.toFixed(1)} ms, ${(1000 / fps).toFixed(1)} are there`;
    const pixels = width * height;
    const again = this.#avoided && this.#t - this.#avoided.until < 30;
    const rest = again ? Math.min(160, 2 * this.#avoided!.rest) : 20;
    this.#avoided = { fps, pixels, until: this.#t + rest, rest };
    this.#slowSince = undefined;
    const smaller = this.bounds.sizes.find((size) => size.width * size.height < pixels);
    // Half of the time of a frame does not depend on its size: too slow by far is too slow at any size.
    if (smaller && captureInterval < (1.35 * 1000) / fps) return this.#take({ ...this.#settings, ...smaller }, why);
    const lower = this.bounds.rates.find((rate) => rate < fps);
    if (lower !== undefined) return this.#take({ ...this.#settings, fps: lower }, why);
    return smaller ? this.#take({ ...this.#settings, ...smaller }, why) : [];
  }

  /** The neighbouring setting that promises most, if it promises enough. */
  #improve(): Change[] {
    const state = this.#state;
    if (!state || this.#t < this.#options.warmUp) return [];
    const now = this.#settings;
    const here = this.#model.expect(now, state, now);
    let best: { settings: StreamSettings; expected: Prediction; gain: number } | undefined;
    for (const settings of this.#candidates()) {
      if (rateOf(settings) > Math.max(rateOf(now), this.#options.load.aim * this.#worst!)) continue;
      const expected = this.#model.expect(now, state, settings);
      const other = settings.width !== now.width || settings.fps !== now.fps || settings.preset !== now.preset;
      const gain = expected.total - here.total - (other ? this.#options.gain.other : this.#options.gain.bitrate);
      if (gain > 0 && gain > (best?.gain ?? 0)) best = { settings, expected, gain };
    }
    if (!best) return [];
    const { expected } = best;
    return this.#take(
      best.settings,
      `picture ${signed(expected.picture, here.picture)}, delay ${signed(expected.stackLatency, here.stackLatency)} ms: ${signed(expected.total, here.total)} in all`,
    );
  }

  *#candidates(): Generator<StreamSettings> {
    const now = this.#settings;
    const { sizes, rates, presets } = this.bounds;
    const limit = this.#options.load.aim * this.#worst!;
    const bitFree = this.#rested(now.qp === undefined ? 'bitrate' : 'qp');
    for (const size of this.#rested('size') ? sizes : [now]) {
      for (const fps of this.#rested('fps') ? rates : [now.fps]) {
        if (this.#avoids(fps, size.width * size.height)) continue;
        for (const preset of this.#rested('preset') ? presets : [now.preset]) {
          const base = { ...now, width: size.width, height: size.height, fps, preset };
          yield base;
          // What the line carries safely, and less: a fuller line costs delay.
          for (const share of bitFree ? [1, 0.8, 0.65, 0.5, 0.35] : []) {
            yield this.#clamp(scaled(base, (share * limit) / rateOf(base)));
          }
        }
      }
    }
  }

  #avoids(fps: number, pixels: number): boolean {
    const { fps: nowFps, width, height } = this.#settings;
    if (!this.#avoided || this.#t >= this.#avoided.until) return false;
    if (fps === nowFps && pixels === width * height) return false;
    return fps >= this.#avoided.fps && pixels >= this.#avoided.pixels;
  }

  #take(settings: StreamSettings, reason: string): Change[] {
    const now = this.#settings;
    const changes: Change[] = [];
    const compare = (parameter: Parameter, from: string, to: string): void => {
      if (from !== to) changes.push({ parameter, from, to, reason });
    };
    if (settings.qp === undefined) compare('bitrate', megabits(now), megabits(settings));
    else compare('qp', String(now.qp), String(settings.qp));
    compare('size', `${now.width}x${now.height}`, `${settings.width}x${settings.height}`);
    compare('fps', String(now.fps), String(settings.fps));
    compare('preset', now.preset, settings.preset);
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

/** Bits per second, or QP, changed by a factor of the rate. */
function scaled(settings: StreamSettings, factor: number): StreamSettings {
  if (settings.qp === undefined) return { ...settings, bitrate: settings.bitrate * factor };
  return { ...settings, qp: settings.qp - 6 * Math.log2(factor) };
}

/** Without inputs nobody knows the stack's latency: what is known of its parts, with one frame on either side. */
function estimateStackLatency(seen: Observation): number | undefined {
  if (seen.roundTrip === undefined || seen.captureInterval === undefined) return undefined;
  return seen.roundTrip + (seen.encodeTime ?? 0) + 2 * seen.captureInterval;
}

function megabits(settings: StreamSettings): string {
  return `${(settings.bitrate / 1e6).toFixed(1)} Mbit/s`;
}

/** A decision in words: `12.5 s: bitrate 8.0 → 6.0 Mbit/s (frames wait 40 ms for the line)`. */
export function describeDecision({ t, changes, settings }: Decision): string {
  if (changes.length === 0) return `${t.toFixed(1)} s: ${describeSettings(settings)} stays`;
  const parts = changes.map(({ parameter, from, to }) => `${parameter} ${from} → ${to}`);
  return `${t.toFixed(1)} s: ${parts.join(', ')} (${changes[0]!.reason})`;
}
