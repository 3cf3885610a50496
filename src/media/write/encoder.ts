import {
  AV_CHANNEL_LAYOUT_STEREO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PICTURE_TYPE_I,
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_NV12,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
} from 'node-av/constants';
import { Codec, CodecContext, FFmpegError, Frame, Log, Packet, Rational as AvRational } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import { FrameFilter } from './frame-filter.ts';
import type { Rational } from '../../time.ts';

/** How the video of a reel is encoded. */
export interface VideoEncoding {
  readonly width: number;
  readonly height: number;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
  /** Constant quality on x264's scale, 0 (lossless) to 51; default 20. */
  readonly quality?: number | undefined;
  /** Limit of the bitrate over any second, in bits per second. */
  readonly maxRate?: number | undefined;
  /** x264 preset; default `veryfast`. */
  readonly preset?: string | undefined;
  /** Id of the parameter sets, so that they can be used next to those of copied packets. */
  readonly parameterSetId?: number | undefined;
  readonly color?: ColorTags | undefined;
  /** Encoder by FFmpeg's name; default `libx264`. */
  readonly encoder?: string | undefined;
  /** Planes in which the encoder gets its frames (3: yuv420p, 2: nv12); default what it takes. */
  readonly planes?: 3 | 2 | undefined;
}

/** Colour description as FFmpeg's numbers (those of ITU-T H.273). */
export interface ColorTags {
  readonly primaries: number;
  readonly transfer: number;
  readonly space: number;
  readonly range: number;
}

/** Takes each encoded packet, which is reused afterwards. */
export type PacketSink = (packet: Packet) => void;

/** An open video encoder. */
export class VideoEncoder implements Disposable {
  readonly context: CodecContext;
  readonly #sink: PacketSink;
  readonly #packet = newPacket();
  /** For graphics cards that take no yuv420p. */
  readonly #nv12: FrameFilter | undefined;

  /** @throws PlaybyplayError `no-encoder`, `encoder-failed`. */
  constructor(encoding: VideoEncoding, sink: PacketSink) {
    this.#sink = sink;
    this.context = openVideoEncoder(encoding);
    if (this.context.pixelFormat === AV_PIX_FMT_NV12)
      this.#nv12 = new FrameFilter(encoding.width, encoding.height, 'nv12');
  }

