/** Makes small videos for tests with FFmpeg's encoders and muxers. Every frame shows its number as a pattern. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Codec, CodecContext, FormatContext, Frame, Log, Packet, Rational, avGetPixFmtFromName } from 'node-av/lib';
import type { Stream } from 'node-av/lib';
import {
  AVFMT_GLOBALHEADER,
  AV_CHANNEL_ORDER_NATIVE,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_SAMPLE_FMT_FLTP,
} from 'node-av/constants';
import type { AVCodecFlag, FFEncoderCodec } from 'node-av/constants';
import type { Chunk } from './packets/packet-index.ts';
import type { Picture, Plane } from './picture.ts';
import { PictureFactory } from './decode/picture-factory.ts';
import { openVideo } from './video.ts';

/** What `makeVideo` encodes. */
export interface VideoSpec {
  readonly path: string;
  /** Muxer name where the file extension does not determine it. */
  readonly format?: string;
  /** Encoder name: `libx264`, `libx265`, `libvpx-vp9`, `libsvtav1`… */
  readonly codec?: string;
  readonly width?: number;
  readonly height?: number;
  readonly pixelFormat?: string;
  /** Presentation time of each frame, in ticks. */
  readonly pts: readonly number[];
  readonly timeBase: { readonly num: number; readonly den: number };
  /** Number that a frame shows instead of its own: frames that show the same number are duplicates. */
  readonly shows?: (frame: number) => number;
  /** Paints a frame's planes instead of a number; `strides` are the bytes from one row to the next. */
  readonly paint?: (planes: readonly Uint8Array[], strides: readonly number[], frame: number) => void;
  /** A keyframe every so many frames; 10 by default. */
  readonly keyEvery?: number;
  readonly options?: Readonly<Record<string, string | number>>;
  readonly muxer?: Readonly<Record<string, string | number>>;
  /** The nine numbers of a display matrix. */
  readonly displayMatrix?: readonly number[];
  readonly audio?: readonly AudioSpec[];
  /** Adds a stream with one still image before the video, not marked as a cover. */
  readonly cover?: { readonly width: number; readonly height: number };
  /** Changes, drops (undefined) or keeps each video packet before it is muxed, in decode order. */
  readonly alter?: (packet: Packet, position: number) => boolean;
}

/** An audio track: a tone that is silent outside `[from, to)`. */
export interface AudioSpec {
  readonly codec?: string;
  readonly sampleRate?: number;
  readonly frequency: number;
  readonly from: number;
  readonly to: number;
  readonly length: number;
  /** Delays the audio by so many seconds; a negative delay is cut off at 0 in mp4. */
  readonly shift?: number;
  /** Waveform instead of a tone: seconds to −1…1. */
  readonly wave?: (t: number) => number;
}

/** What was encoded, in decode order. */
export interface EncodedPacket {
  readonly pts: number;
  readonly dts: number;
  readonly size: number;
  readonly key: boolean;
  readonly data: Uint8Array;
}

const COLUMNS = 4;
const ROWS = 3;
const DARK = 50;
const LIGHT = 200;

/** Encodes and muxes a video; gives the video packets as encoded (before `alter`). */
export function makeVideo(spec: VideoSpec): EncodedPacket[] {
  Log.setLevel(AV_LOG_QUIET);
  process.env['SVT_LOG'] = '0';
  const format = new FormatContext();
  check(format.allocOutputContext2(null, spec.format ?? null, spec.path), 'muxer');
  const globalHeader = (format.oformat!.flags & AVFMT_GLOBALHEADER) !== 0;
  const encoder = videoEncoder(spec, globalHeader);
  const cover = spec.cover && coverEncoder(spec.cover);
  const coverStream = cover && addStream(format, cover.encoder);
  const stream = addStream(format, encoder);
  if (spec.displayMatrix) {
    const matrix = Buffer.alloc(36);
    for (const [i, value] of spec.displayMatrix.entries()) matrix.writeInt32LE(value, i * 4);
    stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, matrix);
  }
  const tracks = (spec.audio ?? []).map((audio) => {
    const context = audioEncoder(audio, globalHeader);
    return { audio, context, stream: addStream(format, context) };
  });
  for (const [key, value] of Object.entries(spec.muxer ?? {})) format.setOption(key, value);
  check(format.openOutputSync(), 'open');
  check(format.writeHeaderSync(), 'header');
  if (cover && coverStream) encodeVideo(format, coverStream, cover.encoder, cover.spec);
  for (const track of tracks) encodeAudio(format, track.stream, track.context, track.audio);
  const packets = encodeVideo(format, stream, encoder, spec);
  check(format.writeTrailerSync(), 'trailer');
  format.closeOutputSync();
  encoder.freeContext();
  cover?.encoder.freeContext();
  for (const track of tracks) track.context.freeContext();
  return packets;
}

