import type { Packet } from 'node-av/lib';
import { AVERROR_EAGAIN, AVERROR_EOF, AV_FRAME_FLAG_CORRUPT } from 'node-av/constants';
import { describeError } from '../container/open.ts';
import {
  BROKEN,
  DAMAGED,
  findGroup,
  frameTime,
  groupFirstFrame,
  groupFirstPacket,
  HIDDEN,
  LEADING,
  ORPHAN,
  REFERENCE,
  SECOND_FIELD,
} from '../packets/packet-index.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import type { Picture } from '../picture.ts';
import type { VideoFile } from '../video.ts';
import { findReferenceDistances } from './motion-vectors.ts';
import { PacketReader } from './packet-reader.ts';
import { PictureFactory } from './picture-factory.ts';

/**
 * A stretch that could not be decoded, in seconds: from its first missing frame (or the last frame before it, where packets
 * are lost or damaged) to the next group's first frame.
 */
export interface DecodeGap {
  readonly t: number;
  readonly end: number;
  readonly reason: string;
}

/** Returns whether an item is a gap, not a picture. */
export function isGap(item: Picture | DecodeGap): item is DecodeGap {
  return 'reason' in item;
}

/**
 * Decodes frames of a chunk and nothing that they do not need: of each group of pictures the reference packets up to the
 * last wanted frame, and the packets of the wanted frames. On the first error it gives up the rest of the group, reports
 * it as a gap and goes on with the next group. The same file gives the same result in every run, whatever was read before.
 *
 * Decode one chunk of a file at a time, and let the event loop turn between chunks: the FFmpeg binding frees what it
 * allocated only then.
 *
 * @param frames Frame numbers of the chunk, ascending.
 * @param onPacket Called for every packet that the decoder has taken.
 * @returns Pictures, which the caller disposes of, and gaps, in order of presentation.
 * @throws RangeError for a frame outside the chunk.
 *
 * @example
 * ```ts
 * for (const item of decodeFrames(file, index, chunk, [0, 6, 12])) {
 *   if (isGap(item)) continue;
 *   using picture = item;
 *   console.log(picture.t, picture.y.data[0]);
 * }
 * ```
 */
export function* decodeFrames(
  file: VideoFile,
  index: PacketIndex,
  chunk: Chunk,
  frames: ArrayLike<number>,
  onPacket?: () => void,
): Generator<Picture | DecodeGap, void, undefined> {
  const steps = decodeInSteps(file, index, chunk, frames);
  try {
    for (let step = steps.next(); !step.done; )
      if (step.value instanceof PendingPacket) {
        step = steps.next(step.value.sendSync());
        onPacket?.();
      } else {
        yield step.value;
        step = steps.next();
      }
  } finally {
    steps.return();
  }
}

/** A packet that is ready for the decoder. Sending it is what takes the time of decoding. */
export class PendingPacket {
  readonly #decoder: ReturnType<VideoFile['decoder']['getNative']>;
  readonly #packet: ReturnType<Packet['getNative']>;

  constructor(decoder: VideoFile['decoder'], packet: Packet) {
    this.#decoder = decoder.getNative();
    this.#packet = packet.getNative();
  }

  /** Sends it on this thread; returns FFmpeg's code. */
  sendSync(): number {
    return this.#decoder.sendPacketSync(this.#packet);
  }

  /** Sends it on a thread of the pool. Neither decoder nor packet may be used before it settles. */
  send(): Promise<number> {
    const sent = this.#decoder.sendPacket(this.#packet);
    // A caller who stops early does not await it.
    sent.catch(() => undefined);
    return sent;
  }
}

/** Pictures and gaps in order, and packets to send, whose result goes to the next step. */
export type DecodeSteps = Generator<Picture | DecodeGap | PendingPacket, void, number | undefined>;

/** Decodes as `decodeFrames` does, but leaves it to the caller how packets are sent to the decoder. */
export function* decodeInSteps(
  file: VideoFile,
  index: PacketIndex,
  chunk: Chunk,
  frames: ArrayLike<number>,
): DecodeSteps {
  using decoder = new GroupDecoder(file, index);
  for (let from = 0; from < frames.length; ) {
    const first = frames[from]!;
    if (first < chunk.firstFrame || first >= chunk.lastFrame)
      throw new RangeError(`frame ${first} is not in the chunk`);
    const group = findGroup(index, first);
    const nextGroupFrame = groupFirstFrame(index, group + 1);
    let to = from;
    while (to < frames.length && frames[to]! < nextGroupFrame) to++;
    yield* decoder.decode(group, Array.prototype.slice.call(frames, from, to) as number[]);
    from = to;
  }
}

