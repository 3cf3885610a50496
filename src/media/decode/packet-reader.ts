import { Packet } from 'node-av/lib';
import { AVFLAG_NONE, AV_PKT_FLAG_DISCARD, AV_PKT_FLAG_KEY } from 'node-av/constants';
import type { AVPacketFlag } from 'node-av/constants';
import { HIDDEN, KEY } from '../packets/packet-index.ts';
import type { PacketIndex } from '../packets/packet-index.ts';
import { describeError } from '../container/open.ts';
import { toTicks } from '../video.ts';
import type { VideoFile } from '../video.ts';

/** Reading this many packets is cheaper than a seek. */
const MAX_PACKETS_READ_ON = 64;
/** How far before a packet to seek, one after the other, until the demuxer does not land behind it. */
const SEEK_MARGINS_SECONDS = [0, 2, 10, 60];

/**
 * Reads packets of an index by decode position: from the file where the index knows their offsets, else through the
 * demuxer, forwards as far as possible.
 */
export class PacketReader implements Disposable {
  readonly #file: VideoFile;
  readonly #index: PacketIndex;
  readonly #packet = new Packet();

  constructor(file: VideoFile, index: PacketIndex) {
    this.#file = file;
    this.#index = index;
    this.#packet.alloc();
  }

  /** Returns the packet at a decode position, valid until the next call, or the reason why it cannot be read. */
  read(position: number): Packet | string {
    const offset = this.#index.packets.offset[position - this.#index.firstPacket];
    if (offset !== undefined && offset >= 0) return this.#readStored(position, offset);
    const current = this.#file.position;
    if (current === undefined || current > position || position - current > MAX_PACKETS_READ_ON) {
      if (this.#seek(position)) return this.#packet;
    }
    return this.#readOn(position) ?? this.#packet;
  }

  #readStored(position: number, offset: number): Packet | string {
    const row = position - this.#index.firstPacket;
    const bytes = this.#file.bytes.read(offset, this.#index.packets.size[row]!);
    if (typeof bytes === 'string') return bytes;
    const flags = this.#index.packets.flags[row]!;
    this.#packet.unref();
    this.#packet.data = bytes;
    this.#packet.flags = (((flags & KEY) === 0 ? AVFLAG_NONE : AV_PKT_FLAG_KEY) |
      ((flags & HIDDEN) === 0 ? AVFLAG_NONE : AV_PKT_FLAG_DISCARD)) as AVPacketFlag;
    return this.#packet;
  }

  /** Reads up to the packet at `position`. Returns the reason on failure. */
  #readOn(position: number): string | undefined {
    const file = this.#file;
    while (file.position !== undefined) {
      this.#packet.unref();
      const result = file.read(this.#packet);
      if (result < 0) {
        file.position = undefined;
        return describeError(result);
      }
      const current = file.position++;
      if (current < position) continue;
      if (this.#matches(current)) return undefined;
      file.position = undefined;
    }
    return 'the file reads differently from before';
  }

  /**
   * Seeks to `position` or before. Returns whether the packet at `position` is held; otherwise the file's position is
   * known, in the worst case the beginning.
   */
  #seek(position: number): boolean {
    const { firstPacket, timeBase } = this.#index;
    const { starts, dts, pts } = this.#index.packets;
    let group = starts.length - 1;
    while (group > 0 && starts[group]! > position) group--;
    const row = starts[group]! - firstPacket;
    // Some containers seek by presentation time, others by decoding time.
    const times = [pts[row]!, Math.min(pts[row]!, dts[row]!), dts[row]!].filter((time) => !Number.isNaN(time));
    for (const seconds of SEEK_MARGINS_SECONDS) {
      for (const time of new Set(times)) {
        if (!this.#file.seek(time - (seconds * timeBase.den) / timeBase.num)) continue;
        const landed = this.#identifyPacket(position);
        if (landed === undefined) continue;
        this.#file.position = landed + 1;
        return landed === position;
      }
    }
    this.#file.rewind();
    this.#file.position = 0;
    return false;
  }

  /**
   * Reads until a packet at or before `position` is identified; returns its decode position. A seek may land before what
   * the index covers, or within a packet.
   */
  #identifyPacket(position: number): number | undefined {
    this.#file.position = undefined;
    const { firstPacket, packets } = this.#index;
    const row = position - firstPacket;
    for (;;) {
      this.#packet.unref();
      if (this.#file.read(this.#packet) < 0) return undefined;
      for (let i = position; i >= firstPacket; i--) if (this.#matches(i)) return i;
      const late = toTicks(this.#packet.dts) - packets.dts[row]!;
      const isBefore = Number.isNaN(late) ? toTicks(this.#packet.pts) < packets.pts[row]! : late < 0;
      if (!isBefore && (this.#packet.isKeyframe || late > 0)) return undefined;
    }
  }

  /** Compares size and presentation time; some demuxers know decoding times less well after a seek. */
  #matches(position: number): boolean {
    const { size, pts, dts } = this.#index.packets;
    const row = position - this.#index.firstPacket;
    if (this.#packet.size !== size[row]) return false;
    const stored = pts[row]!;
    return Number.isNaN(stored) ? Object.is(toTicks(this.#packet.dts), dts[row]) : toTicks(this.#packet.pts) === stored;
  }

  [Symbol.dispose](): void {
    this.#packet.free();
  }
}
