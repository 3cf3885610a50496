import { countLeading } from '../../binary-search.ts';
import type { Rational } from '../../time.ts';

/**
 * The frames of a video in presentation order and its packets in decode order, about 50 bytes a frame. All of it is typed
 * arrays, so that it can be sent to another thread. An index may cover a part of the video (`sliceIndex`); frame numbers,
 * decode positions and group numbers always count from the start of the video.
 */
export interface PacketIndex {
  readonly timeBase: Rational;
  /** Presentation timestamp of the video's first frame, in ticks. */
  readonly origin: number;
  /** Numbers of the first frame, packet and group that the index covers: 0 except for a slice. */
  readonly firstFrame: number;
  readonly firstPacket: number;
  readonly firstGroup: number;
  /** Per frame: seconds from the video's first frame, ascending, rounded to the microsecond. */
  readonly t: Float64Array;
  /** Per frame: 1 where decoding can start. */
  readonly key: Uint8Array;
  /** Per frame: 1 where later frames may refer to it. */
  readonly reference: Uint8Array;
  /** Per frame: its decode position. */
  readonly packet: Uint32Array;
  readonly packets: PacketTable;
  /** Why reading ended before the end of the file, if it did. */
  readonly problem?: string;
  /** The clock restarts within the file, so the container's duration does not hold. */
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
   * Offset of the packet's bytes in the file; NaN where they are not stored in one piece. Empty where the container never
   * stores them so.
   */
  readonly offset: Float64Array;
  /** Number of the packet's frame; -1 when it is not shown. */
  readonly frame: Int32Array;
  /** KEY | REFERENCE | HIDDEN | BROKEN | LEADING | DAMAGED | ORPHAN | SECOND_FIELD */
  readonly flags: Uint8Array;
  /** Decode position of each group's first packet, ascending: the keyframes, and the first packet in any case. */
  readonly starts: Uint32Array;
  /** Number of each group's first frame. */
  readonly firstFrames: Uint32Array;
}

/** Decoding can start at the packet. */
export const KEY = 1;
/** Later packets may refer to the packet. */
export const REFERENCE = 2;
/** The packet is decoded but not shown: an edit list cuts it away. */
export const HIDDEN = 4;
/** Packets that later ones refer to are missing just before: nothing more can be decoded until the next keyframe. */
export const BROKEN = 8;
/** Decoded after its group's keyframe but shown before it: its frame belongs to the group before, which it may refer to. */
export const LEADING = 16;
/** The packet itself is damaged. */
export const DAMAGED = 32;
/** It refers to pictures before the beginning of the file: it is HIDDEN and never decoded. */
export const ORPHAN = 64;
/** The second field of the frame whose first field is the packet before: HIDDEN, and decoded with it. */
export const SECOND_FIELD = 128;

/** Consecutive groups of pictures: the unit of parallel work. */
export interface Chunk {
  /** Groups `[firstGroup, lastGroup)`. */
  readonly firstGroup: number;
  readonly lastGroup: number;
  /** Frames `[firstFrame, lastFrame)` in presentation order. */
  readonly firstFrame: number;
  readonly lastFrame: number;
  /** Seconds of its first frame, and of the next chunk's first frame (of its own last frame for the last chunk). */
  readonly t: number;
  readonly end: number;
}

/** Container time of the video's first frame, in seconds: the zero of its clock. */
export function originSeconds(index: PacketIndex): number {
  return (index.origin * index.timeBase.num) / index.timeBase.den;
}

/** Number of the frame after the last that the index covers. */
function frameEnd(index: PacketIndex): number {
  return index.firstFrame + index.t.length;
}

/** Number of the group after the last that the index covers. */
export function groupEnd(index: PacketIndex): number {
  return index.firstGroup + index.packets.starts.length;
}

/** Presentation time of a frame in seconds; that of the last frame past the end. */
export function frameTime(index: PacketIndex, frame: number): number {
  return index.t[Math.min(frame - index.firstFrame, index.t.length - 1)] ?? 0;
}

/** Number of a group's first frame; past the last group, the number after the last frame. */
export function groupFirstFrame(index: PacketIndex, group: number): number {
  return index.packets.firstFrames[group - index.firstGroup] ?? frameEnd(index);
}

/** Decode position of a group's first packet; past the last group, the position after the last packet. */
export function groupFirstPacket(index: PacketIndex, group: number): number {
  return index.packets.starts[group - index.firstGroup] ?? index.firstPacket + index.packets.size.length;
}

/** Finds the group of pictures that contains a frame. */
export function findGroup(index: PacketIndex, frame: number): number {
  const { firstFrames } = index.packets;
  const started = countLeading(firstFrames.length, (group) => firstFrames[group]! <= frame);
  return index.firstGroup + Math.max(0, started - 1);
}

/** Splits a video into chunks of whole groups, each at least `minSeconds` long except the last. */
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

/** Creates the chunk of groups `[firstGroup, lastGroup)`. */
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
 * Copies the part of an index that `decodeFrames` needs for a chunk, small enough to send to a worker. It covers one group
 * more than the chunk, whose leading pictures may belong to it.
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
      offset: packets.offset.slice(...rows),
      frame: packets.frame.slice(...rows),
      flags: packets.flags.slice(...rows),
      starts: packets.starts.slice(...groups),
      firstFrames: packets.firstFrames.slice(...groups),
    },
  };
}
