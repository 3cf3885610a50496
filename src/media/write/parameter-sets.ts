import { BitReader } from '../bitstream/bits.ts';
import { parseSequenceParameters } from '../bitstream/h264.ts';
import { avcLengthSize, nalUnits, parameterSetsInRecord } from '../bitstream/nal.ts';

/** H.264 parameter sets of a stream. */
export interface ParameterSets {
  readonly sequences: readonly Uint8Array[];
  readonly pictures: readonly Uint8Array[];
  /** Bytes of a NAL unit's length; 0 for start codes. */
  readonly lengthSize: number;
}

/** Types of H.264 NAL units (ITU-T H.264 table 7-1). */
export const NAL_TYPE = { slice: 1, idr: 5, sequence: 7, picture: 8, delimiter: 9 } as const;

/** Returns the type of an H.264 NAL unit. */
export function nalType(unit: Uint8Array): number {
  return unit[0]! & 31;
}

/** Whether a NAL unit of this type is a sequence or picture parameter set. */
export function isParameterSet(type: number): boolean {
  return type === NAL_TYPE.sequence || type === NAL_TYPE.picture;
}

/** Reads extradata in avcC or annex B form; undefined where it contains no parameter sets. */
export function readParameterSets(extradata: Uint8Array | null): ParameterSets | undefined {
  if (!extradata || extradata.length < 7) return undefined;
  const lengthSize = avcLengthSize(extradata);
  const units = [...(lengthSize > 0 ? parameterSetsInRecord(extradata) : nalUnits(extradata, 0))];
  const sequences = units.filter((unit) => nalType(unit) === NAL_TYPE.sequence);
  const pictures = units.filter((unit) => nalType(unit) === NAL_TYPE.picture);
  return sequences.length > 0 && pictures.length > 0 ? { sequences, pictures, lengthSize } : undefined;
}

/** Writes an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1) with all these parameter sets and 4-byte lengths. */
export function writeAvcRecord(sets: readonly Pick<ParameterSets, 'sequences' | 'pictures'>[]): Buffer {
  const sequences = sets.flatMap((set) => set.sequences);
  const pictures = sets.flatMap((set) => set.pictures);
  const first = sequences[0]!;
  const level = Math.max(...sequences.map((unit) => unit[3]!));
  const isHighProfile = [100, 110, 122, 144].includes(first[1]!);
  return Buffer.concat([
    Buffer.from([1, first[1]!, first[2]!, level, 0xff, 0xe0 | sequences.length]),
    ...withLengths(sequences),
    Buffer.from([pictures.length]),
    ...withLengths(pictures),
    // 4:2:0, 8 bits, no extensions: nothing else is copied.
    ...(isHighProfile ? [Buffer.from([0xfd, 0xf8, 0xf8, 0])] : []),
  ]);
}

function withLengths(units: readonly Uint8Array[]): Buffer[] {
  return units.flatMap((unit) => [Buffer.from([unit.length >> 8, unit.length & 255]), Buffer.from(unit)]);
}

/** Yields the NAL units of a packet that mp4 stores: without delimiters, and without parameter sets, which its record has. */
export function* unitsToCopy(data: Uint8Array, lengthSize: number): Generator<Uint8Array> {
  for (const unit of nalUnits(data, lengthSize)) {
    const type = nalType(unit);
    if (!isParameterSet(type) && type !== NAL_TYPE.delimiter) yield unit;
  }
}

/** Joins NAL units, each after its 4-byte length. */
export function joinWithLengths(units: Iterable<Uint8Array>): Buffer {
  const parts: Uint8Array[] = [];
  for (const unit of units) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    parts.push(length, unit);
  }
  return Buffer.concat(parts);
}

/** Collects the ids of all sequence and picture parameter sets. */
export function parameterSetIds(sets: ParameterSets): Set<number> {
  // A sequence's id follows profile, constraints and level; a picture's comes first.
  return new Set([
    ...sets.sequences.map((unit) => readerAt(unit, 4).ue()),
    ...sets.pictures.map((unit) => readerAt(unit, 1).ue()),
  ]);
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

/** Whether a sequence parameter set describes progressive 4:2:0 video of 8 bits, which can be joined with encoded parts. */
export function isPlainSequence(unit: Uint8Array): boolean {
  const sequence = parseSequenceParameters(readerAt(unit, 1));
  return sequence !== undefined && sequence.framesOnly && sequence.chromaArrayType === 1 && sequence.bitDepth === 8;
}

function readerAt(unit: Uint8Array, from: number): BitReader {
  const bits = new BitReader(unit.length);
  bits.load(unit, from);
  return bits;
}
