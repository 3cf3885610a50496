import { Bits } from './bits.ts';

/** Bytes of a header that are looked at. */
const LOOK = 64;
/** More B-pictures between two others than any encoder writes. */
const MOST_BETWEEN = 1024;
const [VIDEO_OBJECT_LAYER, LAST_LAYER, PICTURE] = [0x20, 0x2f, 0xb6] as const;

/**
 * What the headers of MPEG-4 part 2 (ISO/IEC 14496-2 §6.2.3 and §6.2.5) tell where a container has no presentation times: the order
 * in which pictures are shown, and which packets only say that the picture before stands on.
 */
export class Mpeg4Pictures {
  readonly #bits = new Bits(LOOK);
  /** Bits of vop_time_increment; 0 where unknown. */
  #timeBits = 0;
  /** Pictures that are no B-picture, and the B-pictures since the last of them. */
  #anchors = 0;
  #between = 0;

  /** Ascends in output order: a picture of another kind is shown behind the B-pictures that are decoded after it. */
  order = Number.NaN;
  /** It refers to no other. */
  start = true;
  /** The packet holds no picture (vop_coded 0). */
  skipped = false;

  /** Takes the headers of a packet, or of the stream. */
  read(data: Uint8Array): void {
    this.order = Number.NaN;
    this.skipped = false;
    for (let at = 0; at + 4 < data.length; at++) {
      if (data[at] !== 0 || data[at + 1] !== 0 || data[at + 2] !== 1) continue;
      const code = data[at + 3]!;
      this.#bits.load(data, at + 4);
      if (code >= VIDEO_OBJECT_LAYER && code <= LAST_LAYER) this.#readLayer();
      if (code === PICTURE) return this.#readPicture();
      at += 3;
    }
  }

  #readPicture(): void {
    const bits = this.#bits;
    const type = bits.u(2);
    this.start = type === 0;
    if (this.#timeBits > 0) {
      // modulo_time_base: a bit for each second passed.
      while (!bits.spent && bits.flag());
      bits.u(1 + this.#timeBits + 1);
      this.skipped = !bits.spent && !bits.flag();
    }
    if (type === 2) this.order = this.#anchors * MOST_BETWEEN + ++this.#between;
    else {
      this.order = ++this.#anchors * MOST_BETWEEN + MOST_BETWEEN - 1;
      this.#between = 0;
    }
  }

  /** As far as vop_time_increment_resolution. */
  #readLayer(): void {
    const bits = this.#bits;
    bits.u(1 + 8);
    const version = bits.flag() ? bits.u(7) >> 3 : 1;
    if (bits.u(4) === 15) bits.u(16);
    // Of the buffer's parameters six numbers with a marker bit each.
    if (bits.flag() && bits.u(2 + 1 + 1) % 2 === 1) bits.u(15 + 1 + 15 + 1 + 15 + 1 + 3 + 11 + 1 + 15 + 1);
    if (bits.u(2) === 3 && version !== 1) bits.u(4);
    bits.u(1);
    const resolution = bits.u(16);
    this.#timeBits = bits.spent || resolution === 0 ? 0 : Math.max(1, 32 - Math.clz32(resolution - 1));
  }
}
