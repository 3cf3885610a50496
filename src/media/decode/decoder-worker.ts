import { MessageChannel } from 'node:worker_threads';
import { threadModule, RpcWorker } from '../../threads/rpc-worker.ts';
import { stuckSeconds, watchThread } from '../../threads/watchdog.ts';
import type { DecodeGap } from './decode-frames.ts';
import type { DecodeRequest, ThreadRequest } from './decoder-thread.ts';
import { createTransferControl, PictureReceiver } from './picture-transfer.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import type { Picture } from '../picture.ts';
import type { VideoFile } from '../video.ts';

export type { DecodeRequest };

/**
 * Limits of what is decoded ahead, by all workers on a recording: pictures, and bytes of their luma. A reader may hold two, so there are
 * at least four for each.
 */
const MAX_PICTURES = 16;
const MIN_PICTURES = 4;
const MAX_LUMA_BYTES = 12 << 20;

/** A request that the thread has; `failure` says why it could not be served. */
interface PendingRequest {
  readonly request: DecodeRequest;
  readonly done: Promise<unknown>;
  failure: { readonly error: unknown } | undefined;
}

/**
 * Decodes a recording on a thread of its own, with one decoder thread as everywhere. It decodes ahead until enough
 * pictures wait, whatever the reading thread does meanwhile.
 *
 * @example
 * ```ts
 * await using worker = new DecoderWorker(file);
 * worker.start();
 * await worker.opened;
 * for await (const item of worker.pictures(index, chunk, frames)) {
 *   if (isGap(item)) continue;
 *   using picture = item;
 * }
 * ```
 */
export class DecoderWorker implements AsyncDisposable {
  readonly #file: VideoFile;
  readonly #workers: number;
  readonly #stuckAfter: number;
  #started:
    | { readonly thread: RpcWorker; readonly receiver: PictureReceiver; readonly opened: Promise<void> }
    | undefined;
  #isReady = false;
  /** Settles when the thread has stopped working on abandoned requests. */
  #idle: Promise<unknown> = Promise.resolve();
  /** What the thread works on before it is asked for. */
  #announced: PendingRequest | undefined;

  /**
   * @param workers How many of them share the pictures that may be decoded ahead.
   * @param stuckAfter Seconds without a picture after which a thread whose native code does not return is given up.
   */
  constructor(file: VideoFile, workers = 1, stuckAfter = stuckSeconds()) {
    this.#file = file;
    this.#workers = workers;
    this.#stuckAfter = stuckAfter;
  }

  /** Starts the thread unless it runs already. */
  start(): void {
    if (this.#started) return;
    const { path, description, info } = this.#file;
    const fitting = Math.min(MAX_PICTURES, Math.floor(MAX_LUMA_BYTES / (info.width * info.height)));
    const thread = new RpcWorker('decoder', threadModule(import.meta.url, './decoder-thread'), {
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    const { port1, port2: port } = new MessageChannel();
    const control = createTransferControl();
    const receiver = new PictureReceiver(control, port1);
    const maxPictures = Math.max(MIN_PICTURES, Math.floor(fitting / this.#workers));
    const open = { path, description, control, port, maxPictures };
    const opened = thread.call<void>({ open } satisfies ThreadRequest, { transfer: [port] }).then(() => {
      this.#isReady = true;
    });
    // A thread that does not start is not used.
    opened.catch(() => undefined);
    this.#started = { thread, receiver, opened };
  }

  /** Whether the thread has started and can decode this file: pictures from it carry no motion vectors. */
  get isReady(): boolean {
    return this.#isReady && !this.#file.exportsMotionVectors;
  }

  /** Resolves when the thread is ready, rejects when it cannot start; undefined before `start`. */
  get opened(): Promise<void> | undefined {
    return this.#started?.opened;
  }

  /** Starts decoding what will be asked for next, as far as there is room for pictures. Call it while nothing is being read. */
  announce(request: DecodeRequest): void {
    if (this.#started && !this.#announced && !this.#file.exportsMotionVectors) this.#announced = this.#send(request);
  }

  /**
   * Decodes as `decodeFrames` does. One call at a time, once the worker is ready.
   *
   * @param frames Frame numbers of the chunk, ascending.
   * @param next What will be asked for afterwards; the thread goes on with it instead of waiting.
   * @returns Pictures, which the caller disposes of, and gaps, in order of presentation.
   */
  async *pictures(
    index: PacketIndex,
    chunk: Chunk,
    frames: readonly number[],
    next?: DecodeRequest,
  ): AsyncGenerator<Picture | DecodeGap, void, undefined> {
    await this.#idle;
    const { receiver, thread } = this.#started!;
    const request = { index, chunk, frames };
    let announced = this.#announced;
    this.#announced = undefined;
    if (announced && !isSameRequest(announced.request, request)) {
      await receiver.abandon([announced.done]);
      announced = undefined;
    }
    const pending = announced ?? this.#send(request);
    if (next) this.#announced = this.#send(next);
    let isComplete = false;
    try {
      for (;;) {
        const message = receiver.take();
        if (message === undefined) {
          if (pending.failure) throw pending.failure.error;
          // Between two calls of the decoder it works: some stretches have no picture.
          const task = `decoding ${chunk.t.toFixed(1)}–${chunk.end.toFixed(1)} s`;
          using watch = watchThread(thread, this.#stuckAfter, task, () => watch.onSign());
          await Promise.race([receiver.arrival(), pending.done]);
        } else if (message === 'end') {
          isComplete = true;
          await pending.done;
          if (pending.failure) throw pending.failure.error;
          return;
        } else yield message;
      }
    } finally {
      if (!isComplete && !pending.failure) this.#abandon(pending);
    }
  }

  #send(request: DecodeRequest): PendingRequest {
    const pending: PendingRequest = {
      request,
      failure: undefined,
      done: this.#started!.thread.call({ decode: request } satisfies ThreadRequest).catch((error: unknown) => {
        pending.failure = { error };
      }),
    };
    return pending;
  }

  /** Abandons a request and what was announced to follow it. */
  #abandon(pending?: PendingRequest): void {
    const abandoned = [pending, this.#announced].filter((one) => one !== undefined);
    this.#announced = undefined;
    if (abandoned.length > 0) this.#idle = this.#started!.receiver.abandon(abandoned.map(({ done }) => done));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#started) return;
    const { thread, opened, receiver } = this.#started;
    // A thread must not be terminated while native code runs in it, and one that never returns must not be waited for.
    if (!(await thread.answers())) thread.abandon(new Error('the decoder does not return'));
    await opened.catch(() => undefined);
    await this.#idle;
    this.#abandon();
    await this.#idle;
    await thread.call('close' satisfies ThreadRequest).catch(() => undefined);
    receiver.close();
    await thread.terminate();
  }
}

function isSameRequest(a: DecodeRequest, b: DecodeRequest): boolean {
  return (
    a.chunk.firstFrame === b.chunk.firstFrame &&
    a.chunk.lastFrame === b.chunk.lastFrame &&
    a.frames.length === b.frames.length &&
    a.frames.every((frame, i) => frame === b.frames[i])
  );
}
