import { H264Pictures } from './h264.ts';
import { Mpeg4Pictures } from './mpeg4.ts';

/**
 * Reads from the first bytes of each packet what its container does not say. Sources: H.264 (ITU-T H.264 §7.4.1), HEVC
 * (ITU-T H.265 table 7-1, sub-layer non-reference types), ISO/IEC 14496-15 for length prefixes. In other codecs every
 * picture counts as a reference.
 */
export interface Bitstream {
  /** Takes the next packet in decode order. */
  read(data: Buffer): void;
  /** Whether `read` needs to be called at all. */
  readonly silent: boolean;
  /** The last packet holds bytes that no encoder writes. */
  readonly damaged: boolean;
  /** Later pictures may refer to the picture in the last packet. */
  readonly reference: boolean;
  /** A reference picture is missing just before the last packet. */
  readonly gap: boolean;
  /** Ascends in output order; NaN where the stream does not tell. */
  readonly order: number;
  /** Decoding can begin with the last packet, if its container says so: it is no picture that only begins to refresh the old ones. */
  readonly start: boolean;
  /** The last packet holds no picture. */
  readonly skipped: boolean;
  /** The picture in the last packet refers to some before the beginning of the stream: no decoder gives it. */
  readonly orphan: boolean;
  /** The last packet is the second field of the frame whose first field is the packet before. */
  readonly second: boolean;
}

/**
 * The reader for a codec, by FFmpeg's name, and its extradata (avcC, hvcC, parameter sets behind start codes, or none). `timeless`: its
 * container has no presentation times.
 */
export function createBitstreamReader(codec: string, extradata: Uint8Array | null, timeless = false): Bitstream {
  if (codec === 'h264') return new H264Bitstream(extradata ?? new Uint8Array());
  if (codec === 'hevc') return new HevcBitstream(extradata ?? new Uint8Array());
  if (codec === 'mpeg4') return new Mpeg4Bitstream(extradata ?? new Uint8Array(), timeless);
  return new OtherBitstream(/^(vp8|vp9|av1)$/.test(codec));
}

/** Arithmetic coding leaves no long run of zeros; other codecs may. */
class OtherBitstream implements Bitstream {
  readonly silent: boolean;
  readonly reference = true;
  readonly gap = false;
  readonly order = Number.NaN;
  readonly start = true;
  readonly skipped = false;
  readonly orphan = false;
  readonly second = false;
  damaged = false;

  constructor(arithmetic: boolean) {
    this.silent = !arithmetic;
  }

  read(data: Buffer): void {
    this.damaged = data.includes(LONG_RUN);
  }
}

class Mpeg4Bitstream implements Bitstream {
  readonly silent = false;
  readonly reference = true;
  readonly gap = false;
  readonly damaged = false;
  readonly orphan = false;
  readonly second = false;
  start = true;
  order = Number.NaN;
  skipped = false;
  readonly #pictures = new Mpeg4Pictures();
  readonly #timeless: boolean;

  constructor(extradata: Uint8Array, timeless: boolean) {
    this.#timeless = timeless;
    this.#pictures.read(extradata);
  }

  read(data: Buffer): void {
    this.#pictures.read(data);
    this.skipped = this.#pictures.skipped;
    this.start = this.#pictures.start;
    if (this.#timeless) this.order = this.#pictures.order;
  }
}

class H264Bitstream implements Bitstream {
  readonly silent = false;
  readonly orphan = false;
  second = false;
  readonly skipped = false;
  damaged = false;
  readonly #pictures = new H264Pictures();
  readonly #lengthSize: number;
  reference = true;
  gap = false;
  order = Number.NaN;
  start = true;

  constructor(extradata: Uint8Array) {
    const boxed = extradata[0] === 1 && extradata.length >= 7;
    this.#lengthSize = boxed ? (extradata[4]! & 3) + 1 : 0;
    if (boxed) this.#readParameterSets(extradata);
    else eachNal(extradata, 0, (at) => this.#pictures.read(extradata, at));
  }

  /** ISO/IEC 14496-15 §5.3.3.1: counted lists of sequence and picture parameter sets, each behind its 16-bit length. */
  #readParameterSets(extradata: Uint8Array): void {
    let at = 5;
    for (const mask of [31, 255]) {
      for (let count = (extradata[at++] ?? 0) & mask; count > 0 && at + 2 < extradata.length; count--) {
        this.#pictures.read(extradata, at + 2);
        at += 2 + extradata[at]! * 256 + extradata[at + 1]!;
      }
    }
  }

