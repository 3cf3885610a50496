import {
  componentNames,
  type ConstantsInput,
  estimateBitsPerPixel,
  monotoneCubic,
  type QualityConstants,
  resolveTransfer,
  type Transfer,
  withDefaults,
} from './constants.ts';
import { type FrameRecord, type RawFrame, RawValueReader, type SessionInfo } from './frame.ts';
import { InputActivity, Moments, MomentWindow, WeightedWindow } from './windows.ts';

/** Longest rolling window: hours of any session, whatever frame rate a file states. */
const MAX_WINDOW_FRAMES = 1 << 20;

/** Figures of one frame: times in ms unless stated otherwise, scores 0–100; unknown values are omitted. */
export interface FrameQuality {
  readonly frame: number;
  /** Seconds since the first frame. */
  readonly t: number;
  /** Raw value of each component, forward-filled. */
  readonly raw: Readonly<Record<string, number>>;
  readonly score: Readonly<Record<string, number>>;
  readonly weight: Readonly<Record<string, number>>;
  /** Combined weighted score with the rolling windows of base and of offset. */
  readonly cws?: { readonly base: number; readonly offset: number };
  /** mean − z · std of the base's second window; can be negative. */
  readonly base?: number;
  /** The same for the offset's windows. */
  readonly offset?: number;
  /** Remote-input frequency, 1–100: the weight of this frame's base in the session. */
  readonly inputFrequency: number;
  readonly picture?: number;
}

/** Statistics of one component's measured (not forward-filled) raw values. */
export interface ComponentQuality {
  /** Frames with a measured value; the others are forward-filled or precede the first. */
  readonly measured: number;
  /** ms. */
  readonly mean: number;
  readonly std: number;
  readonly max: number;
  /** Mean score over the frames. */
  readonly score: number;
}

/** Figures of a session; a figure that cannot be computed is null. */
export interface SessionQuality {
  /** 0–100, for people: clamp(scale · raw + shift); only stutter–latency if the picture quality is unknown. */
  readonly total: number | null;
  /** picture + stutterLatency, unclamped: orders bad sessions. */
  readonly raw: number | null;
  /** 0–100: mean − 1.5 · std of the frames' picture scores. */
  readonly picture: number | null;
  /** Source of the picture quality. */
  readonly pictureFrom: 'bitrate' | 'qp' | null;
  /** base − offset; at most 100. */
  readonly stutterLatency: number | null;
  /** Mean of the frames' base, weighted by the remote-input frequency. */
  readonly base: number | null;
  /** Population standard deviation of the frames' offset series. */
  readonly offset: number | null;
  readonly frames: number;
  /** Frames with at least one known component. */
  readonly scored: number;
  /** Seconds. */
  readonly duration: number;
  readonly fps: number;
  readonly components: Readonly<Record<string, ComponentQuality>>;
}

interface Component {
  readonly name: string;
  transfer: Transfer;
  readonly baseWindow: WeightedWindow;
  readonly offsetWindow: WeightedWindow;
  /** Filled forward. */
  raw: number | undefined;
  score: number;
  weight: number;
  readonly measured: Moments;
  readonly scores: Moments;
  max: number;
}

/**
 * Scores a session frame by frame in constant memory.
 *
 * @example
 * ```ts
 * const meter = new QualityMeter({ fps: 60 });
 * const values = new RawValueReader();
 * for (const captured of [0, 17, 33, 150]) meter.push(values.next({ frame: meter.result().frames, captured }));
 * meter.result().components['captureDelta'].max; // 117
 * ```
 */
export class QualityMeter {
  readonly constants: QualityConstants;
  readonly fps: number;
  readonly #components: readonly Component[];
  readonly #base: MomentWindow;
  readonly #offset: MomentWindow;
  readonly #bases = new Moments();
  readonly #offsets = new Moments();
  readonly #pictures = new Moments();
  readonly #activity: InputActivity;
  readonly #curve: (bitsPerPixel: number) => number;
  #rate: number;
  #width: number | undefined;
  #height: number | undefined;
  #bitrate: number | undefined;
  #qp: number | undefined;
  #pictureFrom: 'bitrate' | 'qp' | null = null;
  #frames = 0;
  #last: RawFrame | undefined;
  #cws: { base: number; offset: number } | undefined;
  #picture: number | undefined;
  #frequency = 1;

