const standardRates = [24, 25, 30, 35, 48, 50, 60, 72, 75, 90, 100, 120, 144, 165, 240];

/** Standard frame rate nearest to the 90th percentile of the rates; undefined if none is above 0. */
export function standardRate(rates: readonly number[]): number | undefined {
  const sorted = rates.filter((rate) => rate > 0).toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length * 0.9)];
  if (high === undefined) return undefined;
  const near = standardRates.toSorted((a, b) => Math.abs(a - high) - Math.abs(b - high))[0]!;
  return Math.abs(near - high) / near < 0.08 ? near : Math.max(1, Math.round(high));
}

/** Measurements of one frame; unknown fields are omitted. */
export interface FrameRecord {
  /** Frame number, increasing by one per frame that the application presented to the capture. */
  readonly frame: number;
  /** ms on the server's clock. */
  readonly rendered?: number | undefined;
  readonly captured?: number | undefined;
  readonly encoded?: number | undefined;
  readonly transmitted?: number | undefined;
  /** Return of the frame's metadata from the client. */
  readonly returned?: number | undefined;
  /** ms on the client's clock. */
  readonly received?: number | undefined;
  readonly decoded?: number | undefined;
  readonly clientRendered?: number | undefined;
  readonly presented?: number | undefined;
  /** Times of the inputs that this frame is the first to contain; ms on the client's clock. */
  readonly inputs?: readonly number[] | undefined;
  /** Bits per second; valid from this frame on. */
  readonly targetBitrate?: number | undefined;
  /** Pixels; valid from this frame on. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Target frame rate; valid from this frame on. */
  readonly fps?: number | undefined;
  /** Quantization parameter (H.264 scale, 0–51), used if the bitrate is unknown. */
  readonly qp?: number | undefined;
  /** Deltas and delays in ms, for sources that report them instead of timestamps. */
  readonly captureDelta?: number | undefined;
  readonly presentDelta?: number | undefined;
  readonly roundTripDelay?: number | undefined;
  readonly stackLatency?: number | undefined;
  /** Encoded size in bytes; lets a controller estimate the network's capacity. */
  readonly bytes?: number | undefined;
  /** Raw values of additional components by name. */
  readonly extra?: Readonly<Record<string, number>> | undefined;
}

/** Timestamp fields in the order of the pipeline. */
export const serverStages = ['rendered', 'captured', 'encoded', 'transmitted', 'returned'] as const;
/** Client timestamps, likewise. */
export const clientStages = ['received', 'decoded', 'clientRendered', 'presented'] as const;

/** Properties of a session. */
export interface SessionInfo {
  /** Target frame rate. */
  readonly fps: number;
  /** Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Bits per second. */
  readonly targetBitrate?: number | undefined;
}

/** Raw values of one frame in ms; unknown values are omitted. */
export interface RawFrame {
  readonly frame: number;
  /** Seconds since the first frame, on the client's clock if known, else the server's. */
  readonly t: number;
  /** captured − captured of the last frame that has it. */
  readonly captureDelta?: number | undefined;
  /** presented − presented of the last frame that has it. */
  readonly presentDelta?: number | undefined;
  /** ms since the previous new picture: the present delta if known, else the capture delta. */
  readonly pictureDelta?: number | undefined;
  /** returned − (transmitted + (presented − received)): the network's share, without the client's processing. */
  readonly roundTripDelay?: number | undefined;
  /** presented − the earliest input that the frame is the first to contain. */
  readonly stackLatency?: number | undefined;
  readonly extra?: Readonly<Record<string, number>> | undefined;
  /** ms on the client's clock. */
  readonly presented?: number | undefined;
  readonly inputs?: readonly number[] | undefined;
  readonly targetBitrate?: number | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fps?: number | undefined;
  readonly qp?: number | undefined;
}

/** Larger figures are damage, whatever their unit: Unix times in µs are below it, and its square is far from overflow. */
const MAX_FIGURE = 1e17;

function isPossible(record: FrameRecord): boolean {
  for (const key in record) {
    const value = record[key as keyof FrameRecord];
    if (typeof value === 'number' && !isFigure(value)) return false;
  }
  return record.inputs?.every(isFigure) ?? true;
}

function isFigure(value: number): boolean {
  return Math.abs(value) <= MAX_FIGURE;
}

/** A larger step back means the clock was reset, a smaller one that frames arrived out of order. */
const CLOCK_RESET_MS = 1000;

/**
 * Converts records, in frame order, into raw values. A delta is taken against the last frame with the timestamp and may
 * be negative for frames out of order. Deltas across a clock reset and negative delays are omitted and counted.
 *
 * @example
 * ```ts
 * const values = new RawValueReader();
 * values.next({ frame: 0, captured: 1000 });
 * values.next({ frame: 1, captured: 1017 }).captureDelta; // 17
 * ```
 */
