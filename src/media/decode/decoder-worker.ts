import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { moduleBeside, ThreadDevice } from '../../compute/scheduler/threads.ts';
import type { ThreadRequest } from './decoder-thread.ts';
import type { DecodeGap } from './decode-frames.ts';
import {
  type Counters,
  newCounters,
  RETURNED,
  SENT,
  type DecoderMessage,
  STOPPED,
  unpackPicture,
} from './decoder-messages.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import type { Picture } from '../picture.ts';
import type { VideoFile } from '../video.ts';

/** So many pictures may wait or be looked at, and bytes of their luma; at least `FEWEST`, as a reader may hold two. */
const MANY = 16;
const MOST_BYTES = 12 << 20;
const FEWEST = 4;

/** Frames of a chunk that will be looked at, ascending. */
export interface DecodeRequest {
  readonly index: PacketIndex;
  readonly chunk: Chunk;
  readonly frames: readonly number[];
}

/** What the thread has been asked for; `failure` tells why it could not be given. */
interface Reading {
  readonly wanted: DecodeRequest;
  readonly done: Promise<unknown>;
  failure: { readonly error: unknown } | undefined;
}

/**
 * The decoder of a recording on a thread of its own, which still is one thread: it works on while this one reads pictures, whatever this
 * one is at, until there is no room for more of them. They are copied into memory that is moved between the two, and neither waits for the
 * other's event loop.
 */
export class DecoderWorker implements AsyncDisposable {
  readonly #file: VideoFile;
  #started: { readonly thread: ThreadDevice; readonly line: Line; readonly opened: Promise<void> } | undefined;
  #isReady = false;
  /** The reading before, until the thread is done with it. */
  #reading: Promise<unknown> = Promise.resolve();
  /** What it has been told to begin with before it was asked for. */
  #announced: Reading | undefined;

  constructor(file: VideoFile) {
    this.#file = file;
  }

  /** Starts the thread, if that has not been done. */
  start(): void {
    if (this.#started) return;
    const { path, described, info } = this.#file;
    const most = Math.min(MANY, Math.max(FEWEST, Math.floor(MOST_BYTES / (info.width * info.height))));
    const thread = new ThreadDevice('decoder', moduleBeside(import.meta.url, './decoder-thread'), {
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    const { port1, port2: port } = new MessageChannel();
    const line = new Line(port1);
    const open = { path, described, counters: line.counters, port, most };
    const opened = thread.call<void>({ open } satisfies ThreadRequest, { transfer: [port] }).then(() => {
      this.#isReady = true;
    });
    // One that does not start is not used.
    opened.catch(() => undefined);
    this.#started = { thread, line, opened };
  }

  /** Whether it has started, and can give what is wanted of the pictures. */
  get isReady(): boolean {
    return this.#isReady && !this.#file.exportsVectors;
  }

  /** When it is ready; rejects where it cannot be, and with why. */
  get opened(): Promise<void> | undefined {
    return this.#started?.opened;
  }

  /** Lets it begin with what will be asked for next, where nothing is being read: as many pictures as there is room for. */
  announce(wanted: DecodeRequest): void {
    if (this.#started && !this.#announced && !this.#file.exportsVectors) this.#announced = this.#ask(wanted);
  }

  /**
   * As `decodeFrames`, once it is ready. One reading at a time. With `next` the decoder goes on to that when it is done, so that it need not
   * stand still until the last pictures of this chunk have been read, nor the reader until the first of the next have been decoded.
   */
  async *pictures(
    index: PacketIndex,
    chunk: Chunk,
    frames: readonly number[],
    next?: DecodeRequest,
  ): AsyncGenerator<Picture | DecodeGap, void, undefined> {
    await this.#reading;
    const { line } = this.#started!;
    let announced = this.#announced;
    this.#announced = undefined;
    if (announced && !isSame(announced.wanted, chunk, frames)) {
      await stop(line, [announced]);
      announced = undefined;
    }
    const reading = announced ?? this.#ask({ index, chunk, frames });
    if (next) this.#announced = this.#ask(next);
    let isOver = false;
    try {
      for (;;) {
        const item = line.take();
        if (item === undefined) {
          if (reading.failure) throw reading.failure.error;
          await Promise.race([line.arrival(), reading.done]);
        } else if (item === 'over') {
          isOver = true;
          await reading.done;
          if (reading.failure) throw reading.failure.error;
          return;
        } else yield 'reason' in item ? item : unpackPicture(item, (memory) => line.giveBack(memory));
      }
    } finally {
      if (!isOver && !reading.failure) this.#giveUp(reading);
    }
  }

  #ask(wanted: DecodeRequest): Reading {
    const { index, chunk, frames } = wanted;
    const call = this.#started!.thread.call({ index, chunk, wanted: frames } satisfies ThreadRequest);
    const reading: Reading = {
      wanted,
      failure: undefined,
      done: call.catch((error: unknown) => {
        reading.failure = { error };
      }),
    };
    return reading;
  }

  /** Lets the thread stop with a reading, and with what was to come after it. */
  #giveUp(reading?: Reading): void {
    const given = [reading, this.#announced].filter((one) => one !== undefined);
    this.#announced = undefined;
    if (given.length > 0) this.#reading = stop(this.#started!.line, given);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#started) return;
    const { thread, opened, line } = this.#started;
    // A thread is not ended while a library of foreign code is at work in it.
    await opened.catch(() => undefined);
    await this.#reading;
    this.#giveUp();
    await this.#reading;
    await thread.call({ close: true } satisfies ThreadRequest).catch(() => undefined);
    line.close();
    await thread.retire();
  }
}

function isSame(
  { chunk: { firstFrame, lastFrame }, frames }: DecodeRequest,
  chunk: Chunk,
  wanted: readonly number[],
): boolean {
  return (
    firstFrame === chunk.firstFrame &&
    lastFrame === chunk.lastFrame &&
    frames.length === wanted.length &&
    frames.every((frame, i) => frame === wanted[i])
  );
}

/** Lets the decoder finish the packet that it is at, and gives up the rest. */
async function stop(line: Line, readings: readonly Reading[]): Promise<void> {
  line.stop(true);
  await Promise.all(readings.map(({ done }) => done));
  for (let item = line.take(); item !== undefined; item = line.take())
    if (typeof item === 'object' && 'memory' in item) line.giveBack(item.memory);
  line.stop(false);
}

/** The reader's end. */
class Line {
  readonly counters: Counters = newCounters();
  readonly #port: MessagePort;
  #taken = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** What comes next; undefined where nothing is there yet. */
  take(): DecoderMessage | undefined {
    if (this.#taken === Atomics.load(this.counters, SENT)) return undefined;
    const received = receiveMessageOnPort(this.#port);
    if (received) this.#taken = (this.#taken + 1) | 0;
    return received?.message as DecoderMessage | undefined;
  }

  /** Resolves when there is something to take. */
  async arrival(): Promise<void> {
    const waiting = Atomics.waitAsync(this.counters, SENT, this.#taken);
    if (waiting.async) await waiting.value;
  }

  giveBack(memory: ArrayBuffer): void {
    this.#port.postMessage(memory, [memory]);
    this.#wake();
  }

  /** Tells the decoder to send no more of what it is at, or that it may again. */
  stop(stopped: boolean): void {
    Atomics.store(this.counters, STOPPED, stopped ? 1 : 0);
    this.#wake();
  }

  close(): void {
    this.#port.close();
  }

  #wake(): void {
    Atomics.add(this.counters, RETURNED, 1);
    Atomics.notify(this.counters, RETURNED);
  }
}