  read(data: Buffer): void {
    const found = eachNal(data, this.#lengthSize, (at) => this.#pictures.read(data, at));
    this.damaged = !isWhole(data, this.#lengthSize);
    this.reference = !found || this.#pictures.reference;
    this.gap = found && this.#pictures.gap;
    this.order = found ? this.#pictures.order : Number.NaN;
    this.start = !found || this.#pictures.start;
    this.second = found && this.#pictures.second;
  }
}

class HevcBitstream implements Bitstream {
  readonly silent = false;
  damaged = false;
  readonly gap = false;
  readonly order = Number.NaN;
  readonly start = true;
  readonly skipped = false;
  readonly second = false;
  /** By H.265 §8.1.3. */
  orphan = false;
  reference = true;
  readonly #lengthSize: number;
  /** Nothing before the last random access picture can be referred to: it is the first, or the sequence was cut there. */
  #begins = true;
  #ended = true;
  /** The highest temporal layer that the parameter sets announce; -1 where unknown: then nothing can be left out. */
  #highestLayer = -1;

  constructor(extradata: Uint8Array) {
    const boxed = extradata[0] === 1 && extradata.length > 22;
    this.#lengthSize = boxed ? (extradata[21]! & 3) + 1 : 0;
    if (boxed) this.#highestLayer = ((extradata[21]! >> 3) & 7) - 1;
    else eachNal(extradata, 0, (at) => this.#readNal(extradata, at));
  }

  read(data: Buffer): void {
    this.reference = true;
    this.orphan = false;
    this.damaged = !isWhole(data, this.#lengthSize);
    eachNal(data, this.#lengthSize, (at) => this.#readNal(data, at));
  }

  #readNal(data: Uint8Array, at: number): boolean {
    const type = (data[at]! >> 1) & 63;
    // vps_max_sub_layers_minus1 (§7.3.2.1).
    if (type === 32 && at + 3 < data.length) this.#highestLayer = (data[at + 3]! >> 1) & 7;
    // End of sequence, end of stream.
    if (type === 36 || type === 37) this.#ended = true;
    if (type > 31) return false;
    if (type >= 16 && type <= 23) {
      this.#begins = type <= 20 || this.#ended;
      this.#ended = false;
    }
    this.orphan = (type === 8 || type === 9) && this.#begins;
    const layer = (data[at + 1]! & 7) - 1;
    this.reference = !(type <= 14 && type % 2 === 0 && layer === this.#highestLayer);
    return true;
  }
}

/** Shows the NAL units of a packet by the offset of their first byte, until one is accepted. */
function eachNal(data: Uint8Array, lengthSize: number, accept: (at: number) => boolean): boolean {
  if (lengthSize === 0) {
    for (let at = afterStartCode(data, 0); at >= 0 && at < data.length; at = afterStartCode(data, at)) {
      if (accept(at)) return true;
    }
    return false;
  }
  for (let at = 0; at + lengthSize < data.length; ) {
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + data[at + i]!;
    if (length > 0 && accept(at + lengthSize)) return true;
    at += lengthSize + length;
  }
  return false;
}

const THREE_ZEROS = Buffer.alloc(3);
const LONG_RUN = Buffer.alloc(64);
const RUN_BETWEEN_START_CODES = Buffer.alloc(16);

/**
 * Whether a packet's NAL units fill it exactly, hold no three zeros in a row, which emulation prevention rules out, and do
 * not end in one (H.264 §7.4.1, H.265 §7.4.2.1); between start codes a few zeros may stand. Zeroed ranges are found so: decoders paint
 * what they please there without a word.
 */
function isWhole(data: Buffer, lengthSize: number): boolean {
  if (lengthSize === 0) return !data.includes(RUN_BETWEEN_START_CODES);
  let zeros = data.indexOf(THREE_ZEROS);
  for (let at = 0; at < data.length; ) {
    const length = at + lengthSize <= data.length ? data.readUIntBE(at, lengthSize) : Number.NaN;
    const from = at + lengthSize;
    at = from + length;
    if (!(at <= data.length)) return false;
    if (zeros >= 0 && zeros < from) zeros = data.indexOf(THREE_ZEROS, from);
    if ((zeros >= from && zeros + 3 <= at) || data[at - 1] === 0) return false;
  }
  return true;
}

/** Offset of the first byte after the next start code (0 0 1) at or after `from`, or -1. */
function afterStartCode(data: Uint8Array, from: number): number {
  for (let i = from + 2; i < data.length; i++) {
    const byte = data[i]!;
    if (byte > 1) i += 2;
    else if (byte === 1 && data[i - 1] === 0 && data[i - 2] === 0) return i + 1;
  }
  return -1;
}
