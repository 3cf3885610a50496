import { nalUnits } from '../bitstream/nal.ts';
import { AV_CODEC_ID_H264, AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { Frame, Packet, type CodecContext, type FormatContext, type Stream } from 'node-av/lib';
import type { Rational } from '../../time.ts';
import { PlaybyplayError } from '../../errors.ts';
import { openFormat } from '../container/open.ts';
import type { AudioStreamInfo, Rotation } from '../container/info.ts';
import { openVideo, type VideoFile } from '../video.ts';
import { openDecoder } from './decoder.ts';
import type { ColorTags } from './encoder.ts';
import { isParameterSet, NAL_TYPE, nalType, readParameterSets, type ParameterSets } from './parameter-sets.ts';
import { readSound, type Sound } from './recorded-sound.ts';

/** Which sound of a recording is heard: a track, counted from 0, or all of them mixed. */
export type AudioTrack = number | 'mix';

/** What a packet of a video stream says about its frame. Times in ticks of the stream. */
export interface PacketInfo {
  readonly pts: bigint;
  readonly duration: bigint;
  readonly key: boolean;
  /** Decoded but not shown, as an edit list has it. */
  readonly hidden: boolean;
}

/** A packet of a recording as the plan of a cut needs it. */
export interface PlannedPacket extends PacketInfo {
  /** A frame from which decoding can start afresh, with nothing behind it that refers to what came before. */
  readonly instant: boolean;
}

/** A decoded frame and its place in the stream. The frame is reused: copy what must outlive the next step. */
export interface SourceFrame {
  readonly frame: Frame;
  readonly pts: bigint;
}

/**
 * A recording as a source of cuts: frames, packets and sound of stretches of it. Video and sound are read through
 * demuxers of their own, so that neither has to hold the other's packets.
 */
export class Recording implements Disposable {
  readonly path: string;
  /** Pixels of the upright picture. */
  readonly width: number;
  readonly height: number;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
  /** Presentation time of the first video frame, in ticks: what `t` counts from. */
  readonly firstPts: bigint;
  readonly hasSound: boolean;
  readonly color: ColorTags;
  /** Clockwise turn in degrees that makes the coded picture upright. */
  readonly rotation: Rotation;
  /** Of an H.264 stream; undefined for other codecs. */
  readonly parameterSets: ParameterSets | undefined;
  /** As FFmpeg names it: `h264`, `hevc`, `vp9`. */
  readonly codec: string;
  readonly #file: VideoFile;
  #audio: FormatContext | undefined;
  /** Streams that are heard. */
  readonly #heard: readonly number[];

  /** Throws PlaybyplayError `no-such-audio-track` where the recording has sound, but not this track. */
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
    this.#heard = heardOf(path, info.audio, track);
    this.hasSound = this.#heard.length > 0;
    this.color = {
      primaries: parameters.colorPrimaries,
      transfer: parameters.colorTrc,
      space: parameters.colorSpace,
      range: parameters.colorRange,
    };
    this.parameterSets = parameters.codecId === AV_CODEC_ID_H264 ? readParameterSets(parameters.extradata) : undefined;
    this.firstPts = this.#findFirstPts();
  }

  get stream(): Stream {
    return this.#file.stream;
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
    this.#audio?.closeInputSync();
  }

  /** Seconds from the first video frame. */
  seconds(pts: bigint): number {
    return (Number(pts - this.firstPts) * this.timeBase.num) / this.timeBase.den;
  }

  /** The tick nearest to `t` seconds. */
  ticks(t: number): bigint {
    return BigInt(Math.round((t * this.timeBase.den) / this.timeBase.num)) + this.firstPts;
  }

  #findFirstPts(): bigint {
    // Presentation order is restored within the reorder depth, so the least of the first packets is the first frame.
    let least: bigint | undefined;
    let count = 0;
    for (const { info } of this.#packets()) {
      if (!info.hidden && info.pts !== AV_NOPTS_VALUE && (least === undefined || info.pts < least)) least = info.pts;
      if (++count >= 20) break;
    }
    return least ?? 0n;
  }

  *#packets(): Generator<{ packet: Packet; info: PacketInfo }> {
    using packet = new Packet();
    packet.alloc();
    while (this.#file.read(packet) >= 0) {
      const pts = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
      const { flags, duration } = packet;
      const hidden = (flags & AV_PKT_FLAG_DISCARD) !== 0;
      yield { packet, info: { pts, duration, key: (flags & AV_PKT_FLAG_KEY) !== 0, hidden } };
      packet.unref();
    }
  }

  /** Packets from the last keyframe at or before `from`; from the beginning where a seek does not find it. */
  *#packetsFrom(from: bigint): Generator<{ packet: Packet; info: PacketInfo }> {
    if (this.#file.seek(Number(from))) {
      let first = true;
      for (const entry of this.#packets()) {
        if (first && (entry.info.pts > from || !entry.info.key)) break;
        first = false;
        yield entry;
      }
      if (!first) return;
    }
    this.#file.rewind();
    yield* this.#packets();
  }

  /**
   * Packets in the order of decoding, from the keyframe at or before `from` on, until every frame before `to` (ticks,
   * exclusive) has been given. The packet is reused.
   */
  *packets(from: bigint, to: bigint): Generator<{ packet: Packet; info: PacketInfo }> {
    const source = this.#packetsFrom(from);
    for (const entry of source) {
      // A keyframe at or after the end starts a group that holds nothing of the stretch, unless the group is open;
      // frames that precede their keyframe in presentation come right behind it.
      if (entry.info.key && entry.info.pts >= to) {
        let leading = true;
        yield entry;
        for (const next of source) {
          if (next.info.pts >= entry.info.pts) leading = false;
          if (!leading) return;
          yield next;
        }
        return;
      }
      yield entry;
    }
  }

  /**
   * The packets around [from, to) in the order of decoding, the presentation times of the frames within, ascending, and
   * of the first frame behind them (or where the stream ends). Nothing is decoded.
   */
  index(from: bigint, to: bigint): { packets: PlannedPacket[]; times: bigint[]; next: bigint } {
    const packets: PlannedPacket[] = [];
    let next: bigint | undefined;
    for (const { packet, info } of this.packets(from, to)) {
      if (info.hidden) forgetGroup(packets);
      packets.push({ ...info, instant: info.key && !info.hidden && this.#isInstant(packet) });
      if (!info.hidden && info.pts >= to && (next === undefined || info.pts < next)) next = info.pts;
    }
    const inside = packets.filter(({ pts, hidden }) => !hidden && pts >= from && pts < to).toSorted(byTime);
    const last = inside.at(-1);
    const step = last && last.duration > 0n ? last.duration : this.ticksPerFrame();
    return { packets, times: inside.map(({ pts }) => pts), next: next ?? (last ? last.pts + step : to) };
  }

  /**
   * Whether nothing behind a keyframe refers to what lies before it: in H.264, an instantaneous refresh. Not with other
   * parameter sets than the stream's: those of one configuration serve the whole reel.
   */
  #isInstant(packet: Packet): boolean {
    if (this.parameterSets === undefined || !packet.data) return false;
    for (const unit of nalUnits(packet.data, this.parameterSets.lengthSize)) {
      const type = nalType(unit);
      if (type === NAL_TYPE.idr) return true;
      if (type === NAL_TYPE.slice || (isParameterSet(type) && !this.#known(unit))) return false;
    }
    return false;
  }

  #known(unit: Uint8Array): boolean {
    const { sequences, pictures } = this.parameterSets!;
    return [...sequences, ...pictures].some((known) => Buffer.compare(known, unit) === 0);
  }

  ticksPerFrame(): bigint {
    const { num, den } = this.frameRate;
    return num > 0 ? BigInt(Math.round((den * this.timeBase.den) / (num * this.timeBase.num))) : 1n;
  }

  /** Decoded frames with presentation times in [from, to) ticks, in order. */
  *frames(from: bigint, to: bigint): Generator<SourceFrame> {
    using decoder = openDecoder(this.#file.stream);
    using frame = new Frame();
    frame.alloc();
    for (const { packet } of this.packets(from, to)) {
      if (decoder.sendPacketSync(packet) < 0) continue;
      yield* receive(decoder, frame, from, to);
    }
    decoder.sendPacketSync(null);
    yield* receive(decoder, frame, from, to);
  }

  /**
   * Sound from `start` to `end` (seconds from the first video frame) as stereo floats at `rate`; silence where there is
   * none, also before the beginning and behind the end.
   */
  sound(start: number, end: number, rate: number): Sound {
    const length = Math.max(0, Math.round((end - start) * rate));
    const sound = { left: new Float32Array(length), right: new Float32Array(length) };
    if (!this.hasSound || length === 0) return sound;
    this.#audio ??= openFormat(this.path);
    const from = start + this.#originSeconds();
    for (const [n, index] of this.#heard.entries()) {
      const track = n === 0 ? sound : { left: new Float32Array(length), right: new Float32Array(length) };
      readSound(this.#audio, index, track, from, rate);
      if (n === 0) continue;
      for (let i = 0; i < length; i++) {
        sound.left[i]! += track.left[i]!;
        sound.right[i]! += track.right[i]!;
      }
    }
    return sound;
  }

  #originSeconds(): number {
    return (Number(this.firstPts) * this.timeBase.num) / this.timeBase.den;
  }
}

/** The indices of the streams that are heard; none where there is no sound at all. */
function heardOf(path: string, tracks: readonly AudioStreamInfo[], track: AudioTrack): number[] {
  const wanted = track === 'mix' ? tracks : tracks.filter((each) => each.track === track);
  if (wanted.length > 0 || tracks.length === 0) return wanted.map(({ index }) => index);
  const has = tracks.length === 1 ? 'one sound track' : `${tracks.length} sound tracks`;
  throw new PlaybyplayError('no-such-audio-track', `${path} has ${has}; track ${track} was asked for`, {
    hint: `Tracks are counted from 0: give 0${tracks.length > 1 ? ` to ${tracks.length - 1}` : ''}.`,
  });
}

/** Frames that are not shown must not be copied: the group they stand in cannot be taken whole. */
function forgetGroup(packets: PlannedPacket[]): void {
  const at = packets.findLastIndex(({ key }) => key);
  if (at >= 0) packets[at] = { ...packets[at]!, instant: false };
}

function byTime(a: PacketInfo, b: PacketInfo): number {
  return a.pts < b.pts ? -1 : a.pts > b.pts ? 1 : 0;
}

function* receive(decoder: CodecContext, frame: Frame, from: bigint, to: bigint): Generator<SourceFrame> {
  while (decoder.receiveFrameSync(frame) >= 0) {
    const pts = frame.bestEffortTimestamp;
    if (pts >= from && pts < to) yield { frame, pts };
    frame.unref();
  }
}
