import { setImmediate as turn } from 'node:timers/promises';
import { Packet } from 'node-av/lib';
import {
  AV_PKT_DATA_NEW_EXTRADATA,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_DISCARD,
  AV_PKT_FLAG_KEY,
  AVERROR_EOF,
} from 'node-av/constants';
import { createBitstreamReader } from '../bitstream/bitstream.ts';
import { isCutOff } from '../container/open.ts';
import { hasStoredPackets } from '../container/decoder-parameters.ts';
import { PacketBytes } from '../container/packet-data.ts';
import { BROKEN, DAMAGED, HIDDEN, KEY, ORPHAN, REFERENCE, SECOND } from './packet-index.ts';
import type { PacketIndex } from './packet-index.ts';
import { FrameOrder } from './frame-order.ts';
import { reason } from '../container/open.ts';
import { toTicks } from '../video.ts';
import type { VideoFile } from '../video.ts';

export { splitIntoChunks, groupFirstFrame, findGroup, sliceIndex } from './packet-index.ts';
export type { Chunk, PacketIndex, PacketTable } from './packet-index.ts';

/**
 * Reads every packet of the video stream without decoding any.
 * Throws the signal's reason when aborted.
 */
export function scanPackets(file: VideoFile, options: { readonly signal?: AbortSignal } = {}): PacketIndex {
  let last: FrameOrder | undefined;
  for (const scan of scanning(file, options.signal)) last = scan;
  return last!.index();
}

/** Milliseconds for which a scan keeps the event loop waiting. */
const TURN_MS = 50;

/** The same, but lets the event loop turn now and then, so that an interruption is noticed however long the file is. */
export async function scanPacketsAsync(
  file: VideoFile,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PacketIndex> {
  let last: FrameOrder | undefined;
  let turned = performance.now();
  for (const scan of scanning(file, options.signal)) {
    last = scan;
    if (performance.now() - turned < TURN_MS) continue;
    await turn();
    turned = performance.now();
  }
  return last!.index();
}

/** Reads the file; yields whenever another group of pictures is finished, and at the end. */
function* scanning(file: VideoFile, signal: AbortSignal | undefined): Generator<FrameOrder, void, undefined> {
  using wrapper = new Packet();
  wrapper.alloc();
  const packet = wrapper.getNative();
  if (file.position !== 0) file.rewind();
  file.position = undefined;
  // No avi has presentation times; what FFmpeg makes up for some packets of a codec with B-pictures contradicts the others.
  const timeless = file.info.container === 'avi' && file.info.codec === 'mpeg4';
  const bitstream = createBitstreamReader(file.info.codec, file.stream.codecpar.extradata, timeless);
  using bytes = new PacketBytes(file.path, file.info.container);
  const placed = hasStoredPackets(file.info);
  const scan = new FrameOrder(file.info.timeBase, file.info.frameRate, {
    placed,
    restarts: file.info.container === 'mpegts',
  });
  let result = 0;
  while ((result = file.read(wrapper)) >= 0) {
    const flags = packet.flags;
    if (!bitstream.silent) bitstream.read(bytes.of(wrapper));
    // Another description of the stream begins: the demuxer hands it to the decoder along with the packet.
    if (placed && wrapper.getSideData(AV_PKT_DATA_NEW_EXTRADATA)) scan.forgetPlaces();
    const another = scan.add({
      pts: timeless ? Number.NaN : toTicks(packet.pts),
      dts: toTicks(packet.dts),
      size: packet.size,
      place: bytes.place,
      flags:
        (flags & AV_PKT_FLAG_KEY && bitstream.start ? KEY : 0) |
        (bitstream.reference ? REFERENCE : 0) |
        (flags & AV_PKT_FLAG_DISCARD || bitstream.skipped ? HIDDEN : 0) |
        (bitstream.orphan ? HIDDEN | ORPHAN : 0) |
        (bitstream.second ? HIDDEN | SECOND : 0) |
        (bitstream.gap || flags & AV_PKT_FLAG_CORRUPT ? BROKEN : 0) |
        (bitstream.damaged || flags & AV_PKT_FLAG_CORRUPT ? DAMAGED : 0),
      order: bitstream.order,
    });
    packet.unref();
    if (!another) continue;
    signal?.throwIfAborted();
    yield scan;
  }
  const cutOff = result === AVERROR_EOF && file.info.container.startsWith('mov,') && isCutOff(file.path);
  if (cutOff) scan.end('the file is cut off here');
  else scan.end(result === AVERROR_EOF ? undefined : `the file cannot be read to its end (${reason(result)})`);
  if (scan.placed) file.closeDemuxer();
  yield scan;
}
