import {
  AV_CODEC_FLAG2_SKIP_MANUAL,
  AV_CODEC_ID_H264,
  AV_NOPTS_VALUE,
  AV_PKT_FLAG_DISCARD,
  AV_PKT_FLAG_KEY,
} from 'node-av/constants';
import { Codec, CodecContext, FFmpegError, Frame, Packet, type Stream } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import type { Rational } from '../../time.ts';
import { AudioReader, missingTrack } from '../audio.ts';
import { nalUnits } from '../bitstream/nal.ts';
import type { AudioStreamInfo, Rotation } from '../container/info.ts';
import { findJoinedParts, JoinedClock } from '../joined-clock.ts';
import { mediaLimits } from '../limits.ts';
import { openVideo, type VideoFile } from '../video.ts';
import type { ColorTags } from './encoder.ts';
import { isParameterSet, NAL_TYPE, nalType, type ParameterSets, readParameterSets } from './stream-copy.ts';

/** Which audio of a recording to use: a track, counted from 0, or all tracks mixed. */
export type AudioTrack = number | 'mix';

/** Stereo samples, -1…1; both channels have the same length. */
export interface StereoAudio {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/** What a packet of a video stream says about its frame. Times in ticks of the stream. */
export interface PacketInfo {
  readonly pts: bigint;
  readonly duration: bigint;
  readonly key: boolean;
  /** Decoded but not shown, because of an edit list. */
  readonly hidden: boolean;
}

/** A packet with what stream copy needs to know of it. */
export interface PlannedPacket extends PacketInfo {
  /** Decoding can start here, and nothing after it refers to what came before. */
  readonly isIdr: boolean;
  /** From here on, packets have other parameter sets than the stream began with: the picture's size or profile changes. */
  readonly hasOtherParameters?: boolean;
}

/** A decoded frame and its presentation time in ticks. The frame is reused: copy what must outlive the next step. */
export interface SourceFrame {
  readonly frame: Frame;
  readonly pts: bigint;
}

/** Among this many packets is the first frame shown, whatever the reorder depth. */
const MAX_REORDERED_PACKETS = 20;
/** Timestamps of audio are rounded to ticks; only larger jumps move the position of samples. */
const MAX_AUDIO_JITTER_SECONDS = 0.01;

/**
 * A recording as the source of a reel: frames, packets and audio of any part of it. Video and audio are read through
 * separate demuxers, so that neither holds the other's packets. Times `t` count from the first video frame.
 */
export class Recording implements Disposable {
  readonly path: string;
  /** Pixels of the upright picture. */
  readonly width: number;
  readonly height: number;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
  /** Presentation time of the first video frame, in ticks. */
  readonly firstPts: bigint;
  readonly hasAudio: boolean;
  readonly color: ColorTags;
  /** Clockwise rotation in degrees that makes the coded picture upright. */
  readonly rotation: Rotation;
  /** Of an H.264 stream; undefined for other codecs. */
  readonly parameterSets: ParameterSets | undefined;
  /** FFmpeg's name: `h264`, `hevc`, `vp9`. */
  readonly codec: string;
  readonly #file: VideoFile;
  readonly #tracks: readonly number[];
  /** Where recordings were joined byte by byte, so that the stored clock restarts. */
  readonly #clock: JoinedClock | undefined;
  #audio: readonly AudioReader[] | undefined;

