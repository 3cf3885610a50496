import { isProblem, readPictures } from '../../media/decode/decode.ts';
import {
  type Chunk,
  chunkOf,
  firstFrameOf,
  groupEnd,
  groupOf,
  type PacketIndex,
} from '../../media/scan/packet-index.ts';
import type { Picture, Plane } from '../../media/picture.ts';
import type { VideoFile } from '../../media/video.ts';

/** A stretch of a recording, in seconds. */
export interface Stretch {
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
export function spreadFrames(index: PacketIndex, most: number, within?: Stretch): number[] {
  const count = index.t.length;
  if (count === 0) return [];
  const { t: from, end } = within ?? { t: 0, end: index.t[count - 1]! };
  const groups = within
    ? groupOf(index, frameAt(index, end)) - groupOf(index, frameAt(index, from))
    : groupEnd(index) - index.firstGroup;
  const frames = new Set<number>();
  for (let i = 0; i < most; i++) {
    const t = from + ((i + 0.5) / most) * (end - from);
    let at = frameAt(index, t) - index.firstFrame;
    const group = groupOf(index, index.firstFrame + at);
    const key = firstFrameOf(index, group);
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
export function pictureAt(file: VideoFile, index: PacketIndex, frame: number): Picture | undefined {
  const group = groupOf(index, frame);
  const chunk: Chunk = chunkOf(index, group, group + 1);
  for (const item of readPictures(file, index, chunk, [frame])) return isProblem(item) ? undefined : item;
  return undefined;
}

/** A picture in memory of its own, which nobody has to dispose of. */
export function kept(picture: Picture): Picture {
  const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color } = picture;
  const [y, u, v] = [picture.y, picture.u, picture.v].map(copied) as [Plane, Plane, Plane];
  return { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, y, u, v, [Symbol.dispose]() {} };
}

function copied({ data, stride, width, height }: Plane): Plane {
  const out = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) out.set(data.subarray(row * stride, row * stride + width), row * width);
  return { data: out, stride: width, width, height };
}

/** Bytes of pictures that are kept for reading. */
const KEPT_BYTES = 64 << 20;

/** Pictures that were decoded for the sake of the placement, as far as there is room, for whoever reads the same frames afterwards. */
export class KeptPictures {
  readonly #pictures = new Map<number, Picture>();
  #room = KEPT_BYTES;

  /** Keeps a copy of a frame's picture. */
  keep(frame: number, picture: Picture): void {
    const bytes = bytesOf(picture);
    if (bytes > this.#room || this.#pictures.has(frame)) return;
    this.#room -= bytes;
    this.#pictures.set(frame, kept(picture));
  }

  has(frame: number): boolean {
    return this.#pictures.has(frame);
  }

  /** The picture of a frame, which is kept no longer. */
  take(frame: number): Picture | undefined {
    const picture = this.#pictures.get(frame);
    this.#pictures.delete(frame);
    if (picture) this.#room += bytesOf(picture);
    return picture;
  }
}

function bytesOf({ y, u, v }: Picture): number {
  return [y, u, v].reduce((sum, { width, height }) => sum + width * height, 0);
}
