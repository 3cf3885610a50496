import { basename } from 'node:path';
import type { CodecParameters } from 'node-av/lib';
import { VideoEncoder, type VideoEncoding } from './encoder.ts';
import { parameterSetIds, readParameterSets, readSequence, sameParameterSets, writeRecord } from './nal.ts';
import type { Recording } from './recording.ts';
import type { Timeline } from './timeline.ts';

/** What copied and newly encoded packets share in one stream. */
export interface SmartBasis {
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
export function smartBasis(timeline: Timeline, encoding: VideoEncoding): SmartBasis | string {
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
  const plain = sets.sequences.every((unit) => {
    const { progressive, plain: usual } = readSequence(unit);
    return progressive && usual;
  });
  return plain ? undefined : 'is interlaced, or not 4:2:0 with 8 bits';
}

function basisOf(recordings: readonly Recording[], encoding: VideoEncoding): SmartBasis | undefined {
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
    record: writeRecord([source, own]),
    parameterSetId,
  };
}