  /**
   * @throws PlaybyplayError `no-such-audio-track` where the recording has audio but not this track, and those of opening
   * a file.
   */
  constructor(path: string, track: AudioTrack = 0) {
    this.path = path;
    this.#file = openVideo(path);
    const { info, stream } = this.#file;
    const parameters = stream.codecpar;
    this.width = info.width;
    this.height = info.height;
    this.rotation = info.rotation;
    this.codec = info.codec;
    this.timeBase = info.timeBase;
    const { avgFrameRate, rFrameRate } = stream;
    this.frameRate =
      info.frameRate.num > 0
        ? info.frameRate
        : { num: rFrameRate.num || avgFrameRate.num || 30, den: rFrameRate.den || 1 };
    this.#tracks = chooseTracks(path, info.audio, track);
    this.hasAudio = this.#tracks.length > 0;
    this.color = {
      primaries: parameters.colorPrimaries,
      transfer: parameters.colorTrc,
      space: parameters.colorSpace,
      range: parameters.colorRange,
    };
    this.parameterSets = parameters.codecId === AV_CODEC_ID_H264 ? readParameterSets(parameters.extradata) : undefined;
    const parts = findJoinedParts(path);
    this.#clock = parts.length > 0 ? new JoinedClock(parts) : undefined;
    this.firstPts = this.#findFirstPts();
  }

  /** The video stream, as FFmpeg has it. */
  get stream(): Stream {
    return this.#file.stream;
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
    for (const reader of this.#audio ?? []) reader[Symbol.dispose]();
  }

  /** Converts ticks to seconds from the first video frame. */
  seconds(pts: bigint): number {
    return (Number(pts - this.firstPts) * this.timeBase.num) / this.timeBase.den;
  }

  /** Returns the tick nearest to `t` seconds. */
  ticks(t: number): bigint {
    return BigInt(Math.round((t * this.timeBase.den) / this.timeBase.num)) + this.firstPts;
  }

  /** Length of a frame at the recording's rate, in ticks. */
  get ticksPerFrame(): bigint {
    const { num, den } = this.frameRate;
    return num > 0 ? BigInt(Math.round((den * this.timeBase.den) / (num * this.timeBase.num))) : 1n;
  }

  #findFirstPts(): bigint {
    let first: bigint | undefined;
    let count = 0;
    for (const { info } of this.#packets()) {
      if (!info.hidden && info.pts !== AV_NOPTS_VALUE && (first === undefined || info.pts < first)) first = info.pts;
      if (++count >= MAX_REORDERED_PACKETS) break;
    }
    return first ?? 0n;
  }

  *#packets(): Generator<{ packet: Packet; info: PacketInfo }> {
    using packet = new Packet();
    packet.alloc();
    while (this.#file.read(packet) >= 0) {
      if (this.#clock) this.#moveToOneClock(packet, this.#clock);
      const pts = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
      const { flags, duration } = packet;
      const hidden = (flags & AV_PKT_FLAG_DISCARD) !== 0;
      yield { packet, info: { pts, duration, key: (flags & AV_PKT_FLAG_KEY) !== 0, hidden } };
      packet.unref();
    }
  }

  #moveToOneClock(packet: Packet, clock: JoinedClock): void {
    const stored = packet.dts === AV_NOPTS_VALUE ? packet.pts : packet.dts;
    if (stored === AV_NOPTS_VALUE) return;
    const { num, den } = this.timeBase;
    const shift = clock.shiftOf(Number(packet.pos), (Number(stored) * num) / den);
    const ticks = BigInt(Math.round((shift * den) / num));
    if (packet.pts !== AV_NOPTS_VALUE) packet.pts += ticks;
    if (packet.dts !== AV_NOPTS_VALUE) packet.dts += ticks;
  }

  #seek(to: bigint): boolean {
    if (!this.#clock) return this.#file.seek(Number(to));
    return this.#file.seekByte(this.#clock.seek((Number(to) * this.timeBase.num) / this.timeBase.den));
  }

