import type { DecodeGap } from './decode-frames.ts';
import type { Picture, Plane } from '../picture.ts';

/**
 * What a thread that decodes and one that reads count for each other: what has been sent and taken, pictures whose memory has been sent
 * back (both without end), and whether to stop. The messages themselves are taken without waiting for an event loop.
 */
export type Counters = Int32Array<SharedArrayBuffer>;

export const SENT = 0;
export const RETURNED = 1;
export const STOPPED = 2;

export function newCounters(): Counters {
  return new Int32Array(new SharedArrayBuffer(4 * 3));
}

/** A plane of a picture that is sent: where it begins in the picture's memory, and how long it is. */
export interface PackedPlane extends Omit<Plane, 'data'> {
  readonly from: number;
  readonly length: number;
}

/** A picture whose planes lie in one piece of memory, which is moved. */
export interface PackedPicture extends Omit<Picture, typeof Symbol.dispose | 'vectors' | 'y' | 'u' | 'v'> {
  readonly planes: readonly PackedPlane[];
  readonly memory: ArrayBuffer;
}

/** What comes of a chunk, in order; `over` is the last. */
export type DecoderMessage = PackedPicture | DecodeGap | 'over';

/** Planes begin at multiples of so many bytes. */
const ALIGNED = 64;

/** Moves a picture into memory that `memoryFor` so many bytes gives; undefined where there is none. */
export function packPicture(
  { t, width, height, pixelAspect, y, u, v, chromaShiftX, chromaShiftY, color }: Picture,
  memoryFor: (bytes: number) => ArrayBuffer | undefined,
): PackedPicture | undefined {
  let end = 0;
  const planes = [y, u, v].map((plane): PackedPlane => {
    const from = end;
    const { length } = plane.data;
    end += (length + ALIGNED - 1) & ~(ALIGNED - 1);
    return { stride: plane.stride, width: plane.width, height: plane.height, from, length };
  });
  const memory = memoryFor(end);
  if (!memory) return undefined;
  const bytes = new Uint8Array(memory);
  for (const [i, { data }] of [y, u, v].entries()) bytes.set(data, planes[i]!.from);
  return { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, planes, memory };
}

/** The picture again; `release` is given its memory when it is disposed of. */
export function unpackPicture(sent: PackedPicture, release: (memory: ArrayBuffer) => void): Picture {
  const { t, width, height, pixelAspect, chromaShiftX, chromaShiftY, color, memory } = sent;
  let planes: readonly Plane[] | undefined = sent.planes.map((plane) => ({
    data: Buffer.from(memory, plane.from, plane.length),
    stride: plane.stride,
    width: plane.width,
    height: plane.height,
  }));
  const plane = (i: number): Plane => {
    if (!planes) throw new TypeError('the picture has been disposed of');
    return planes[i]!;
  };
  return {
    t,
    width,
    height,
    pixelAspect,
    chromaShiftX,
    chromaShiftY,
    color,
    get y() {
      return plane(0);
    },
    get u() {
      return plane(1);
    },
    get v() {
      return plane(2);
    },
    [Symbol.dispose]() {
      if (!planes) return;
      planes = undefined;
      release(memory);
    },
  };
}
