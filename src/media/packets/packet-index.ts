import type { Rational } from '../../time.ts';

/**
 * The frames of a video in presentation order, and its packets in decode order: about 50 bytes a frame. Plain typed
 * arrays, so that it can be sent to another thread. It may cover a stretch of the video only (`sliceIndex`); frame numbers,
 * decode positions and group numbers always count from the start of the video.
 */
export interface PacketIndex {
  readonly timeBase: Rational;
  /** Presentation timestamp of the video's first frame, in ticks. */
  readonly origin: number;
  /** Number of the first frame, packet and group covered; 0 but for a window. */
  readonly firstFrame: number;
  readonly firstPacket: number;
  readonly firstGroup: number;
  /** Seconds of each frame from the video's first, ascending, to the microsecond. */
  readonly t: Float64Array;
  /** 1 where decoding can start. */
  readonly key: Uint8Array;
  /** 1 where later frames may refer to the frame. */
  readonly reference: Uint8Array;
  /** Decode position of each frame. */
  readonly packet: Uint32Array;
  readonly packets: PacketTable;
  /** Why reading ended before the end of the file, if it did. */
  readonly problem?: string;
  /** Its clock was set anew within the file: what the container says of its length does not hold. */
  readonly clockSetAnew?: true;
}

/** Packets in decode order. */
export interface PacketTable {
  /** Presentation timestamps in ticks as stored; NaN where there is none. */
  readonly pts: Float64Array;
  /** Decoding timestamps in ticks as stored; NaN where there is none. */
  readonly dts: Float64Array;
  /** Bytes. */
  readonly size: Uint32Array;
  /**
   * Offset in the file, where the packet's bytes stand there in one piece and are all that it is; NaN where not. Empty where the container
   * never stores packets so.
   */
  readonly place: Float64Array;
  /** Presentation number of the packet's frame; -1 if it is not shown. */
  readonly frame: Int32Array;
  /** KEY | REFERENCE | HIDDEN | BROKEN | LEADING | DAMAGED | ORPHAN | SECOND */
  readonly flags: Uint8Array;
  /** Decode position of each group's first packet, ascending: the keyframes, and the first packet whatever it is. */
  readonly starts: Uint32Array;
  /** Number of each group's first frame. */
  readonly firstFrames: Uint32Array;
}

export const KEY = 1;
export const REFERENCE = 2;
/** In the file, but not to be shown: cut away by its edit list. */
export const HIDDEN = 4;
/** Packets that later ones refer to are missing just before it: nothing more can be decoded until the next keyframe. */
export const BROKEN = 8;
/** What it refers to lies before the beginning: it is not decoded, and HIDDEN. */
export const ORPHAN = 64;
/** The second field of the frame whose first field is the packet before: decoded with it, and HIDDEN. */
export const SECOND = 128;
/** The packet itself is damaged. */
export const DAMAGED = 32;
/** Decoded after its group's keyframe but presented before it; may refer to the group before, to which its frame belongs. */
export const LEADING = 16;

/** A run of groups of pictures: the unit of parallel work and of damage. */
export interface Chunk {
  /** Groups `[firstGroup, lastGroup)`. */
  readonly firstGroup: number;
  readonly lastGroup: number;
  /** Frames `[firstFrame, lastFrame)` in presentation order. */
  readonly firstFrame: number;
  readonly lastFrame: number;
  /** Seconds of its first frame, and of the next chunk's first frame (for the last one: of its last frame). */
  readonly t: number;
  readonly end: number;
}

/** Container time, in seconds, of the video's first frame: the zero of its clock. */
export function originSeconds(index: PacketIndex): number {
  return (index.origin * index.timeBase.num) / index.timeBase.den;
}

/** Number of frames from the start of the video to the end of what the index covers. */
function frameEnd(index: PacketIndex): number {
  return index.firstFrame + index.t.length;
}

