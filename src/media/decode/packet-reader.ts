import { Packet } from 'node-av/lib';
import { AVFLAG_NONE, AV_PKT_FLAG_DISCARD, AV_PKT_FLAG_KEY } from 'node-av/constants';
import type { AVPacketFlag } from 'node-av/constants';
import { HIDDEN, KEY } from '../packets/packet-index.ts';
import type { PacketIndex } from '../packets/packet-index.ts';
import { reason } from '../container/open.ts';
import { toTicks } from '../video.ts';
import type { VideoFile } from '../video.ts';

/** How many packets to read on rather than to seek. */
const READ_ON = 64;
/** Seconds before a packet to land at, one after the other, until a landing does not lie behind it. */
const RUN_UPS = [0, 2, 10, 60];

/**
 * Reads packets of an index by decode position: from the file itself where the index knows their places, else through the demuxer,
 * forwards as far as it can.
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

  /** The packet at a decode position, valid until the next call; or why it cannot be had. */
  at(position: number): Packet | string {
    const place = this.#index.packets.place[position - this.#index.firstPacket];
    if (place !== undefined && place >= 0) return this.#stored(position, place);
    const here = this.#file.position;
    if (here === undefined || here > position || position - here > READ_ON) {
      const failed = this.#seek(position);
      if (failed === undefined) return this.#packet;
    }
    return this.#readOn(position) ?? this.#packet;
  }

  #stored(position: number, place: number): Packet | string {
    const row = position - this.#index.firstPacket;
    const bytes = this.#file.stored.at(place, this.#index.packets.size[row]!);
    if (typeof bytes === 'string') return bytes;
    const flags = this.#index.packets.flags[row]!;
    this.#packet.unref();
    this.#packet.data = bytes;
    this.#packet.flags = (((flags & KEY) === 0 ? AVFLAG_NONE : AV_PKT_FLAG_KEY) |
      ((flags & HIDDEN) === 0 ? AVFLAG_NONE : AV_PKT_FLAG_DISCARD)) as AVPacketFlag;
    return this.#packet;
  }

  /** Reads until the packet at `position` is held. Returns why it could not. */
  #readOn(position: number): string | undefined {
    const file = this.#file;
    while (file.position !== undefined) {
      this.#packet.unref();
      const result = file.read(this.#packet);
      if (result < 0) {
        file.position = undefined;
        return reason(result);
      }
      const here = file.position++;
      if (here < position) continue;
      if (this.#matches(here)) return undefined;
      file.position = undefined;
    }
    return 'the file reads differently from before';
  }

  /**
   * Seeks so that the packet at `position` is held (returns undefined) or comes later (returns a reason, and the file's
   * position is known, in the worst case the beginning).
   */
  #seek(position: number): string | undefined {
    const { firstPacket, timeBase } = this.#index;
    const { starts, dts, pts } = this.#index.packets;
    let group = starts.length - 1;
    while (group > 0 && starts[group]! > position) group--;
    const row = starts[group]! - firstPacket;
    // Some containers seek by presentation time, others by decoding time.
    const times = [pts[row]!, Math.min(pts[row]!, dts[row]!), dts[row]!].filter((time) => !Number.isNaN(time));
    for (const seconds of RUN_UPS) {
      for (const time of new Set(times)) {
        if (!this.#file.seek(time - (seconds * timeBase.den) / timeBase.num)) continue;
        const here = this.#recognise(position);
        if (here === undefined) continue;
        this.#file.position = here + 1;
        return here === position ? undefined : 'ahead';
      }
    }
    this.#file.rewind();
    this.#file.position = 0;
    return 'ahead';
  }

  /**
   * Reads until a packet is recognised that is not behind `position`; gives its decode position. A landing may lie before
   * what the index covers, or within a packet.
   */
  #recognise(position: number): number | undefined {
    this.#file.position = undefined;
    const { firstPacket, packets } = this.#index;
    const row = position - firstPacket;
    for (;;) {
      this.#packet.unref();
      if (this.#file.read(this.#packet) < 0) return undefined;
      for (let i = position; i >= firstPacket; i--) if (this.#matches(i)) return i;
      const late = toTicks(this.#packet.dts) - packets.dts[row]!;
      const before = Number.isNaN(late) ? toTicks(this.#packet.pts) < packets.pts[row]! : late < 0;
      if (!before && (this.#packet.isKeyframe || late > 0)) return undefined;
    }
  }

  /** By presentation time and size; some demuxers know decoding times less well after a seek. */
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
