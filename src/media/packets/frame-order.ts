import { roundTime, type Rational } from '../../time.ts';
import { BROKEN, HIDDEN, KEY, LEADING, REFERENCE, type PacketIndex } from './packet-index.ts';
import { TimestampClock } from './timestamp-clock.ts';
import { upperMedian } from '../../statistics.ts';

/** A packet as the demuxer and the bitstream describe it; times in ticks, NaN where missing. */
export interface PacketRow {
  readonly pts: number;
  readonly dts: number;
  readonly size: number;
  /** Offset of its bytes in the file; NaN where they cannot be read from there. */
  readonly offset: number;
  readonly flags: number;
  /** Ascends in output order; NaN where the bitstream does not say. */
  readonly order: number;
}

const INITIAL_CAPACITY = 4096;
/** Decoding times may step back by this much without a restart of the clock. */
const CLOCK_TOLERANCE_SECONDS = 0.5;
/** Decoding times may jump ahead by this much because packets were lost. */
const MAX_LOSS_SECONDS = 600;

/**
 * Puts packets, given in decode order, into presentation order, group by group. A group is complete when the next one has
 * been read, because leading pictures, decoded after its keyframe but shown before it, belong to the group before.
 */
export class FrameOrder {
  readonly #timeBase: Rational;
  /** Per packet. `time` is the presentation time on one clock that never restarts. */
  #pts = new Float64Array(INITIAL_CAPACITY);
  #dts = new Float64Array(INITIAL_CAPACITY);
  #time = new Float64Array(INITIAL_CAPACITY);
  #order = new Float64Array(INITIAL_CAPACITY);
  #size = new Uint32Array(INITIAL_CAPACITY);
  #offset: Float64Array;
  #flags = new Uint8Array(INITIAL_CAPACITY);
  #frame = new Int32Array(INITIAL_CAPACITY);
  #packets = 0;
  /** Per frame. */
  #t = new Float64Array(INITIAL_CAPACITY);
  #packet = new Uint32Array(INITIAL_CAPACITY);
  #key = new Uint8Array(INITIAL_CAPACITY);
  #reference = new Uint8Array(INITIAL_CAPACITY);
  #frames = 0;
  /** Per group. */
  readonly #starts: number[] = [];
  readonly #firstFrames: number[] = [];
  readonly #clock: TimestampClock;
  #origin = 0;
  /** The packet whose decoding time the next frame is shown at, where there are no presentation times. */
  #nextShown = 0;
  /** No packet has a presentation time, but the bitstream says the order (H.264 in avi). */
  #hasOrderOnly = true;
  #problem: string | undefined;

  /**
   * @param frameRate Used where packets have no times.
   * @param options.hasOffsets Packets may have offsets in the file.
   * @param options.restarts The format's clock may restart far ahead.
   */
  constructor(
    timeBase: Rational,
    frameRate: Rational,
    { hasOffsets = false, restarts = false }: { readonly hasOffsets?: boolean; readonly restarts?: boolean } = {},
  ) {
    this.#timeBase = timeBase;
    this.#offset = new Float64Array(hasOffsets ? INITIAL_CAPACITY : 0);
    const second = timeBase.den / timeBase.num;
    const step = frameRate.num > 0 ? (second * frameRate.den) / frameRate.num : 1;
    const maxLoss = restarts ? MAX_LOSS_SECONDS * second : Number.POSITIVE_INFINITY;
    this.#clock = new TimestampClock(CLOCK_TOLERANCE_SECONDS * second, step, maxLoss);
  }

