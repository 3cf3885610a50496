import { type ConstantsInput, type QualityConstants, withDefaults } from '../constants.ts';
import { monotoneCubic, estimateBitsPerPixel, resolveTransfer } from '../transfer.ts';
import { bitsPerPixel, type Preset, type StreamSettings } from './settings.ts';

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