/** Number of groups from the start of the video to the end of what the index covers. */
export function groupEnd(index: PacketIndex): number {
  return index.firstGroup + index.packets.starts.length;
}

/** Seconds of frame number `frame`; past the end, those of the last frame. */
export function frameTime(index: PacketIndex, frame: number): number {
  return index.t[Math.min(frame - index.firstFrame, index.t.length - 1)] ?? 0;
}

/** Number of the first frame of a group; past the last group, of the frame after the last. */
export function groupFirstFrame(index: PacketIndex, group: number): number {
  return index.packets.firstFrames[group - index.firstGroup] ?? frameEnd(index);
}

/** Decode position of a group's first packet; past the last group, of the packet after the last. */
export function groupFirstPacket(index: PacketIndex, group: number): number {
  return index.packets.starts[group - index.firstGroup] ?? index.firstPacket + index.packets.size.length;
}

/** The group of pictures that holds frame number `frame`. */
export function findGroup(index: PacketIndex, frame: number): number {
  const { firstFrames } = index.packets;
  let low = 0;
  let high = firstFrames.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (firstFrames[middle]! <= frame) low = middle;
    else high = middle;
  }
  return index.firstGroup + low;
}

/** Cuts a video into chunks of whole groups, each at least `minSeconds` long (but the last). */
export function splitIntoChunks(index: PacketIndex, options: { readonly minSeconds: number }): Chunk[] {
  const chunks: Chunk[] = [];
  let firstGroup = index.firstGroup;
  const end = groupEnd(index);
  for (let group = firstGroup + 1; group <= end; group++) {
    const chunk = createChunk(index, firstGroup, group);
    if (group < end && chunk.end - chunk.t < options.minSeconds) continue;
    chunks.push(chunk);
    firstGroup = group;
  }
  return chunks;
}

/** The chunk of groups `[firstGroup, lastGroup)`. */
export function createChunk(index: PacketIndex, firstGroup: number, lastGroup: number): Chunk {
  const firstFrame = groupFirstFrame(index, firstGroup);
  const lastFrame = groupFirstFrame(index, lastGroup);
  return {
    firstGroup,
    lastGroup,
    firstFrame,
    lastFrame,
    t: frameTime(index, firstFrame),
    end: frameTime(index, lastFrame),
  };
}

/**
 * The part of an index that `decodeFrames` needs for a chunk, in memory of its own: small enough to send to a worker.
 * It covers one group more than the chunk, whose leading pictures may belong to it.
 */
export function sliceIndex(index: PacketIndex, chunk: Chunk): PacketIndex {
  const { packets } = index;
  const groups = [chunk.firstGroup - index.firstGroup, chunk.lastGroup + 1 - index.firstGroup] as const;
  const firstPacket = groupFirstPacket(index, chunk.firstGroup);
  const rows = [
    firstPacket - index.firstPacket,
    groupFirstPacket(index, chunk.lastGroup + 1) - index.firstPacket,
  ] as const;
  const firstFrame = chunk.firstFrame;
  const frames = [
    firstFrame - index.firstFrame,
    groupFirstFrame(index, chunk.lastGroup + 1) - index.firstFrame,
  ] as const;
  return {
    timeBase: index.timeBase,
    origin: index.origin,
    firstFrame,
    firstPacket,
    firstGroup: chunk.firstGroup,
    t: index.t.slice(...frames),
    key: index.key.slice(...frames),
    reference: index.reference.slice(...frames),
    packet: index.packet.slice(...frames),
    packets: {
      pts: packets.pts.slice(...rows),
      dts: packets.dts.slice(...rows),
      size: packets.size.slice(...rows),
      place: packets.place.slice(...rows),
      frame: packets.frame.slice(...rows),
      flags: packets.flags.slice(...rows),
      starts: packets.starts.slice(...groups),
      firstFrames: packets.firstFrames.slice(...groups),
    },
  };
}
