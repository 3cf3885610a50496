import { isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import {
  type Chunk,
  createChunk,
  groupFirstFrame,
  groupEnd,
  findGroup,
  type PacketIndex,
} from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import type { VideoFile } from '../../media/video.ts';

/** A stretch of a recording, in seconds. */
export interface TimeSpan {
  readonly t: number;
  readonly end: number;
}

/** Groups from which on keyframes alone are taken. */
const ENOUGH = 8;
/** Frames of a group that are decoded for the sake of one picture, at most. */
const DEEPEST = 600;

/**
 * The numbers of at most `most` frames spread over a recording, in an order in which any beginning of the list is spread,
 * too: keyframes, or, where there are too few of them, frames between.
 */
export function spreadFrames(index: PacketIndex, most: number, within?: TimeSpan): number[] {
  const count = index.t.length;
  if (count === 0) return [];
  const { t: from, end } = within ?? { t: 0, end: index.t[count - 1]! };
  const groups = within
    ? findGroup(index, frameAt(index, end)) - findGroup(index, frameAt(index, from))
    : groupEnd(index) - index.firstGroup;
  const frames = new Set<number>();
  for (let i = 0; i < most; i++) {
    const t = from + ((i + 0.5) / most) * (end - from);
    let at = frameAt(index, t) - index.firstFrame;
    const group = findGroup(index, index.firstFrame + at);
    const key = groupFirstFrame(index, group);
    if (groups >= Math.min(most, ENOUGH) && index.t[key - index.firstFrame]! >= from) at = key - index.firstFrame;
    else at = Math.min(at, key - index.firstFrame + DEEPEST);
    frames.add(index.firstFrame + at);
  }
  return scattered([...frames].toSorted((a, b) => a - b));
}

/** The number of the last frame at or before `t` seconds. */
export function frameAt(index: PacketIndex, t: number): number {
  let [low, high] = [0, index.t.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (index.t[middle]! <= t) low = middle;
    else high = middle;
  }
  return index.firstFrame + low;
}

/** The middle first, then the middles of both halves, and so on. */
function scattered(sorted: readonly number[]): number[] {
  const order: number[] = [];
  let spans: (readonly [number, number])[] = [[0, sorted.length]];
  while (spans.length > 0) {
    const next: (readonly [number, number])[] = [];
    for (const [from, to] of spans) {
      if (from >= to) continue;
      const middle = (from + to) >> 1;
      order.push(sorted[middle]!);
      next.push([from, middle], [middle + 1, to]);
    }
    spans = next;
  }
  return order;
}

/** One picture of a recording; undefined where it cannot be decoded. Dispose of it before asking for the next. */
export function decodePicture(file: VideoFile, index: PacketIndex, frame: number): Picture | undefined {
  const group = findGroup(index, frame);
  const chunk: Chunk = createChunk(index, group, group + 1);
  for (const item of decodeFrames(file, index, chunk, [frame])) return isGap(item) ? undefined : item;
  return undefined;
}
