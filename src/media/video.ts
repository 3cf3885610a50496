import { Codec, CodecContext, Rational } from 'node-av/lib';
import type { CodecParameters, FormatContext, Packet, Stream } from 'node-av/lib';
import {
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVFMT_FLAG_GENPTS,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
  AV_CODEC_ID_MPEG4,
  AV_CODEC_ID_VP8,
  AV_NOPTS_VALUE,
  type AVCodecID,
  FF_DECODER_LIBVPX_VP8,
} from 'node-av/constants';
import { PlaybyplayError } from '../errors.ts';
import { copyDecoderParameters, hasStoredPackets, toCodecParameters } from './container/decoder-parameters.ts';
import type { DecoderParameters } from './container/decoder-parameters.ts';
import { chooseVideoStream, countVideoStreams, describeVideo, type VideoInfo } from './container/info.ts';
import { describeError, openFormat } from './container/open.ts';
import { FileReader } from './container/packet-data.ts';
import { mediaLimits } from './limits.ts';
import { PackedFrameSplitter } from './container/packed-frames.ts';

/** What opening a file finds out, as plain data: enough to decode its packets on another thread without a demuxer. */
export interface VideoDescription {
  readonly info: VideoInfo;
  readonly parameters: DecoderParameters;
}

/**
 * An open video file: a demuxer and, on first use, a decoder, for one thread. Close it with `using` or
 * `[Symbol.dispose]()`.
 */
export class VideoFile implements Disposable {
  readonly path: string;
  readonly info: VideoInfo;
  /** Reads the file's bytes past the demuxer. */
  readonly bytes: FileReader;
  /** Decode position of the packet that `read` gives next, where it is known. */
  position: number | undefined = 0;
  /** Whether the decoder holds packets of a group that was not finished. */
  isDecoding = false;
  readonly #parameters: DecoderParameters | undefined;
  #demuxer: Demuxer | undefined;
  #decoder: CodecContext | undefined;
  #motionVectors = false;

  /** Use `openVideo`. */
  constructor(path: string, description?: VideoDescription) {
    this.path = path;
    this.bytes = new FileReader(path);
    if (description) {
      this.info = description.info;
      this.#parameters = description.parameters;
      return;
    }
    const format = openFormat(path);
    try {
      const stream = selectStream(format, path);
      this.#demuxer = createDemuxer(format, stream, path);
      this.info = describeVideo(format, stream, countVideoStreams(format));
      if (hasStoredPackets(this.info)) this.#parameters = copyDecoderParameters(stream.codecpar);
    } catch (error) {
      format.closeInputSync();
      throw error;
    }
  }

  /** What another thread needs to open the file without probing it; undefined where it must probe it itself. */
  get description(): VideoDescription | undefined {
    return this.#parameters && { info: this.info, parameters: this.#parameters };
  }

  /** The video stream, as FFmpeg has it. */
  get stream(): Stream {
    return this.#openDemuxer().stream;
  }

  /** Reads the next packet of the video stream; returns FFmpeg's code, negative at the end or on an error. */
  read(packet: Packet): number {
    const native = packet.getNative();
    const { format, stream, splitter } = this.#openDemuxer();
    const source = format.getNative();
    for (;;) {
      const result = source.readFrameSync(native);
      if (result < 0) return result;
      if (native.streamIndex === stream.index && native.size > 0) return splitter?.replace(packet) ?? result;
      native.unref();
    }
  }

  /** Seeks to the last keyframe at or before `ticks`, as far as the container allows. Returns whether it does. */
  seek(ticks: number): boolean {
    const { format, stream, splitter } = this.#openDemuxer();
    splitter?.flush();
    return format.seekFrameSync(stream.index, BigInt(Math.floor(ticks)), AVSEEK_FLAG_BACKWARD) >= 0;
  }

  /** Seeks to the packet at or after a byte of the file. Returns whether the container allows it. */
  seekByte(offset: number): boolean {
    const { format, stream, splitter } = this.#openDemuxer();
    splitter?.flush();
    return format.seekFrameSync(stream.index, BigInt(offset), AVSEEK_FLAG_BYTE) >= 0;
  }

  /** Goes back to the first packet, whatever the container. */
  rewind(): void {
    this.#freeDemuxer();
    this.#openDemuxer();
    this.position = undefined;
  }

  /**
   * Closes the demuxer where packets can be read and decoded without it: its table takes 25 MiB for an hour of mp4. It is
   * opened again when needed.
   */
  closeDemuxer(): void {
    if (!this.#parameters) return;
    this.#freeDemuxer();
    this.position = undefined;
  }

  /** The decoder. Errors are reported, not concealed. */
  get decoder(): CodecContext {
    this.#decoder ??= this.#createDecoder();
    return this.#decoder;
  }

  /** From the next call on, pictures carry their motion vectors where the codec has them (`Picture.vectors`). */
  exportMotionVectors(): void {
    if (this.#motionVectors) return;
    this.#motionVectors = true;
    this.#closeDecoder();
  }

  /** Makes a decoder that was drained forget everything, so that it can begin anywhere. */
  flushDecoder(): void {
    // libvpx keeps the pictures that later ones refer to.
    if (this.info.codec === 'vp8') this.#closeDecoder();
    else this.decoder.flushBuffers();
    this.isDecoding = false;
  }

  get exportsMotionVectors(): boolean {
    return this.#motionVectors;
  }

  [Symbol.dispose](): void {
    this.#closeDecoder();
    this.#freeDemuxer();
    this.bytes[Symbol.dispose]();
  }

  #closeDecoder(): void {
    this.#decoder?.freeContext();
    this.#decoder = undefined;
    this.isDecoding = false;
  }

  #freeDemuxer(): void {
    this.#demuxer?.splitter?.[Symbol.dispose]();
    this.#demuxer?.format.closeInputSync();
    this.#demuxer = undefined;
  }

