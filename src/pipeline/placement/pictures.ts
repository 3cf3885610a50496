import { countLeading } from '../../binary-search.ts';
import { isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import {
  type Chunk,
  createChunk,
  groupFirstFrame,
  groupEnd,
  findGroup,
  type PacketIndex,
} from '../../media/packets/packet-index.ts';
import type { Picture, Plane } from '../../media/picture.ts';
import type { VideoFile } from '../../media/video.ts';
import type { Game } from '../game.ts';

/** A recording, and the game whose HUD is looked for in it. */
export interface HudSource {
  readonly file: VideoFile;
  readonly index: PacketIndex;
  readonly game: Game;
  readonly signal?: AbortSignal | undefined;
}

/** A part of a recording, in seconds. */
export interface TimeSpan {
  readonly t: number;
  readonly end: number;
}

/** Groups of pictures from which only keyframes are used. */
const MIN_GROUPS_FOR_KEYFRAMES = 8;
/** Largest distance from a frame to its keyframe. */
const MAX_FRAMES_DECODED = 600;

/**
 * Selects frames evenly spread over a recording: keyframes, or other frames where there are too few keyframes.
 *
 * @returns At most `maxCount` frame numbers, ordered so that every prefix is spread over the recording, too.
 */
export function spreadFrames(index: PacketIndex, maxCount: number, within?: TimeSpan): number[] {
  const count = index.t.length;
  if (count === 0) return [];
  const { t: from, end } = within ?? { t: 0, end: index.t[count - 1]! };
  const groups = within
    ? findGroup(index, frameAt(index, end)) - findGroup(index, frameAt(index, from))
    : groupEnd(index) - index.firstGroup;
  const frames = new Set<number>();
  for (let i = 0; i < maxCount; i++) {
    const t = from + ((i + 0.5) / maxCount) * (end - from);
    let at = frameAt(index, t) - index.firstFrame;
    const group = findGroup(index, index.firstFrame + at);
    const key = groupFirstFrame(index, group);
    if (groups >= Math.min(maxCount, MIN_GROUPS_FOR_KEYFRAMES) && index.t[key - index.firstFrame]! >= from)
      at = key - index.firstFrame;
    else at = Math.min(at, key - index.firstFrame + MAX_FRAMES_DECODED);
    frames.add(index.firstFrame + at);
  }
  return orderByBisection([...frames].toSorted((a, b) => a - b));
}

/** Returns the number of the last frame at or before `t` seconds. */
export function frameAt(index: PacketIndex, t: number): number {
  const shown = countLeading(index.t.length, (i) => index.t[i]! <= t);
  return index.firstFrame + Math.max(0, shown - 1);
}

/** Orders the middle first, then the middles of both halves, and so on. */
function orderByBisection(sorted: readonly number[]): number[] {
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

/** Decodes one frame; undefined where that fails. The caller disposes of the picture before decoding the next. */
export function decodePicture(file: VideoFile, index: PacketIndex, frame: number): Picture | undefined {
  const group = findGroup(index, frame);
  const chunk: Chunk = createChunk(index, group, group + 1);
  for (const item of decodeFrames(file, index, chunk, [frame])) return isGap(item) ? undefined : item;
  return undefined;
}

/**
 * Decodes frames in the order of presentation, those of a group of pictures in one pass; each picture is valid until the next.
 * A frame that cannot be decoded is left out.
 *
 * @param frames Frame numbers in any order.
 */
export function* decodePictures(
  { file, index }: Pick<HudSource, 'file' | 'index'>,
  frames: readonly number[],
): Generator<Picture> {
  const groups = Map.groupBy(
    frames.toSorted((a, b) => a - b),
    (frame) => findGroup(index, frame),
  );
  for (const [group, wanted] of groups)
    for (const item of decodeFrames(file, index, createChunk(index, group, group + 1), wanted)) {
      if (isGap(item)) continue;
      using picture = item;
      yield picture;
    }
}

/** Decodes pictures spread over a recording, as `spreadFrames` orders them; each is valid until the next. */
export function* spreadPictures(
  { file, index }: Pick<HudSource, 'file' | 'index'>,
  maxCount: number,
  within?: TimeSpan,
): Generator<Picture> {
  for (const frame of spreadFrames(index, maxCount, within)) {
    using picture = decodePicture(file, index, frame);
    if (picture) yield picture;
  }
}

/**
 * Resamples a picture to square pixels; a picture that has them already is returned itself.
 *
 * @param aspect Width of the picture's pixels divided by their height.
 */
export function toSquarePixels(picture: Picture, aspect = picture.pixelAspect ?? 1): Picture {
  if (aspect === 1) return picture;
  const { t, chromaShiftX, chromaShiftY, color } = picture;
  const width = Math.max(1, Math.round(picture.width * aspect));
  const resize = (plane: Plane, shift: number): Plane => resizeRows(plane, -(-width >> shift));
  const [y, u, v] = [resize(picture.y, 0), resize(picture.u, chromaShiftX), resize(picture.v, chromaShiftX)] as const;
  const { height } = picture;
  return { t, width, height, chromaShiftX, chromaShiftY, color, y, u, v, [Symbol.dispose]() {} };
}

/** Resizes each row of a plane by averaging the samples that a new one covers. */
function resizeRows({ data, stride, width, height }: Plane, to: number): Plane {
  const out = new Uint8Array(to * height);
  const step = width / to;
  for (let x = 0; x < to; x++) {
    // Interpolate between two samples to enlarge, average all that are covered to reduce.
    const [from, end] = step > 1 ? [x * step, (x + 1) * step] : [(x + 0.5) * step - 0.5, (x + 0.5) * step + 0.5];
    const [first, last] = [Math.floor(from), Math.ceil(end) - 1];
    for (let row = 0; row < height; row++) {
      let sum = 0;
      let weight = 0;
      for (let k = first; k <= last; k++) {
        const share = Math.min(k + 1, end) - Math.max(k, from);
        sum += share * data[row * stride + Math.min(width - 1, Math.max(0, k))]!;
        weight += share;
      }
      out[row * to + x] = Math.round(sum / weight);
    }
  }
  return { data: out, stride: to, width: to, height };
}
