import type { FrameRecord } from '../frame.ts';
import type { Notes } from './notes.ts';

/** A record that came after its frame had been handed on. */
export class LateRecord extends Error {
  readonly frame: number;
  constructor(frame: number) {
    super(`the record of frame ${frame} came too late`);
    this.frame = frame;
  }
}

type Writable = { -readonly [K in keyof FrameRecord]: FrameRecord[K] };

/**
 * Brings parts of records together by frame and hands the frames on in order. A frame waits until every source is
 * `window` frames past it; so halves may be apart, late and out of order by that much.
 */
export class FrameJoin {
  readonly #window: number;
  readonly #notes: Notes;
  readonly #furthest: number[];
  readonly #open: boolean[];
  #pending = new Map<number, Writable>();
  #handedOn = Number.NEGATIVE_INFINITY;

  constructor(sources: number, window: number, notes: Notes) {
    this.#window = window;
    this.#notes = notes;
    this.#furthest = Array.from({ length: sources }, () => Number.NEGATIVE_INFINITY);
    this.#open = Array.from({ length: sources }, () => true);
  }

  /** The open source that is furthest behind; undefined when all are at their end. */
  get behind(): number | undefined {
    let least: number | undefined;
    for (const [source, open] of this.#open.entries()) {
      if (open && (least === undefined || this.#furthest[source]! < this.#furthest[least]!)) least = source;
    }
    return least;
  }

  /** Takes a part of a record. Of two values for one field the first one stands; inputs of both are kept. */
  add(source: number, part: FrameRecord): void {
    const { frame } = part;
    if (frame <= this.#handedOn) throw new LateRecord(frame);
    if (frame > this.#furthest[source]!) this.#furthest[source] = frame;
    else this.#notes.count('outOfOrder');
    const known = this.#pending.get(frame);
    if (known) this.#merge(known, part);
    else this.#pending.set(frame, part as Writable);
  }

  #merge(known: Writable, part: FrameRecord): void {
    let conflict = false;
    for (const [name, value] of Object.entries(part)) {
      const key = name as keyof FrameRecord;
      if (value === undefined) continue;
      if (key === 'inputs' && known.inputs) known.inputs = [...new Set([...known.inputs, ...part.inputs!])];
      else if (known[key] === undefined) (known as Record<string, unknown>)[key] = value;
      else if (key !== 'frame' && JSON.stringify(known[key]) !== JSON.stringify(value)) conflict = true;
    }
    if (conflict) {
      this.#notes.count('duplicates');
      this.#notes.add('frame-twice', 'two records of one frame disagree; the first one stands', `frame ${part.frame}`);
    }
  }

  /** Whether any frame was handed on. */
  get any(): boolean {
    return this.#handedOn !== Number.NEGATIVE_INFINITY;
  }

  close(source: number): void {
    this.#open[source] = false;
  }

  /** The frames that nothing more is to come of, in order. */
  take(): readonly FrameRecord[] {
    let limit = Number.POSITIVE_INFINITY;
    for (const [source, open] of this.#open.entries()) {
      if (open) limit = Math.min(limit, this.#furthest[source]! - this.#window);
    }
    if (this.#pending.size === 0 || limit === Number.NEGATIVE_INFINITY) return [];
    if (limit !== Number.POSITIVE_INFINITY && this.#pending.size < 2 * this.#window) return [];
    const frames = [...this.#pending.keys()].filter((frame) => frame <= limit).toSorted((a, b) => a - b);
    const records = frames.map((frame) => this.#pending.get(frame)!);
    if (limit === Number.POSITIVE_INFINITY) this.#pending = new Map();
    else for (const frame of frames) this.#pending.delete(frame);
    if (frames.length > 0) this.#gaps(frames);
    return records;
  }

  #gaps(frames: readonly number[]): void {
    const first = frames[0]!;
    const last = frames.at(-1)!;
    const from = this.#handedOn === Number.NEGATIVE_INFINITY ? first : this.#handedOn + 1;
    this.#notes.count('missingFrames', last - from + 1 - frames.length);
    this.#handedOn = last;
  }
}