  #openDemuxer(): Demuxer {
    if (!this.#demuxer) {
      const format = openFormat(this.path);
      this.#demuxer = createDemuxer(format, selectStream(format, this.path), this.path);
      this.position = 0;
    }
    return this.#demuxer;
  }

  #createDecoder(): CodecContext {
    const { num, den } = this.info.timeBase;
    const timeBase = new Rational(num, den);
    if (!this.#parameters) {
      const { stream, splitter } = this.#openDemuxer();
      return openDecoder(splitter?.parameters ?? stream.codecpar, timeBase, this.path, this.#motionVectors);
    }
    const parameters = toCodecParameters(this.#parameters);
    try {
      return openDecoder(parameters, timeBase, this.path, this.#motionVectors);
    } finally {
      parameters.free();
    }
  }
}

/**
 * Opens the video stream of a media file. It works synchronously, so long files belong on a worker thread.
 *
 * @param description What another thread's file found out; the file is then not read until it is needed.
 * @returns The file, which the caller disposes of.
 * @throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`, `no-video-stream`, `unsupported-codec`,
 *   `over-limit`.
 *
 * @example
 * ```ts
 * using file = openVideo('match.mp4');
 * console.log(file.info.codec, file.info.width, file.info.height);
 * ```
 */
export function openVideo(path: string, description?: VideoDescription): VideoFile {
  return new VideoFile(path, description);
}

/**
 * Finds the decoder of a codec. For VP8 it is libvpx: where a damaged picture breaks off, FFmpeg's own decoder reports nothing and
 * shows what its buffer held before, which differs from run to run.
 */
function findVideoDecoder(codec: AVCodecID): Codec | null {
  const libvpx = codec === AV_CODEC_ID_VP8 ? Codec.findDecoderByName(FF_DECODER_LIBVPX_VP8) : null;
  return libvpx ?? Codec.findDecoder(codec);
}

/**
 * Opens the decoder of a video stream; the caller frees it. Errors are reported, not concealed.
 *
 * @param path Names the recording in errors.
 * @throws PlaybyplayError `unsupported-codec`.
 */
export function openDecoder(
  parameters: CodecParameters,
  timeBase: Rational,
  path: string,
  motionVectors: boolean,
): CodecContext {
  const codec = findVideoDecoder(parameters.codecId);
  if (!codec) throw new PlaybyplayError('unsupported-codec', `${path}: no decoder for its video`);
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(parameters);
  decoder.pktTimebase = timeBase;
  // With more than one thread, damaged input decodes differently from run to run.
  decoder.threadCount = 1;
  if (codec.name === 'h264') {
    // The decoder marks damaged pictures. `explode` would also reject open groups, which start with references to the
    // group before.
    decoder.setOption('err_detect', 'crccheck+bitstream+buffer');
    // Otherwise it assumes a reorder depth, and drops pictures until the assumption is right.
    decoder.setOption('strict', 'strict');
  } else decoder.setOption('err_detect', 'crccheck+bitstream+buffer+explode');
  // A larger picture in mid-stream is an error, so that it becomes a gap.
  decoder.setOption('max_pixels', String(mediaLimits().pixels));
  if (motionVectors) decoder.setOption('export_side_data', '+mvs');
  // node-av frees an options dictionary given to open2 twice.
  const opened = decoder.open2Sync(codec);
  if (opened < 0) {
    decoder.freeContext();
    throw new PlaybyplayError('unsupported-codec', `${path}: its video cannot be decoded (${describeError(opened)})`);
  }
  return decoder;
}

/** An open container and the stream that is read. */
interface Demuxer {
  readonly format: FormatContext;
  readonly stream: Stream;
  readonly splitter?: PackedFrameSplitter;
}

function createDemuxer(format: FormatContext, stream: Stream, path: string): Demuxer {
  const isPacked = format.iformat?.name === 'avi' && stream.codecpar.codecId === AV_CODEC_ID_MPEG4;
  return {
    format,
    stream,
    ...(isPacked && { splitter: new PackedFrameSplitter(stream.codecpar, stream.timeBase, path) }),
  };
}

function selectStream(format: FormatContext, path: string): Stream {
  const stream = chooseVideoStream(format, path);
  // A program stream has times on some packets only; FFmpeg derives the others.
  if (format.iformat?.name === 'mpeg') format.setFlags(AVFMT_FLAG_GENPTS);
  for (const other of format.streams) other.discard = other.index === stream.index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  return stream;
}

/** Converts a timestamp to a number of ticks; NaN where there is none. */
export function toTicks(value: bigint): number {
  return value === AV_NOPTS_VALUE ? Number.NaN : Number(value);
}