  constructor(info: SessionInfo, constants: ConstantsInput = {}) {
    if (!(info.fps > 0 && Number.isFinite(info.fps))) throw new RangeError(`fps must be above 0, got ${info.fps}`);
    this.constants = withDefaults(constants);
    this.fps = info.fps;
    this.#rate = info.fps;
    this.#width = info.width;
    this.#height = info.height;
    this.#bitrate = info.targetBitrate;
    const { base, offset, components, input, picture, windowRate } = this.constants;
    const size = (frames: number): number =>
      Math.min(MAX_WINDOW_FRAMES, Math.max(1, Math.round((frames * info.fps) / windowRate)));
    this.#components = Object.entries(components).map(([name, spec]) => ({
      name,
      transfer: resolveTransfer(spec, info.fps),
      baseWindow: new WeightedWindow(size(base.x)),
      offsetWindow: new WeightedWindow(size(offset.x)),
      raw: undefined,
      score: 0,
      weight: 0,
      measured: new Moments(),
      scores: new Moments(),
      max: Number.NEGATIVE_INFINITY,
    }));
    this.#base = new MomentWindow(size(base.y));
    this.#offset = new MomentWindow(size(offset.y));
    this.#activity = new InputActivity(input.samples, input.sampleMs);
    this.#curve = monotoneCubic(picture.curve);
  }

  /** Takes the next frame; `current()` and `result()` then speak of everything up to it. */
  push(frame: RawFrame): void {
    this.#frames++;
    this.#last = frame;
    this.#settings(frame);
    this.#inputs(frame);
    let baseSum = 0;
    let offsetSum = 0;
    let weights = 0;
    for (const component of this.#components) {
      const measured = rawValue(frame, component.name);
      if (measured !== undefined) measure(component, measured);
      if (component.raw === undefined) continue;
      const { score, weight } = component;
      component.scores.push(score);
      baseSum += weight * Math.min(score, component.baseWindow.push(score, weight));
      offsetSum += weight * Math.min(score, component.offsetWindow.push(score, weight));
      weights += weight;
    }
    if (weights === 0) return;
    this.#cws = { base: baseSum / weights, offset: offsetSum / weights };
    this.#base.push(this.#cws.base);
    this.#offset.push(this.#cws.offset);
    this.#bases.push(this.#combinedBase, this.#frequency);
    this.#offsets.push(this.#combinedOffset);
  }

  get #combinedBase(): number {
    return this.#base.mean - this.constants.base.z * this.#base.std;
  }

  get #combinedOffset(): number {
    return this.#offset.mean - this.constants.offset.z * this.#offset.std;
  }

  #settings(frame: RawFrame): void {
    if (frame.fps !== undefined && frame.fps > 0 && frame.fps !== this.#rate) {
      this.#rate = frame.fps;
      for (const component of this.#components) {
        component.transfer = resolveTransfer(this.constants.components[component.name]!, this.#rate);
      }
    }
    this.#width = frame.width ?? this.#width;
    this.#height = frame.height ?? this.#height;
    this.#bitrate = frame.targetBitrate ?? this.#bitrate;
    this.#qp = frame.qp ?? this.#qp;
    this.#picture = this.#pictureScore();
    if (this.#picture !== undefined) this.#pictures.push(this.#picture);
  }

  #pictureScore(): number | undefined {
    const pixels = (this.#width ?? 0) * (this.#height ?? 0);
    if (pixels > 0 && this.#bitrate !== undefined) {
      this.#pictureFrom = 'bitrate';
      return this.#curve(this.#bitrate / (pixels * this.#rate)) * this.#worth(pixels);
    }
    if (pixels > 0 && this.#qp !== undefined) {
      this.#pictureFrom ??= 'qp';
      return this.#curve(estimateBitsPerPixel(this.#qp, pixels)) * this.#worth(pixels);
    }
    return undefined;
  }

  /** What a picture of this size and rate is worth relative to the reference; 1 without one. */
  #worth(pixels: number): number {
    const { reference } = this.constants.picture;
    if (!reference) return 1;
    const size = Math.min(1, pixels / (reference.width * reference.height));
    return size ** reference.size * Math.min(1, this.#rate / reference.fps) ** reference.rate;
  }

  #inputs(frame: RawFrame): void {
    if (frame.inputs) for (const input of frame.inputs) this.#activity.mark(input);
    if (frame.presented !== undefined) this.#activity.advance(frame.presented);
    this.#frequency = Math.max(1, this.#activity.frequency);
  }

  /** The combined figures of the frame pushed last, without the components' tables: cheap enough for every frame. */
  get latest(): { cws?: number; base?: number; offset?: number; picture?: number; inputFrequency: number } {
    return {
      ...(this.#cws && { cws: this.#cws.base, base: this.#combinedBase, offset: this.#combinedOffset }),
      ...(this.#picture !== undefined && { picture: this.#picture }),
      inputFrequency: this.#frequency,
    };
  }

  /** The figures of the frame pushed last; undefined before the first. */
  current(): FrameQuality | undefined {
    const frame = this.#last;
    if (!frame) return undefined;
    const known = this.#components.filter((component) => component.raw !== undefined);
    const table = (value: (component: Component) => number): Record<string, number> =>
      Object.fromEntries(known.map((component) => [component.name, value(component)]));
    return {
      frame: frame.frame,
      t: frame.t,
      raw: table((component) => component.raw!),
      score: table((component) => component.score),
      weight: table((component) => component.weight),
      ...(this.#cws && { cws: this.#cws, base: this.#combinedBase, offset: this.#combinedOffset }),
      inputFrequency: this.#frequency,
      ...(this.#picture !== undefined && { picture: this.#picture }),
    };
  }

  /** The session's figures up to the frame pushed last. */
  result(): SessionQuality {
    const { picture: pictureConstants, total: totals } = this.constants;
    const base = this.#bases.mean ?? null;
    const offset = this.#offsets.std ?? null;
    const stutterLatency = base === null || offset === null ? null : base - offset;
    // A session without frames (a log of settings and counts) still has the picture quality of its settings.
    const picture =
      this.#pictures.count > 0
        ? this.#pictures.mean! - pictureConstants.deviation * this.#pictures.std!
        : (this.#pictureScore() ?? null);
    const raw = picture === null || stutterLatency === null ? null : picture + stutterLatency;
    const scaled = raw === null ? stutterLatency : totals.scale * raw + totals.shift;
    return {
      total: scaled === null ? null : Math.min(100, Math.max(0, scaled)),
      raw,
      picture,
      pictureFrom: this.#pictureFrom,
      stutterLatency,
      base,
      offset,
      frames: this.#frames,
      scored: this.#bases.count,
      duration: this.#last?.t ?? 0,
      fps: this.fps,
      components: Object.fromEntries(
        this.#components.filter((component) => component.raw !== undefined).map((c) => [c.name, summary(c)]),
      ),
    };
  }
}

function rawValue(frame: RawFrame, name: string): number | undefined {
  switch (name) {
    case componentNames[0]:
      return frame.captureDelta;
    case componentNames[1]:
      return frame.presentDelta;
    case componentNames[2]:
      return frame.roundTripDelay;
    case componentNames[3]:
      return frame.stackLatency;
    default:
      return frame.extra?.[name];
  }
}

function measure(component: Component, raw: number): void {
  component.raw = raw;
  component.score = component.transfer.score(raw);
  component.weight = component.transfer.weight(raw);
  component.measured.push(raw);
  if (raw > component.max) component.max = raw;
}

function summary(component: Component): ComponentQuality {
  return {
    measured: component.measured.count,
    mean: component.measured.mean!,
    std: component.measured.std!,
    max: component.max,
    score: component.scores.mean!,
  };
}

/** Result of `scoreSession`. */
export interface ScoredSession {
  readonly quality: SessionQuality;
  readonly series: readonly FrameQuality[];
}

/**
 * Scores records in memory, in frame order. Same figures as a `QualityMeter` fed one by one.
 *
 * @param options.series Also return the figures of every frame.
 *
 * @example
 * ```ts
 * const records = Array.from({ length: 600 }, (_, frame) => ({ frame, captured: (frame * 1000) / 60 }));
 * const { quality } = scoreSession(records, { fps: 60, width: 1280, height: 720, targetBitrate: 8e6 });
 * Math.round(quality.total); // 93
 * ```
 */
export function scoreSession(
  records: Iterable<FrameRecord>,
  info: SessionInfo,
  options: { constants?: ConstantsInput; series?: boolean } = {},
): ScoredSession {
  const meter = new QualityMeter(info, options.constants);
  const values = new RawValueReader();
  const series: FrameQuality[] = [];
  for (const record of records) {
    meter.push(values.next(record));
    if (options.series) series.push(meter.current()!);
  }
  return { quality: meter.result(), series };
}
