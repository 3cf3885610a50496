import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Picture, Plane } from '../picture.ts';
import type { DecodeGap } from './decode-frames.ts';

/**
 * Hands pictures from a thread that decodes to one that reads. A picture is copied into memory that moves along with its
 * message and moves back when the picture is disposed of, so nothing is allocated per picture. Both sides take messages
 * without their event loop and wait for each other by counters. (V8 copies out of shared memory three times as slowly.)
 */
export type TransferControl = Int32Array<SharedArrayBuffer>;

/** Counts messages that the decoder has posted. */
const POSTED = 0;
/** Counts pictures that the reader has returned, and other reasons for the decoder to look again. */
const RETURNED = 1;
/** 1 while the decoder is to abandon the request that it works on. */
const ABANDON = 2;

/** Planes begin at multiples of this many bytes. */
const PLANE_ALIGNMENT = 64;

/** Where a plane lies within a picture's memory, in bytes. */
interface PlaneLayout extends Omit<Plane, 'data'> {
  readonly offset: number;
  readonly length: number;
}

/** A picture whose planes lie in one piece of memory. */
interface PackedPicture extends Omit<Picture, typeof Symbol.dispose | 'vectors' | 'y' | 'u' | 'v'> {
  readonly planes: readonly PlaneLayout[];
  readonly memory: ArrayBuffer;
}

/** What the decoder posts for a request, in order; `end` is last. */
type DecoderMessage = PackedPicture | DecodeGap | 'end';

/** Creates the counters that both threads share. */
export function createTransferControl(): TransferControl {
  return new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
}

function signal(control: TransferControl, word: number): void {
  Atomics.add(control, word, 1);
  Atomics.notify(control, word);
}

/** The decoder's end. */
export class PictureSender {
  readonly #control: TransferControl;
  readonly #port: MessagePort;
  readonly #maxPictures: number;
  readonly #free: ArrayBuffer[] = [];
  #sent = 0;

  /** @param maxPictures How many pictures the reader may have or have waiting. */
  constructor(control: TransferControl, port: MessagePort, maxPictures: number) {
    this.#control = control;
    this.#port = port;
    this.#maxPictures = maxPictures;
  }

  /** Sends a copy of a picture. Blocks the thread until there is room. Returns false when the reader abandons the request. */
  sendPicture(picture: Picture): boolean {
    const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
    const sources = [picture.y, picture.u, picture.v];
    let end = 0;
    const planes = sources.map(({ data: { length }, stride, width: columns, height: rows }): PlaneLayout => {
      const offset = end;
      end += (length + PLANE_ALIGNMENT - 1) & ~(PLANE_ALIGNMENT - 1);
      return { stride, width: columns, height: rows, offset, length };
    });
    const memory = this.#takeMemory(end);
    if (!memory) return false;
    const bytes = new Uint8Array(memory);
    for (const [i, { data }] of sources.entries()) bytes.set(data, planes[i]!.offset);
    this.#sent++;
    this.send({ t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, planes, memory }, [memory]);
    return true;
  }

  /** Sends a gap or the end of a request. */
  send(message: DecoderMessage, transfer: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
    signal(this.#control, POSTED);
  }

  #takeMemory(bytes: number): ArrayBuffer | undefined {
    for (;;) {
      const returned = Atomics.load(this.#control, RETURNED);
      for (let back = receiveMessageOnPort(this.#port); back; back = receiveMessageOnPort(this.#port)) {
        this.#sent--;
        this.#free.push(back.message as ArrayBuffer);
      }
      if (Atomics.load(this.#control, ABANDON) !== 0) return undefined;
      if (this.#sent < this.#maxPictures) break;
      Atomics.wait(this.#control, RETURNED, returned);
    }
    const reused = this.#free.pop();
    return reused?.byteLength === bytes ? reused : new ArrayBuffer(bytes);
  }

  close(): void {
    this.#port.close();
  }
}

/** The reader's end. */
export class PictureReceiver {
  readonly #control: TransferControl;
  readonly #port: MessagePort;
  #taken = 0;

  constructor(control: TransferControl, port: MessagePort) {
    this.#control = control;
    this.#port = port;
  }

  /** Returns the next picture or gap, or `end`, without waiting; undefined when there is none yet. */
  take(): Picture | DecodeGap | 'end' | undefined {
    if (this.#taken === Atomics.load(this.#control, POSTED)) return undefined;
    const received = receiveMessageOnPort(this.#port);
    if (!received) return undefined;
    this.#taken = (this.#taken + 1) | 0;
    const message = received.message as DecoderMessage;
    return message === 'end' || 'reason' in message ? message : this.#unpack(message);
  }

  /** Resolves when there is something to take. */
  async arrival(): Promise<void> {
    const waiting = Atomics.waitAsync(this.#control, POSTED, this.#taken);
    if (waiting.async) await waiting.value;
  }

  /** Lets the decoder finish its current packet, waits for the requests to end and discards what they produced. */
  async abandon(requests: readonly Promise<unknown>[]): Promise<void> {
    Atomics.store(this.#control, ABANDON, 1);
    signal(this.#control, RETURNED);
    await Promise.all(requests);
    for (let item = this.take(); item !== undefined; item = this.take())
      if (typeof item === 'object' && Symbol.dispose in item) item[Symbol.dispose]();
    Atomics.store(this.#control, ABANDON, 0);
    signal(this.#control, RETURNED);
  }

  #unpack({ memory, planes: layouts, ...rest }: PackedPicture): Picture {
    let planes: readonly Plane[] | undefined = layouts.map(({ offset, length, stride, width, height }) => ({
      data: Buffer.from(memory, offset, length),
      stride,
      width,
      height,
    }));
    const plane = (i: number): Plane => {
      if (!planes) throw new TypeError('the picture has been disposed of');
      return planes[i]!;
    };
    const dispose = (): void => {
      if (!planes) return;
      planes = undefined;
      this.#port.postMessage(memory, [memory]);
      signal(this.#control, RETURNED);
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
      [Symbol.dispose]: dispose,
    };
  }

  close(): void {
    this.#port.close();
  }
}
