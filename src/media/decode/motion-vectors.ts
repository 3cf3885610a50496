import type { MotionVectors } from '../picture.ts';
import { type PacketIndex, frameTime } from '../packets/packet-index.ts';

/** Seconds from a picture to the nearest ones that it can be predicted from: negative before, positive behind; undefined where there is none. */
export interface ReferenceDistances {
  readonly codec: string;
  readonly before: number | undefined;
  readonly behind: number | undefined;
}

/** Frames among which those that a frame refers to are looked for. */
const FAR = 32;

/**
 * The nearest frames shown before and behind a frame that its decoder knew. A vector only says from which of its two lists its
 * picture is (`AVMotionVector.source`), not which of the list: encoders put the nearest first and take it mostly.
 */
export function findReferenceDistances(index: PacketIndex, frame: number, codec: string): ReferenceDistances {
  const at = frame - index.firstFrame;
  const position = index.packet[at]!;
  const find = (step: -1 | 1): number | undefined => {
    for (let i = at + step; i >= 0 && i < index.packet.length && Math.abs(i - at) <= FAR; i += step) {
      if (index.packet[i]! < position && isReference(index, i, codec)) {
        const seconds = frameTime(index, index.firstFrame + i) - frameTime(index, frame);
        // Repeated timestamps tell nothing.
        return Math.abs(seconds) > 1e-4 ? seconds : undefined;
      }
      // Frames before a keyframe are not known behind it.
      if (step < 0 && index.key[i] === 1) return undefined;
    }
    return undefined;
  };
  return { codec, before: find(-1), behind: find(1) };
}

/** Of H.264 the bitstream tells; of the older codecs no frame refers to one that is shown before a frame decoded earlier. */
function isReference(index: PacketIndex, row: number, codec: string): boolean {
  if (codec === 'h264') return index.reference[row] === 1;
  const position = index.packet[row]!;
  for (let i = row + 1; i < Math.min(index.packet.length, row + FAR); i++)
    if (index.packet[i]! < position) return false;
  return true;
}

/** FFmpeg tells no vectors of MPEG-4's direct blocks (all zero), of which its B-pictures are made. */
export function exportsVectors(codec: string, bidirectional: boolean): boolean {
  return codec !== 'mpeg4' || !bidirectional;
}

/** Bytes of FFmpeg's AVMotionVector (libavutil/motion_vector.h), and where in it what stands. */
const SIZE = 40;
const [SOURCE, WIDTH, HEIGHT, MIDDLE_X, MIDDLE_Y, MOTION_X, MOTION_Y, SCALE] = [0, 4, 5, 10, 12, 24, 28, 32] as const;

/** Reads FFmpeg's side data; undefined where no vector has a picture whose distance is known. */
export function parseVectors(
  data: Uint8Array,
  { before, behind }: Pick<ReferenceDistances, 'before' | 'behind'>,
): MotionVectors | undefined {
  const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const most = Math.floor(data.byteLength / SIZE);
  const [x, y, area] = [new Float32Array(most), new Float32Array(most), new Float32Array(most)];
  const [across, down] = [new Float32Array(most), new Float32Array(most)];
  let [count, earlier, later] = [0, 0, 0];
  for (let at = 0; at + SIZE <= data.byteLength; at += SIZE) {
    const past = bytes.getInt32(at + SOURCE, true) < 0;
    // Some encoders fill the second list with pictures before, too.
    const seconds = past ? before : (behind ?? before);
    const scale = bytes.getUint16(at + SCALE, true);
    if (seconds === undefined || scale === 0) continue;
    x[count] = bytes.getInt16(at + MIDDLE_X, true);
    y[count] = bytes.getInt16(at + MIDDLE_Y, true);
    area[count] = bytes.getUint8(at + WIDTH) * bytes.getUint8(at + HEIGHT);
    // The vector leads from here to where it came from, `seconds` away.
    across[count] = bytes.getInt32(at + MOTION_X, true) / (scale * seconds);
    down[count] = bytes.getInt32(at + MOTION_Y, true) / (scale * seconds);
    if (past || behind === undefined) earlier += area[count]!;
    else later += area[count]!;
    count++;
  }
  if (count === 0) return undefined;
  return {
    x: x.subarray(0, count),
    y: y.subarray(0, count),
    area: area.subarray(0, count),
    acrossPerSecond: across.subarray(0, count),
    downPerSecond: down.subarray(0, count),
    over: Math.abs(earlier >= later ? before! : behind!),
  };
}

function from(size: number, values: Float32Array): Float32Array {
  return values.map((value) => size - value);
}

function against(values: Float32Array): Float32Array {
  return values.map((value) => -value);
}

/** The same of the picture turned clockwise; `width` and `height` are those before. */
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
      return { ...vectors, x: from(height, y), y: x, acrossPerSecond: against(down), downPerSecond: across };
    case 180:
      return {
        ...vectors,
        x: from(width, x),
        y: from(height, y),
        acrossPerSecond: against(across),
        downPerSecond: against(down),
      };
    default:
      return { ...vectors, x: y, y: from(width, x), acrossPerSecond: down, downPerSecond: against(across) };
  }
}
