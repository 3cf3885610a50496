import { moduleBeside, ThreadDevice } from '../compute/scheduler/threads.ts';
import type { BesideNote, BesideRequest } from './beside-thread.ts';
import type { DecodeProblem } from './decode.ts';
import type { Chunk, PacketIndex } from './packet-index.ts';
import type { Picture } from './picture.ts';
import { BY_MESSAGE, LAST, newRing, RingReader } from './picture-ring.ts';
import type { VideoFile } from './video.ts';

/**
 * The decoder of a recording on a thread of its own, which still is one thread: it works on while this one reads pictures, whatever this
 * one is at, until there is no room for more of them. They are copied into memory that both share, so that neither waits for the other's
 * event loop.
 */
export class DecoderBeside implements AsyncDisposable {
  readonly #file: VideoFile;
  #started: { readonly thread: ThreadDevice; readonly ring: RingReader; readonly opened: Promise<void> } | undefined;
  #isReady = false;
  /** What has come by message and not had its turn. */
  readonly #messages: BesideNote[] = [];
  #told: (() => void) | undefined;
  /** The reading before, until the thread is done with it. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(file: VideoFile) {
    this.#file = file;
  }

  /** Starts the thread, if that has not been done. */
  start(): void {
    if (this.#started) return;
    const { path, described, info } = this.#file;
    const ring = newRing(info);
    const thread = new ThreadDevice('decoder', moduleBeside(import.meta.url, './beside-thread'), {
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    const opened = thread.call<void>({ open: { path, described, ring } } satisfies BesideRequest).then(() => {
      this.#isReady = true;
    });
    // One that does not start is not used.
    opened.catch(() => undefined);
    this.#started = { thread, ring: new RingReader(ring, info.pixelAspect), opened };
  }

  /** Whether it has started, and can give what is wanted of the pictures. */
  get isReady(): boolean {
    return this.#isReady && !this.#file.exportsVectors;
  }

  /** When it is ready; rejects where it cannot be, and with why. */
  get opened(): Promise<void> | undefined {
    return this.#started?.opened;
  }

  /** As `readPictures`, once it is ready. One reading at a time. */
  async *pictures(
    index: PacketIndex,
    chunk: Chunk,
    wanted: readonly number[],
  ): AsyncGenerator<Picture | DecodeProblem, void, undefined> {
    await this.#reading;
    const { ring, thread } = this.#started!;
    let failure: { readonly error: unknown } | undefined;
    const { promise: failed, resolve: fail } = Promise.withResolvers<undefined>();
    const request = { index, chunk, wanted } satisfies BesideRequest;
    const reading = thread
      .call(request, { onNote: (note) => this.#note(note as BesideNote) })
      .catch((error: unknown) => {
        failure = { error };
        fail(undefined);
      });
    let isOver = false;
    try {
      for (;;) {
        const item = ring.take();
        if (item === undefined) {
          if (failure) throw failure.error;
          await Promise.race([ring.arrival(), failed]);
        } else if (item === LAST) {
          isOver = true;
          await reading;
          if (failure) throw failure.error;
          return;
        } else yield item === BY_MESSAGE ? await this.#message() : ring.picture(item);
      }
    } finally {
      this.#reading = isOver || failure ? Promise.resolve() : this.#stop(ring, reading);
    }
  }

  #note(note: BesideNote): void {
    this.#messages.push(note);
    this.#told?.();
  }

  async #message(): Promise<Picture | DecodeProblem> {
    while (this.#messages.length === 0)
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    this.#told = undefined;
    const item = this.#messages.shift()!;
    return 'reason' in item ? item : { ...item, [Symbol.dispose]() {} };
  }

  /** Lets the decoder finish what it is at, and gives up the rest. */
  async #stop(ring: RingReader, reading: Promise<unknown>): Promise<void> {
    ring.stop(true);
    await reading;
    for (let item = ring.take(); item !== undefined; item = ring.take()) if (item >= 0) ring.free(item);
    this.#messages.length = 0;
    ring.stop(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#started) return;
    const { thread, opened } = this.#started;
    // A thread is not ended while a library of foreign code is at work in it.
    await opened.catch(() => undefined);
    await this.#reading;
    await thread.call({ close: true } satisfies BesideRequest).catch(() => undefined);
    await thread.retire();
  }
}
