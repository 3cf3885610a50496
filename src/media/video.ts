import { Codec, CodecContext, Rational } from 'node-av/lib';
import type { CodecParameters, FormatContext, Packet, Stream } from 'node-av/lib';
import {
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVFMT_FLAG_GENPTS,
  AVSEEK_FLAG_BACKWARD,
  AV_CODEC_ID_MPEG4,
  AV_NOPTS_VALUE,
} from 'node-av/constants';
import { PlaybyplayError } from '../errors.ts';
import { toCodecParameters, hasStoredPackets, copyDecoderParameters } from './container/decoder-parameters.ts';
import type { DecoderParameters } from './container/decoder-parameters.ts';
import { describeVideo } from './container/info.ts';
import type { VideoInfo } from './container/info.ts';
import { openFormat, reason } from './container/open.ts';
import { FileReader } from './container/packet-data.ts';
import { bestVideoStream, countVideos } from './container/info.ts';
import { PackedFrameSplitter } from './container/packed-frames.ts';

/** What opening a file tells, as plain data: enough to decode its packets elsewhere without a demuxer of its own. */
export interface VideoDescription {
  readonly info: VideoInfo;
  readonly parameters: DecoderParameters;
}

/**
 * An open video file: one demuxer and, once asked for, one decoder, on one thread. Close it with `using` or
 * `[Symbol.dispose]()`.
 */
export class VideoFile implements Disposable {
  readonly path: string;
  readonly info: VideoInfo;
  /** The file's own bytes. */
  readonly stored: FileReader;
  readonly #parameters: DecoderParameters | undefined;
  #demuxer: Demuxer | undefined;
  #decoder: CodecContext | undefined;
  #vectors = false;
  /** Decode position of the packet that `read` gives next, where it is known. */
  position: number | undefined = 0;
  /** The decoder holds packets of a reading that has not ended. */
  decoding = false;

  /** Use `openVideo`. */
  constructor(path: string, described?: VideoDescription) {
    this.path = path;
    this.stored = new FileReader(path);
    if (described) {
      this.info = described.info;
      this.#parameters = described.parameters;
      return;
    }
    const format = openFormat(path);
    try {
      const stream = selectVideo(format, path);
      this.#demuxer = demuxerOf(format, stream, path);
      this.info = describeVideo(format, stream, countVideos(format));
      if (hasStoredPackets(this.info)) this.#parameters = copyDecoderParameters(stream.codecpar);
    } catch (error) {
      format.closeInputSync();
      throw error;
    }
  }

  /** What another thread needs to open the file without looking through it; undefined where it must look for itself. */
  get description(): VideoDescription | undefined {
    return this.#parameters && { info: this.info, parameters: this.#parameters };
  }

  get stream(): Stream {
    return this.#demuxing().stream;
  }

  /** Reads the next packet of the video stream; negative at the end or on an error, as FFmpeg's code. */
  read(packet: Packet): number {
    const native = packet.getNative();
    const { format, stream, unpacker } = this.#demuxing();
    const from = format.getNative();
    for (;;) {
      const result = from.readFrameSync(native);
      if (result < 0) return result;
      if (native.streamIndex === stream.index && native.size > 0) return unpacker?.change(packet) ?? result;
      native.unref();
    }
  }

  /** Goes to the last keyframe at or before `ticks`, as far as the container allows. False if it does not. */
  seek(ticks: number): boolean {
    const { format, stream, unpacker } = this.#demuxing();
    unpacker?.flush();
    return format.seekFrameSync(stream.index, BigInt(Math.floor(ticks)), AVSEEK_FLAG_BACKWARD) >= 0;
  }

  /** Goes back to the first packet, whatever the container. */
  rewind(): void {
    this.#freeDemuxer();
    this.#demuxing();
    this.position = undefined;
  }

