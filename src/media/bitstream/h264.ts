import { Bits } from './bits.ts';
import { pictureParameters, resetsNumbers, sequenceParameters } from './h264-parameters.ts';
import type { PictureParameters, SequenceParameters } from './h264-parameters.ts';

/** Bytes of a NAL unit that are looked at: any parameter set in use, and a slice header with tables of weights. */
const LOOK = 256;

/**
 * What the first bytes of each H.264 picture, in decode order, tell about its place among the others (ITU-T H.264 §7.3): is
 * it a reference, does it follow the picture before it without a loss, and where does it stand in output order.
 */
export class H264Pictures {
  readonly #bits = new Bits(LOOK);
  readonly #sequences = new Map<number, SequenceParameters>();
  readonly #pictures = new Map<number, PictureParameters>();
  /** frame_num of the last reference picture; -1 where unknown. */
  #previous = -1;
  #orderHigh = 0;
  #orderLow = 0;
  /** The first field of a picture, whose second is to come. */
  #field: { readonly frameNum: number; readonly bottom: boolean } | undefined;
  /** Counts the resets of the output order. */
  #era = 0;

  /** Later pictures may refer to the last picture read. */
  reference = true;
  /** A reference picture is missing between the last picture read and the one before. */
  gap = false;
  /** Ascends in output order; NaN where the stream does not tell. */
  order = Number.NaN;

  /** It is the other field of the picture whose first field was read just before: the two make one frame. */
  second = false;

  /** It refers to none before it: an instant refresh, or intra pictures alone. What begins a gradual refresh (§D.2.8) does. */
  start = true;

  /** Takes a sequence or picture parameter set, or the first slice of a picture. True once it was a slice. */
  read(data: Uint8Array, at: number): boolean {
    const header = data[at]!;
    const type = header & 31;
    if (type === 7 || type === 8) {
      this.#bits.load(data, at + 1);
      const set = type === 7 ? sequenceParameters(this.#bits) : undefined;
      if (set) this.#sequences.set(set.id, set);
      const picture = type === 8 ? pictureParameters(this.#bits) : undefined;
      if (picture) this.#pictures.set(picture.id, picture);
    }
    if (type !== 1 && type !== 2 && type !== 5) return false;
    this.#bits.load(data, at + 1);
    this.#readSlice((header & 0x60) !== 0, type === 5);
    return true;
  }

  /** §7.3.3, as far as the memory management operations. */
  #readSlice(reference: boolean, instant: boolean): void {
    const bits = this.#bits;
    this.reference = reference;
    this.gap = false;
    this.order = Number.NaN;
    this.second = false;
    bits.ue();
    const type = (['P', 'B', 'I', 'P', 'I'] as const)[bits.ue() % 5]!;
    this.start = instant || type === 'I';
    const picture = this.#pictures.get(bits.ue());
    const sequence = this.#sequences.get(picture?.sequence ?? -1);
    if (!picture || !sequence || bits.spent) {
      this.#previous = -1;
      this.#field = undefined;
      return;
    }
    if (sequence.separateColourPlanes) bits.u(2);
    const frameNum = bits.u(sequence.frameNumBits);
    const fieldPicture = !sequence.framesOnly && bits.flag();
    this.#pair(frameNum, fieldPicture ? bits.flag() : undefined, instant);
    if (instant) bits.ue();
    this.#follow(frameNum, sequence, instant);
    this.#place(sequence.orderType === 0 ? bits.u(sequence.orderBits) : undefined, sequence, instant);
    if (!reference || instant || !resetsNumbers(bits, { type, fieldPicture }, sequence, picture)) return;
    this.#previous = 0;
    this.#era++;
    this.#orderHigh = 0;
    this.#orderLow = 0;
  }

  /** Fields of opposite parity and the same frame_num, one after the other, are one frame (§3.30, 7.4.1.2.4); `bottom`: undefined for a frame. */
  #pair(frameNum: number, bottom: boolean | undefined, instant: boolean): void {
    const first = this.#field;
    this.second = !instant && first !== undefined && first.frameNum === frameNum && first.bottom === !bottom;
    this.#field = bottom === undefined || this.second ? undefined : { frameNum, bottom };
    if (this.second) this.start = false;
  }

  /** frame_num counts reference pictures (§7.4.3): a jump means that some are missing. */
  #follow(frameNum: number, sequence: SequenceParameters, instant: boolean): void {
    const before = this.#previous;
    const follows = frameNum === before || frameNum === (before + 1) % 2 ** sequence.frameNumBits;
    this.gap = !instant && before >= 0 && !sequence.gapsAllowed && !follows;
    if (this.reference || this.gap) this.#previous = frameNum;
  }

  /** Output order from its low bits (§8.2.1.1); of the other types, that in which order is that of decoding. */
  #place(low: number | undefined, sequence: SequenceParameters, instant: boolean): void {
    if (low === undefined) {
      if (sequence.orderType === 2) this.order = ++this.#era * 2 ** 33;
      return;
    }
    const half = 2 ** (sequence.orderBits - 1);
    if (instant) {
      this.#era++;
      this.#orderHigh = 0;
      this.#orderLow = 0;
    }
    let high = this.#orderHigh;
    if (low < this.#orderLow && this.#orderLow - low >= half) high += 2 * half;
    else if (low > this.#orderLow && low - this.#orderLow > half) high -= 2 * half;
    if (this.reference) {
      this.#orderHigh = high;
      this.#orderLow = low;
    }
    this.order = this.#era * 2 ** 33 + high + low;
  }
}