  /** Adds the next packet in decode order. Returns whether that completes another group. */
  add({ pts, dts, size, offset, flags, order }: PacketRow): boolean {
    if (this.#packets === this.#pts.length) this.#growPackets();
    const i = this.#packets++;
    const isStart = i === 0 || (flags & KEY) !== 0;
    this.#pts[i] = pts;
    this.#dts[i] = dts;
    this.#size[i] = size;
    if (this.#offset.length > 0) this.#offset[i] = offset;
    this.#flags[i] = flags;
    this.#order[i] = order;
    this.#frame[i] = -1;
    this.#time[i] = this.#clock.read(i, pts, dts, isStart);
    for (const [stray, time] of this.#clock.strays) {
      this.#time[stray] = time;
      this.#flags[stray]! |= HIDDEN;
    }
    if (!Number.isNaN(pts) || Number.isNaN(order)) this.#hasOrderOnly = false;
    if (isStart) this.#starts.push(i);
    if (!isStart || this.#starts.length < 3) return false;
    this.#finishGroup(this.#starts.length - 3);
    return true;
  }

  /** Seconds from the first packet to the latest, while packets are added. */
  get seconds(): number {
    const ticks = this.#packets === 0 ? 0 : this.#time[this.#packets - 1]! - this.#time[0]!;
    return (ticks * this.#timeBase.num) / this.#timeBase.den;
  }

  /** Whether the offsets of all packets are known. */
  get hasAllOffsets(): boolean {
    return this.#offset.length > 0 && !this.#offset.subarray(0, this.#packets).some(Number.isNaN);
  }

  /** Gives up offsets: decoding needs more than the packets' bytes. */
  discardOffsets(): void {
    this.#offset = new Float64Array(0);
  }

  /** Finishes the last groups. @param problem Why reading ended early, if it did. */
  end(problem: string | undefined): void {
    for (let group = this.#firstFrames.length; group < this.#starts.length; group++) this.#finishGroup(group);
    this.#problem = problem;
    this.#trim();
  }

  /** Returns what is known so far, as views that are valid until the next `add`. */
  index(): PacketIndex {
    const groups = this.#firstFrames.length;
    const packets = this.#starts[groups] ?? this.#packets;
    return {
      timeBase: this.#timeBase,
      origin: this.#origin,
      firstFrame: 0,
      firstPacket: 0,
      firstGroup: 0,
      t: this.#t.subarray(0, this.#frames),
      key: this.#key.subarray(0, this.#frames),
      reference: this.#reference.subarray(0, this.#frames),
      packet: this.#packet.subarray(0, this.#frames),
      packets: {
        pts: this.#pts.subarray(0, packets),
        dts: this.#dts.subarray(0, packets),
        size: this.#size.subarray(0, packets),
        offset: this.#offset.subarray(0, packets),
        flags: this.#flags.subarray(0, packets),
        frame: this.#frame.subarray(0, packets),
        starts: Uint32Array.from(this.#starts.slice(0, groups)),
        firstFrames: Uint32Array.from(this.#firstFrames),
      },
      ...(this.#problem ? { problem: this.#problem } : {}),
      ...(this.#clock.hasRestarted ? { clockSetAnew: true } : {}),
    };
  }

  /** Numbers the frames of a group: its own, and the leading ones of the next. */
  #finishGroup(group: number): void {
    const from = this.#starts[group]!;
    const next = this.#starts[group + 1] ?? this.#packets;
    const afterNext = this.#starts[group + 2] ?? this.#packets;
    const rank = this.#hasOrderOnly ? this.#order : this.#time;
    const members: number[] = [];
    for (let i = from; i < afterNext; i++) {
      const start = i < next ? from : next;
      if (i > start && (this.#flags[start]! & KEY) !== 0 && rank[i]! < rank[start]!) {
        this.#flags[i]! |= LEADING;
        if (i > next) members.push(i);
      } else if (i < next) members.push(i);
    }
    const shown = members
      .filter((i) => (this.#flags[i]! & HIDDEN) === 0)
      .toSorted((a, b) => rank[a]! - rank[b]! || a - b);
    const lossIndex = findLoss(
      shown.map((i) => this.#order[i]!),
      shown.map((i) => this.#time[i]!),
    );
    // What is decoded from the first picture after a loss on cannot be trusted.
    if (lossIndex >= 0) this.#flags[Math.min(...shown.slice(lossIndex))]! |= BROKEN;
    this.#firstFrames.push(this.#frames);
    if (this.#hasOrderOnly && group === 0) this.#nextShown = decoderDelay(shown);
    const limit = this.#hasOrderOnly || next === this.#packets ? Number.POSITIVE_INFINITY : this.#time[next]!;
    for (const i of shown) this.#addFrame(i, limit);
  }

  /** Gives the next frame number to packet `i`, shown no later than `limit` (ticks). */
  #addFrame(i: number, limit: number): void {
    if (this.#frames === this.#t.length) this.#growFrames();
    const frame = this.#frames++;
    const time = Math.min(this.#hasOrderOnly ? this.#nextDecodingTime() : this.#time[i]!, limit);
    if (frame === 0) this.#origin = time;
    const seconds = roundTime(((time - this.#origin) * this.#timeBase.num) / this.#timeBase.den);
    this.#t[frame] = frame > 0 ? Math.max(seconds, this.#t[frame - 1]!) : seconds;
    this.#packet[frame] = i;
    this.#key[frame] = this.#flags[i]! & KEY;
    this.#reference[frame] = (this.#flags[i]! & REFERENCE) === 0 ? 0 : 1;
    this.#frame[i] = frame;
  }

  /** Without presentation times, frames are shown one after the other at the decoding times. */
  #nextDecodingTime(): number {
    while (this.#nextShown < this.#packets && (this.#flags[this.#nextShown]! & HIDDEN) !== 0) this.#nextShown++;
    const position = this.#nextShown++;
    const last = this.#packets - 1;
    if (position <= last) return this.#time[position]!;
    return this.#time[last]! + (position - last) * (this.#time[last]! - (this.#time[last - 1] ?? 0));
  }

  /** Frees unused capacity, and what only the ordering needs. */
  #trim(): void {
    this.#pts = resized(this.#pts, this.#packets);
    this.#dts = resized(this.#dts, this.#packets);
    this.#size = resized(this.#size, this.#packets);
    if (this.#offset.length > 0) this.#offset = resized(this.#offset, this.#packets);
    this.#flags = resized(this.#flags, this.#packets);
    this.#frame = resized(this.#frame, this.#packets);
    this.#t = resized(this.#t, this.#frames);
    this.#packet = resized(this.#packet, this.#frames);
    this.#key = resized(this.#key, this.#frames);
    this.#reference = resized(this.#reference, this.#frames);
    this.#time = new Float64Array(0);
    this.#order = new Float64Array(0);
  }

  #growPackets(): void {
    this.#pts = grown(this.#pts);
    this.#dts = grown(this.#dts);
    this.#time = grown(this.#time);
    this.#order = grown(this.#order);
    this.#size = grown(this.#size);
    this.#offset = grown(this.#offset);
    this.#flags = grown(this.#flags);
    this.#frame = grown(this.#frame);
  }

  #growFrames(): void {
    this.#t = grown(this.#t);
    this.#packet = grown(this.#packet);
    this.#key = grown(this.#key);
    this.#reference = grown(this.#reference);
  }
}

/** How many pictures a decoder must be ahead of what is shown. @param shown Packets in presentation order. */
function decoderDelay(shown: readonly number[]): number {
  const first = Math.min(...shown);
  return shown.reduce((delay, packet, rank) => Math.max(delay, packet - first - rank), 0);
}

function grown<A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(array: A): A {
  return resized(array, Math.ceil((array.length * 3) / 2));
}

/** Resizes an array without ever holding two copies; views of the old one become invalid. */
function resized<A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(array: A, length: number): A {
  const bytes = length * array.BYTES_PER_ELEMENT;
  return new (array.constructor as new (buffer: ArrayBuffer) => A)((array.buffer as ArrayBuffer).transfer(bytes));
}

/** Fewer pairs of neighbours than this do not show what is usual. */
const MIN_PAIRS = 8;
/** Share of neighbours that must keep the usual distance, in output order as in time. */
const MIN_REGULAR_SHARE = 0.8;
/** Rounding of presentation times over a pause, as a share of it. */
const ROUNDING_SHARE = 0.02;

/**
 * Finds where pictures of a group are missing. An encoder numbers pictures one by one, or by their time. A step in output
 * order that fits neither reveals a loss, such as that of a keyframe, after which numbering restarts and frame_num may
 * continue by chance. Groups with an unsteady rate are not judged, nor are those in which order and time disagree
 * throughout: there the container's times are wrong.
 *
 * @param order Output order of the pictures (H.264 §8.2.1), in order of presentation.
 * @param time Their presentation times, in ticks.
 * @returns Index of the first picture after a loss, -1 for none.
 */
function findLoss(order: readonly number[], time: readonly number[]): number {
  const pairs = order.length - 1;
  if (pairs < MIN_PAIRS || order.some(Number.isNaN)) return -1;
  const unit = upperMedian(order.slice(1).map((value, i) => value - order[i]!))!;
  const step = upperMedian(time.slice(1).map((value, i) => value - time[i]!))!;
  if (!(unit > 0 && step > 0)) return -1;
  let regular = 0;
  let first = -1;
  for (let i = 1; i <= pairs; i++) {
    const counted = (order[i]! - order[i - 1]!) / unit;
    const passed = (time[i]! - time[i - 1]!) / step;
    if (counted === 1 && passed < 1.5) regular++;
    const fits = counted === 1 || Math.abs(counted - passed) <= 0.5 + ROUNDING_SHARE * passed;
    if (!fits && first < 0) first = i;
  }
  return regular >= MIN_REGULAR_SHARE * pairs ? first : -1;
}
