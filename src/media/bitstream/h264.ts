import { Bits } from './bits.ts';

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

/** What a sequence parameter set says about the slices that follow (ITU-T H.264 §7.3.2.1.1). */
export interface SequenceParameters {
  readonly id: number;
  /** 0 for monochrome and for separately coded colour planes. */
  readonly chromaArrayType: number;
  readonly separateColourPlanes: boolean;
  readonly frameNumBits: number;
  readonly orderType: number;
  /** Bits of the output order's low part, for order type 0. */
  readonly orderBits: number;
  readonly orderAlwaysZero: boolean;
  readonly gapsAllowed: boolean;
  readonly framesOnly: boolean;
}

/** What a picture parameter set says about them (§7.3.2.2). */
export interface PictureParameters {
  readonly id: number;
  readonly sequence: number;
  readonly orderOfFields: boolean;
  readonly references: readonly [number, number];
  readonly weighted: boolean;
  readonly weightedBoth: number;
  readonly redundant: boolean;
  /** Slice groups are in use, whose description is not read: what follows it is unknown. */
  readonly partly: boolean;
}

/** Profiles whose sequence parameters say more about the samples. */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** `bits` stands behind the NAL header. Undefined if it makes no sense. */
export function parseSequenceParameters(bits: Bits): SequenceParameters | undefined {
  const profile = bits.u(8);
  bits.u(16);
  const id = bits.ue();
  let chroma = 1;
  let separateColourPlanes = false;
  if (HIGH_PROFILES.has(profile)) {
    chroma = bits.ue();
    if (chroma === 3) separateColourPlanes = bits.flag();
    bits.ue();
    bits.ue();
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
  if (bits.spent || frameNumBits > 16 || orderBits > 16) return undefined;
  const chromaArrayType = separateColourPlanes ? 0 : chroma;
  return {
    id,
    chromaArrayType,
    separateColourPlanes,
    frameNumBits,
    orderType,
    orderBits,
    orderAlwaysZero,
    gapsAllowed,
    framesOnly,
  };
}

/** `bits` stands behind the NAL header. Undefined if it makes no sense. */
export function parsePictureParameters(bits: Bits): PictureParameters | undefined {
  const id = bits.ue();
  const sequence = bits.ue();
  bits.u(1);
  const orderOfFields = bits.flag();
  const partly = bits.ue() > 0;
  const references = [bits.ue() + 1, bits.ue() + 1] as const;
  const weighted = bits.flag();
  const weightedBoth = bits.u(2);
  bits.se();
  bits.se();
  bits.se();
  bits.u(2);
  const redundant = bits.flag();
  if (bits.spent) return undefined;
  return { id, sequence, orderOfFields, references, weighted, weightedBoth, redundant, partly };
}

/** §7.3.2.1.1.1 */
function skipScalingLists(bits: Bits, count: number): void {
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

/** What is needed of a slice header to find its memory management operations. */
export interface SliceStart {
  readonly type: 'P' | 'B' | 'I';
  readonly fieldPicture: boolean;
}

/**
 * Whether a reference picture that is no instantaneous refresh resets the frame numbers (memory management operation 5).
 * `bits` stands behind the low bits of its output order, if it has such (§7.3.3). False where the header cannot be read on.
 */
export function resetsNumbers(
  bits: Bits,
  slice: SliceStart,
  sequence: SequenceParameters,
  picture: PictureParameters,
): boolean {
  if (picture.partly) return false;
  const offset = picture.orderOfFields && !slice.fieldPicture;
  if (sequence.orderType === 0 && offset) bits.se();
  if (sequence.orderType === 1 && !sequence.orderAlwaysZero) {
    bits.se();
    if (offset) bits.se();
  }
  if (picture.redundant) bits.ue();
  if (slice.type === 'B') bits.u(1);
  const references: [number, number] = [...picture.references];
  const lists = slice.type === 'I' ? 0 : slice.type === 'P' ? 1 : 2;
  if (lists > 0 && bits.flag()) for (let list = 0; list < lists; list++) references[list] = bits.ue() + 1;
  for (let list = 0; list < lists; list++) skipReordering(bits);
  const weighted = slice.type === 'P' ? picture.weighted : slice.type === 'B' && picture.weightedBoth === 1;
  if (weighted) skipWeights(bits, references.slice(0, lists), sequence.chromaArrayType !== 0);
  return hasOperation5(bits) && !bits.spent;
}

/** §7.3.3.1 */
function skipReordering(bits: Bits): void {
  if (!bits.flag()) return;
  while (!bits.spent && bits.ue() !== 3) bits.ue();
}

/** §7.3.3.2 */
function skipWeights(bits: Bits, references: readonly number[], chroma: boolean): void {
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
function hasOperation5(bits: Bits): boolean {
  if (!bits.flag()) return false;
  for (let operation = bits.ue(); operation !== 0 && !bits.spent; operation = bits.ue()) {
    if (operation === 5) return true;
    bits.ue();
    if (operation === 3) bits.ue();
  }
  return false;
}
