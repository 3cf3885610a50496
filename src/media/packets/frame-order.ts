import { roundTime, type Rational } from '../../time.ts';
import { BROKEN, HIDDEN, KEY, LEADING, REFERENCE, type PacketIndex } from './packet-index.ts';

/** What is known of a packet; times in ticks, NaN where missing. */
export interface PacketRow {
  readonly pts: number;
  readonly dts: number;
  readonly size: number;
  /** Offset of its bytes in the file; NaN where they cannot be taken from there. */
  readonly place: number;
  readonly flags: number;
  /** Ascends in output order; NaN where the bitstream does not tell. */
  readonly order: number;
}

const CAPACITY = 4096;
/** Seconds by which decoding times may step back without meaning that the clock was set back. */
const TOLERANCE = 0.5;
/** Seconds by which they may leap ahead because so much was lost. */
const LEAP = 600;

/**
 * Puts packets, given in decode order, into presentation order, group by group. A group is finished when the one after it
 * has been read, because leading pictures (decoded after its keyframe, presented before it) belong to the group before.
 */
export class FrameOrder {
  readonly #timeBase: Rational;
  /** Per packet. `time` is the presentation time on one clock that is never set back. */
  #pts = new Float64Array(CAPACITY);
  #dts = new Float64Array(CAPACITY);
  #time = new Float64Array(CAPACITY);
  #order = new Float64Array(CAPACITY);
  #size = new Uint32Array(CAPACITY);
  #place: Float64Array;
  #flags = new Uint8Array(CAPACITY);
  #frame = new Int32Array(CAPACITY);
  #packets = 0;
  /** Per frame. */
  #t = new Float64Array(CAPACITY);
  #packet = new Uint32Array(CAPACITY);
  #key = new Uint8Array(CAPACITY);
  #reference = new Uint8Array(CAPACITY);
  #frames = 0;
  /** Per group. */
  readonly #starts: number[] = [];
  readonly #firstFrames: number[] = [];
  #clock: Clock;
  #origin = 0;
  /** The packet in whose turn the next frame is shown, where only decoding times are known. */
  #turn = 0;
  /** No packet has a presentation time, but the bitstream tells the order (H.264 in avi). */
  #ordered = true;
  #problem: string | undefined;

  /**
   * `frameRate` serves where packets have no times; `placed`: packets may have places; `restarts`: a clock that leaps far ahead
   * was set anew.
   */
  constructor(
    timeBase: Rational,
    frameRate: Rational,
    { placed = false, restarts = false }: { readonly placed?: boolean; readonly restarts?: boolean } = {},
  ) {
    this.#timeBase = timeBase;
    this.#place = new Float64Array(placed ? CAPACITY : 0);
    const second = timeBase.den / timeBase.num;
    const step = frameRate.num > 0 ? (second * frameRate.den) / frameRate.num : 1;
    this.#clock = new Clock(TOLERANCE * second, step, restarts ? LEAP * second : Number.POSITIVE_INFINITY);
  }

