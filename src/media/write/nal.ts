/**
 * H.264 bytes as they stand in files: NAL units behind start codes (ITU-T H.264 annex B) or behind their lengths
 * (ISO/IEC 14496-15), parameter sets in a stream's extradata.
 */

/** Parameter sets of a stream and how many bytes its NAL lengths take (0: start codes). */
export interface ParameterSets {
  readonly sequences: readonly Uint8Array[];
  readonly pictures: readonly Uint8Array[];
  readonly lengthSize: number;
}

export const NAL = { slice: 1, instant: 5, sequence: 7, picture: 8, delimiter: 9 } as const;

/** Reads extradata of either form; undefined where it holds no parameter sets. */
export function readParameterSets(extradata: Uint8Array | null): ParameterSets | undefined {
  if (!extradata || extradata.length < 7) return undefined;
  const lengthSize = extradata[0] === 1 ? (extradata[4]! & 3) + 1 : 0;
  const units = lengthSize > 0 ? unitsOfRecord(extradata) : [...nalUnits(extradata, 0)];
  const sequences = units.filter((unit) => nalType(unit) === NAL.sequence);
  const pictures = units.filter((unit) => nalType(unit) === NAL.picture);
  return sequences.length > 0 && pictures.length > 0 ? { sequences, pictures, lengthSize } : undefined;
}

