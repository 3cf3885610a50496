import { setImmediate as nextTurn } from 'node:timers/promises';
import { Packet } from 'node-av/lib';
import {
  AV_PKT_DATA_NEW_EXTRADATA,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_DISCARD,
  AV_PKT_FLAG_KEY,
  AVERROR_EOF,
} from 'node-av/constants';
import { createBitstreamReader } from '../bitstream/bitstream.ts';
import { hasStoredPackets } from '../container/decoder-parameters.ts';
import { describeError, isTruncated } from '../container/open.ts';
import { checkLimit } from '../limits.ts';
import { PacketData } from '../container/packet-data.ts';
import { FrameOrder } from './frame-order.ts';
import { BROKEN, DAMAGED, HIDDEN, KEY, ORPHAN, REFERENCE, SECOND_FIELD } from './packet-index.ts';
import type { PacketIndex } from './packet-index.ts';
import { toTicks } from '../video.ts';
import type { VideoFile } from '../video.ts';

export { findGroup, groupFirstFrame, sliceIndex, splitIntoChunks } from './packet-index.ts';
export type { Chunk, PacketIndex, PacketTable } from './packet-index.ts';

/** How a scan can be interrupted. */
export interface ScanOptions {
  readonly signal?: AbortSignal;
}

/**
 * Indexes every packet of the video stream without decoding any.
 *
 * @throws The signal's reason when aborted; PlaybyplayError `over-limit`.
 */
export function scanPackets(file: VideoFile, options: ScanOptions = {}): PacketIndex {
  let last: FrameOrder | undefined;
  for (const order of scan(file, options.signal)) last = order;
  return last!.index();
}

/** Milliseconds for which a scan blocks the event loop. */
const MAX_BLOCKING_MS = 50;

/**
 * Indexes as `scanPackets` does, and lets the event loop turn so that an interruption is noticed however long the file is.
 *
 * @throws The signal's reason when aborted; PlaybyplayError `over-limit`.
 */
export async function scanPacketsAsync(file: VideoFile, options: ScanOptions = {}): Promise<PacketIndex> {
  let last: FrameOrder | undefined;
  let turned = performance.now();
  for (const order of scan(file, options.signal)) {
    last = order;
    if (performance.now() - turned < MAX_BLOCKING_MS) continue;
    await nextTurn();
    turned = performance.now();
  }
  return last!.index();
}

/** Packets after which limits and interruptions are looked at, however long a group of pictures is. */
const CHECKPOINT_PACKETS = 4096;
/** Seconds that are added to the length of a recording before packets a second are limited: short ones may be dense. */
const RATE_MARGIN_SECONDS = 60;

/** Reads the file; yields when another group of pictures is complete, now and then within a long one, and at the end. */
function* scan(file: VideoFile, signal: AbortSignal | undefined): Generator<FrameOrder, void, undefined> {
  using wrapper = new Packet();
  wrapper.alloc();
  const packet = wrapper.getNative();
  if (file.position !== 0) file.rewind();
  file.position = undefined;
  const { info } = file;
  // avi has no presentation times. What FFmpeg makes up for some packets of a codec with B-pictures contradicts the rest.
  const hasNoTimes = info.container === 'avi' && info.codec === 'mpeg4';
  const bitstream = createBitstreamReader(info.codec, file.stream.codecpar.extradata, hasNoTimes);
  using data = new PacketData(file.path, info.container);
  const hasOffsets = hasStoredPackets(info);
  const order = new FrameOrder(info.timeBase, info.frameRate, { hasOffsets, restarts: info.container === 'mpegts' });
  let result = 0;
  let packets = 0;
  while ((result = file.read(wrapper)) >= 0) {
    const { flags } = packet;
    const isCorrupt = (flags & AV_PKT_FLAG_CORRUPT) !== 0;
    if (bitstream.needsData) bitstream.read(data.read(wrapper));
    // New stream parameters: the demuxer hands them to the decoder along with the packet.
    if (hasOffsets && wrapper.getSideData(AV_PKT_DATA_NEW_EXTRADATA)) order.discardOffsets();
    const hasNewGroup = order.add({
      pts: hasNoTimes ? Number.NaN : toTicks(packet.pts),
      dts: toTicks(packet.dts),
      size: packet.size,
      offset: data.offset,
      flags:
        (flags & AV_PKT_FLAG_KEY && bitstream.start ? KEY : 0) |
        (bitstream.reference ? REFERENCE : 0) |
        (flags & AV_PKT_FLAG_DISCARD || bitstream.skipped ? HIDDEN : 0) |
        (bitstream.orphan ? HIDDEN | ORPHAN : 0) |
        (bitstream.secondField ? HIDDEN | SECOND_FIELD : 0) |
        (bitstream.gap || isCorrupt ? BROKEN : 0) |
        (bitstream.damaged || isCorrupt ? DAMAGED : 0),
      order: bitstream.order,
    });
    packet.unref();
    const isCheckpoint = ++packets % CHECKPOINT_PACKETS === 0;
    if (isCheckpoint) {
      checkLimit('packets', packets, file.path);
      checkLimit('rate', packets / (Math.max(0, order.seconds) + RATE_MARGIN_SECONDS), file.path);
    }
    if (!hasNewGroup && !isCheckpoint) continue;
    signal?.throwIfAborted();
    yield order;
  }
  const truncated = result === AVERROR_EOF && info.container.startsWith('mov,') && isTruncated(file.path);
  if (truncated) order.end('the file is cut off here');
  else order.end(result === AVERROR_EOF ? undefined : `the file cannot be read to its end (${describeError(result)})`);
  checkLimit('hours', (order.index().t.at(-1) ?? 0) / 3600, file.path);
  if (order.hasAllOffsets) file.closeDemuxer();
  yield order;
}
