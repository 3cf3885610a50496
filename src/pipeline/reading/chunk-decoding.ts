import { setImmediate as turn } from 'node:timers/promises';
import { decodeFramesAhead, MAX_WAITING_PICTURES } from '../../media/decode/decode-ahead.ts';
import { type DecodeGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import type { DecoderWorker, DecodeRequest } from '../../media/decode/decoder-worker.ts';
import type { Chunk, PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import type { VideoFile } from '../../media/video.ts';
import type { PlannedChunk } from './plan.ts';

/** How a recording is decoded. */
export interface DecodingOptions {
  /** The decoder works on another core, ahead of reading. */
  readonly decodesAhead?: boolean | undefined;
  /** A decoder on a thread of its own, used once it is ready. */
  readonly decoder?: DecoderWorker | undefined;
}

/** What a chunk is read with besides its request. */
export interface ReadContext {
  readonly signal?: AbortSignal | undefined;
  /** Called for every picture that is read. */
  readonly onPicture?: (() => void) | undefined;
  /** Called for every packet that is decoded in this thread. */
  readonly onPacket?: (() => void) | undefined;
  /** What will be read next, if that is known. */
  readonly next?: DecodeRequest | undefined;
}

/** Pictures after which the event loop turns, so that native memory is freed and signals are noticed. */
const PICTURES_PER_TURN = 64;

/** Decodes the frames of one chunk as its reader asks for them. */
export class ChunkDecoding {
  readonly #file: VideoFile;
  readonly #index: PacketIndex;
  readonly #options: DecodingOptions;
  readonly #context: ReadContext;
  #pictures = 0;

  constructor(file: VideoFile, { index }: PlannedChunk, options: DecodingOptions, context: ReadContext) {
    this.#file = file;
    this.#index = index;
    this.#options = options;
    this.#context = context;
  }

  /** Lets others have the thread while a picture is read; undefined where nothing else runs in it. */
  get pause(): (() => Promise<unknown>) | undefined {
    return this.#options.decodesAhead && !this.#options.decoder?.isReady ? turn : undefined;
  }

  /** Seconds of a frame. */
  timeOf(frame: number): number {
    return this.#index.t[frame - this.#index.firstFrame]!;
  }

  /** Decodes some frames of a chunk, in order. The caller disposes of the pictures. */
  pictures(
    chunk: Chunk,
    frames: readonly number[],
    maxAhead?: number,
  ): Iterable<Picture | DecodeGap> | AsyncIterable<Picture | DecodeGap> {
    return this.#options.decodesAhead
      ? decodeFramesAhead(this.#file, this.#index, chunk, frames, maxAhead)
      : decodeFrames(this.#file, this.#index, chunk, frames, this.#context.onPacket);
  }

  /** Decodes frames that will all be read, on the decoder's thread if there is one. */
  allPictures(chunk: Chunk, frames: readonly number[]): ReturnType<ChunkDecoding['pictures']> {
    const { decoder } = this.#options;
    const { next } = this.#context;
    if (decoder?.isReady) return decoder.pictures(this.#index, chunk, frames, next);
    // Not ready for this chunk, it may be for the next.
    if (next) decoder?.announce(next);
    return this.pictures(chunk, frames, MAX_WAITING_PICTURES);
  }

  /** Counts a picture; lets the event loop turn now and then. Throws the signal's reason once it is aborted. */
  async pictureRead(): Promise<void> {
    this.#context.onPicture?.();
    if (++this.#pictures % PICTURES_PER_TURN === 0) await turn();
    this.#context.signal?.throwIfAborted();
  }
}
