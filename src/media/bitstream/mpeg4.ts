import { BitReader } from './bits.ts';

const MAX_HEADER_BYTES = 64;
/** More B-pictures in a row than any encoder writes. */
const MAX_B_PICTURES = 1024;
const [VIDEO_OBJECT_LAYER, LAST_LAYER, PICTURE] = [0x20, 0x2f, 0xb6] as const;

/**
 * Reads from MPEG-4 part 2 headers (ISO/IEC 14496-2 §6.2.3, §6.2.5) what a container without presentation times does not
 * say: the order in which pictures are shown, and which packets only repeat the picture before.
 */
export class Mpeg4HeaderReader {
  readonly #bits = new BitReader(MAX_HEADER_BYTES);
  /** Bits of vop_time_increment; 0 where unknown. */
  #timeBits = 0;
  /** Number of I- and P-pictures, and of B-pictures since the last of them. */
  #anchors = 0;
  #bPictures = 0;

  /** Ascends in output order: an I- or P-picture is shown after the B-pictures that are decoded after it. */
  order = Number.NaN;
  /** The picture is intra-coded. */
  start = true;
  /** The packet holds no picture (vop_coded 0). */
  skipped = false;

  /** Reads the headers of a packet, or of the stream. */
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
      // modulo_time_base: one bit per second that has passed.
      while (!bits.isExhausted && bits.flag());
      bits.u(1 + this.#timeBits + 1);
      this.skipped = !bits.isExhausted && !bits.flag();
    }
    if (type === 2) this.order = this.#anchors * MAX_B_PICTURES + ++this.#bPictures;
    else {
      this.order = ++this.#anchors * MAX_B_PICTURES + MAX_B_PICTURES - 1;
      this.#bPictures = 0;
    }
  }

  /** Reads a layer header up to vop_time_increment_resolution. */
  #readLayer(): void {
    const bits = this.#bits;
    bits.u(1 + 8);
    const version = bits.flag() ? bits.u(7) >> 3 : 1;
    if (bits.u(4) === 15) bits.u(16);
    // VBV parameters: six numbers, each with a marker bit.
    if (bits.flag() && bits.u(2 + 1 + 1) % 2 === 1) bits.u(15 + 1 + 15 + 1 + 15 + 1 + 3 + 11 + 1 + 15 + 1);
    if (bits.u(2) === 3 && version !== 1) bits.u(4);
    bits.u(1);
    const resolution = bits.u(16);
    this.#timeBits = bits.isExhausted || resolution === 0 ? 0 : Math.max(1, 32 - Math.clz32(resolution - 1));
  }
}