  /**
   * Encodes a frame.
   *
   * @param planar The frame in yuv420p.
   * @param pts Presentation time in the encoder's time base.
   * @param isKey Whether decoding must be able to start here.
   */
  async encode(planar: Frame, pts: bigint, isKey = false): Promise<void> {
    const frame = this.#nv12?.apply(planar) ?? planar;
    frame.pts = pts;
    frame.timeBase = this.context.timeBase;
    frame.pictType = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    FFmpegError.throwIfError(await this.context.sendFrame(frame), 'encode video');
    drain(this.context, this.#packet, this.#sink);
  }

  /** Encodes what the encoder still holds. */
  async finish(): Promise<void> {
    FFmpegError.throwIfError(await this.context.sendFrame(null), 'encode video');
    drain(this.context, this.#packet, this.#sink);
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.#nv12?.[Symbol.dispose]();
    this.context.freeContext();
  }
}

/** A codec of reels. */
export type ReelCodec = 'h264' | 'hevc' | 'av1';

/** Kinds of graphics hardware whose encoders take frames from ordinary memory, by FFmpeg's suffix, and what each needs. */
const HARDWARE = {
  nvenc: 'an NVIDIA graphics card and its driver',
  qsv: 'an Intel graphics chip and its driver',
  amf: 'an AMD graphics card and its driver',
  videotoolbox: 'a Mac',
  v4l2m2m: 'a Linux video device that encodes it',
} as const;

/** The encoders of a codec that run everywhere. */
const SOFTWARE_ENCODERS: Readonly<Record<ReelCodec, string>> = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' };

/** The encoder of a codec that runs everywhere. */
export function softwareEncoder(codec: ReelCodec = 'h264'): string {
  return SOFTWARE_ENCODERS[codec];
}

/** Encoders of graphics hardware for a codec, by FFmpeg's name. */
export function hardwareEncoders(codec: ReelCodec = 'h264'): string[] {
  return Object.keys(HARDWARE).map((suffix) => `${codec}_${suffix}`);
}

/** Whether an encoder is one of graphics hardware. */
export function isHardwareEncoder(name: string): boolean {
  return Object.keys(HARDWARE).some((suffix) => name.endsWith(`_${suffix}`));
}

/** Whether an encoder's library at times does not return, so that it must run where it can be ended. */
export function canWaitForever(name: string | undefined): boolean {
  return name === 'libsvtav1';
}

/** Returns the first hardware encoder of a codec that opens for this encoding; undefined where there is none. */
export function findHardwareEncoder(encoding: VideoEncoding, codec: ReelCodec = 'h264'): string | undefined {
  return hardwareEncoders(codec).find((encoder) => {
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
  const requirement = Object.entries(HARDWARE).find(([suffix]) => name.endsWith(`_${suffix}`))?.[1];
  const hint = requirement === undefined ? undefined : `It needs ${requirement}; x264 runs everywhere.`;
  const codec = findEncoder(name, hint);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = encoding.width;
  context.height = encoding.height;
  const planes = encoding.planes ?? ((codec.pixelFormats?.includes(AV_PIX_FMT_YUV420P) ?? true) ? 3 : 2);
  context.pixelFormat = planes === 3 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_NV12;
  context.timeBase = toAvRational(encoding.timeBase);
  context.framerate = toAvRational(encoding.frameRate);
  context.flags = (context.flags | AV_CODEC_FLAG_GLOBAL_HEADER) as typeof context.flags;
  context.gopSize = Math.max(1, Math.round((2 * encoding.frameRate.num) / encoding.frameRate.den));
  if (encoding.color) {
    context.colorPrimaries = encoding.color.primaries as typeof context.colorPrimaries;
    context.colorTrc = encoding.color.transfer as typeof context.colorTrc;
    context.colorSpace = encoding.color.space as typeof context.colorSpace;
    context.colorRange = encoding.color.range as typeof context.colorRange;
  }
  // node-av frees an options dictionary given to open2 twice.
  for (const [option, value] of Object.entries(encoderOptions(name, encoding))) {
    const code = context.setOption(option, value);
    if (code < 0 && name === 'libx264') FFmpegError.throwIfError(code, `option ${option}`);
  }
  const code = context.open2Sync(codec, null);
  if (code < 0) {
    context.freeContext();
    const reason = FFmpegError.strerror(code);
    throw new PlaybyplayError('encoder-failed', `the encoder ${name} cannot be opened: ${reason}`, { hint });
  }
  return context;
}

function findEncoder(name: string, hint?: string): Codec {
  const codec = Codec.findEncoderByName(name as Parameters<typeof Codec.findEncoderByName>[0]);
  if (codec) return codec;
  throw new PlaybyplayError('no-encoder', `there is no encoder "${name}" in this build of FFmpeg`, { hint });
}

function encoderOptions(name: string, encoding: VideoEncoding): Record<string, string> {
  const { maxRate } = encoding;
  const limit = maxRate === undefined ? {} : { maxrate: String(maxRate), bufsize: String(maxRate) };
  return { ...limit, ...qualityOptions(name, encoding) };
}

/** Constant quality as each encoder takes it; the factors make it look like x264's. */
function qualityOptions(name: string, encoding: VideoEncoding): Record<string, string> {
  const quality = String(encoding.quality ?? 20);
  if (name === 'libx265')
    return {
      crf: String(Math.min(51, Number(quality) + 3)),
      preset: encoding.preset ?? 'veryfast',
      'x265-params': 'log-level=none:pools=4:frame-threads=2',
    };
  if (name === 'libsvtav1')
    return { crf: String(Math.min(63, Math.round(Number(quality) * 1.4 + 5))), preset: '9', 'svtav1-params': 'lp=4' };
  if (name === 'libx264') {
    const id = encoding.parameterSetId === undefined ? '' : `:sps-id=${encoding.parameterSetId}`;
    return {
      crf: quality,
      preset: encoding.preset ?? 'veryfast',
      profile: 'high',
      // Fixed, so that the result is the same for any number of processors.
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

/** An open AAC (or Opus) encoder for stereo samples. */
export class AudioEncoder implements Disposable {
  readonly context: CodecContext;
  /** Samples per second. */
  readonly rate: number;
  readonly #sink: PacketSink;
  readonly #packet = newPacket();
  readonly #left: Float32Array;
  readonly #right: Float32Array;
  #filled = 0;
  #samples = 0n;

  /** @throws PlaybyplayError `no-encoder`. */
  constructor(rate: number, sink: PacketSink, encoderName: 'aac' | 'libopus' = 'aac') {
    this.rate = rate;
    this.#sink = sink;
    const codec = findEncoder(encoderName);
    this.context = new CodecContext();
    this.context.allocContext3(codec);
    this.context.sampleRate = rate;
    this.context.channelLayout = AV_CHANNEL_LAYOUT_STEREO;
    this.context.sampleFormat = codec.sampleFormats?.[0] ?? AV_SAMPLE_FMT_FLTP;
    this.context.bitRate = 192_000n;
    this.context.timeBase = new AvRational(1, rate);
    this.context.flags = (this.context.flags | AV_CODEC_FLAG_GLOBAL_HEADER) as typeof this.context.flags;
    // The default search adds peaks of up to 3 dB, whatever the limiter's ceiling.
    if (encoderName === 'aac') FFmpegError.throwIfError(this.context.setOption('aac_coder', 'fast'), 'audio option');
    FFmpegError.throwIfError(this.context.open2Sync(codec, null), `open ${encoderName}`);
    const size = this.context.frameSize > 0 ? this.context.frameSize : 1024;
    this.#left = new Float32Array(size);
    this.#right = new Float32Array(size);
  }

  /** Number of samples taken so far. */
  get position(): number {
    return Number(this.#samples) + this.#filled;
  }

  /** Encodes samples of both channels, which have the same length. */
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

  /** Encodes what the encoder still holds. */
  finish(): void {
    if (this.#filled > 0) this.#send();
    FFmpegError.throwIfError(this.context.sendFrameSync(null), 'encode audio');
    drain(this.context, this.#packet, this.#sink);
  }

  #send(): void {
    using frame = Frame.fromAudioBuffer(this.#takeSamples(), {
      nbSamples: this.#filled,
      format: this.context.sampleFormat,
      sampleRate: this.rate,
      channelLayout: AV_CHANNEL_LAYOUT_STEREO,
      timeBase: { num: 1, den: this.rate },
      pts: this.#samples,
    });
    this.#samples += BigInt(this.#filled);
    this.#filled = 0;
    FFmpegError.throwIfError(this.context.sendFrameSync(frame), 'encode audio');
    drain(this.context, this.#packet, this.#sink);
  }

  /** Lays the samples out as the encoder takes them: planar floats, interleaved floats or interleaved 16-bit integers. */
  #takeSamples(): Buffer {
    const n = this.#filled;
    const { sampleFormat } = this.context;
    const isShort = sampleFormat === AV_SAMPLE_FMT_S16;
    const samples = isShort ? new Int16Array(n * 2) : new Float32Array(n * 2);
    if (sampleFormat === AV_SAMPLE_FMT_FLTP) {
      samples.set(this.#left.subarray(0, n), 0);
      samples.set(this.#right.subarray(0, n), n);
      return Buffer.from(samples.buffer);
    }
    const scale = isShort ? 32_767 : 1;
    for (let i = 0; i < n; i++) {
      samples[2 * i] = Math.max(-1, Math.min(1, this.#left[i]!)) * scale;
      samples[2 * i + 1] = Math.max(-1, Math.min(1, this.#right[i]!)) * scale;
    }
    return Buffer.from(samples.buffer);
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.context.freeContext();
  }
}

function drain(context: CodecContext, packet: Packet, sink: PacketSink): void {
  while (context.receivePacketSync(packet) >= 0) {
    sink(packet);
    packet.unref();
  }
}

/** Converts a fraction to FFmpeg's. */
export function toAvRational({ num, den }: Rational): AvRational {
  return new AvRational(num, den);
}

function newPacket(): Packet {
  const packet = new Packet();
  packet.alloc();
  return packet;
}
