import { basename } from 'node:path';
import type { CodecParameters } from 'node-av/lib';
import { VideoEncoder, type VideoEncoding } from './encoder.ts';
import {
  parameterSetIds,
  readParameterSets,
  isPlainSequence,
  sameParameterSets,
  writeAvcRecord,
} from './parameter-sets.ts';
import type { PlannedPacket, Recording } from './recording.ts';
import type { Timeline } from './timeline.ts';

/** A part of a cut: frames to encode anew, or packets to copy. Ticks; `from` inclusive, `to` exclusive. */
export type Segment =
  | { readonly kind: 'encode'; readonly from: bigint; readonly to: bigint }
  | {
      readonly kind: 'copy';
      readonly from: bigint;
      readonly to: bigint;
      /** Positions in the list of packets, in the order of decoding; `end` exclusive. */
      readonly first: number;
      readonly end: number;
    };

/**
 * Divides a cut into what can be copied and what has to be encoded. Whole groups of pictures are copied; of the last
 * one the longest beginning that is complete both in decoding and in showing order; only what lies before the first
 * isIdr refresh and behind that beginning is encoded.
 *
 * `packets` are in the order of decoding and begin at or before the cut with a keyframe.
 */
export function planSegments(packets: readonly PlannedPacket[], from: bigint, to: bigint): Segment[] {
  const starts = packets.flatMap((packet, index) => (packet.isIdr ? [index] : []));
  const runs: Segment[] = [];
  let at = from;
  for (const [group, first] of starts.entries()) {
    const start = packets[first]!.pts;
    const end = starts[group + 1] ?? packets.length;
    if (start < at || start >= to) continue;
    const copied = longestBeginning(packets, first, end, to);
    if (copied === undefined) continue;
    if (start > at) runs.push({ kind: 'encode', from: at, to: start });
    const last = runs.at(-1);
    if (last?.kind === 'copy' && last.end === first) {
      runs[runs.length - 1] = { ...last, end: copied.end, to: copied.to };
    } else runs.push({ kind: 'copy', from: start, to: copied.to, first, end: copied.end });
    at = copied.to;
    if (copied.end < end) break;
  }
  if (at < to) runs.push({ kind: 'encode', from: at, to });
  return runs;
}

/**
 * The longest beginning of a group whose frames all lie before `to` and before every frame left out; `to` of the
 * result is where the frames left out begin.
 */
function longestBeginning(
  packets: readonly PlannedPacket[],
  first: number,
  end: number,
  to: bigint,
): { end: number; to: bigint } | undefined {
  const least: bigint[] = [];
  let behind = packets[end]?.pts ?? to;
  if (behind > to) behind = to;
  for (let i = end - 1; i >= first; i--) {
    least[i - first] = behind;
    if (packets[i]!.pts < behind) behind = packets[i]!.pts;
  }
  let greatest = packets[first]!.pts;
  let best: { end: number; to: bigint } | undefined;
  for (let i = first; i < end; i++) {
    const { pts } = packets[i]!;
    if (pts >= to) break;
    if (pts > greatest) greatest = pts;
    if (greatest < least[i - first]!) best = { end: i + 1, to: least[i - first]! };
  }
  return best;
}

/** What copied and newly encoded packets share in one stream. */
export interface StreamCopy {
  /** Whose packets can be copied; frames of others are encoded. */
  readonly recordings: ReadonlySet<Recording>;
  /** Of one of them. */
  readonly parameters: CodecParameters;
  /** Decoder configuration with the parameter sets of both. */
  readonly record: Buffer;
  /** Id of the new parameter sets, which no copied packet refers to. */
  readonly parameterSetId: number;
}

/**
 * Whether parts of the reel can be copied, and how, or in words why not: H.264, progressive, 8-bit 4:2:0, of the reel's size, shown as it is
 * stored. Recordings whose parameter sets differ cannot stand in one stream; those that fill most of the reel are
 * copied, the others encoded. New parts are encoded by x264 under parameter sets of another id in the same
 * configuration, so that each kind of packet finds its own.
 */
export function planStreamCopy(timeline: Timeline, encoding: VideoEncoding): StreamCopy | string {
  if (timeline.constant) return 'the reel has one constant frame rate';
  if (encoding.encoder !== 'libx264') return `${encoding.encoder} encodes it`;
  const able = new Map<Recording, bigint>();
  let obstacle = '';
  for (const { recording, length } of timeline.cuts) {
    const found = obstacleOf(recording, encoding);
    if (found === undefined) able.set(recording, (able.get(recording) ?? 0n) + length);
    else obstacle ||= `${basename(recording.path)} ${found}`;
  }
  const groups: { recordings: Recording[]; length: bigint }[] = [];
  for (const [recording, length] of able) {
    const group = groups.find(({ recordings: [first] }) =>
      sameParameterSets(first!.parameterSets!, recording.parameterSets!),
    );
    if (group) {
      group.recordings.push(recording);
      group.length += length;
    } else groups.push({ recordings: [recording], length });
  }
  const best = groups.toSorted((a, b) => (a.length < b.length ? 1 : a.length > b.length ? -1 : 0))[0];
  return best ? (basisOf(best.recordings, encoding) ?? 'no number is left for further parameter sets') : obstacle;
}

/** What keeps a recording's packets from being copied, as the rest of a sentence; undefined where nothing does. */
function obstacleOf(recording: Recording, encoding: VideoEncoding): string | undefined {
  const sets = recording.parameterSets;
  if (recording.codec !== 'h264') return `is ${recording.codec}, not h264`;
  if (!sets) return 'does not say ahead how its pictures are coded';
  if (recording.rotation !== 0) return 'is turned when it is shown';
  if (recording.width !== encoding.width || recording.height !== encoding.height) {
    const [had, wanted] = [recording, encoding].map(({ width, height }) => `${width} × ${height}`);
    return `is ${had}, the reel ${wanted}`;
  }
  return sets.sequences.every(isPlainSequence) ? undefined : 'is interlaced, or not 4:2:0 with 8 bits';
}

function basisOf(recordings: readonly Recording[], encoding: VideoEncoding): StreamCopy | undefined {
  const source = recordings[0]!.parameterSets!;
  const taken = parameterSetIds(source);
  const parameterSetId = Array.from({ length: 32 }, (_, id) => id).find((id) => !taken.has(id));
  if (parameterSetId === undefined) return undefined;
  using probe = new VideoEncoder({ ...encoding, parameterSetId }, () => {});
  const own = readParameterSets(probe.context.extraData);
  if (!own) return undefined;
  return {
    recordings: new Set(recordings),
    parameters: recordings[0]!.stream.codecpar,
    record: writeAvcRecord([source, own]),
    parameterSetId,
  };
}