const PACKETS_MISSING = 'packets are missing';
const PACKET_DAMAGED = 'a packet is damaged';
/** By how much the aspect of a picture may differ from the stream's: sizes are rounded to whole or even pixels. */
const ASPECT_TOLERANCE = 0.01;

/** Decodes frames of one group of pictures after the other. */
class GroupDecoder implements Disposable {
  readonly #file: VideoFile;
  readonly #index: PacketIndex;
  readonly #reader: PacketReader;
  readonly #factory: PictureFactory;
  /** Width of a coded picture divided by its height, as the stream begins. */
  readonly #aspect: number;

  constructor(file: VideoFile, index: PacketIndex) {
    const { width, height, rotation } = file.info;
    this.#aspect = rotation % 180 === 0 ? width / height : height / width;
    this.#file = file;
    this.#index = index;
    this.#reader = new PacketReader(file, index);
    this.#factory = new PictureFactory(file.info.rotation, file.info.pixelAspect);
  }

  *decode(group: number, frames: readonly number[]): DecodeSteps {
    const file = this.#file;
    const index = this.#index;
    using buffer = new ReorderBuffer(index, frames, file.exportsMotionVectors ? file.info.codec : undefined);
    let failure: string | undefined;
    if (file.isDecoding) this.#reset();
    file.isDecoding = true;
    try {
      const needed = neededPackets(index, group, frames);
      for (const position of needed.positions) {
        failure = (yield* this.#send(position, buffer)) ?? this.#receive(buffer);
        yield* buffer.release();
        if (buffer.isStuck) failure ??= 'the timestamps contradict the order of the pictures';
        if (failure) break;
      }
      failure ??= needed.failure;
      // Pictures decoded before a failure are still in the decoder.
      file.decoder.sendPacketSync(null);
      const lateFailure = this.#receive(buffer);
      failure ??= lateFailure;
      yield* buffer.release();
    } finally {
      this.#reset();
    }
    const missing = buffer.nextFrame;
    if (missing === undefined) return;
    // Near lost and damaged packets there may be others that the index does not know: begin after the last known frame.
    const isLoss = failure === PACKETS_MISSING || failure === PACKET_DAMAGED;
    const from = isLoss && missing > groupFirstFrame(index, group) ? missing - 1 : missing;
    const end = frameTime(index, groupFirstFrame(index, group + 1));
    yield { t: frameTime(index, from), end, reason: failure ?? 'the decoder gives no picture' };
  }

  /** Sends a packet to the decoder; returns the reason on failure. */
  *#send(position: number, buffer: ReorderBuffer): Generator<PendingPacket, string | undefined, number | undefined> {
    const packet = this.#reader.read(position);
    if (typeof packet === 'string') return packet;
    // The decode position passes through the decoder as the timestamp, so that repeated or missing timestamps do no harm.
    packet.pts = BigInt(position);
    const result = (yield new PendingPacket(this.#file.decoder, packet))!;
    packet.unref();
    buffer.addSent(position);
    return result < 0 ? decodeFailure(result) : undefined;
  }

  /** Moves the decoder's finished pictures into the buffer; returns the reason on an error. */
  #receive(buffer: ReorderBuffer): string | undefined {
    const decoder = this.#file.decoder.getNative();
    for (;;) {
      const frame = this.#factory.frame();
      const result = decoder.receiveFrameSync(frame);
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return undefined;
      if (result < 0) return decodeFailure(result);
      if (frame.decodeErrorFlags !== 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) !== 0) {
        frame.unref();
        return 'a picture is damaged';
      }
      const { width, height } = frame;
      if (Math.abs(width / height / this.#aspect - 1) > ASPECT_TOLERANCE) {
        frame.unref();
        return `the picture changes its shape here, to ${width}×${height}`;
      }
      buffer.addDecoded(Number(frame.pts), this.#factory);
    }
  }

  /** Readies the decoder for another group. Flushing alone leaves pictures in some decoders (HEVC). */
  #reset(): void {
    const decoder = this.#file.decoder.getNative();
    decoder.sendPacketSync(null);
    while (decoder.receiveFrameSync(this.#factory.frame()) >= 0) this.#factory.drop();
    this.#file.flushDecoder();
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
    this.#factory[Symbol.dispose]();
  }
}

function decodeFailure(code: number): string {
  return `a packet cannot be decoded (${describeError(code)})`;
}

/**
 * Lists the packets that the wanted frames of a group need: references up to the last wanted frame, and the wanted frames
 * themselves. Leading pictures of the next group, and the keyframe that they need, belong to this group.
 *
 * @returns Decode positions, ascending, and why they end early, if they do.
 */
function neededPackets(
  index: PacketIndex,
  group: number,
  frames: readonly number[],
): { readonly positions: readonly number[]; readonly failure?: string } {
  const start = groupFirstPacket(index, group);
  const next = groupFirstPacket(index, group + 1);
  const wanted = new Set(frames.map((frame) => index.packet[frame - index.firstFrame]!));
  const last = Math.max(...wanted);
  const positions: number[] = [];
  const flagsAt = (position: number): number => index.packets.flags[position - index.firstPacket] ?? 0;
  for (let position = start; position <= last || (flagsAt(position) & SECOND_FIELD) !== 0; position++) {
    const flags = flagsAt(position);
    if (position > start && (flags & BROKEN) !== 0) return { positions, failure: PACKETS_MISSING };
    if ((flags & SECOND_FIELD) !== 0) {
      if (positions.at(-1) !== position - 1) continue;
    } else {
      if (position !== next && ((flags & LEADING) !== 0) !== position > next) continue;
      if ((flags & ORPHAN) !== 0) continue;
      if ((flags & REFERENCE) === 0 && !wanted.has(position)) continue;
    }
    if ((flags & DAMAGED) !== 0) return { positions, failure: PACKET_DAMAGED };
    positions.push(position);
  }
  return { positions };
}

/** More waiting pictures than any order of decoding needs. */
const MAX_WAITING_PICTURES = 40;

/**
 * Holds pictures back until everything sent before them has come out undamaged: a picture shown early may refer to a
 * damaged one that is shown later.
 */
class ReorderBuffer implements Disposable {
  readonly #index: PacketIndex;
  readonly #frames: readonly number[];
  readonly #vectorCodec: string | undefined;
  readonly #sent: number[] = [];
  readonly #decoded = new Set<number>();
  /** By frame number: decoders go by the bitstream's order, which damaged timestamps contradict. */
  readonly #waiting = new Map<number, { readonly position: number; readonly picture: Picture }>();
  /** How many of the sent packets, from the first on, have come out. */
  #complete = 0;
  #released = 0;

  /** @param vectorCodec The codec, if pictures are to carry motion vectors. */
  constructor(index: PacketIndex, frames: readonly number[], vectorCodec: string | undefined) {
    this.#index = index;
    this.#vectorCodec = vectorCodec;
    this.#frames = frames;
  }

  /** The first wanted frame that has not been released. */
  get nextFrame(): number | undefined {
    return this.#frames[this.#released];
  }

  /** Whether too many pictures wait for one that should have come before them. */
  get isStuck(): boolean {
    return this.#waiting.size > MAX_WAITING_PICTURES;
  }

  addSent(position: number): void {
    this.#sent.push(position);
  }

  /** Takes the frame that the factory holds, decoded from the packet at `position`. */
  addDecoded(position: number, factory: PictureFactory): void {
    const frame = this.#index.packets.frame[position - this.#index.firstPacket] ?? -1;
    this.#decoded.add(position);
    if (frame < 0 || !this.#frames.includes(frame)) {
      factory.drop();
      return;
    }
    const codec = this.#vectorCodec;
    const distances = codec === undefined ? undefined : findReferenceDistances(this.#index, frame, codec);
    this.#waiting.set(frame, { position, picture: factory.take(frameTime(this.#index, frame), distances) });
  }

  /** Yields the wanted pictures that come next and are known to be undamaged. */
  *release(): Generator<Picture, void, unknown> {
    while (this.#complete < this.#sent.length && this.#isOut(this.#sent[this.#complete]!)) this.#complete++;
    const uncertain = this.#sent[this.#complete] ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const next = this.#waiting.get(this.nextFrame ?? -1);
      if (!next || next.position >= uncertain) return;
      this.#waiting.delete(this.nextFrame!);
      this.#released++;
      yield next.picture;
    }
  }

  /** Frames that are not shown never come out. */
  #isOut(position: number): boolean {
    return (
      this.#decoded.has(position) || (this.#index.packets.flags[position - this.#index.firstPacket]! & HIDDEN) !== 0
    );
  }

  [Symbol.dispose](): void {
    for (const { picture } of this.#waiting.values()) picture[Symbol.dispose]();
    this.#waiting.clear();
  }
}