/** Encodes a file with audio only. */
export function makeAudioFile(path: string, spec: AudioSpec): void {
  const format = new FormatContext();
  check(format.allocOutputContext2(null, null, path), 'muxer');
  const encoder = audioEncoder(spec, (format.oformat!.flags & AVFMT_GLOBALHEADER) !== 0);
  const stream = addStream(format, encoder);
  check(format.openOutputSync(), 'open');
  check(format.writeHeaderSync(), 'header');
  encodeAudio(format, stream, encoder, spec);
  check(format.writeTrailerSync(), 'trailer');
  format.closeOutputSync();
  encoder.freeContext();
}

function check(code: number, what: string): void {
  if (code < 0) throw new Error(`${what}: ${code}`);
}

function videoEncoder(spec: VideoSpec, globalHeader: boolean): CodecContext {
  const name = spec.codec ?? 'libx264';
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (!codec) throw new Error(`no encoder ${name}`);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.width = spec.width ?? 128;
  encoder.height = spec.height ?? 96;
  encoder.pixelFormat = avGetPixFmtFromName(spec.pixelFormat ?? 'yuv420p');
  encoder.timeBase = new Rational(spec.timeBase.num, spec.timeBase.den);
  const step = (spec.pts[1] ?? 1) - (spec.pts[0] ?? 0);
  encoder.framerate = new Rational(spec.timeBase.den, spec.timeBase.num * step);
  encoder.gopSize = spec.keyEvery ?? 10;
  encoder.threadCount = 1;
  if (globalHeader) encoder.flags = (encoder.flags | AV_CODEC_FLAG_GLOBAL_HEADER) as AVCodecFlag;
  for (const [key, value] of Object.entries({ ...defaults(name), ...spec.options })) {
    check(encoder.setOption(key, value), `option ${key}`);
  }
  check(encoder.open2Sync(codec), `encoder ${name}`);
  return encoder;
}

function coverEncoder(size: { readonly width: number; readonly height: number }) {
  const spec = { ...size, path: '', codec: 'mjpeg', pixelFormat: 'yuvj420p', pts: [0], timeBase: { num: 1, den: 25 } };
  return { spec, encoder: videoEncoder(spec, false) };
}

/** Settings with which encoders are fast and place keyframes regularly. */
function defaults(name: string): Record<string, string | number> {
  if (name === 'libx264') return { preset: 'veryfast', crf: 20, bf: 3, sc_threshold: 0 };
  if (name === 'libx265')
    return { preset: 'ultrafast', crf: 20, 'x265-params': 'log-level=none:bframes=3:scenecut=0:open-gop=0' };
  if (name === 'libsvtav1') return { preset: 12, crf: 30 };
  if (name.startsWith('libvpx')) return { 'cpu-used': 8, deadline: 'realtime', crf: 20, b: '1M' };
  return {};
}

function addStream(format: FormatContext, encoder: CodecContext): Stream {
  const stream = format.newStream();
  check(stream.codecpar.fromContext(encoder), 'parameters');
  stream.timeBase = encoder.timeBase;
  return stream;
}