export class RawValueReader {
  readonly #repeats: boolean;
  #captured: number | undefined;
  #presented: number | undefined;
  #knowsPresents = false;
  /** Client clock − server clock, at the last frame with both. */
  #ahead: number | undefined;
  #origin: number | undefined;
  #originOnClient = false;
  #t = 0;
  /** Frames captured or presented before the frame ahead of them. */
  outOfOrder = 0;
  /** Omitted values: deltas across a clock reset, negative delays, and figures beyond every measure. */
  impossible = 0;

  /**
   * @param options.repeats Only captures show when a new picture appeared (recordings, whose frames may repeat one).
   */
  constructor(options: { readonly repeats?: boolean | undefined } = {}) {
    this.#repeats = options.repeats ?? false;
  }

  next(measured: FrameRecord): RawFrame {
    const record = isPossible(measured) ? measured : this.#withoutImpossible(measured);
    const { captured, presented } = record;
    const captureDelta = this.#delta(record.captureDelta ?? difference(captured, this.#captured));
    const presentDelta = this.#delta(record.presentDelta ?? difference(presented, this.#presented));
    if (captured !== undefined) this.#captured = captured;
    if (presented !== undefined) this.#presented = presented;
    this.#knowsPresents ||= presentDelta !== undefined;
    return {
      frame: record.frame,
      t: this.#time(record),
      captureDelta,
      presentDelta,
      // Prefer presentation; use captures only if presentation is unknown.
      pictureDelta: this.#knowsPresents && !this.#repeats ? presentDelta : captureDelta,
      roundTripDelay: this.#delay(record.roundTripDelay ?? roundTrip(record)),
      stackLatency: this.#delay(record.stackLatency ?? inputToPresent(record)),
      extra: record.extra,
      presented,
      inputs: record.inputs,
      targetBitrate: record.targetBitrate,
      width: record.width,
      height: record.height,
      fps: record.fps,
      qp: record.qp,
    };
  }

  #withoutImpossible(record: FrameRecord): FrameRecord {
    const entries = Object.entries(record).filter(
      ([name, value]) => name === 'frame' || typeof value !== 'number' || isFigure(value),
    );
    this.impossible += Object.keys(record).length - entries.length;
    const possible = Object.fromEntries(entries) as unknown as FrameRecord;
    if (!record.inputs) return possible;
    const inputs = record.inputs.filter(isFigure);
    this.impossible += record.inputs.length - inputs.length;
    return { ...possible, inputs };
  }

  #delta(value: number | undefined): number | undefined {
    if (value === undefined || value >= 0) return value;
    if (value < -CLOCK_RESET_MS) {
      this.impossible++;
      return undefined;
    }
    this.outOfOrder++;
    return value;
  }

  #delay(value: number | undefined): number | undefined {
    if (value !== undefined && value < 0) {
      this.impossible++;
      return undefined;
    }
    return value;
  }

  #time(record: FrameRecord): number {
    const server = record.captured ?? record.rendered;
    const client = record.presented;
    if (server !== undefined && client !== undefined) this.#ahead = client - server;
    const onClient = client ?? (server !== undefined && this.#ahead !== undefined ? server + this.#ahead : undefined);
    if (onClient !== undefined && !this.#originOnClient) {
      // The first time known on the client's clock: from here on it carries the axis, without a step.
      this.#originOnClient = true;
      this.#origin = onClient - this.#sinceOrigin(server) * 1000;
    }
    const now = this.#originOnClient ? onClient : server;
    if (now !== undefined) {
      this.#origin ??= now;
      // A clock reset starts a new origin; frames out of order do not move time.
      if (now - this.#origin < this.#t * 1000 - CLOCK_RESET_MS) this.#origin = now - this.#t * 1000;
      this.#t = Math.max(this.#t, (now - this.#origin) / 1000);
    }
    return this.#t;
  }

  #sinceOrigin(server: number | undefined): number {
    return server === undefined || this.#origin === undefined ? this.#t : (server - this.#origin) / 1000;
  }
}

function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined ? undefined : now - before;
}

/** Round trip of a frame from its timestamps, in ms; undefined where one is unknown. */
export function roundTrip(record: FrameRecord): number | undefined {
  const { returned, transmitted, presented, received } = record;
  if (returned === undefined || transmitted === undefined || presented === undefined || received === undefined) {
    return undefined;
  }
  return returned - (transmitted + (presented - received));
}

function inputToPresent(record: FrameRecord): number | undefined {
  const { inputs, presented } = record;
  if (presented === undefined || inputs === undefined || inputs.length === 0) return undefined;
  let earliest = inputs[0]!;
  for (const input of inputs) if (input < earliest) earliest = input;
  return presented - earliest;
}
