import { loadKind } from '../detectors/registry.ts';
import type { Issue } from '../errors.ts';
import { isGap, decodeFrames } from '../media/decode/decode-frames.ts';
import { createChunk, groupFirstFrame, groupEnd, type PacketIndex } from '../media/packets/packet-index.ts';
import type { VideoFile } from '../media/video.ts';
import { mediaOf } from '../profile/media.ts';
import type { Game } from './game.ts';

/** Pictures of a group that are looked at, and groups. */
const PICTURES = 8;
const GROUPS = 4;

/** Says which detectors ask for the codec's motion vectors of a recording that has none; `media`: it is that companion. */
export async function withoutVectors(
  { profile, plugins }: Game,
  file: VideoFile,
  index: PacketIndex,
  media?: string,
): Promise<Issue | undefined> {
  const names: string[] = [];
  for (const [name, spec] of Object.entries(profile.detectors)) {
    if (mediaOf(spec) !== media) continue;
    const kind = await loadKind(spec.kind, plugins);
    if ('vectors' in kind && kind.vectors?.(spec)) names.push(name);
  }
  if (names.length === 0 || hasVectors(file, index)) return undefined;
  return {
    code: 'no-motion-vectors',
    message: `the video's motion vectors are not told (${file.info.codec}): ${names.join(', ')} ${names.length > 1 ? 'compare' : 'compares'} blocks of pixels instead`,
    hint: 'H.264, MPEG-2 and MPEG-4 tell them, unless every picture is a keyframe.',
  };
}

/** Whether any of the first pictures that were predicted comes with vectors. */
function hasVectors(file: VideoFile, index: PacketIndex): boolean {
  file.exportMotionVectors();
  const last = Math.min(groupEnd(index), index.firstGroup + GROUPS);
  for (let group = index.firstGroup; group < last; group++) {
    const first = groupFirstFrame(index, group);
    const frames = Array.from(
      { length: Math.min(PICTURES, groupFirstFrame(index, group + 1) - first) },
      (_, i) => first + i,
    );
    for (const item of decodeFrames(file, index, createChunk(index, group, group + 1), frames)) {
      if (isGap(item)) continue;
      using picture = item;
      if (picture.vectors) return true;
    }
  }
  return false;
}
