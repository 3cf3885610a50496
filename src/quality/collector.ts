import type { ConstantsInput } from './constants.ts';
import { clientStages, type FrameRecord, RawValueReader, serverStages, type SessionInfo } from './frame.ts';
import { type FrameQuality, QualityMeter, type SessionQuality } from './meter.ts';

const columns = [...serverStages, ...clientStages, 'targetBitrate', 'width', 'height', 'fps', 'qp', 'bytes'] as const;
type Column = (typeof columns)[number];

/** Measurements of a frame by one side of the stream, in ms of its own clock. */
export type FramePart = { readonly [K in Column]?: number | undefined } & {
  /** Inputs that this frame is the first to contain, if known; ms on the client's clock. */
  readonly inputs?: readonly number[] | undefined;
};

/** Options of `SessionCollector`. */
export interface CollectorOptions {
  /** Frames kept; default 36,000 (ten minutes at 60 Hz). */
  readonly capacity?: number;
  /** Frames by which live figures lag behind the newest frame, so that both halves can arrive; default 120. */
  readonly settle?: number;
  /** Length of an input sample in ms, of whose inputs only the first counts; default 100 (10 Hz). */
  readonly inputSampleMs?: number;
  readonly constants?: ConstantsInput;
}

/**
 * Collects the last frames of a running session in a ring buffer of fixed size. Halves of a frame may arrive
 * separately, late and in any order. Provides figures of the buffered frames and live figures that follow the stream
 * with a short delay.
 *
 * @example
 * ```ts
 * const session = new SessionCollector({ fps: 60, width: 1920, height: 1080, targetBitrate: 20e6 });
 * session.add(0, { captured: 1000, transmitted: 1006 }); // at the server …
 * session.add(0, { received: 5021, presented: 5031, returned: 1052 }); // when the client's metadata return …
 * console.log(session.live());
 * ```
 */
export class SessionCollector {
  readonly info: SessionInfo;
  readonly capacity: number;
  readonly #settle: number;
  readonly #sampleMs: number;
  readonly #constants: ConstantsInput | undefined;
  readonly #frames: Float64Array;
  readonly #values: Readonly<Record<Column, Float64Array>>;
  readonly #inputs: (number[] | undefined)[];
  readonly #meter: QualityMeter;
  readonly #raw = new RawValueReader();
  #newest = -1;
  #oldest = Number.POSITIVE_INFINITY;
  /** Next frame for the live figures. */
  #next = Number.NEGATIVE_INFINITY;
  #lastSample = Number.NEGATIVE_INFINITY;
  #clock: { ahead: number; trip: number } | undefined;
  #late = 0;
  #unplaced = 0;

