import { type DecodeGap, decodingSteps, isGap, Sending, type Steps } from './decode-frames.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import type { Picture } from '../picture.ts';
import type { VideoFile } from '../video.ts';

type Item = Picture | DecodeGap;

/**
 * Pictures that may wait for a caller who wants all of them, and bytes of their luma: a sample that all detectors read takes ten times as
 * long as one that few do, and the decoder should not stand still meanwhile. At least two wait, however large.
 */
export const MANY = 16;
const MOST_BYTES = 12 << 20;
const LEAST = 2;

/**
 * As `decodeFrames`, with the decoder, which still is one thread, at work beside the caller's: on the next packets while the caller looks
 * at a picture and the event loop turns now and then, until `most` pictures wait. The pictures are the same.
 */
export async function* decodeFramesAhead(
  file: VideoFile,
  index: PacketIndex,
  chunk: Chunk,
  wanted: ArrayLike<number>,
  most = LEAST,
): AsyncGenerator<Item, void, undefined> {
  const ahead = new Ahead(decodingSteps(file, index, chunk, wanted), most);
  try {
    for (;;) {
      const item = await ahead.next();
      if (!item) return;
      yield item;
    }
  } finally {
    await ahead.stop();
  }
}

/** Takes the steps of decoding as long as there is room for what comes out. */
class Ahead {
  readonly #steps: Steps;
  readonly #most: number;
  readonly #ready: Item[] = [];
  readonly #run: Promise<void>;
  #stopped = false;
  #done = false;
  /** Called when there is something for the caller, or room again. */
  #told: (() => void) | undefined;
  #room: (() => void) | undefined;

  constructor(steps: Steps, most: number) {
    this.#steps = steps;
    this.#most = most;
    this.#run = this.#take().finally(() => {
      this.#done = true;
      this.#told?.();
    });
    // Whoever asks for the next picture is told.
    this.#run.catch(() => undefined);
  }

  /** The next picture or problem; undefined behind the last. */
  async next(): Promise<Item | undefined> {
    while (this.#ready.length === 0 && !this.#done) {
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
      this.#told = undefined;
    }
    if (this.#ready.length === 0) await this.#run;
    const item = this.#ready.shift();
    this.#room?.();
    return item;
  }

  /** Lets the decoder finish what it is at, and gives up the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#room?.();
    await this.#run.catch(() => undefined);
    for (const item of this.#ready) if (!isGap(item)) item[Symbol.dispose]();
    this.#steps.return();
  }

  get #isFull(): boolean {
    const { length } = this.#ready;
    if (length < LEAST || length >= this.#most) return length >= this.#most;
    return this.#ready.reduce((sum, item) => sum + (isGap(item) ? 0 : item.width * item.height), 0) >= MOST_BYTES;
  }

  async #take(): Promise<void> {
    for (let step = this.#steps.next(); !step.done && !this.#stopped; ) {
      if (step.value instanceof Sending) {
        // While the caller waits there is nothing else to do.
        const sent = this.#told ? step.value.now() : await step.value.later();
        if (this.#stopped) return;
        step = this.#steps.next(sent);
        continue;
      }
      this.#ready.push(step.value);
      this.#told?.();
      this.#told = undefined;
      while (this.#isFull && !this.#stopped)
        await new Promise<void>((resolve) => {
          this.#room = resolve;
        });
      this.#room = undefined;
      // What was still at hand when the caller stopped.
      if (this.#stopped) return;
      step = this.#steps.next();
    }
  }
}
