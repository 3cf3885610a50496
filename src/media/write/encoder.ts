import {
  AV_CHANNEL_LAYOUT_STEREO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PICTURE_TYPE_I,
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_NV12,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLTP,
} from 'node-av/constants';
import { Codec, CodecContext, FFmpegError, Frame, Log, Packet, Rational as AvRational } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import type { Rational } from '../../time.ts';

/** How the video of a reel is encoded. */
export interface VideoEncoding {
  readonly width: number;
  readonly height: number;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
  /** Constant quality of x264, 0 (lossless) to 51; default 20. */
  readonly quality?: number;
  /** x264 preset; default `veryfast`. */
  readonly preset?: string;
  /** Id of the parameter sets, so that they can stand beside those of copied packets. */
  readonly parameterSetId?: number;
  readonly color?: ColorTags;
  /** Encoder by FFmpeg's name; default `libx264`. */
  readonly encoder?: string;
  /** Form in which the encoder gets its frames; default the one it takes. */
  readonly planes?: 3 | 2;
}

/** Colour description as FFmpeg's numbers (those of ITU-T H.273). */
export interface ColorTags {
  readonly primaries: number;
  readonly transfer: number;
  readonly space: number;
  readonly range: number;
}

/** Called with each encoded packet, which is reused. */
export type PacketSink = (packet: Packet) => void;

/** An open video encoder. Frames go in with their presentation times in its time base. */
export class VideoEncoder implements Disposable {
  readonly context: CodecContext;
  readonly #sink: PacketSink;
  readonly #packet = newPacket();
  readonly #interleaver: Nv12Converter | undefined;

  constructor(encoding: VideoEncoding, sink: PacketSink) {
    this.#sink = sink;
    this.context = openVideoEncoder(encoding);
    if (this.context.pixelFormat === AV_PIX_FMT_NV12) this.#interleaver = new Nv12Converter();
  }

  /** Encodes one 4:2:0 frame; `pts` in the encoder's time base; `key` makes it one that can be sought. */
  async encode(planar: Frame, pts: bigint, key = false): Promise<void> {
    const frame = this.#interleaver?.interleave(planar) ?? planar;
    frame.pts = pts;
    frame.timeBase = this.context.timeBase;
    frame.pictType = key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    FFmpegError.throwIfError(await this.context.sendFrame(frame), 'encode video');
    this.#drain();
  }

  async finish(): Promise<void> {
    FFmpegError.throwIfError(await this.context.sendFrame(null), 'encode video');
    this.#drain();
  }

  #drain(): void {
    while (this.context.receivePacketSync(this.#packet) >= 0) {
      this.#sink(this.#packet);
      this.#packet.unref();
    }
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.#interleaver?.[Symbol.dispose]();
    this.context.freeContext();
  }
}

/** Encoders of graphics cards that take frames from ordinary memory. */
export const hardwareEncoders = ['h264_nvenc', 'h264_qsv', 'h264_amf', 'h264_videotoolbox', 'h264_v4l2m2m'] as const;

/** What each of them needs. */
const NEEDS: Readonly<Record<string, string>> = {
  h264_nvenc: 'an NVIDIA graphics card and its driver',
  h264_qsv: 'an Intel graphics chip and its driver',
  h264_amf: 'an AMD graphics card and its driver',
  h264_videotoolbox: 'a Mac',
  h264_v4l2m2m: 'a video device of Linux that encodes H.264',
};

/** The first encoder of a graphics card that opens for this encoding; undefined where there is none. */
export function hardwareEncoder(encoding: VideoEncoding): string | undefined {
  return hardwareEncoders.find((encoder) => {
    try {
      openVideoEncoder({ ...encoding, encoder }).freeContext();
      return true;
    } catch (error) {
      if (error instanceof PlaybyplayError) return false;
      throw error;
    }
  });
}

