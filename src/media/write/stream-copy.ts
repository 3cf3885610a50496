import { BitReader } from '../bitstream/bits.ts';
import { parseSequenceParameters } from '../bitstream/h264.ts';
import { avcLengthSize, nalUnits, parameterSetsInRecord } from '../bitstream/nal.ts';
import { basename } from 'node:path';
import type { CodecParameters } from 'node-av/lib';
import { VideoEncoder, type VideoEncoding } from './encoder.ts';
import type { PlannedPacket, Recording } from './recording.ts';
import type { Timeline } from './timeline.ts';

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
function sameParameterSets(a: ParameterSets, b: ParameterSets): boolean {
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

/** A part of a cut: frames to encode, or packets to copy. Ticks; `from` inclusive, `to` exclusive. */
export type Segment =
  | { readonly kind: 'encode'; readonly from: bigint; readonly to: bigint }
  | {
      readonly kind: 'copy';
      readonly from: bigint;
      readonly to: bigint;
      /** Positions in the list of packets, in decode order; `end` exclusive. */
      readonly first: number;
      readonly end: number;
    };

/**
 * Divides a cut into packets to copy and frames to encode. Whole groups of pictures are copied, and of the last one the
 * longest beginning that is complete in decode order and in presentation order. What comes before the first IDR picture
 * and after that beginning is encoded.
 *
 * @param packets Packets in decode order that start with a keyframe at or before the cut.
 */
export function planSegments(packets: readonly PlannedPacket[], from: bigint, to: bigint): Segment[] {
  const starts = packets.flatMap((packet, index) => (packet.isIdr ? [index] : []));
  const segments: Segment[] = [];
  let at = from;
  for (const [group, first] of starts.entries()) {
    const start = packets[first]!.pts;
    const next = starts[group + 1] ?? packets.length;
    const other = packets.findIndex(({ hasOtherParameters }, index) => index > first && hasOtherParameters === true);
    const end = other > 0 ? Math.min(other, next) : next;
    if (start < at || start >= to) continue;
    const copied = longestBeginning(packets, first, end, to);
    if (copied === undefined) continue;
    if (start > at) segments.push({ kind: 'encode', from: at, to: start });
    const last = segments.at(-1);
    if (last?.kind === 'copy' && last.end === first) {
      segments[segments.length - 1] = { ...last, end: copied.end, to: copied.to };
    } else segments.push({ kind: 'copy', from: start, to: copied.to, first, end: copied.end });
    at = copied.to;
    if (copied.end < end) break;
  }
  if (at < to) segments.push({ kind: 'encode', from: at, to });
  return segments;
}

/**
 * Finds the longest beginning of a group whose frames are all shown before `to` and before every frame left out.
 *
 * @returns Its end, and where the frames left out begin.
 */
function longestBeginning(
  packets: readonly PlannedPacket[],
  first: number,
  end: number,
  to: bigint,
): { end: number; to: bigint } | undefined {
  // For each packet, the earliest presentation time among those after it.
  const earliestAfter: bigint[] = [];
  let earliest = packets[end]?.pts ?? to;
  if (earliest > to) earliest = to;
  for (let i = end - 1; i >= first; i--) {
    earliestAfter[i - first] = earliest;
    if (packets[i]!.pts < earliest) earliest = packets[i]!.pts;
  }
  let latest = packets[first]!.pts;
  let best: { end: number; to: bigint } | undefined;
  for (let i = first; i < end; i++) {
    const { pts } = packets[i]!;
    if (pts >= to) break;
    if (pts > latest) latest = pts;
    if (latest < earliestAfter[i - first]!) best = { end: i + 1, to: earliestAfter[i - first]! };
  }
  return best;
}

/** What copied and encoded packets share in one stream. */
export interface StreamCopy {
  /** Recordings whose packets can be copied; frames of others are encoded. */
  readonly recordings: ReadonlySet<Recording>;
  /** Parameters of one of them. */
  readonly parameters: CodecParameters;
  /** Decoder configuration with the parameter sets of both kinds of packets. */
  readonly record: Buffer;
  /** Id of the encoder's parameter sets, which no copied packet refers to. */
  readonly parameterSetId: number;
}

/**
 * Decides whether packets can be copied into a reel: H.264, progressive, 8-bit 4:2:0, of the reel's size, not rotated.
 * Recordings with different parameter sets cannot share a stream; those that fill most of the reel are copied. Encoded
 * parts have parameter sets of another id in the same configuration, so that each packet finds its own.
 *
 * @returns How to copy, or in words why nothing can be copied.
 */
export function planStreamCopy(timeline: Timeline, encoding: VideoEncoding): StreamCopy | string {
  if (timeline.constant) return 'the reel has one constant frame rate';
  if (encoding.encoder !== 'libx264') return `${encoding.encoder} encodes it`;
  const groups: { recordings: Set<Recording>; length: bigint }[] = [];
  let obstacle = '';
  for (const { recording, length } of timeline.cuts) {
    const found = findObstacle(recording, encoding);
    if (found !== undefined) {
      obstacle ||= `${basename(recording.path)} ${found}`;
      continue;
    }
    const group = groups.find(({ recordings: [first] }) =>
      sameParameterSets(first!.parameterSets!, recording.parameterSets!),
    );
    if (group) {
      group.recordings.add(recording);
      group.length += length;
    } else groups.push({ recordings: new Set([recording]), length });
  }
  const best = groups.toSorted((a, b) => (a.length < b.length ? 1 : a.length > b.length ? -1 : 0))[0];
  if (!best) return obstacle;
  return createStreamCopy(best.recordings, encoding) ?? 'all parameter set ids are in use';
}

/** What prevents copying a recording's packets, as the rest of a sentence; undefined where nothing does. */
function findObstacle(recording: Recording, encoding: VideoEncoding): string | undefined {
  const sets = recording.parameterSets;
  if (recording.codec !== 'h264') return `is ${recording.codec}, not h264`;
  if (!sets) return 'has no parameter sets in its header';
  if (recording.rotation !== 0) return 'is rotated when it is shown';
  if (recording.width !== encoding.width || recording.height !== encoding.height) {
    const [actual, wanted] = [recording, encoding].map(({ width, height }) => `${width} × ${height}`);
    return `is ${actual}, the reel ${wanted}`;
  }
  return sets.sequences.every(isPlainSequence) ? undefined : 'is interlaced, or not 4:2:0 with 8 bits';
}

function createStreamCopy(recordings: ReadonlySet<Recording>, encoding: VideoEncoding): StreamCopy | undefined {
  const [first] = recordings;
  const source = first!.parameterSets!;
  const taken = parameterSetIds(source);
  const parameterSetId = Array.from({ length: 32 }, (_, id) => id).find((id) => !taken.has(id));
  if (parameterSetId === undefined) return undefined;
  using probe = new VideoEncoder({ ...encoding, parameterSetId }, () => {});
  const own = readParameterSets(probe.context.extraData);
  if (!own) return undefined;
  const parameters = first!.stream.codecpar;
  return { recordings, parameters, record: writeAvcRecord([source, own]), parameterSetId };
}
