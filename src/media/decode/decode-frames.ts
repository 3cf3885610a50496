import type { Packet } from 'node-av/lib';
import { AVERROR_EAGAIN, AVERROR_EOF, AV_FRAME_FLAG_CORRUPT } from 'node-av/constants';
import {
  BROKEN,
  DAMAGED,
  HIDDEN,
  LEADING,
  ORPHAN,
  REFERENCE,
  SECOND,
  groupFirstFrame,
  findGroup,
  groupFirstPacket,
  frameTime,
} from '../packets/packet-index.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import type { Picture } from '../picture.ts';
import { PictureFactory } from './picture-factory.ts';
import { PacketReader } from './packet-reader.ts';
import { reason } from '../container/open.ts';
import { findReferenceDistances } from './motion-vectors.ts';
import type { VideoFile } from '../video.ts';

/**
 * A stretch that could not be decoded, in seconds: from its first frame that is missing (or the last before it, where packets
 * are lost or damaged) to the next group's first frame.
 */
export interface DecodeGap {
  readonly t: number;
  readonly end: number;
  readonly reason: string;
}

/** Tells a problem from a picture. */
export function isGap(item: Picture | DecodeGap): item is DecodeGap {
  return 'reason' in item;
}

/**
 * Decodes the wanted frames of a chunk and nothing that they do not need: of each group of pictures the reference packets
 * up to the last wanted frame, and the wanted packets themselves. `wanted` holds frame numbers of this chunk, ascending.
 * Yields the pictures in that order; dispose of each before asking for many more. At the first error the rest of the group
 * is given up and reported; the next group starts clean. The same file gives the same result in every run, whatever was
 * read from it before. One reading of a file at a time. Let the event loop turn now and then, between chunks at the
 * latest: what native views leave behind is only freed there.
 */
export function* decodeFrames(
  file: VideoFile,
  index: PacketIndex,
  chunk: Chunk,
  wanted: ArrayLike<number>,
): Generator<Picture | DecodeGap, void, undefined> {
  const steps = decodingSteps(file, index, chunk, wanted);
  try {
    for (let step = steps.next(); !step.done; )
      if (step.value instanceof Sending) step = steps.next(step.value.now());
      else {
        yield step.value;
        step = steps.next();
      }
  } finally {
    steps.return();
  }
}

/** A packet on its way to the decoder, which decodes it then and there. */
export class Sending {
  readonly #decoder: ReturnType<VideoFile['decoder']['getNative']>;
  readonly #packet: ReturnType<Packet['getNative']>;

  constructor(decoder: VideoFile['decoder'], packet: Packet) {
    this.#decoder = decoder.getNative();
    this.#packet = packet.getNative();
  }

  /** FFmpeg's code. */
  now(): number {
    return this.#decoder.sendPacketSync(this.#packet);
  }

  /** The same from a thread beside; until then neither decoder nor packet may be used. */
  later(): Promise<number> {
    const sent = this.#decoder.sendPacket(this.#packet);
    // Whoever stops looking at pictures may never ask.
    sent.catch(() => undefined);
    return sent;
  }
}

/** What decoding comes to: pictures and problems in order, and packets to be sent, whose answer the next step is given. */
export type Steps = Generator<Picture | DecodeGap | Sending, void, number | undefined>;

export function* decodingSteps(file: VideoFile, index: PacketIndex, chunk: Chunk, wanted: ArrayLike<number>): Steps {
  const maker = new PictureFactory(file.info.rotation, file.info.pixelAspect);
  const reader = new PacketReader(file, index);
  try {
    for (let from = 0; from < wanted.length; ) {
      const first = wanted[from]!;
      if (first < chunk.firstFrame || first >= chunk.lastFrame)
        throw new RangeError(`frame ${first} is not in the chunk`);
      const group = findGroup(index, first);
      const nextGroup = groupFirstFrame(index, group + 1);
      let to = from;
      while (to < wanted.length && wanted[to]! < nextGroup) to++;
      yield* readGroup(file, index, reader, maker, group, Array.prototype.slice.call(wanted, from, to) as number[]);
      from = to;
    }
  } finally {
    reader[Symbol.dispose]();
    maker[Symbol.dispose]();
  }
}