  /** Reads packets from the last keyframe at or before `from`; from the beginning where a seek does not find it. */
  *#packetsFrom(from: bigint): Generator<{ packet: Packet; info: PacketInfo }> {
    if (this.#seek(from)) {
      let isFirst = true;
      for (const entry of this.#packets()) {
        if (isFirst && (entry.info.pts > from || !entry.info.key)) break;
        isFirst = false;
        yield entry;
      }
      if (!isFirst) return;
    }
    this.#file.rewind();
    this.#clock?.seek(Number.NEGATIVE_INFINITY);
    yield* this.#packets();
  }

  /**
   * Reads packets in decode order, from the keyframe at or before `from` until every frame before `to` (ticks, exclusive)
   * has been given. The packet is reused.
   */
  *packets(from: bigint, to: bigint): Generator<{ packet: Packet; info: PacketInfo }> {
    const source = this.#packetsFrom(from);
    for (const entry of source) {
      yield entry;
      if (!entry.info.key || entry.info.pts < to) continue;
      // The group that starts at or after the end may be open: its leading frames are shown before its keyframe.
      for (const next of source) {
        if (next.info.pts >= entry.info.pts) return;
        yield next;
      }
      return;
    }
  }

  /**
   * Lists the packets around [from, to) in decode order, without decoding.
   *
   * @returns Also the presentation times of the frames within, ascending, and of the first frame after them (or the end).
   */
  index(from: bigint, to: bigint): { packets: PlannedPacket[]; times: bigint[]; next: bigint } {
    const packets: PlannedPacket[] = [];
    let next: bigint | undefined;
    for (const { packet, info } of this.packets(from, to)) {
      if (info.hidden) forbidCopyOfLastGroup(packets);
      const start = info.key && !info.hidden ? this.#startAt(packet) : undefined;
      const hasOtherParameters = start === 'other parameters';
      packets.push({ ...info, isIdr: start === 'idr', ...(hasOtherParameters && { hasOtherParameters }) });
      if (!info.hidden && info.pts >= to && (next === undefined || info.pts < next)) next = info.pts;
    }
    const inside = packets.filter(({ pts, hidden }) => !hidden && pts >= from && pts < to).toSorted(byTime);
    const last = inside.at(-1);
    const step = last && last.duration > 0n ? last.duration : this.ticksPerFrame;
    return { packets, times: inside.map(({ pts }) => pts), next: next ?? (last ? last.pts + step : to) };
  }

  /**
   * What starts at a keyframe: an H.264 IDR picture under the stream's own parameter sets, those of the extradata, which serve
   * the whole reel; or pictures under others.
   */
  #startAt(packet: Packet): 'idr' | 'other parameters' | undefined {
    if (this.parameterSets === undefined || !packet.data) return undefined;
    const known = [...this.parameterSets.sequences, ...this.parameterSets.pictures];
    for (const unit of nalUnits(packet.data, this.parameterSets.lengthSize)) {
      const type = nalType(unit);
      if (type === NAL_TYPE.idr) return 'idr';
      if (type === NAL_TYPE.slice) return undefined;
      if (isParameterSet(type) && !known.some((set) => Buffer.compare(set, unit) === 0)) return 'other parameters';
    }
    return undefined;
  }

  /** Decodes the frames with presentation times in [from, to) ticks, in order. Damage is concealed. */
  *frames(from: bigint, to: bigint): Generator<SourceFrame> {
    using decoder = openConcealingDecoder(this.#file.stream);
    using frame = new Frame();
    frame.alloc();
    for (const { packet } of this.packets(from, to)) {
      if (decoder.sendPacketSync(packet) < 0) continue;
      yield* receiveFrames(decoder, frame, from, to);
    }
    decoder.sendPacketSync(null);
    yield* receiveFrames(decoder, frame, from, to);
  }

  /**
   * Decodes nothing but the last keyframe at or before `at`: frames behind it, for which a decoder waits before it gives the first, are
   * not sent to it. Yields nothing where the keyframe cannot be shown without them.
   */
  *keyframe(at: bigint): Generator<SourceFrame> {
    for (const { packet, info } of this.packets(at, at + 1n)) {
      if (info.pts === AV_NOPTS_VALUE) continue;
      using decoder = openConcealingDecoder(this.#file.stream);
      using frame = new Frame();
      frame.alloc();
      if (decoder.sendPacketSync(packet) < 0) return;
      decoder.sendPacketSync(null);
      yield* receiveFrames(decoder, frame, info.pts, info.pts + 1n);
      return;
    }
  }

  /** Decodes the first frame of [start, end) seconds and the first of every further `step` seconds. */
  *framesEvery(step: number, start: number, end: number): Generator<{ readonly frame: Frame; readonly t: number }> {
    let next = start;
    for (const { frame, pts } of this.frames(this.ticks(start), this.ticks(end))) {
      const t = this.seconds(pts);
      if (t < next - 1e-6) continue;
      next = t + step;
      yield { frame, t };
    }
  }

  /**
   * Reads audio from `start` to `end` seconds; silence where the recording has none, also outside it.
   *
   * @param rate Samples per second.
   */
  readAudio(start: number, end: number, rate: number): StereoAudio {
    const length = Math.max(0, Math.round((end - start) * rate));
    const audio = { left: new Float32Array(length), right: new Float32Array(length) };
    if (length === 0) return audio;
    this.#audio ??= this.#tracks.map((track) => new AudioReader(this.path, track));
    const origin = (Number(this.firstPts) * this.timeBase.num) / this.timeBase.den;
    // A sample more on either side: samples are placed by rounding.
    const range = { sampleRate: rate, stereo: true, origin, from: start - 1 / rate, to: end + 1 / rate };
    for (const reader of this.#audio) {
      let expected = Number.NaN;
      for (const { t, sides } of reader.read(range)) {
        let at = Math.round((t - start) * rate);
        if (Math.abs(at - expected) <= MAX_AUDIO_JITTER_SECONDS * rate) at = expected;
        mixInto(audio.left, sides![0], at);
        mixInto(audio.right, sides![1], at);
        expected = at + sides![0].length;
      }
    }
    return audio;
  }
}

/** Chooses the tracks to read; none where the recording has no audio. */
function chooseTracks(path: string, tracks: readonly AudioStreamInfo[], track: AudioTrack): number[] {
  const wanted = track === 'mix' ? tracks : tracks.filter((each) => each.track === track);
  if (wanted.length === 0 && tracks.length > 0) throw missingTrack(path, tracks.length, track);
  return wanted.map((each) => each.track);
}

/** Frames that are not shown must not be copied, so the group that contains them cannot be copied whole. */
function forbidCopyOfLastGroup(packets: PlannedPacket[]): void {
  const at = packets.findLastIndex(({ key }) => key);
  if (at >= 0) packets[at] = { ...packets[at]!, isIdr: false };
}

function byTime(a: PacketInfo, b: PacketInfo): number {
  return a.pts < b.pts ? -1 : a.pts > b.pts ? 1 : 0;
}

/** Opens a decoder that conceals damage: a reel rather has a poor frame than none. */
function openConcealingDecoder(stream: Stream): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (!codec) throw new PlaybyplayError('unknown-codec', 'there is no decoder for this stream');
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  FFmpegError.throwIfError(decoder.parametersToContext(stream.codecpar), 'decoder parameters');
  decoder.pktTimebase = stream.timeBase;
  decoder.flags2 = (decoder.flags2 | AV_CODEC_FLAG2_SKIP_MANUAL) as typeof decoder.flags2;
  decoder.setOption('max_pixels', String(mediaLimits().pixels));
  FFmpegError.throwIfError(decoder.open2Sync(codec, null), 'open decoder');
  return decoder;
}

function* receiveFrames(decoder: CodecContext, frame: Frame, from: bigint, to: bigint): Generator<SourceFrame> {
  while (decoder.receiveFrameSync(frame) >= 0) {
    const pts = frame.bestEffortTimestamp;
    if (pts >= from && pts < to) yield { frame, pts };
    frame.unref();
  }
}

/** Adds samples to a target from index `at`, which may lie outside it. */
function mixInto(target: Float32Array, samples: Float32Array, at: number): void {
  const end = Math.min(samples.length, target.length - at);
  for (let i = Math.max(0, -at); i < end; i++) target[at + i]! += samples[i]!;
}
