import { basename } from 'node:path';
import type { CodecParameters } from 'node-av/lib';
import { VideoEncoder, type VideoEncoding } from './encoder.ts';
import {
  isPlainSequence,
  parameterSetIds,
  readParameterSets,
  sameParameterSets,
  writeAvcRecord,
} from './parameter-sets.ts';
import type { PlannedPacket, Recording } from './recording.ts';
import type { Timeline } from './timeline.ts';

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
    const end = starts[group + 1] ?? packets.length;
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
