import { AV_CODEC_ID_PNG, AV_LOG_QUIET, type AVPixelFormat } from 'node-av/constants';
import { Codec, CodecContext, FFmpegError, Frame, Log, Packet, avGetPixFmtName } from 'node-av/lib';

/** An image of interleaved 8-bit red, green, blue and alpha. */
export interface RgbaImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Channels of red, green, blue and alpha in the formats that 8-bit PNG files without a palette decode to. */
const CHANNELS: Readonly<Record<string, readonly number[]>> = {
  gray: [0, 0, 0],
  ya8: [0, 0, 0, 1],
  rgb24: [0, 1, 2],
  rgba: [0, 1, 2, 3],
};

/**
 * Decodes the PNG files that icons usually are: 8 bits per sample, without palette or colour profile. FFmpeg is loaded
 * anyway, whereas loading an image library takes longer than reading the icons.
 *
 * @param longestSide Largest width and height in pixels.
 * @returns The image; undefined for every other file, damaged ones included, which an image library can handle.
 */
export function decodePng(file: Uint8Array, longestSide: number): RgbaImage | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(SIGNATURE) || bytes.includes('iCCP')) return undefined;
  if (bytes.readUInt32BE(16) > longestSide || bytes.readUInt32BE(20) > longestSide) return undefined;
  Log.setLevel(AV_LOG_QUIET);
  using decoder = new CodecContext();
  using packet = new Packet();
  using frame = new Frame();
  decoder.allocContext3(Codec.findDecoder(AV_CODEC_ID_PNG));
  decoder.threadCount = 1;
  packet.alloc();
  frame.alloc();
  FFmpegError.throwIfError(decoder.setOption('err_detect', 'crccheck+explode'), 'strict decoding');
  FFmpegError.throwIfError(decoder.open2Sync(), 'open the PNG decoder');
  packet.data = bytes;
  if (decoder.sendPacketSync(packet) < 0 || decoder.receiveFrameSync(frame) < 0) return undefined;
  const channels = CHANNELS[avGetPixFmtName(frame.format as AVPixelFormat) ?? ''];
  return channels && toRgba(frame, channels);
}

function toRgba({ width, height, data: planes, linesize }: Frame, channels: readonly number[]): RgbaImage {
  const [pixels, stride] = [planes![0]!, linesize[0]!];
  const step = Math.max(...channels) + 1;
  const data = new Uint8Array(4 * width * height).fill(255);
  for (const [k, channel] of channels.entries()) {
    for (let y = 0, to = k; y < height; y++) {
      for (let x = 0; x < width; x++, to += 4) data[to] = pixels[y * stride + x * step + channel]!;
    }
  }
  return { width, height, data };
}