  constructor(info: SessionInfo, options: CollectorOptions = {}) {
    this.info = info;
    this.capacity = options.capacity ?? 36_000;
    if (!Number.isInteger(this.capacity) || this.capacity < 2)
      throw new RangeError('capacity must be 2 frames or more');
    this.#settle = Math.min(options.settle ?? 120, this.capacity - 1);
    this.#sampleMs = options.inputSampleMs ?? 100;
    this.#constants = options.constants;
    this.#frames = new Float64Array(this.capacity).fill(-1);
    this.#values = Object.fromEntries(
      columns.map((name) => [name, new Float64Array(this.capacity).fill(Number.NaN)]),
    ) as Record<Column, Float64Array>;
    this.#inputs = Array.from({ length: this.capacity }, () => undefined);
    this.#meter = new QualityMeter(info, options.constants);
  }

  /** Parts that arrived after their frame left the buffer, and inputs that could not be assigned to a frame. */
  get counts(): { readonly late: number; readonly unplacedInputs: number } {
    return { late: this.#late, unplacedInputs: this.#unplaced };
  }

  /** Adds one side's measurements of a frame; known values are not overwritten. */
  add(frame: number, part: FramePart): void {
    const slot = this.#open(frame);
    if (slot === undefined) return;
    for (const name of columns) {
      const value = part[name];
      const column = this.#values[name];
      if (value !== undefined && Number.isNaN(column[slot]!)) column[slot] = value;
    }
    if (part.inputs) for (const input of part.inputs) this.#place(slot, input);
    this.#follow(slot);
    this.#advance();
  }

  /** Adds an input (ms on the client's clock) whose frame is unknown and therefore predicted. */
  input(time: number): void {
    const sample = Math.floor(time / this.#sampleMs);
    if (sample <= this.#lastSample) return;
    const frame = this.predict(time);
    const slot = frame === undefined ? undefined : this.#open(frame);
    if (slot === undefined) {
      this.#unplaced++;
      return;
    }
    this.#lastSample = sample;
    (this.#inputs[slot] ??= []).push(time);
  }

  /**
   * Predicts the first frame that can contain an input made at `time` on the client's clock: the input reaches the
   * server half a round trip later and is in the next frame rendered there, at the recent rate. Undefined until round
   * trip and rate are known.
   */
  predict(time: number): number | undefined {
    const newest = this.#lastWith('captured', this.#newest);
    if (newest === undefined || !this.#clock) return undefined;
    const rate = this.#recentInterval(newest);
    if (rate === undefined) return undefined;
    const arrival = time - this.#clock.ahead + this.#clock.trip / 2;
    const captured = this.#values.captured[this.#slot(newest)]!;
    // Past frames are known; future ones are expected at the recent interval.
    if (arrival > captured) return newest + Math.ceil((arrival - captured) / rate);
    let frame = newest;
    for (let earlier = newest - 1; earlier > newest - this.capacity; earlier--) {
      const at =
        this.#frames[this.#slot(earlier)] === earlier ? this.#values.captured[this.#slot(earlier)]! : Number.NaN;
      if (at < arrival) break;
      if (at >= arrival) frame = earlier;
    }
    return frame;
  }

  /** Buffered frames in order, with their halves joined. */
  *records(): Generator<FrameRecord> {
    for (let frame = Math.max(this.#oldest, this.#newest - this.capacity + 1); frame <= this.#newest; frame++) {
      const record = this.#record(frame);
      if (record) yield record;
    }
  }

  /** Figures of the buffered frames. */
  quality(): SessionQuality {
    const meter = new QualityMeter(this.info, this.#constants);
    const values = new RawValueReader();
    for (const record of this.records()) meter.push(values.next(record));
    return meter.result();
  }

  /** Figures of the newest settled frame; undefined before the first. */
  live(): FrameQuality | undefined {
    return this.#meter.current();
  }

  /** Figures of the whole session, including frames that have left the buffer. */
  total(): SessionQuality {
    return this.#meter.result();
  }

  /** Ends the session: live figures take every buffered frame. */
  finish(): SessionQuality {
    this.#advance(0);
    return this.#meter.result();
  }

  #slot(frame: number): number {
    return frame % this.capacity;
  }

  /** Slot of a frame, cleared if it held another one; undefined for a frame that is too old. */
  #open(frame: number): number | undefined {
    if (!Number.isSafeInteger(frame) || frame < 0) throw new RangeError(`a frame is a whole number, got ${frame}`);
    if (frame <= this.#newest - this.capacity || frame < this.#next) {
      this.#late++;
      return undefined;
    }
    const slot = this.#slot(frame);
    if (this.#frames[slot] !== frame) {
      this.#frames[slot] = frame;
      for (const name of columns) this.#values[name][slot] = Number.NaN;
      this.#inputs[slot] = undefined;
    }
    this.#newest = Math.max(this.#newest, frame);
    this.#oldest = Math.min(this.#oldest, frame);
    return slot;
  }

  #place(slot: number, input: number): void {
    const sample = Math.floor(input / this.#sampleMs);
    const known = (this.#inputs[slot] ??= []);
    if (known.every((other) => Math.floor(other / this.#sampleMs) !== sample)) known.push(input);
  }

  /** Tracks clock offset and round trip by the frame with the shortest recent trip. */
  #follow(slot: number): void {
    const { transmitted, returned, received, presented } = this.#values;
    const trip = returned[slot]! - transmitted[slot]! - (presented[slot]! - received[slot]!);
    if (!(trip >= 0)) return;
    const ahead = (received[slot]! - transmitted[slot]! + (presented[slot]! - returned[slot]!)) / 2;
    // Clocks drift: the minimum ages slowly so that a longer trip eventually replaces it.
    if (!this.#clock || trip <= this.#clock.trip * 1.001 + 0.01) this.#clock = { ahead, trip };
    else this.#clock = { ...this.#clock, trip: this.#clock.trip * 1.001 + 0.01 };
  }

  #lastWith(name: Column, from: number): number | undefined {
    for (let frame = from; frame > from - this.capacity && frame >= 0; frame--) {
      const slot = this.#slot(frame);
      if (this.#frames[slot] === frame && !Number.isNaN(this.#values[name][slot]!)) return frame;
    }
    return undefined;
  }

  /** Mean interval of the frames captured in about the last half second. */
  #recentInterval(newest: number): number | undefined {
    const back = Math.max(1, Math.round(this.info.fps / 2));
    for (let earlier = newest - back; earlier < newest; earlier++) {
      if (earlier < 0) continue;
      const slot = this.#slot(earlier);
      const at = this.#frames[slot] === earlier ? this.#values.captured[slot]! : Number.NaN;
      const interval = (this.#values.captured[this.#slot(newest)]! - at) / (newest - earlier);
      if (interval > 0) return interval;
    }
    return undefined;
  }

  #advance(settle = this.#settle): void {
    if (this.#next === Number.NEGATIVE_INFINITY) {
      if (this.#newest - this.#oldest < settle) return;
      this.#next = this.#oldest;
    }
    // A jump of the frame numbers leaves no frames in between.
    this.#next = Math.max(this.#next, this.#newest - this.capacity + 1);
    for (; this.#next <= this.#newest - settle; this.#next++) {
      const record = this.#record(this.#next);
      if (record) this.#meter.push(this.#raw.next(record));
    }
  }

  #record(frame: number): FrameRecord | undefined {
    const slot = this.#slot(frame);
    if (this.#frames[slot] !== frame) return undefined;
    const record: { -readonly [K in keyof FrameRecord]: FrameRecord[K] } = { frame };
    for (const name of columns) {
      const value = this.#values[name][slot]!;
      if (!Number.isNaN(value)) record[name] = value;
    }
    const inputs = this.#inputs[slot];
    if (inputs) record.inputs = inputs;
    return record;
  }
}