function openVideoEncoder(encoding: VideoEncoding): CodecContext {
  const name = encoding.encoder ?? 'libx264';
  Log.setLevel(AV_LOG_QUIET);
  const hint = NEEDS[name] === undefined ? undefined : `It needs ${NEEDS[name]}; x264 needs nothing.`;
  const codec = Codec.findEncoderByName(name as Parameters<typeof Codec.findEncoderByName>[0]);
  if (!codec)
    throw new PlaybyplayError('no-encoder', `there is no encoder "${name}" in this build of FFmpeg`, { hint });
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = encoding.width;
  context.height = encoding.height;
  context.pixelFormat = takesPlanes(codec, encoding.planes) ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_NV12;
  context.timeBase = rational(encoding.timeBase);
  context.framerate = rational(encoding.frameRate);
  context.flags = (context.flags | AV_CODEC_FLAG_GLOBAL_HEADER) as typeof context.flags;
  const rate = encoding.frameRate.num / encoding.frameRate.den;
  context.gopSize = Math.max(1, Math.round(2 * rate));
  if (encoding.color) {
    context.colorPrimaries = encoding.color.primaries as typeof context.colorPrimaries;
    context.colorTrc = encoding.color.transfer as typeof context.colorTrc;
    context.colorSpace = encoding.color.space as typeof context.colorSpace;
    context.colorRange = encoding.color.range as typeof context.colorRange;
  }
  // Not by a dictionary: the binding's synchronous open frees it a second time when it is collected.
  for (const [option, value] of Object.entries(videoOptions(name, encoding))) {
    const set = context.setOption(option, value);
    if (set < 0 && name === 'libx264') FFmpegError.throwIfError(set, `option ${option}`);
  }
  const code = context.open2Sync(codec, null);
  if (code < 0) {
    context.freeContext();
    const reason = FFmpegError.strerror(code);
    throw new PlaybyplayError('encoder-failed', `the encoder ${name} cannot be opened: ${reason}`, { hint });
  }
  return context;
}

/** Whether frames go to an encoder as they are made, in three planes. */
function takesPlanes(codec: Codec, wanted: 3 | 2 | undefined): boolean {
  return wanted === undefined ? (codec.pixelFormats?.includes(AV_PIX_FMT_YUV420P) ?? true) : wanted === 3;
}

function videoOptions(name: string, encoding: VideoEncoding): Record<string, string> {
  const quality = String(encoding.quality ?? 20);
  if (name === 'libx264') {
    const id = encoding.parameterSetId === undefined ? '' : `:sps-id=${encoding.parameterSetId}`;
    // One result for any number of processors: the count of threads is fixed.
    return {
      crf: quality,
      preset: encoding.preset ?? 'veryfast',
      profile: 'high',
      threads: '4',
      'forced-idr': '1',
      'x264-params': `open-gop=0:stitchable=1${id}`,
    };
  }
  if (name === 'libvpx-vp9') {
    return {
      crf: String(Math.round(Number(quality) * 1.5)),
      b: '0',
      deadline: 'good',
      'cpu-used': '5',
      'row-mt': '1',
      threads: '4',
    };
  }
  if (name.endsWith('_nvenc')) return { cq: quality, preset: 'p4', rc: 'vbr' };
  if (name.endsWith('_qsv')) return { global_quality: quality };
  return {};
}

/** An open AAC (or Opus) encoder, fed with stereo floats of any length. */
export class AudioEncoder implements Disposable {
  readonly context: CodecContext;
  readonly rate: number;
  readonly #sink: PacketSink;
  readonly #packet = newPacket();
  readonly #left: Float32Array;
  readonly #right: Float32Array;
  #filled = 0;
  #samples = 0n;

  constructor(rate: number, sink: PacketSink, encoderName: 'aac' | 'libopus' = 'aac') {
    this.rate = rate;
    this.#sink = sink;
    const codec = Codec.findEncoderByName(encoderName as Parameters<typeof Codec.findEncoderByName>[0]);
    if (!codec) throw new PlaybyplayError('no-encoder', `there is no encoder "${encoderName}" in this build of FFmpeg`);
    this.context = new CodecContext();
    this.context.allocContext3(codec);
    this.context.sampleRate = rate;
    this.context.channelLayout = AV_CHANNEL_LAYOUT_STEREO;
    this.context.sampleFormat = codec.sampleFormats?.[0] ?? AV_SAMPLE_FMT_FLTP;
    this.context.bitRate = 192_000n;
    this.context.timeBase = new AvRational(1, rate);
    this.context.flags = (this.context.flags | AV_CODEC_FLAG_GLOBAL_HEADER) as typeof this.context.flags;
    // Its other search adds peaks of up to 3 dB here and there, whatever the ceiling of the limiter before it.
    if (encoderName === 'aac') FFmpegError.throwIfError(this.context.setOption('aac_coder', 'fast'), 'sound option');
    FFmpegError.throwIfError(this.context.open2Sync(codec, null), `open ${encoderName}`);
    const size = this.context.frameSize > 0 ? this.context.frameSize : 1024;
    this.#left = new Float32Array(size);
    this.#right = new Float32Array(size);
  }

