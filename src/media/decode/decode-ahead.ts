import { type DecodeGap, decodeInSteps, type DecodeSteps, isGap, PendingPacket } from './decode-frames.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import type { Picture } from '../picture.ts';
import type { VideoFile } from '../video.ts';

type Item = Picture | DecodeGap;

/** Pictures that may wait for a caller who reads all of them: some take ten times as long to read as others. */
export const MAX_WAITING_PICTURES = 16;
const MAX_WAITING_LUMA_BYTES = 12 << 20;
/** So many may wait however large they are. */
const MIN_WAITING_PICTURES = 2;

/**
 * Decodes as `decodeFrames` does, but on a thread of Node's pool while the caller reads pictures and its event loop turns.
 *
 * @param maxWaiting How many pictures may wait for the caller.
 */
export async function* decodeFramesAhead(
  file: VideoFile,
  index: PacketIndex,
  chunk: Chunk,
  frames: ArrayLike<number>,
  maxWaiting = MIN_WAITING_PICTURES,
): AsyncGenerator<Item, void, undefined> {
  const decoder = new AheadDecoder(decodeInSteps(file, index, chunk, frames), maxWaiting);
  try {
    for (let item = await decoder.next(); item; item = await decoder.next()) yield item;
  } finally {
    await decoder.stop();
  }
}

/** Takes steps of decoding as long as there is room for the results. */
class AheadDecoder {
  readonly #steps: DecodeSteps;
  readonly #maxWaiting: number;
  readonly #waiting: Item[] = [];
  readonly #run: Promise<void>;
  #isStopped = false;
  #isDone = false;
  /** Resolves the caller's wait for an item, and the decoder's wait for room. */
  #notifyCaller: (() => void) | undefined;
  #notifyDecoder: (() => void) | undefined;

  constructor(steps: DecodeSteps, maxWaiting: number) {
    this.#steps = steps;
    this.#maxWaiting = maxWaiting;
    this.#run = this.#decode().finally(() => {
      this.#isDone = true;
      this.#notifyCaller?.();
    });
    // `next` reports the error.
    this.#run.catch(() => undefined);
  }

  /** Returns the next picture or gap; undefined after the last. */
  async next(): Promise<Item | undefined> {
    while (this.#waiting.length === 0 && !this.#isDone) {
      await new Promise<void>((resolve) => {
        this.#notifyCaller = resolve;
      });
      this.#notifyCaller = undefined;
    }
    if (this.#waiting.length === 0) await this.#run;
    const item = this.#waiting.shift();
    this.#notifyDecoder?.();
    return item;
  }

  /** Lets the decoder finish its current packet and discards the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#notifyDecoder?.();
    await this.#run.catch(() => undefined);
    for (const item of this.#waiting) if (!isGap(item)) item[Symbol.dispose]();
    this.#steps.return();
  }

  get #isFull(): boolean {
    const { length } = this.#waiting;
    if (length < MIN_WAITING_PICTURES || length >= this.#maxWaiting) return length >= this.#maxWaiting;
    const bytes = this.#waiting.reduce((sum, item) => sum + (isGap(item) ? 0 : item.width * item.height), 0);
    return bytes >= MAX_WAITING_LUMA_BYTES;
  }

  async #decode(): Promise<void> {
    for (let step = this.#steps.next(); !step.done && !this.#isStopped; ) {
      if (step.value instanceof PendingPacket) {
        // While the caller waits, this thread has nothing else to do.
        const result = this.#notifyCaller ? step.value.sendSync() : await step.value.send();
        if (this.#isStopped) return;
        step = this.#steps.next(result);
        continue;
      }
      this.#waiting.push(step.value);
      this.#notifyCaller?.();
      this.#notifyCaller = undefined;
      while (this.#isFull && !this.#isStopped)
        await new Promise<void>((resolve) => {
          this.#notifyDecoder = resolve;
        });
      this.#notifyDecoder = undefined;
      if (this.#isStopped) return;
      step = this.#steps.next();
    }
  }
}
