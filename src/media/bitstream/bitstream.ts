import { H264HeaderReader } from './h264.ts';
import { Mpeg4HeaderReader } from './mpeg4.ts';
import { avcLengthSize, isIntact, parameterSetsInRecord, visitNalUnits } from './nal.ts';

/**
 * Reads from the first bytes of each packet what its container does not say. Sources: H.264 (ITU-T H.264 §7.4.1), HEVC
 * (ITU-T H.265 table 7-1, sub-layer non-reference types), ISO/IEC 14496-15 for length prefixes. In other codecs every
 * picture counts as a reference.
 */
export interface BitstreamReader {
  /** Reads the next packet in decode order. */
  read(data: Buffer): void;
  /** Whether `read` needs to be called at all. */
  readonly needsData: boolean;
  /** The last packet contains bytes that no encoder writes. */
  readonly damaged: boolean;
  /** Later pictures may refer to the last packet's. */
  readonly reference: boolean;
  /** A reference picture is missing just before the last packet. */
  readonly gap: boolean;
  /** Ascends in output order; NaN where the stream does not say. */
  readonly order: number;
  /** Decoding can start at the last packet if its container says so: it does not begin a gradual refresh. */
  readonly start: boolean;
  /** The last packet contains no picture. */
  readonly skipped: boolean;
  /** The last packet's picture refers to pictures before the beginning of the stream; no decoder returns it. */
  readonly orphan: boolean;
  /** The last packet is the second field of the frame whose first field is the packet before. */
  readonly secondField: boolean;
}

/**
 * Creates the reader for a codec.
 *
 * @param codec FFmpeg's name of it.
 * @param extradata avcC, hvcC, parameter sets after start codes, or none.
 * @param hasNoTimes The container has no presentation times.
 */
export function createBitstreamReader(
  codec: string,
  extradata: Uint8Array | null,
  hasNoTimes = false,
): BitstreamReader {
  if (codec === 'h264') return new H264Reader(extradata ?? new Uint8Array());
  if (codec === 'hevc') return new HevcReader(extradata ?? new Uint8Array());
  if (codec === 'mpeg4') return new Mpeg4Reader(extradata ?? new Uint8Array(), hasNoTimes);
  return new GenericReader(/^(vp8|vp9|av1)$/.test(codec));
}

/** Arithmetic coding leaves no run of zeros this long. */
const ZERO_RUN = Buffer.alloc(64);

/** Every property of a codec whose packets say nothing. */
class SilentReader {
  readonly needsData: boolean = true;
  damaged = false;
  reference = true;
  gap = false;
  order = Number.NaN;
  start = true;
  skipped = false;
  orphan = false;
  secondField = false;
}

class GenericReader extends SilentReader implements BitstreamReader {
  override readonly needsData: boolean;

  /** @param isArithmetic The codec uses arithmetic coding only. */
  constructor(isArithmetic: boolean) {
    super();
    this.needsData = isArithmetic;
  }

  read(data: Buffer): void {
    this.damaged = data.includes(ZERO_RUN);
  }
}

class Mpeg4Reader extends SilentReader implements BitstreamReader {
  readonly #headers = new Mpeg4HeaderReader();
  readonly #hasNoTimes: boolean;

  constructor(extradata: Uint8Array, hasNoTimes: boolean) {
    super();
    this.#hasNoTimes = hasNoTimes;
    this.#headers.read(extradata);
  }

  read(data: Buffer): void {
    this.#headers.read(data);
    this.skipped = this.#headers.skipped;
    this.start = this.#headers.start;
    if (this.#hasNoTimes) this.order = this.#headers.order;
  }
}

class H264Reader extends SilentReader implements BitstreamReader {
  readonly #headers = new H264HeaderReader();
  readonly #lengthSize: number;

  constructor(extradata: Uint8Array) {
    super();
    this.#lengthSize = avcLengthSize(extradata);
    if (this.#lengthSize > 0) for (const unit of parameterSetsInRecord(extradata)) this.#headers.read(unit, 0);
    else visitNalUnits(extradata, 0, (at) => this.#headers.read(extradata, at));
  }

  read(data: Buffer): void {
    const headers = this.#headers;
    const hasPicture = visitNalUnits(data, this.#lengthSize, (at) => headers.read(data, at));
    this.damaged = !isIntact(data, this.#lengthSize);
    this.reference = !hasPicture || headers.reference;
    this.gap = hasPicture && headers.gap;
    this.order = hasPicture ? headers.order : Number.NaN;
    this.start = !hasPicture || headers.start;
    this.secondField = hasPicture && headers.secondField;
  }
}

class HevcReader extends SilentReader implements BitstreamReader {
  readonly #lengthSize: number;
  /** Nothing before the last random access picture can be referred to: it is the first, or the sequence ended before it. */
  #isFirstAccess = true;
  #hasEnded = true;
  /** The highest temporal layer that the parameter sets declare; -1 where unknown: then every picture is a reference. */
  #highestLayer = -1;

  constructor(extradata: Uint8Array) {
    super();
    const isRecord = extradata[0] === 1 && extradata.length > 22;
    this.#lengthSize = isRecord ? (extradata[21]! & 3) + 1 : 0;
    if (isRecord) this.#highestLayer = ((extradata[21]! >> 3) & 7) - 1;
    else visitNalUnits(extradata, 0, (at) => this.#readNal(extradata, at));
  }

  read(data: Buffer): void {
    this.reference = true;
    this.orphan = false;
    this.damaged = !isIntact(data, this.#lengthSize);
    visitNalUnits(data, this.#lengthSize, (at) => this.#readNal(data, at));
  }

  #readNal(data: Uint8Array, at: number): boolean {
    const type = (data[at]! >> 1) & 63;
    // vps_max_sub_layers_minus1 (§7.3.2.1).
    if (type === 32 && at + 3 < data.length) this.#highestLayer = (data[at + 3]! >> 1) & 7;
    // End of sequence, end of stream.
    if (type === 36 || type === 37) this.#hasEnded = true;
    if (type > 31) return false;
    if (type >= 16 && type <= 23) {
      this.#isFirstAccess = type <= 20 || this.#hasEnded;
      this.#hasEnded = false;
    }
    // RASL pictures of such a random access picture have no references (§8.1.3).
    this.orphan = (type === 8 || type === 9) && this.#isFirstAccess;
    const layer = (data[at + 1]! & 7) - 1;
    this.reference = !(type <= 14 && type % 2 === 0 && layer === this.#highestLayer);
    return true;
  }
}
