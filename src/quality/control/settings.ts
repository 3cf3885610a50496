import {
  type ConstantsInput,
  estimateBitsPerPixel,
  monotoneCubic,
  type QualityConstants,
  resolveTransfer,
  withDefaults,
} from '../constants.ts';

/** Settings of a stream's renderer and encoder. */
export interface StreamSettings {
  /** Bits per second. */
  readonly bitrate: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly preset: Preset;
  /** Constant quantization parameter instead of a target bitrate (H.264 scale). */
  readonly qp?: number;
}

/** Encoder presets from fast to slow; a slower one compresses better. */
const presets = ['ultrafast', 'veryfast', 'fast', 'medium'] as const;
/** An encoder preset. */
export type Preset = (typeof presets)[number];

/** Settings a controller may choose. */
export interface SettingsBounds {
  /** Bits per second. */
  readonly bitrate: { readonly least: number; readonly most: number };
  /** Picture sizes, largest first. */
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  /** Frame rates, highest first. */
  readonly rates: readonly number[];
  readonly presets: readonly Preset[];
  readonly qp: { readonly least: number; readonly most: number };
}

/** Default bounds. */
export const defaultBounds: SettingsBounds = {
  bitrate: { least: 1e6, most: 40e6 },
  sizes: [
    { width: 1920, height: 1080 },
    { width: 1600, height: 900 },
    { width: 1280, height: 720 },
    { width: 960, height: 540 },
  ],
  rates: [60, 30],
  presets,
  qp: { least: 18, most: 42 },
};

/** Bits per pixel of a stream. */
export function bitsPerPixel(settings: Pick<StreamSettings, 'bitrate' | 'width' | 'height' | 'fps'>): number {
  return settings.bitrate / (settings.width * settings.height * settings.fps);
}

/** A bitrate as text: `8.0 Mbit/s`. */
function megabits(bitrate: number): string {
  return `${(bitrate / 1e6).toFixed(1)} Mbit/s`;
}

/** Formats settings: `1280x720 60 Hz 8.0 Mbit/s fast`. */
export function describeSettings(settings: StreamSettings): string {
  const rate = settings.qp === undefined ? megabits(settings.bitrate) : `QP ${settings.qp}`;
  return `${settings.width}x${settings.height} ${settings.fps} Hz ${rate} ${settings.preset}`;
}

/** Texts of the settings by name; a stream with a constant QP has no bitrate. */
const describers = {
  bitrate: ({ bitrate, qp }) => (qp === undefined && bitrate !== undefined ? megabits(bitrate) : ''),
  qp: ({ qp }) => String(qp ?? ''),
  size: ({ width, height }) => `${width}x${height}`,
  fps: ({ fps }) => String(fps),
  preset: ({ preset }) => preset ?? '',
} satisfies Record<string, (settings: Partial<StreamSettings>) => string>;

/** Name of a setting. */
export type Parameter = keyof typeof describers;

/** A changed setting and the reason. */
export interface Change {
  readonly parameter: Parameter;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Lists the settings that differ. */
export function listChanges(now: Partial<StreamSettings>, then: Partial<StreamSettings>, reason: string): Change[] {
  return (Object.keys(describers) as Parameter[])
    .map((parameter) => ({ parameter, from: describers[parameter](now), to: describers[parameter](then), reason }))
    .filter(({ from, to }) => from !== to);
}

/** Rounds bitrate and QP to steps of 100 kbit/s and 1, within the bounds. */
export function clampRate<T extends Partial<StreamSettings>>(settings: T, { bitrate, qp }: SettingsBounds): T {
  return {
    ...settings,
    ...(settings.bitrate !== undefined && { bitrate: within(Math.round(settings.bitrate / 1e5) * 1e5, bitrate) }),
    ...(settings.qp !== undefined && { qp: within(Math.round(settings.qp), qp) }),
  };
}

function within(value: number, { least, most }: SettingsBounds['qp']): number {
  return Math.min(most, Math.max(least, value));
}

/** Multiplies the bitrate, or changes QP to the same effect: six steps halve the rate. */
export function scaleRate<T extends Partial<StreamSettings>>(settings: T, factor: number): T {
  const { bitrate, qp } = settings;
  if (qp !== undefined) return { ...settings, qp: qp - 6 * Math.log2(factor) };
  return bitrate === undefined ? settings : { ...settings, bitrate: bitrate * factor };
}

/** The next smaller picture size within the bounds. */
export function smallerSize({ sizes }: SettingsBounds, width: number, height: number) {
  return sizes.find((size) => size.width * size.height < width * height);
}

/** Smoothed measurements of a running stream. Times in ms. */
export interface StreamState {
  readonly captureInterval: number;
  readonly encodeTime: number;
  readonly roundTrip: number;
  readonly stackLatency: number;
  /** Bits per second. */
  readonly capacity: number;
}

/** Relative encoding time of a preset; `medium` is 1. */
export const presetSpeed: Readonly<Record<Preset, number>> = { ultrafast: 0.3, veryfast: 0.5, fast: 0.75, medium: 1 };

/** Relative deviation of the frame size from its mean: the faster the preset, the larger. */
export const presetSpread: Readonly<Record<Preset, number>> = {
  ultrafast: 0.45,
  veryfast: 0.3,
  fast: 0.24,
  medium: 0.2,
};

/** Predicted result of other settings. */
export interface Prediction {
  /** Mean of picture and base. */
  readonly total: number;
  readonly picture: number;
  /** Combined weighted score, and the base: the score minus the cost of varying frame sizes. */
  readonly quality: number;
  readonly base: number;
  readonly stackLatency: number;
  /** Share of the network's capacity used. */
  readonly load: number;
}

/** Predicts the metric for other settings from the current measurements. */
export class StreamModel {
  readonly #constants: QualityConstants;
  readonly #curve: (bitsPerPixel: number) => number;