function encodeVideo(format: FormatContext, stream: Stream, encoder: CodecContext, spec: VideoSpec): EncodedPacket[] {
  using frame = new Frame();
  using packet = new Packet();
  packet.alloc();
  const packets: EncodedPacket[] = [];
  const drain = () => {
    while (encoder.receivePacketSync(packet) >= 0) {
      const { pts, dts, size, data, isKeyframe } = packet;
      packets.push({
        pts: Number(pts),
        dts: Number(dts),
        size,
        key: isKeyframe,
        data: Uint8Array.from(data!),
      });
      packet.streamIndex = stream.index;
      const after = spec.pts[spec.pts.indexOf(Number(pts)) + 1];
      packet.duration = BigInt(after === undefined ? (spec.pts[1] ?? 1) - spec.pts[0]! : after - Number(pts));
      packet.rescaleTs(encoder.timeBase, stream.timeBase);
      if (spec.alter?.(packet, packets.length - 1) !== false) check(format.interleavedWriteFrameSync(packet), 'write');
      packet.unref();
    }
  };
  for (const [number, pts] of spec.pts.entries()) {
    frame.alloc();
    frame.width = encoder.width;
    frame.height = encoder.height;
    frame.format = encoder.pixelFormat;
    check(frame.getBuffer(), 'frame');
    if (spec.paint) spec.paint(frame.data!, frame.linesize, number);
    else paint(frame, spec.shows?.(number) ?? number, spec.pixelFormat ?? 'yuv420p');
    frame.pts = BigInt(pts);
    frame.pictType = number % (spec.keyEvery ?? 10) === 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    check(encoder.sendFrameSync(frame), 'encode');
    frame.unref();
    drain();
  }
  encoder.sendFrameSync(null);
  drain();
  return packets;
}

/** Paints a frame's number as twelve dark and light cells over a slope that moves. */
function paint(frame: Frame, number: number, pixelFormat: string): void {
  const deep = /10le/.test(pixelFormat);
  const planes = frame.data!;
  const strides = frame.linesize;
  for (const [i, plane] of planes.slice(0, 3).entries()) {
    const stride = strides[i]!;
    const rows = i > 0 && /420/.test(pixelFormat) ? (frame.height + 1) >> 1 : frame.height;
    const columns = i > 0 && /42[02]/.test(pixelFormat) ? (frame.width + 1) >> 1 : frame.width;
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        const value = i === 0 ? luma(x / columns, y / rows, number) : 128 + (i === 1 ? 20 : -20) + ((x + number) % 16);
        if (deep) plane.writeUInt16LE(value * 4, y * stride + x * 2);
        else plane[y * stride + x] = value;
      }
    }
  }
}

function luma(x: number, y: number, number: number): number {
  const cell = Math.floor(y * ROWS) * COLUMNS + Math.floor(x * COLUMNS);
  const bit = (number >> cell) & 1;
  return (bit ? LIGHT : DARK) + Math.floor((x * 30 + number * 3) % 20);
}

/** The number painted on a picture, read at the middle of each cell. */
export function numberOn(picture: Picture): number {
  const { data, stride, width, height } = picture.y;
  let number = 0;
  for (let cell = 0; cell < COLUMNS * ROWS; cell++) {
    const x = Math.floor(((cell % COLUMNS) + 0.5) * (width / COLUMNS));
    const y = Math.floor((Math.floor(cell / COLUMNS) + 0.5) * (height / ROWS));
    if (data[y * stride + x]! > (DARK + LIGHT) / 2 + 8) number |= 1 << cell;
  }
  return number;
}

/** Damages a file: 90 bytes are zero at each of four places. */
export function damageFile(path: string): void {
  const bytes = readFileSync(path);
  for (const place of [0.3, 0.31, 0.55, 0.8])
    bytes.fill(0, Math.floor(place * bytes.length), Math.floor(place * bytes.length) + 90);
  writeFileSync(path, bytes);
}

/** The frames of a chunk, every third left out. */
export function mostFrames({ firstFrame, lastFrame }: Chunk): readonly number[] {
  return Array.from({ length: lastFrame - firstFrame }, (_, i) => firstFrame + i).filter((frame) => frame % 3 !== 1);
}

/** A digest of a picture's visible samples. */
export function digest(picture: Picture): string {
  const hash = createHash('sha1');
  for (const { data, stride, width, height } of [picture.y, picture.u, picture.v]) {
    for (let y = 0; y < height; y++) hash.update(data.subarray(y * stride, y * stride + width));
  }
  return hash.digest('hex');
}