  /** Takes the next packet in decode order; true if that finished another group. */
  add({ pts, dts, size, place, flags, order }: PacketRow): boolean {
    if (this.#packets === this.#pts.length) this.#grow();
    const i = this.#packets++;
    const start = i === 0 || (flags & KEY) !== 0;
    this.#pts[i] = pts;
    this.#dts[i] = dts;
    this.#size[i] = size;
    if (this.#place.length > 0) this.#place[i] = place;
    this.#flags[i] = flags;
    this.#order[i] = order;
    this.#frame[i] = -1;
    this.#time[i] = this.#clock.read(i, pts, dts, start);
    for (const [stray, time] of this.#clock.strays()) {
      this.#time[stray] = time;
      this.#flags[stray]! |= HIDDEN;
    }
    if (!Number.isNaN(pts) || Number.isNaN(order)) this.#ordered = false;
    if (start) this.#starts.push(i);
    if (!start || this.#starts.length < 3) return false;
    this.#finish(this.#starts.length - 3);
    return true;
  }

  /** The places of all packets are known. */
  get placed(): boolean {
    return this.#place.length > 0 && !this.#place.subarray(0, this.#packets).some(Number.isNaN);
  }

  /** The packets' bytes in the file are not all that decoding them needs. */
  forgetPlaces(): void {
    this.#place = new Float64Array(0);
  }

  /** No more packets will come. */
  end(problem: string | undefined): void {
    for (let group = this.#firstFrames.length; group < this.#starts.length; group++) this.#finish(group);
    this.#problem = problem;
    this.#trim();
  }

  /** What is known so far: views that hold until the next `add`. */
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
        place: this.#place.subarray(0, packets),
        flags: this.#flags.subarray(0, packets),
        frame: this.#frame.subarray(0, packets),
        starts: Uint32Array.from(this.#starts.slice(0, groups)),
        firstFrames: Uint32Array.from(this.#firstFrames),
      },
      ...(this.#problem ? { problem: this.#problem } : {}),
      ...(this.#clock.setAnew ? { clockSetAnew: true } : {}),
    };
  }

  /** Numbers the frames of a group: its own, and the leading ones of the next. */
  #finish(group: number): void {
    const from = this.#starts[group]!;
    const next = this.#starts[group + 1] ?? this.#packets;
    const after = this.#starts[group + 2] ?? this.#packets;
    const rank = this.#ordered ? this.#order : this.#time;
    const shown: number[] = [];
    for (let i = from; i < after; i++) {
      const start = i < next ? from : next;
      if (i > start && (this.#flags[start]! & KEY) !== 0 && rank[i]! < rank[start]!) {
        this.#flags[i]! |= LEADING;
        if (i > next) shown.push(i);
      } else if (i < next) shown.push(i);
    }
    const frames = shown
      .filter((i) => (this.#flags[i]! & HIDDEN) === 0)
      .toSorted((a, b) => rank[a]! - rank[b]! || a - b);
    this.#markLoss(frames);
    this.#firstFrames.push(this.#frames);
    if (this.#ordered && group === 0) this.#turn = delayOf(frames);
    const limit = this.#ordered || next === this.#packets ? Number.POSITIVE_INFINITY : this.#time[next]!;
    for (const i of frames) this.#show(i, limit);
  }

  /** What is decoded from the first picture behind a loss on cannot be trusted; `frames`: packets as they are presented. */
  #markLoss(frames: readonly number[]): void {
    const behind = findLoss(
      frames.map((i) => this.#order[i]!),
      frames.map((i) => this.#time[i]!),
    );
    if (behind >= 0) this.#flags[Math.min(...frames.slice(behind))]! |= BROKEN;
  }

  /** Gives the next frame number to packet `i`, presented not later than `limit` (ticks). */
  #show(i: number, limit: number): void {
    if (this.#frames === this.#t.length) this.#growFrames();
    const frame = this.#frames++;
    const time = Math.min(this.#ordered ? this.#nextTurn() : this.#time[i]!, limit);
    if (frame === 0) this.#origin = time;
    const seconds = roundTime(((time - this.#origin) * this.#timeBase.num) / this.#timeBase.den);
    this.#t[frame] = frame > 0 ? Math.max(seconds, this.#t[frame - 1]!) : seconds;
    this.#packet[frame] = i;
    this.#key[frame] = this.#flags[i]! & KEY;
    this.#reference[frame] = (this.#flags[i]! & REFERENCE) === 0 ? 0 : 1;
    this.#frame[i] = frame;
  }

  /** Frames of such a stream are shown one after the other at the times at which pictures are decoded. */
  #nextTurn(): number {
    while (this.#turn < this.#packets && (this.#flags[this.#turn]! & HIDDEN) !== 0) this.#turn++;
    const turn = this.#turn++;
    const last = this.#packets - 1;
    if (turn <= last) return this.#time[turn]!;
    return this.#time[last]! + (turn - last) * (this.#time[last]! - (this.#time[last - 1] ?? 0));
  }

  /** Gives back what was kept free for more. */
  #trim(): void {
    this.#pts = resized(this.#pts, this.#packets);
    this.#dts = resized(this.#dts, this.#packets);
    this.#size = resized(this.#size, this.#packets);
    if (this.#place.length > 0) this.#place = resized(this.#place, this.#packets);
    this.#flags = resized(this.#flags, this.#packets);
    this.#frame = resized(this.#frame, this.#packets);
    this.#t = resized(this.#t, this.#frames);
    this.#packet = resized(this.#packet, this.#frames);
    this.#key = resized(this.#key, this.#frames);
    this.#reference = resized(this.#reference, this.#frames);
    // Only what orders frames wants these.
    this.#time = new Float64Array(0);
    this.#order = new Float64Array(0);
  }

  #grow(): void {
    this.#pts = grown(this.#pts);
    this.#dts = grown(this.#dts);
    this.#time = grown(this.#time);
    this.#order = grown(this.#order);
    this.#size = grown(this.#size);
    this.#place = grown(this.#place);
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

/** By how many pictures a decoder must be ahead of what is shown; `frames`: packets as they are presented. */
function delayOf(frames: readonly number[]): number {
  const first = Math.min(...frames);
  return frames.reduce((delay, packet, rank) => Math.max(delay, packet - first - rank), 0);
}

function grown<A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(array: A): A {
  return resized(array, Math.ceil((array.length * 3) / 2));
}

/** The same array, of another length, without ever holding both: views of it do not outlive this. */
function resized<A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(array: A, length: number): A {
  const bytes = length * array.BYTES_PER_ELEMENT;
  return new (array.constructor as new (buffer: ArrayBuffer) => A)((array.buffer as ArrayBuffer).transfer(bytes));
}

/** How far a clock may run on while packets with stray timestamps lie between, in tolerances. */
const RUN_ON = 20;

/** The clock as it was before a jump: the last decoding time (ticks) and what was added to presentation times. */
interface Anchor {
  readonly dts: number;
  readonly shift: number;
  /** Position of the first packet after the jump. */
  readonly position: number;
  readonly latest: number;
  readonly lastStart: number;
  readonly jumps: number;
}

/**
 * Presentation times in ticks on one clock. A packet without one takes its decoding time, or follows the latest. Where the
 * stored clock is set anew for good (joined recordings: back, or ahead by more than can have been lost), what comes continues after
 * what came before; where it jumps and comes back (damaged timestamps), the packets between are strays.
 */
export class Clock {
  readonly #tolerance: number;
  readonly #leap: number;
  #shift = 0;
  #step: number;
  #latest = Number.NaN;
  #lastStart = Number.NEGATIVE_INFINITY;
  #lastDts = Number.NaN;
  #anchor: Anchor | undefined;
  #jumps = 0;
  #strays: [position: number, time: number][] = [];

  /**
   * `tolerance`: how many ticks decoding times may step back or ahead without meaning a jump. `step`: the usual distance of
   * frames, for as long as the packets do not tell. `leap`: from how many ticks ahead on it is another clock.
   */
  constructor(tolerance: number, step: number, leap: number) {
    this.#tolerance = tolerance;
    this.#leap = leap;
    this.#step = step;
  }

  /** What the container says of the length no longer holds. */
  get setAnew(): boolean {
    return this.#jumps > 0;
  }

  /** The packets that the last reading showed to be strays, with times between their neighbours. */
  strays(): readonly (readonly [position: number, time: number])[] {
    return this.#strays;
  }

  /** The time of the packet at a decode position; `start` says that decoding can start there. */
  read(position: number, pts: number, dts: number, start: boolean): number {
    if (this.#strays.length > 0) this.#strays = [];
    const step = dts - this.#lastDts;
    if (Math.abs(step) > this.#tolerance && !this.#comeBack(position, dts)) {
      this.#anchor = {
        dts: this.#lastDts,
        shift: this.#shift,
        position,
        latest: this.#latest,
        lastStart: this.#lastStart,
        jumps: this.#jumps,
      };
    }
    if (step > 0 && step <= this.#tolerance) this.#step = step;
    this.#lastDts = dts;
    const stored = Number.isNaN(pts) ? dts : pts;
    const next = Number.isNaN(this.#latest) ? 0 : this.#latest + this.#step;
    let time = Number.isNaN(stored) ? next : stored + this.#shift;
    const jumped = (step < -this.#tolerance || step > this.#leap) && this.#anchor?.position === position;
    if (jumped) this.#jumps++;
    if (jumped || (start && time <= this.#lastStart)) {
      this.#shift += next - time;
      time = next;
    }
    if (start) this.#lastStart = time;
    if (!(time <= this.#latest)) this.#latest = time;
    return time;
  }

  /** After a jump, is the clock where it would be without it? Then the packets since are strays. */
  #comeBack(position: number, dts: number): boolean {
    const anchor = this.#anchor;
    if (!anchor || dts < anchor.dts || dts > anchor.dts + RUN_ON * this.#tolerance) return false;
    this.#strays = [];
    for (let stray = anchor.position; stray < position; stray++) {
      this.#strays.push([stray, anchor.latest + this.#step * (stray - anchor.position + 1)]);
    }
    this.#shift = anchor.shift;
    this.#jumps = anchor.jumps;
    this.#latest = anchor.latest;
    this.#lastStart = anchor.lastStart;
    this.#anchor = undefined;
    return true;
  }
}

/** Fewer neighbouring pictures than this tell nothing of what is usual. */
const ENOUGH = 8;
/** The share of neighbours that must keep the usual distance, in output order as in time. */
const REGULAR = 0.8;
/** What rounding of presentation times may add up to over a pause, as a share of it. */
const ROUNDING = 0.02;

/**
 * Index of the first of a group's pictures, in order of presentation, in front of which others must be missing; -1 where
 * none are. An encoder numbers the pictures that it writes one by one, or by their time: a step in output order (`order`,
 * H.264 §8.2.1) that fits neither tells of a loss, such as that of a keyframe, behind which the numbers begin anew, and
 * frame_num may by chance go on as if nothing were. Groups whose pictures keep no steady rate are not judged, nor those in
 * which order and time disagree throughout: there the container's times are wrong.
 */
export function findLoss(order: readonly number[], time: readonly number[]): number {
  const pairs = order.length - 1;
  if (pairs < ENOUGH || order.some(Number.isNaN)) return -1;
  const unit = median(order.slice(1).map((value, i) => value - order[i]!));
  const step = median(time.slice(1).map((value, i) => value - time[i]!));
  if (!(unit > 0 && step > 0)) return -1;
  let regular = 0;
  let first = -1;
  for (let i = 1; i <= pairs; i++) {
    const counted = (order[i]! - order[i - 1]!) / unit;
    const passed = (time[i]! - time[i - 1]!) / step;
    if (counted === 1 && passed < 1.5) regular++;
    const fits = counted === 1 || Math.abs(counted - passed) <= 0.5 + ROUNDING * passed;
    if (!fits && first < 0) first = i;
  }
  return regular >= REGULAR * pairs ? first : -1;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