function* readGroup(
  file: VideoFile,
  index: PacketIndex,
  reader: PacketReader,
  maker: PictureFactory,
  group: number,
  wanted: readonly number[],
): Steps {
  const custody = new Custody(index, wanted, file.exportsMotionVectors ? file.info.codec : undefined);
  let failure: string | undefined;
  if (file.decoding) empty(file, maker);
  file.decoding = true;
  try {
    const needs = needed(index, group, wanted);
    for (const position of needs.positions) {
      failure = (yield* feed(file, reader, custody, position)) ?? collect(file, maker, custody);
      yield* custody.release();
      if (custody.stuck) failure ??= 'the timestamps contradict the order of the pictures';
      if (failure) break;
    }
    failure ??= needs.failure;
    // What was decoded before a failure is still to come out.
    file.decoder.sendPacketSync(null);
    const late = collect(file, maker, custody);
    failure ??= late;
    yield* custody.release();
  } finally {
    empty(file, maker);
    custody[Symbol.dispose]();
  }
  const missing = custody.next;
  if (missing !== undefined) {
    // Beside lost and damaged packets may lie others that the index does not know: begin after the last known frame.
    const lost = failure === LOST || failure === DAMAGE;
    const before = lost && missing > groupFirstFrame(index, group) ? missing - 1 : missing;
    const end = frameTime(index, groupFirstFrame(index, group + 1));
    yield { t: frameTime(index, before), end, reason: failure ?? 'the decoder gives no picture' };
  }
}

const LOST = 'packets are missing';
const DAMAGE = 'a packet is damaged';

/**
 * Decode positions that the wanted frames of a group need, ascending: references up to the last of them, and themselves;
 * with why, where they end early. Of the next group its keyframe and leading pictures, which belong to this one; of this
 * group all but these.
 */
function needed(
  index: PacketIndex,
  group: number,
  wanted: readonly number[],
): { readonly positions: readonly number[]; readonly failure?: string } {
  const start = groupFirstPacket(index, group);
  const next = groupFirstPacket(index, group + 1);
  const own = new Set(wanted.map((frame) => index.packet[frame - index.firstFrame]!));
  const last = Math.max(...own);
  const positions: number[] = [];
  const flagsAt = (position: number): number => index.packets.flags[position - index.firstPacket] ?? 0;
  for (let position = start; position <= last || (flagsAt(position) & SECOND) !== 0; position++) {
    const flags = flagsAt(position);
    if (position > start && (flags & BROKEN) !== 0) return { positions, failure: LOST };
    if ((flags & SECOND) !== 0) {
      if (positions.at(-1) !== position - 1) continue;
      if ((flags & DAMAGED) !== 0) return { positions, failure: DAMAGE };
      positions.push(position);
      continue;
    }
    if (position !== next && ((flags & LEADING) !== 0) !== position > next) continue;
    if ((flags & ORPHAN) !== 0) continue;
    if ((flags & REFERENCE) === 0 && !own.has(position)) continue;
    if ((flags & DAMAGED) !== 0) return { positions, failure: DAMAGE };
    positions.push(position);
  }
  return { positions };
}

/** Sends a packet to the decoder; returns why that failed, if it did. */
function* feed(
  file: VideoFile,
  reader: PacketReader,
  custody: Custody,
  position: number,
): Generator<Sending, string | undefined, number | undefined> {
  const packet = reader.at(position);
  if (typeof packet === 'string') return packet;
  // The decode position travels through the decoder as the timestamp, so that repeated or missing ones do no harm.
  packet.pts = BigInt(position);
  const sent = (yield new Sending(file.decoder, packet))!;
  packet.unref();
  custody.sent(position);
  return sent < 0 ? refusal(sent) : undefined;
}