  constructor(constants: ConstantsInput = {}) {
    this.#constants = withDefaults(constants);
    this.#curve = monotoneCubic(this.#constants.picture.curve);
  }

  expect(now: StreamSettings, state: StreamState, then: StreamSettings): Prediction {
    const share = (then.width * then.height) / (now.width * now.height);
    // Encoding scales with pixels and preset, rendering and decoding with half of the pixels.
    const encode = state.encodeTime * share ** 0.9 * (presetSpeed[then.preset] / presetSpeed[now.preset]);
    const draw = 0.5 * Math.min(state.captureInterval, 1000 / now.fps) * 0.7 * (share - 1);
    const line = ((targetRate(then) / then.fps - targetRate(now) / now.fps) / state.capacity) * 1000;
    // An input waits half a frame for the next one, and a frame half a frame for the screen.
    const wait = 0.5 * (1000 / then.fps - 1000 / now.fps);
    const trip = Math.max(1, state.roundTrip + line);
    const stackLatency = Math.max(5, state.stackLatency + encode - state.encodeTime + draw + line + wait);
    const capture = Math.max(
      1000 / then.fps,
      state.captureInterval * (0.5 + 0.5 * share) * (now.fps === then.fps ? 1 : 0),
    );
    const quality = this.#quality(then.fps, capture, trip, stackLatency);
    const picture = this.#picture(then);
    const onLine = (1000 * targetRate(then)) / then.fps / state.capacity;
    const unrest = presetSpread[then.preset] * onLine;
    const worse = this.#quality(then.fps, capture, trip + unrest, stackLatency + unrest);
    const base = quality - this.#constants.base.z * Math.max(0, quality - worse);
    return {
      total: 0.5 * (picture + base),
      picture,
      quality,
      base,
      stackLatency,
      load: targetRate(then) / state.capacity,
    };
  }

  #quality(fps: number, delta: number, trip: number, stack: number): number {
    const raws: Readonly<Record<string, number>> = {
      captureDelta: delta,
      presentDelta: delta,
      roundTripDelay: trip,
      stackLatency: stack,
    };
    let sum = 0;
    let weights = 0;
    for (const [name, raw] of Object.entries(raws)) {
      const { score, weight } = resolveTransfer(this.#constants.components[name]!, fps);
      sum += score(raw) * weight(raw);
      weights += weight(raw);
    }
    return sum / weights;
  }

  #picture(settings: StreamSettings): number {
    const pixels = settings.width * settings.height;
    const bits = settings.qp === undefined ? bitsPerPixel(settings) : estimateBitsPerPixel(settings.qp, pixels);
    const { reference } = this.#constants.picture;
    if (!reference) return this.#curve(bits);
    const size = Math.min(1, pixels / (reference.width * reference.height)) ** reference.size;
    return this.#curve(bits) * size * Math.min(1, settings.fps / reference.fps) ** reference.rate;
  }
}

/** Bits per second of the settings. */
export function targetRate(settings: StreamSettings): number {
  if (settings.qp === undefined) return settings.bitrate;
  const pixels = settings.width * settings.height;
  return estimateBitsPerPixel(settings.qp, pixels) * pixels * settings.fps;
}
