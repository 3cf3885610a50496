import { countLeading } from '../../binary-search.ts';
import { PlaybyplayError } from '../../errors.ts';
import { decodeFrames, isGap, type DecodeGap } from '../../media/decode/decode-frames.ts';
import {
  createChunk,
  findGroup,
  frameTime,
  groupFirstFrame,
  originSeconds,
  type PacketIndex,
} from '../../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { copyPicture, type Picture } from '../../media/picture.ts';
import { openVideo, type VideoFile } from '../../media/video.ts';

/** Bytes of decoded pictures that are kept: two seconds of 720p at 24 frames a second. */
const MAX_CACHED_BYTES = 64 << 20;
/** Frames before the wanted one that are decoded with it when a person steps backwards: going back costs decoding from the keyframe. */
const BACKWARD_FRAMES = 24;

/** Frames decoded one after the other within a group of pictures. */
interface Cursor {
  readonly group: number;
  next: number;
  readonly items: Generator<Picture | DecodeGap, void, undefined>;
}

/** Which frame is wanted: by its number, or the one that is shown at a time. */
export type FrameChoice = { readonly frame: number } | { readonly t: number };

/** A frame with its number and presentation time, or why it cannot be decoded. */
export type ReadFrame = {
  readonly frame: number;
  readonly t: number;
} & ({ readonly picture: Picture } | { readonly problem: string });

/**
 * Reads single frames of a recording in any order, exactly those that `detect` reads. Stepping forwards decodes each packet once;
 * stepping backwards decodes a stretch before the frame and keeps it.
 */
export class FrameReader implements Disposable {
  readonly #file: VideoFile;
  readonly index: PacketIndex;
  readonly #cached = new Map<number, Picture | string>();
  #cachedBytes = 0;
  #cursor: Cursor | undefined;
  #last = 0;
  /** A second decoder, so that the frames that are stepped through need not begin again. */
  #keyframes: VideoFile | undefined;

  private constructor(file: VideoFile, index: PacketIndex) {
    this.#file = file;
    this.index = index;
  }

  /** Opens a recording and indexes its packets. Throws as `openVideo` and `scanPackets`. */
  static async open(path: string, signal?: AbortSignal): Promise<FrameReader> {
    const file = openVideo(path);
    try {
      const index = await scanPacketsAsync(file, signal ? { signal } : {});
      if (index.t.length === 0) throw new PlaybyplayError('no-frames', `${path} has no frames`);
      return new FrameReader(file, index);
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  get info(): VideoFile['info'] {
    return this.#file.info;
  }

  /** Number of frames. */
  get frameCount(): number {
    return this.index.t.length;
  }

  /** Presentation time of the last frame, in seconds. */
  get lastTime(): number {
    return this.index.t.at(-1)!;
  }

  /** Container time of the first frame, in seconds. */
  get origin(): number {
    return originSeconds(this.index);
  }

  /** The number of the frame that is shown at a time: the last one that begins by then. */
  frameAt(t: number): number {
    const { t: times } = this.index;
    return Math.max(0, countLeading(times.length, (frame) => times[frame]! <= t + 1e-6) - 1);
  }

  /**
   * Reads a frame.
   *
   * @returns The frame, whose picture stays valid until another frame is read; a number outside the recording gives the nearest frame.
   */
  read(choice: FrameChoice): ReadFrame {
    const wanted = 'frame' in choice ? choice.frame : this.frameAt(choice.t);
    const frame = Math.max(0, Math.min(this.frameCount - 1, wanted));
    const found = this.#cached.get(frame) ?? this.#decode(frame);
    this.#keep(frame, found);
    this.#last = frame;
    const place = { frame, t: frameTime(this.index, frame) };
    return typeof found === 'string' ? { ...place, problem: found } : { ...place, picture: found };
  }

  /**
   * Decodes the last keyframe at or before a time.
   *
   * @returns The frame, whose picture the caller disposes of.
   */
  readKeyframe(t: number): ReadFrame {
    const group = findGroup(this.index, this.frameAt(t));
    const frame = groupFirstFrame(this.index, group);
    const place = { frame, t: frameTime(this.index, frame) };
    this.#keyframes ??= openVideo(this.#file.path, this.#file.description);
    const chunk = createChunk(this.index, group, group + 1);
    for (const item of decodeFrames(this.#keyframes, this.index, chunk, [frame]))
      return isGap(item) ? { ...place, problem: item.reason } : { ...place, picture: item };
    return { ...place, problem: 'the decoder gives no picture' };
  }

  #decode(frame: number): Picture | string {
    const group = findGroup(this.index, frame);
    const cursor = this.#cursor;
    const isAhead = cursor?.group === group && cursor.next <= frame;
    const isStepBack = frame < this.#last && this.#last - frame <= BACKWARD_FRAMES;
    const back = Math.min(BACKWARD_FRAMES, this.#capacity - 1);
    const keepFrom = isAhead || !isStepBack ? frame : Math.max(groupFirstFrame(this.index, group), frame - back);
    if (!isAhead) this.#start(group, keepFrom);
    const current = this.#cursor!;
    for (let step = current.items.next(); !step.done; step = current.items.next()) {
      const item = step.value;
      if (isGap(item)) {
        this.#closeCursor();
        return item.reason;
      }
      using picture = item;
      const number = current.next++;
      if (number < keepFrom) continue;
      const copy = copyPicture(picture, this.#makeRoom(sizeOf(picture)));
      this.#keep(number, copy);
      if (number === frame) return copy;
    }
    this.#closeCursor();
    return 'the decoder gives no picture';
  }

  #start(group: number, first: number): void {
    this.#closeCursor();
    const end = groupFirstFrame(this.index, group + 1);
    const frames = Array.from({ length: end - first }, (_, i) => first + i);
    const items = decodeFrames(this.#file, this.index, createChunk(this.index, group, group + 1), frames);
    this.#cursor = { group, next: first, items };
  }

  #closeCursor(): void {
    this.#cursor?.items.return();
    this.#cursor = undefined;
  }

  /** How many pictures can be kept. */
  get #capacity(): number {
    const { width, height } = this.info;
    return Math.max(1, Math.floor(MAX_CACHED_BYTES / (1.5 * width * height)));
  }

  /** Removes the pictures that were not wanted longest, until there is room for another; returns one whose memory is free. */
  #makeRoom(bytes: number): Picture | undefined {
    let free: Picture | undefined;
    for (const [oldest, kept] of this.#cached) {
      if (this.#cachedBytes + bytes <= MAX_CACHED_BYTES) break;
      this.#cached.delete(oldest);
      this.#cachedBytes -= sizeOf(kept);
      if (typeof kept !== 'string') free = kept;
    }
    return free;
  }

  /** Puts a picture at the end of the cache. */
  #keep(frame: number, picture: Picture | string): void {
    const before = this.#cached.get(frame);
    this.#cached.delete(frame);
    this.#cachedBytes += sizeOf(picture) - (before === undefined ? 0 : sizeOf(before));
    this.#cached.set(frame, picture);
  }

  [Symbol.dispose](): void {
    this.#closeCursor();
    this.#cached.clear();
    this.#keyframes?.[Symbol.dispose]();
    this.#file[Symbol.dispose]();
  }
}

function sizeOf(picture: Picture | string): number {
  if (typeof picture === 'string') return 0;
  return picture.y.data.length + picture.u.data.length + picture.v.data.length;
}
