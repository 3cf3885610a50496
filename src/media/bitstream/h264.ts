import { BitReader } from './bits.ts';

/** Enough for any parameter set in use, and for a slice header with weight tables. */
const MAX_HEADER_BYTES = 256;

/**
 * Reads from the headers of H.264 pictures, in decode order, what their container does not say (ITU-T H.264 §7.3): whether
 * a picture is a reference, whether references before it are missing, and its place in output order.
 */
export class H264HeaderReader {
  readonly #bits = new BitReader(MAX_HEADER_BYTES);
  readonly #sequences = new Map<number, SequenceParameters>();
  readonly #pictures = new Map<number, PictureParameters>();
  /** frame_num of the last reference picture; -1 where unknown. */
  #lastFrameNum = -1;
  #orderMsb = 0;
  #orderLsb = 0;
  /** The first field of a frame whose second field may follow. */
  #firstField: { readonly frameNum: number; readonly bottom: boolean } | undefined;
  /** Counts resets of the output order. */
  #resets = 0;

  /** Later pictures may refer to the last picture. */
  reference = true;
  /** A reference picture is missing just before the last picture. */
  gap = false;
  /** Ascends in output order; NaN where the stream does not say. */
  order = Number.NaN;
  /** The last picture is the second field of the frame whose first field was read just before. */
  secondField = false;
  /** Decoding can start at the last picture: it is IDR or intra-coded. Not so for the start of a gradual refresh (§D.2.8). */
  start = true;

  /** Reads a parameter set, or the first slice of a picture. Returns whether it was a slice. */
  read(data: Uint8Array, at: number): boolean {
    const header = data[at]!;
    const type = header & 31;
    if (type === 7 || type === 8) {
      this.#bits.load(data, at + 1);
      const set = type === 7 ? parseSequenceParameters(this.#bits) : undefined;
      if (set) this.#sequences.set(set.id, set);
      const picture = type === 8 ? parsePictureParameters(this.#bits) : undefined;
      if (picture) this.#pictures.set(picture.id, picture);
    }
    if (type !== 1 && type !== 2 && type !== 5) return false;
    this.#bits.load(data, at + 1);
    this.#readSlice((header & 0x60) !== 0, type === 5);
    return true;
  }

  /** Reads a slice header up to the memory management operations (§7.3.3). */
  #readSlice(reference: boolean, idr: boolean): void {
    const bits = this.#bits;
    this.reference = reference;
    this.gap = false;
    this.order = Number.NaN;
    this.secondField = false;
    bits.ue();
    const type = (['P', 'B', 'I', 'P', 'I'] as const)[bits.ue() % 5]!;
    this.start = idr || type === 'I';
    const picture = this.#pictures.get(bits.ue());
    const sequence = this.#sequences.get(picture?.sequence ?? -1);
    if (!picture || !sequence || bits.isExhausted) {
      this.#lastFrameNum = -1;
      this.#firstField = undefined;
      return;
    }
    if (sequence.separateColourPlanes) bits.u(2);
    const frameNum = bits.u(sequence.frameNumBits);
    const fieldPicture = !sequence.framesOnly && bits.flag();
    this.#pairFields(frameNum, fieldPicture ? bits.flag() : undefined, idr);
    if (idr) bits.ue();
    this.#checkFrameNum(frameNum, sequence, idr);
    this.#computeOrder(sequence.orderType === 0 ? bits.u(sequence.orderBits) : undefined, sequence, idr);
    if (!reference || idr || !resetsFrameNumbers(bits, { type, fieldPicture }, sequence, picture)) return;
    this.#lastFrameNum = 0;
    this.#resets++;
    this.#orderMsb = 0;
    this.#orderLsb = 0;
  }

  /**
   * Successive fields of opposite parity with the same frame_num are one frame (§3.30, §7.4.1.2.4).
   *
   * @param bottom Undefined for a frame.
   */
  #pairFields(frameNum: number, bottom: boolean | undefined, idr: boolean): void {
    const first = this.#firstField;
    this.secondField = !idr && first !== undefined && first.frameNum === frameNum && first.bottom === !bottom;
    this.#firstField = bottom === undefined || this.secondField ? undefined : { frameNum, bottom };
    if (this.secondField) this.start = false;
  }

