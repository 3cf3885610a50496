import { type PacketIndex, frameTime } from '../packets/packet-index.ts';
import type { MotionVectors } from '../picture.ts';

/** Seconds from a frame to the nearest frames that it can refer to: negative before, positive after; undefined for none. */
export interface ReferenceDistances {
  readonly codec: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** How many frames away a reference is looked for. */
const MAX_REFERENCE_FRAMES = 32;
/** Frames closer than this have repeated timestamps. */
const MIN_DISTANCE_SECONDS = 1e-4;

/**
 * Finds the nearest references before and after a frame. A motion vector names only the list of its reference
 * (`AVMotionVector.source`), not the entry; encoders put the nearest first and use it most.
 */
export function findReferenceDistances(index: PacketIndex, frame: number, codec: string): ReferenceDistances {
  const row = frame - index.firstFrame;
  const position = index.packet[row]!;
  const find = (step: -1 | 1): number | undefined => {
    for (
      let i = row + step;
      i >= 0 && i < index.packet.length && Math.abs(i - row) <= MAX_REFERENCE_FRAMES;
      i += step
    ) {
      if (index.packet[i]! < position && isReference(index, i, codec)) {
        const seconds = frameTime(index, index.firstFrame + i) - frameTime(index, frame);
        return Math.abs(seconds) > MIN_DISTANCE_SECONDS ? seconds : undefined;
      }
      // Nothing after a keyframe refers to frames before it.
      if (step < 0 && index.key[i] === 1) return undefined;
    }
    return undefined;
  };
  return { codec, before: find(-1), after: find(1) };
}

/** The H.264 bitstream says so. In older codecs a frame shown before one that was decoded earlier is no reference. */
function isReference(index: PacketIndex, row: number, codec: string): boolean {
  if (codec === 'h264') return index.reference[row] === 1;
  const position = index.packet[row]!;
  for (let i = row + 1; i < Math.min(index.packet.length, row + MAX_REFERENCE_FRAMES); i++)
    if (index.packet[i]! < position) return false;
  return true;
}

/** Whether FFmpeg exports vectors of such a picture. Those of MPEG-4's direct blocks, in B-pictures, are all zero. */
export function exportsVectors(codec: string, isBPicture: boolean): boolean {
  return codec !== 'mpeg4' || !isBPicture;
}

/** Size in bytes of FFmpeg's AVMotionVector (libavutil/motion_vector.h), and offsets of its fields. */
const VECTOR_BYTES = 40;
const [SOURCE, WIDTH, HEIGHT, CENTER_X, CENTER_Y, MOTION_X, MOTION_Y, SCALE] = [0, 4, 5, 10, 12, 24, 28, 32] as const;

/** Parses FFmpeg's side data; undefined where no vector has a reference of known distance. */
export function parseVectors(
  data: Uint8Array,
  { before, after }: Pick<ReferenceDistances, 'before' | 'after'>,
): MotionVectors | undefined {
  const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const capacity = Math.floor(data.byteLength / VECTOR_BYTES);
  const [x, y, area] = [new Float32Array(capacity), new Float32Array(capacity), new Float32Array(capacity)];
  const [across, down] = [new Float32Array(capacity), new Float32Array(capacity)];
  let [count, areaBefore, areaAfter] = [0, 0, 0];
  for (let at = 0; at + VECTOR_BYTES <= data.byteLength; at += VECTOR_BYTES) {
    const isPast = bytes.getInt32(at + SOURCE, true) < 0;
    // Some encoders fill the second list with earlier pictures, too.
    const seconds = isPast ? before : (after ?? before);
    const scale = bytes.getUint16(at + SCALE, true);
    if (seconds === undefined || scale === 0) continue;
    x[count] = bytes.getInt16(at + CENTER_X, true);
    y[count] = bytes.getInt16(at + CENTER_Y, true);
    area[count] = bytes.getUint8(at + WIDTH) * bytes.getUint8(at + HEIGHT);
    // The vector points to where the block came from, `seconds` away.
    across[count] = bytes.getInt32(at + MOTION_X, true) / (scale * seconds);
    down[count] = bytes.getInt32(at + MOTION_Y, true) / (scale * seconds);
    if (isPast || after === undefined) areaBefore += area[count]!;
    else areaAfter += area[count]!;
    count++;
  }
  if (count === 0) return undefined;
  return {
    x: x.subarray(0, count),
    y: y.subarray(0, count),
    area: area.subarray(0, count),
    acrossPerSecond: across.subarray(0, count),
    downPerSecond: down.subarray(0, count),
    over: Math.abs(areaBefore >= areaAfter ? before! : after!),
  };
}

function mirrored(size: number, values: Float32Array): Float32Array {
  return values.map((value) => size - value);
}

function negated(values: Float32Array): Float32Array {
  return values.map((value) => -value);
}

/** Rotates vectors clockwise. @param width Size of the picture before. */
export function rotateVectors(
  vectors: MotionVectors,
  rotation: 0 | 90 | 180 | 270,
  width: number,
  height: number,
): MotionVectors {
  const { x, y, acrossPerSecond: across, downPerSecond: down } = vectors;
  switch (rotation) {
    case 0:
      return vectors;
    case 90:
      return { ...vectors, x: mirrored(height, y), y: x, acrossPerSecond: negated(down), downPerSecond: across };
    case 180:
      return {
        ...vectors,
        x: mirrored(width, x),
        y: mirrored(height, y),
        acrossPerSecond: negated(across),
        downPerSecond: negated(down),
      };
    default:
      return { ...vectors, x: y, y: mirrored(width, x), acrossPerSecond: down, downPerSecond: negated(across) };
  }
}