  /**
   * Closes the demuxer, whose table of an hour of mp4 takes 25 MiB, where packets can be read and decoded without it; should it be needed
   * again, it is opened again.
   */
  closeDemuxer(): void {
    if (!this.#parameters) return;
    this.#freeDemuxer();
    this.position = undefined;
  }

  /**
   * The decoder: one thread (with two, damaged input decodes differently from run to run), errors reported rather than
   * concealed.
   */
  get decoder(): CodecContext {
    this.#decoder ??= this.#newDecoder();
    return this.#decoder;
  }

  /** From the next reading on pictures come with their motion vectors, where the codec has some (`Picture.vectors`). */
  exportMotionVectors(): void {
    if (this.#vectors) return;
    this.#vectors = true;
    this.#decoder?.freeContext();
    this.#decoder = undefined;
    this.decoding = false;
  }

  get exportsMotionVectors(): boolean {
    return this.#vectors;
  }

  [Symbol.dispose](): void {
    this.#decoder?.freeContext();
    this.#decoder = undefined;
    this.#freeDemuxer();
    this.stored[Symbol.dispose]();
  }

  #freeDemuxer(): void {
    this.#demuxer?.unpacker?.[Symbol.dispose]();
    this.#demuxer?.format.closeInputSync();
    this.#demuxer = undefined;
  }

  #demuxing(): Demuxer {
    if (!this.#demuxer) {
      const format = openFormat(this.path);
      this.#demuxer = demuxerOf(format, selectVideo(format, this.path), this.path);
      this.position = 0;
    }
    return this.#demuxer;
  }

  #newDecoder(): CodecContext {
    const { num, den } = this.info.timeBase;
    const timeBase = new Rational(num, den);
    if (!this.#parameters) {
      const { stream, unpacker } = this.#demuxing();
      return openDecoder(unpacker?.parameters ?? stream.codecpar, timeBase, this.path, this.#vectors);
    }
    const made = toCodecParameters(this.#parameters);
    try {
      return openDecoder(made, timeBase, this.path, this.#vectors);
    } finally {
      made.free();
    }
  }
}

/**
 * Opens the video stream of a media file. Synchronous: meant for a worker thread. With what another thread's file described,
 * nothing is read until it is needed.
 * Throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`, `no-video-stream`, `unsupported-codec`.
 */
export function openVideo(path: string, described?: VideoDescription): VideoFile {
  return new VideoFile(path, described);
}

function openDecoder(parameters: CodecParameters, timeBase: Rational, path: string, vectors: boolean): CodecContext {
  const codec = Codec.findDecoder(parameters.codecId);
  if (!codec) throw new PlaybyplayError('unsupported-codec', `${path}: no decoder for its video`);
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(parameters);
  decoder.pktTimebase = timeBase;
  decoder.threadCount = 1;
  if (codec.name === 'h264') {
    // The decoder marks damaged pictures by itself; `explode` would also refuse open groups, which start without the
    // references that their packets speak of.
    decoder.setOption('err_detect', 'crccheck+bitstream+buffer');
    // Without this it guesses how far frames are reordered, and drops some until it has guessed right.
    decoder.setOption('strict', 'strict');
  } else decoder.setOption('err_detect', 'crccheck+bitstream+buffer+explode');
  if (vectors) decoder.setOption('export_side_data', '+mvs');
  // Options must not be given to open2 as a dictionary: node-av then frees it twice.
  const opened = decoder.open2Sync(codec);
  if (opened < 0) {
    decoder.freeContext();
    throw new PlaybyplayError('unsupported-codec', `${path}: its video cannot be decoded (${reason(opened)})`);
  }
  return decoder;
}

/** An open container, and the stream of it that is read. */
interface Demuxer {
  readonly format: FormatContext;
  readonly stream: Stream;
  readonly unpacker?: PackedFrameSplitter;
}

function demuxerOf(format: FormatContext, stream: Stream, path: string): Demuxer {
  const packed = format.iformat?.name === 'avi' && stream.codecpar.codecId === AV_CODEC_ID_MPEG4;
  return {
    format,
    stream,
    ...(packed && { unpacker: new PackedFrameSplitter(stream.codecpar, stream.timeBase, path) }),
  };
}

function selectVideo(format: FormatContext, path: string): Stream {
  const stream = bestVideoStream(format, path);
  // A program stream gives times to some packets only; FFmpeg tells the others by the decoding times that follow.
  if (format.iformat?.name === 'mpeg') format.setFlags(AVFMT_FLAG_GENPTS);
  for (const other of format.streams) other.discard = other.index === stream.index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  return stream;
}

/** A timestamp in ticks; NaN where there is none. */
export function toTicks(value: bigint): number {
  return value === AV_NOPTS_VALUE ? Number.NaN : Number(value);
}