function refusal(code: number): string {
  return `a packet cannot be decoded (${reason(code)})`;
}

/** Hands what the decoder has ready into custody; returns why it stopped, if on an error. */
function collect(file: VideoFile, maker: PictureFactory, custody: Custody): string | undefined {
  const decoder = file.decoder.getNative();
  for (;;) {
    const frame = maker.frame();
    const result = decoder.receiveFrameSync(frame);
    if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return undefined;
    if (result < 0) return refusal(result);
    const damaged = frame.decodeErrorFlags !== 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) !== 0;
    if (damaged) {
      frame.unref();
      return 'a picture is damaged';
    }
    custody.take(Number(frame.pts), maker);
  }
}

/** Readies the decoder for another group. Flushing alone leaves some decoders (HEVC) with pictures to give. */
function empty(file: VideoFile, maker: PictureFactory): void {
  const decoder = file.decoder.getNative();
  decoder.sendPacketSync(null);
  while (decoder.receiveFrameSync(maker.frame()) >= 0) maker.drop();
  decoder.flushBuffers();
  file.decoding = false;
}

/**
 * Holds pictures back until everything decoded before them has come out whole: a picture that is shown early may refer to
 * a damaged one that is shown later.
 */
class Custody implements Disposable {
  readonly #index: PacketIndex;
  readonly #wanted: readonly number[];
  readonly #codec: string | undefined;
  readonly #sent: number[] = [];
  readonly #out = new Set<number>();
  /** By frame number: decoders go by the bitstream's order, which damaged timestamps contradict. */
  readonly #held = new Map<number, { readonly position: number; readonly picture: Picture }>();
  /** How many of the sent have come out, without a hole. */
  #whole = 0;
  #released = 0;

  /** `codec`: pictures come with their motion vectors. */
  constructor(index: PacketIndex, wanted: readonly number[], codec: string | undefined) {
    this.#index = index;
    this.#codec = codec;
    this.#wanted = wanted;
  }

  /** The first wanted frame that has not been released. */
  get next(): number | undefined {
    return this.#wanted[this.#released];
  }

  /** So many pictures wait for one that should have come before them that it is not worth the memory. */
  get stuck(): boolean {
    return this.#held.size > 40;
  }

  sent(position: number): void {
    this.#sent.push(position);
  }

  /** Takes the frame that the maker holds. */
  take(position: number, maker: PictureFactory): void {
    const row = position - this.#index.firstPacket;
    const frame = this.#index.packets.frame[row] ?? -1;
    this.#out.add(position);
    if (frame < 0 || !this.#wanted.includes(frame)) maker.drop();
    else {
      const spans = this.#codec === undefined ? undefined : findReferenceDistances(this.#index, frame, this.#codec);
      this.#held.set(frame, { position, picture: maker.take(frameTime(this.#index, frame), spans) });
    }
  }

  /** Yields what is wanted next and certain. */
  *release(): Generator<Picture, void, unknown> {
    while (this.#whole < this.#sent.length && this.#hasComeOut(this.#sent[this.#whole]!)) this.#whole++;
    const uncertain = this.#sent[this.#whole] ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const held = this.#held.get(this.next ?? -1);
      if (!held || held.position >= uncertain) return;
      this.#held.delete(this.next!);
      this.#released++;
      yield held.picture;
    }
  }

  /** Frames that are not shown do not come out. */
  #hasComeOut(position: number): boolean {
    return this.#out.has(position) || (this.#index.packets.flags[position - this.#index.firstPacket]! & HIDDEN) !== 0;
  }

  [Symbol.dispose](): void {
    for (const { picture } of this.#held.values()) picture[Symbol.dispose]();
    this.#held.clear();
  }
}