  /** frame_num counts reference pictures (§7.4.3), so a jump means that some are missing. */
  #checkFrameNum(frameNum: number, sequence: SequenceParameters, idr: boolean): void {
    const before = this.#lastFrameNum;
    const follows = frameNum === before || frameNum === (before + 1) % 2 ** sequence.frameNumBits;
    this.gap = !idr && before >= 0 && !sequence.gapsAllowed && !follows;
    if (this.reference || this.gap) this.#lastFrameNum = frameNum;
  }

  /** Computes the output order from its low bits (§8.2.1.1), or for type 2, where it is the order of decoding. */
  #computeOrder(low: number | undefined, sequence: SequenceParameters, idr: boolean): void {
    if (low === undefined) {
      if (sequence.orderType === 2) this.order = ++this.#resets * 2 ** 33;
      return;
    }
    const half = 2 ** (sequence.orderBits - 1);
    if (idr) {
      this.#resets++;
      this.#orderMsb = 0;
      this.#orderLsb = 0;
    }
    let high = this.#orderMsb;
    if (low < this.#orderLsb && this.#orderLsb - low >= half) high += 2 * half;
    else if (low > this.#orderLsb && low - this.#orderLsb > half) high -= 2 * half;
    if (this.reference) {
      this.#orderMsb = high;
      this.#orderLsb = low;
    }
    this.order = this.#resets * 2 ** 33 + high + low;
  }
}

/** Fields of a sequence parameter set (ITU-T H.264 §7.3.2.1.1). */
export interface SequenceParameters {
  readonly id: number;
  /** 0 for monochrome and for separately coded colour planes. */
  readonly chromaArrayType: number;
  readonly separateColourPlanes: boolean;
  /** Bits of a luma or chroma sample, whichever is more. */
  readonly bitDepth: number;
  readonly frameNumBits: number;
  readonly orderType: number;
  /** Bits of the output order's low part, for order type 0. */
  readonly orderBits: number;
  readonly orderAlwaysZero: boolean;
  readonly gapsAllowed: boolean;
  readonly framesOnly: boolean;
}

/** Fields of a picture parameter set (§7.3.2.2). */
export interface PictureParameters {
  readonly id: number;
  readonly sequence: number;
  readonly orderOfFields: boolean;
  readonly referenceCounts: readonly [number, number];
  readonly weighted: boolean;
  readonly weightedBoth: number;
  readonly redundant: boolean;
  /** Slice groups are in use. Their description is not read, so the fields after it are unknown. */
  readonly hasSliceGroups: boolean;
}

/** Profiles whose sequence parameter sets describe the sample format. */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** Parses a sequence parameter set after its NAL header; undefined where it is malformed. */
export function parseSequenceParameters(bits: BitReader): SequenceParameters | undefined {
  const profile = bits.u(8);
  bits.u(16);
  const id = bits.ue();
  let chroma = 1;
  let separateColourPlanes = false;
  let bitDepth = 8;
  if (HIGH_PROFILES.has(profile)) {
    chroma = bits.ue();
    if (chroma === 3) separateColourPlanes = bits.flag();
    bitDepth = 8 + Math.max(bits.ue(), bits.ue());
    bits.u(1);
    if (bits.flag()) skipScalingLists(bits, chroma === 3 ? 12 : 8);
  }
  const frameNumBits = bits.ue() + 4;
  const orderType = bits.ue();
  let orderBits = 0;
  let orderAlwaysZero = false;
  if (orderType === 0) orderBits = bits.ue() + 4;
  else if (orderType === 1) {
    orderAlwaysZero = bits.flag();
    bits.se();
    bits.se();
    for (let i = Math.min(bits.ue(), 255); i > 0; i--) bits.se();
  }
  bits.ue();
  const gapsAllowed = bits.flag();
  bits.ue();
  bits.ue();
  const framesOnly = bits.flag();
  if (bits.isExhausted || frameNumBits > 16 || orderBits > 16) return undefined;
  const chromaArrayType = separateColourPlanes ? 0 : chroma;
  return {
    id,
    chromaArrayType,
    separateColourPlanes,
    bitDepth,
    frameNumBits,
    orderType,
    orderBits,
    orderAlwaysZero,
    gapsAllowed,
    framesOnly,
  };
}