/** AVCDecoderConfigurationRecord, §5.3.3.1: counted lists of units behind 16-bit lengths. */
function unitsOfRecord(record: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = [];
  let at = 5;
  for (const mask of [31, 255]) {
    const count = (record[at++] ?? 0) & mask;
    for (let i = 0; i < count && at + 2 <= record.length; i++) {
      const length = record[at]! * 256 + record[at + 1]!;
      units.push(record.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
  }
  return units;
}

/** A decoder configuration record with all these parameter sets and 4-byte NAL lengths. */
export function writeRecord(sets: readonly Pick<ParameterSets, 'sequences' | 'pictures'>[]): Buffer {
  const sequences = sets.flatMap((set) => set.sequences);
  const pictures = sets.flatMap((set) => set.pictures);
  const first = sequences[0]!;
  const level = Math.max(...sequences.map((unit) => unit[3]!));
  const high = [100, 110, 122, 144].includes(first[1]!);
  return Buffer.concat([
    Buffer.from([1, first[1]!, first[2]!, level, 0xff, 0xe0 | sequences.length]),
    ...counted(sequences),
    Buffer.from([pictures.length]),
    ...counted(pictures),
    // 4:2:0, 8 bits, no extensions: all that is ever copied.
    ...(high ? [Buffer.from([0xfd, 0xf8, 0xf8, 0])] : []),
  ]);
}

/** Each unit behind its 16-bit length. */
function counted(units: readonly Uint8Array[]): Buffer[] {
  return units.flatMap((unit) => [Buffer.from([unit.length >> 8, unit.length & 255]), Buffer.from(unit)]);
}

/** Sequence or picture parameter set. */
export function isParameterSet(type: number): boolean {
  return type === NAL.sequence || type === NAL.picture;
}

/** The units of a packet as they stand in mp4: without parameter sets (the configuration has them) and delimiters. */
export function* unitsToCopy(data: Uint8Array, lengthSize: number): Generator<Uint8Array> {
  for (const unit of nalUnits(data, lengthSize)) {
    const type = nalType(unit);
    if (!isParameterSet(type) && type !== NAL.delimiter) yield unit;
  }
}

export function nalType(unit: Uint8Array): number {
  return unit[0]! & 31;
}

/** The NAL units of a packet or of extradata. */
export function* nalUnits(data: Uint8Array, lengthSize: number): Generator<Uint8Array> {
  if (lengthSize === 0) {
    yield* unitsBehindStartCodes(data);
    return;
  }
  for (let at = 0; at + lengthSize <= data.length; ) {
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + data[at + i]!;
    at += lengthSize;
    if (length > 0) yield data.subarray(at, Math.min(at + length, data.length));
    at += length;
  }
}

function* unitsBehindStartCodes(data: Uint8Array): Generator<Uint8Array> {
  let start = -1;
  for (let i = 0; i + 2 < data.length; i++) {
    if (data[i] !== 0 || data[i + 1] !== 0 || data[i + 2] !== 1) continue;
    if (start >= 0) yield data.subarray(start, withoutTrailingZeros(data, start, i));
    start = i + 3;
    i += 2;
  }
  if (start >= 0 && start < data.length) yield data.subarray(start, withoutTrailingZeros(data, start, data.length));
}

/** Zero bytes before a start code belong to it, not to the unit. */
function withoutTrailingZeros(data: Uint8Array, start: number, end: number): number {
  let last = end;
  while (last > start && data[last - 1] === 0) last--;
  return last;
}

/** Units behind 4-byte lengths. */
export function lengthPrefixed(units: Iterable<Uint8Array>): Buffer {
  const parts: Uint8Array[] = [];
  for (const unit of units) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    parts.push(length, unit);
  }
  return Buffer.concat(parts);
}

/** Ids of the sequence parameter sets and of the picture parameter sets. */
export function parameterSetIds(sets: ParameterSets): Set<number> {
  // A sequence's id follows profile, constraints and level; a picture's stands first.
  return new Set([...sets.sequences.map((unit) => readUe(unit, 4)), ...sets.pictures.map((unit) => readUe(unit, 1))]);
}

/** Whether two streams have the same parameter sets, so that one decoder reads packets of both. */
export function sameParameterSets(a: ParameterSets, b: ParameterSets): boolean {
  const key = (sets: ParameterSets) =>
    [...sets.sequences, ...sets.pictures]
      .map((unit) => Buffer.from(unit).toString('hex'))
      .toSorted()
      .join();
  return key(a) === key(b);
}

export interface SequenceFacts {
  readonly progressive: boolean;
  /** 8 bits, 4:2:0. */
  readonly plain: boolean;
}

const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** What of a sequence parameter set decides whether its pictures can stand beside newly encoded ones (§7.3.2.1.1). */
export function readSequence(unit: Uint8Array): SequenceFacts {
  const bits = new Bits(unit, 4);
  bits.ue();
  let plain = true;
  if (HIGH_PROFILES.has(unit[1]!)) {
    plain = bits.ue() === 1;
    plain = bits.ue() === 0 && plain;
    plain = bits.ue() === 0 && plain;
    bits.u1();
    // Scaling lists are rare; without reading them the rest cannot be found, so such streams are encoded anew.
    if (bits.u1() === 1) return { progressive: false, plain: false };
  }
  bits.ue();
  const order = bits.ue();
  if (order === 0) bits.ue();
  else if (order === 1) return { progressive: false, plain };
  bits.ue();
  bits.u1();
  bits.ue();
  bits.ue();
  return { progressive: bits.u1() === 1, plain };
}

function readUe(unit: Uint8Array, from: number): number {
  return new Bits(unit, from).ue();
}

/** Bits of a NAL unit without its emulation prevention bytes. */
class Bits {
  readonly #bytes: number[] = [];
  #at = 0;

  constructor(unit: Uint8Array, from: number) {
    for (let i = from; i < Math.min(unit.length, from + 64); i++) {
      if (unit[i] === 3 && unit[i - 1] === 0 && unit[i - 2] === 0) continue;
      this.#bytes.push(unit[i]!);
    }
  }

  u1(): number {
    const bit = ((this.#bytes[this.#at >> 3] ?? 255) >> (7 - (this.#at & 7))) & 1;
    this.#at++;
    return bit;
  }

  /** Exponential Golomb code (§9.1). */
  ue(): number {
    let zeros = 0;
    while (zeros < 31 && this.u1() === 0) zeros++;
    let value = 1;
    for (let i = 0; i < zeros; i++) value = value * 2 + this.u1();
    return value - 1;
  }
}
