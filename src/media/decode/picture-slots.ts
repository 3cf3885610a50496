import type { DecodeGap } from './decode-frames.ts';
import type { Picture, Plane } from '../picture.ts';

/**
 * Memory shared by a thread that decodes and one that reads: a fixed number of slots, each with room for one picture.
 * The decoder fills a free slot and posts a small message that describes it; the reader releases the slot. Nothing is
 * allocated per picture, and neither thread waits for the other's event loop.
 */
export type SlotControl = Int32Array<SharedArrayBuffer>;

/** Counts messages that the decoder has posted. */
export const POSTED = 0;
/** Counts slots that the reader has released, and other reasons to look again. */
export const RELEASED = 1;
/** 1 while the decoder is to abandon the request that it works on. */
export const ABANDON = 2;
/** Position of slot 0's state: 0 for free, 1 for taken. */
const FIRST_SLOT = 3;

/** Planes begin at multiples of this many bytes. */
const PLANE_ALIGNMENT = 64;

/** Where a plane lies within a slot, in bytes. */
interface PlaneLayout extends Omit<Plane, 'data'> {
  readonly offset: number;
  readonly length: number;
}

/** Describes a picture in a slot. `memory` comes along when the slot's memory is new. */
export interface SlotPicture extends Omit<Picture, typeof Symbol.dispose | 'vectors' | 'y' | 'u' | 'v'> {
  readonly slot: number;
  readonly memory?: SharedArrayBuffer;
  readonly planes: readonly PlaneLayout[];
}

/** What the decoder posts for a request, in order; `end` is last. */
export type DecoderMessage = SlotPicture | DecodeGap | 'end';

/** Creates the control block for a number of slots. */
export function createSlotControl(slots: number): SlotControl {
  return new Int32Array(new SharedArrayBuffer(4 * (FIRST_SLOT + slots)));
}

/** Changes a word of the control block and wakes whoever waits for it. */
export function signal(control: SlotControl, word: number): void {
  Atomics.add(control, word, 1);
  Atomics.notify(control, word);
}

/** The decoder's end: takes slots and copies pictures into them. */
export class SlotWriter {
  readonly #control: SlotControl;
  readonly #memory: SharedArrayBuffer[] = [];

  constructor(control: SlotControl) {
    this.#control = control;
  }

  /**
   * Copies a picture into a free slot. Blocks the thread until there is one.
   *
   * @returns The message to post; undefined when the reader abandons the request.
   */
  write(picture: Picture): SlotPicture | undefined {
    const slot = this.#take();
    if (slot === undefined) return undefined;
    const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
    const sources = [picture.y, picture.u, picture.v];
    let end = 0;
    const planes = sources.map(({ data: { length }, stride, width: columns, height: rows }): PlaneLayout => {
      const offset = end;
      end += (length + PLANE_ALIGNMENT - 1) & ~(PLANE_ALIGNMENT - 1);
      return { stride, width: columns, height: rows, offset, length };
    });
    const isNew = (this.#memory[slot]?.byteLength ?? 0) < end;
    if (isNew) this.#memory[slot] = new SharedArrayBuffer(end);
    const memory = this.#memory[slot]!;
    const bytes = new Uint8Array(memory);
    for (const [i, { data }] of sources.entries()) bytes.set(data, planes[i]!.offset);
    const description = { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, planes, slot };
    return isNew ? { ...description, memory } : description;
  }

  #take(): number | undefined {
    const control = this.#control;
    for (;;) {
      const released = Atomics.load(control, RELEASED);
      if (Atomics.load(control, ABANDON) !== 0) return undefined;
      for (let word = FIRST_SLOT; word < control.length; word++)
        if (Atomics.compareExchange(control, word, 0, 1) === 0) return word - FIRST_SLOT;
      Atomics.wait(control, RELEASED, released);
    }
  }
}

/** The reader's end: turns messages back into pictures. */
export class SlotReader {
  readonly #control: SlotControl;
  readonly #memory: SharedArrayBuffer[] = [];

  constructor(control: SlotControl) {
    this.#control = control;
  }

  /** Returns the picture of a slot; disposing of it releases the slot. */
  read(message: SlotPicture): Picture {
    const { slot, memory, planes: layouts, ...rest } = message;
    if (memory) this.#memory[slot] = memory;
    const bytes = this.#memory[slot]!;
    let planes: readonly Plane[] | undefined = layouts.map(({ offset, length, stride, width, height }) => ({
      data: Buffer.from(bytes, offset, length),
      stride,
      width,
      height,
    }));
    const plane = (i: number): Plane => {
      if (!planes) throw new TypeError('the picture has been disposed of');
      return planes[i]!;
    };
    const release = (): void => {
      if (!planes) return;
      planes = undefined;
      Atomics.store(this.#control, FIRST_SLOT + slot, 0);
      signal(this.#control, RELEASED);
    };
    return {
      ...rest,
      get y() {
        return plane(0);
      },
      get u() {
        return plane(1);
      },
      get v() {
        return plane(2);
      },
      [Symbol.dispose]: release,
    };
  }
}