/** Parses a picture parameter set after its NAL header; undefined where it is malformed. */
function parsePictureParameters(bits: BitReader): PictureParameters | undefined {
  const id = bits.ue();
  const sequence = bits.ue();
  bits.u(1);
  const orderOfFields = bits.flag();
  const hasSliceGroups = bits.ue() > 0;
  const referenceCounts = [bits.ue() + 1, bits.ue() + 1] as const;
  const weighted = bits.flag();
  const weightedBoth = bits.u(2);
  bits.se();
  bits.se();
  bits.se();
  bits.u(2);
  const redundant = bits.flag();
  if (bits.isExhausted) return undefined;
  return { id, sequence, orderOfFields, referenceCounts, weighted, weightedBoth, redundant, hasSliceGroups };
}

/** §7.3.2.1.1.1 */
function skipScalingLists(bits: BitReader, count: number): void {
  for (let list = 0; list < count; list++) {
    if (!bits.flag()) continue;
    let last = 8;
    let next = 8;
    for (let i = 0; i < (list < 6 ? 16 : 64); i++) {
      if (next !== 0) next = (last + bits.se() + 256) % 256;
      if (next !== 0) last = next;
    }
  }
}

/** Fields of a slice header that decide where its memory management operations are. */
interface SliceStart {
  readonly type: 'P' | 'B' | 'I';
  readonly fieldPicture: boolean;
}

/**
 * Whether a reference picture that is not IDR resets the frame numbers (memory management operation 5); false where the
 * header cannot be read.
 *
 * @param bits Positioned after the low bits of the output order, where there are any (§7.3.3).
 */
function resetsFrameNumbers(
  bits: BitReader,
  slice: SliceStart,
  sequence: SequenceParameters,
  picture: PictureParameters,
): boolean {
  if (picture.hasSliceGroups) return false;
  const offset = picture.orderOfFields && !slice.fieldPicture;
  if (sequence.orderType === 0 && offset) bits.se();
  if (sequence.orderType === 1 && !sequence.orderAlwaysZero) {
    bits.se();
    if (offset) bits.se();
  }
  if (picture.redundant) bits.ue();
  if (slice.type === 'B') bits.u(1);
  const references: [number, number] = [...picture.referenceCounts];
  const lists = slice.type === 'I' ? 0 : slice.type === 'P' ? 1 : 2;
  if (lists > 0 && bits.flag()) for (let list = 0; list < lists; list++) references[list] = bits.ue() + 1;
  for (let list = 0; list < lists; list++) skipReordering(bits);
  const weighted = slice.type === 'P' ? picture.weighted : slice.type === 'B' && picture.weightedBoth === 1;
  if (weighted) skipWeights(bits, references.slice(0, lists), sequence.chromaArrayType !== 0);
  return hasMemoryOperation5(bits) && !bits.isExhausted;
}

/** §7.3.3.1 */
function skipReordering(bits: BitReader): void {
  if (!bits.flag()) return;
  while (!bits.isExhausted && bits.ue() !== 3) bits.ue();
}

/** §7.3.3.2 */
function skipWeights(bits: BitReader, references: readonly number[], chroma: boolean): void {
  bits.ue();
  if (chroma) bits.ue();
  for (const count of references) {
    for (let i = 0; i < Math.min(count, 32); i++) {
      if (bits.flag()) for (let value = 0; value < 2; value++) bits.se();
      if (chroma && bits.flag()) for (let value = 0; value < 4; value++) bits.se();
    }
  }
}

/** §7.3.3.3 */
function hasMemoryOperation5(bits: BitReader): boolean {
  if (!bits.flag()) return false;
  for (let operation = bits.ue(); operation !== 0 && !bits.isExhausted; operation = bits.ue()) {
    if (operation === 5) return true;
    bits.ue();
    if (operation === 3) bits.ue();
  }
  return false;
}