  /** Samples encoded so far. */
  get position(): number {
    return Number(this.#samples) + this.#filled;
  }

  encode(left: Float32Array, right: Float32Array): void {
    let at = 0;
    while (at < left.length) {
      const n = Math.min(this.#left.length - this.#filled, left.length - at);
      this.#left.set(left.subarray(at, at + n), this.#filled);
      this.#right.set(right.subarray(at, at + n), this.#filled);
      this.#filled += n;
      at += n;
      if (this.#filled === this.#left.length) this.#send();
    }
  }

  finish(): void {
    if (this.#filled > 0) this.#send();
    FFmpegError.throwIfError(this.context.sendFrameSync(null), 'encode sound');
    this.#drain();
  }

  #send(): void {
    const interleaved = this.context.sampleFormat !== AV_SAMPLE_FMT_FLTP;
    using frame = Frame.fromAudioBuffer(interleaved ? this.#interleave() : this.#planes(), {
      nbSamples: this.#filled,
      format: this.context.sampleFormat,
      sampleRate: this.rate,
      channelLayout: AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: this.rate },
      pts: this.#samples,
    });
    this.#samples += BigInt(this.#filled);
    this.#filled = 0;
    FFmpegError.throwIfError(this.context.sendFrameSync(frame), 'encode sound');
    this.#drain();
  }

  #planes(): Buffer {
    const n = this.#filled;
    const both = new Float32Array(n * 2);
    both.set(this.#left.subarray(0, n), 0);
    both.set(this.#right.subarray(0, n), n);
    return Buffer.from(both.buffer);
  }

  #interleave(): Buffer {
    const n = this.#filled;
    const short = this.context.sampleFormat === 1;
    const both = short ? new Int16Array(n * 2) : new Float32Array(n * 2);
    const scale = short ? 32767 : 1;
    for (let i = 0; i < n; i++) {
      both[2 * i] = Math.max(-1, Math.min(1, this.#left[i]!)) * scale;
      both[2 * i + 1] = Math.max(-1, Math.min(1, this.#right[i]!)) * scale;
    }
    return Buffer.from(both.buffer);
  }

  #drain(): void {
    while (this.context.receivePacketSync(this.#packet) >= 0) {
      this.#sink(this.#packet);
      this.#packet.unref();
    }
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.context.freeContext();
  }
}

export function rational({ num, den }: Rational): AvRational {
  return new AvRational(num, den);
}

function newPacket(): Packet {
  const packet = new Packet();
  packet.alloc();
  return packet;
}

/** Brings 4:2:0 frames of three planes to two, both chroma values side by side: what some graphics cards want. */
export class Nv12Converter implements Disposable {
  readonly #output = new Frame();

  /** The frame in its other form, valid until the next call. */
  interleave(frame: Frame): Frame {
    const { width, height, colorRange, colorSpace } = frame;
    const output = this.#output;
    output.unref();
    Object.assign(output, { width, height, format: AV_PIX_FMT_NV12, colorRange, colorSpace });
    FFmpegError.throwIfError(output.getBuffer(), 'frame for the graphics card');
    const [luma, chroma] = output.data!;
    const [lumaStride, chromaStride] = output.linesize;
    const [y, u, v] = frame.data!;
    const [yStride, uStride, vStride] = frame.linesize;
    for (let row = 0; row < height; row++)
      luma!.set(y!.subarray(row * yStride!, row * yStride! + width), row * lumaStride!);
    for (let row = 0; row < height / 2; row++) {
      let at = row * chromaStride!;
      for (let column = 0; column < width / 2; column++) {
        chroma![at++] = u![row * uStride! + column]!;
        chroma![at++] = v![row * vStride! + column]!;
      }
    }
    return output;
  }

  constructor() {
    this.#output.alloc();
  }

  [Symbol.dispose](): void {
    this.#output.free();
  }
}
