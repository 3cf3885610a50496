import { countLeading } from '../../binary-search.ts';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import { upperMedian } from '../../statistics.ts';

/** How the stream of a stretch comes, in equal parts of it. */
export interface StreamColumns {
  /** Kilobits per second. */
  readonly rates: readonly number[];
  /** Milliseconds for which the picture stays that stays longest of those that begin in the part. */
  readonly stays: readonly number[];
  /** Milliseconds for which a picture of the recording usually stays. */
  readonly usualStay: number;
}

/** Frames of a recording from which its usual frame time is estimated. */
const SAMPLED_FRAMES = 2000;
/** Longer groups of pictures are taken in parts. */
const MAX_GROUP_SECONDS = 10;
const usualStays = new WeakMap<PacketIndex, number>();

/**
 * Describes the rate and the steadiness of a stretch from its packets. A keyframe takes many times the bits of another frame, so the
 * bits of a group of pictures are spread over its time.
 *
 * @param from In seconds, as `to`.
 */
export function describeStream(index: PacketIndex, from: number, to: number, columns: number): StreamColumns {
  const { t, key } = index;
  const width = (to - from) / columns;
  const bits = new Float64Array(columns);
  const stays = new Float64Array(columns);
  const usualStay = usualStayOf(index);
  const endOf = (frame: number): number => t[frame] ?? t.at(-1)! + usualStay / 1000;
  let first = Math.max(0, countLeading(t.length, (frame) => t[frame]! <= from) - 1);
  for (const start = t[first] ?? 0; first > 0 && key[first] !== 1 && start - t[first]! < MAX_GROUP_SECONDS; ) first--;
  while (first < t.length && t[first]! < to) {
    let last = first;
    let bytes = 0;
    do {
      bytes += index.packets.size[index.packet[last]! - index.firstPacket] ?? 0;
      const column = Math.floor((t[last]! - from) / width);
      if (column >= 0 && column < columns && last + 1 < t.length)
        stays[column] = Math.max(stays[column]!, 1000 * (t[last + 1]! - t[last]!));
      last++;
    } while (last < t.length && key[last] !== 1 && t[last]! - t[first]! < MAX_GROUP_SECONDS);
    const [start, end] = [t[first]!, endOf(last)];
    const rate = (8 * bytes) / Math.max(1e-9, end - start);
    const left = Math.max(0, Math.floor((start - from) / width));
    for (let column = left; column < columns && from + column * width < end; column++) {
      const overlap = Math.min(end, from + (column + 1) * width) - Math.max(start, from + column * width);
      bits[column] = bits[column]! + rate * Math.max(0, overlap);
    }
    first = last;
  }
  return {
    rates: Array.from(bits, (one) => Math.round(one / width / 1000)),
    stays: Array.from(stays, Math.round),
    usualStay,
  };
}

function usualStayOf(index: PacketIndex): number {
  const known = usualStays.get(index);
  if (known !== undefined) return known;
  const { t } = index;
  const step = Math.max(1, Math.floor(t.length / SAMPLED_FRAMES));
  const times: number[] = [];
  for (let frame = 1; frame < t.length; frame += step) times.push(1000 * (t[frame]! - t[frame - 1]!));
  const usual = upperMedian(times) ?? 0;
  usualStays.set(index, usual);
  return usual;
}