/**
 * Digests of all pictures in output order, decoded in one go by the plain loop of FFmpeg's documentation: nothing left
 * out, no seeking, no flushing. The reference for what `decodeFrames` gives.
 */
export function decodeAll(path: string, options: Readonly<Record<string, string>> = {}): string[] {
  using file = openVideo(path);
  using decoder = new CodecContext();
  using packet = new Packet();
  using factory = new PictureFactory(file.info.rotation);
  packet.alloc();
  decoder.allocContext3(Codec.findDecoder(file.stream.codecpar.codecId));
  decoder.parametersToContext(file.stream.codecpar);
  decoder.threadCount = 1;
  for (const [key, value] of Object.entries(options)) check(decoder.setOption(key, value), key);
  check(decoder.open2Sync(), 'decoder');
  const digests: string[] = [];
  const drain = () => {
    while (decoder.getNative().receiveFrameSync(factory.frame()) >= 0) {
      using picture = factory.take(0);
      digests.push(digest(picture));
    }
  };
  while (file.read(packet) >= 0) {
    decoder.sendPacketSync(packet);
    packet.unref();
    drain();
  }
  decoder.sendPacketSync(null);
  drain();
  return digests;
}

function audioEncoder(spec: AudioSpec, globalHeader: boolean): CodecContext {
  const codec = Codec.findEncoderByName((spec.codec ?? 'aac') as FFEncoderCodec);
  if (!codec) throw new Error(`no encoder ${spec.codec}`);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.sampleRate = spec.sampleRate ?? 48_000;
  encoder.sampleFormat = AV_SAMPLE_FMT_FLTP;
  encoder.channelLayout = { nbChannels: 1, order: AV_CHANNEL_ORDER_NATIVE, mask: 4n };
  encoder.timeBase = new Rational(1, encoder.sampleRate);
  if (globalHeader) encoder.flags = (encoder.flags | AV_CODEC_FLAG_GLOBAL_HEADER) as AVCodecFlag;
  check(encoder.open2Sync(codec), `encoder ${spec.codec}`);
  return encoder;
}

function encodeAudio(format: FormatContext, stream: Stream, encoder: CodecContext, spec: AudioSpec): void {
  using frame = new Frame();
  using packet = new Packet();
  packet.alloc();
  const drain = () => {
    while (encoder.receivePacketSync(packet) >= 0) {
      packet.streamIndex = stream.index;
      packet.rescaleTs(encoder.timeBase, stream.timeBase);
      check(format.interleavedWriteFrameSync(packet), 'write');
      packet.unref();
    }
  };
  const { sampleRate } = encoder;
  const block = encoder.frameSize || 1024;
  for (let at = 0; at < spec.length * sampleRate; at += block) {
    frame.alloc();
    frame.format = encoder.sampleFormat;
    frame.nbSamples = block;
    frame.sampleRate = sampleRate;
    frame.channelLayout = encoder.channelLayout;
    check(frame.getBuffer(), 'frame');
    const samples = frame.data![0]!;
    for (let i = 0; i < block; i++) {
      const t = (at + i) / sampleRate;
      const sounds = t >= spec.from && t < spec.to;
      const level = spec.wave?.(t) ?? 0.5 * Math.sin(2 * Math.PI * spec.frequency * t);
      samples.writeFloatLE(sounds ? level : 0, i * 4);
    }
    frame.pts = BigInt(at + Math.round((spec.shift ?? 0) * sampleRate));
    check(encoder.sendFrameSync(frame), 'encode');
    frame.unref();
    drain();
  }
  encoder.sendFrameSync(null);
  drain();
}

/** A plane of half the size: means of 2×2 levels. */
export function halved({ data, stride, width, height }: Plane): Uint8Array {
  const [columns, rows] = [width >> 1, height >> 1];
  const out = new Uint8Array(columns * rows);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const at = 2 * y * stride + 2 * x;
      out[y * columns + x] = (data[at]! + data[at + 1]! + data[at + stride]! + data[at + stride + 1]! + 2) >> 2;
    }
  return out;
}
