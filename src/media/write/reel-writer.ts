import { nalUnits } from '../bitstream/nal.ts';
import { AV_PKT_FLAG_KEY } from 'node-av/constants';
import { Packet, type Frame, type Stream } from 'node-av/lib';
import { AudioEncoder, VideoEncoder, type VideoEncoding } from './encoder.ts';
import { actionAt, followAction, type ActionPath } from './follow-action.ts';
import { FrameFilter } from './frame-filter.ts';
import { type Container, Muxer, textSample, type TimedText } from './muxer.ts';
import { joinWithLengths, unitsToCopy } from './parameter-sets.ts';
import { Recording } from './recording.ts';
import type { ReelExtras, ReelOptions, WrittenReel } from './reel-options.ts';
import { createAudioFeed, AUDIO_SAMPLE_RATE, timelineAudio } from './audio-mix.ts';
import { planSegments, type Segment, planStreamCopy, type StreamCopy } from './stream-copy.ts';
import { rescale, secondsIn, type TimedCut, type Timeline } from './timeline.ts';

const SOUND_BASE = { num: 1, den: AUDIO_SAMPLE_RATE };
const TEXT_BASE = { num: 1, den: 1000 };
/** x264 with a pyramid of B-frames decodes a frame at most two places early. */
const ENCODER_DEPTH = 2;

/** Opus moves the phases of low sounds, which adds up to 2.2 dB to limited peaks. */
const OPUS_CEILING = -4;

/** What is decided before anything is written. */
export interface WriterPlan {
  readonly timeline: Timeline;
  readonly encoding: VideoEncoding;
  readonly accompaniment: ReelExtras;
}

/** Writes one reel: plans what is copied, encodes the rest, brings picture, sound and texts to the file side by side. */
export class ReelWriter implements Disposable {
  readonly #timeline: Timeline;
  readonly #options: ReelOptions;
  readonly #container: Container;
  readonly #accompaniment: ReelExtras;
  readonly #encoding: VideoEncoding;
  readonly #smart: StreamCopy | undefined;
  readonly #obstacle: string | undefined;
  readonly #muxer: Muxer;
  readonly #sound: AudioEncoder | undefined;
  readonly #feed: ((t: number) => void) | undefined;
  readonly #decodingTimes: DecodingTimes;
  readonly #fitter: FrameFilter;
  #encoder: VideoEncoder | undefined;
  #video: Stream | undefined;
  #audio: Stream | undefined;
  readonly #texts: { readonly stream: Stream; readonly texts: readonly TimedText[] }[] = [];
  #copied = 0;
  #encoded = 0;
  readonly #runs: readonly (readonly Segment[])[];
  #path: { readonly cut: TimedCut; readonly path: ActionPath } | undefined;

  constructor(path: string, container: Container, plan: WriterPlan, options: ReelOptions) {
    const { timeline, encoding, accompaniment } = plan;
    this.#timeline = timeline;
    this.#options = options;
    this.#container = container;
    this.#accompaniment = accompaniment;
    const webm = container === 'webm';
    this.#encoding = encoding;
    const { width, height } = this.#encoding;
    const smart =
      options.method === 'full'
        ? undefined
        : accompaniment.paint
          ? 'something is drawn into it'
          : webm
            ? 'a webm holds VP9'
            : planStreamCopy(timeline, encoding);
    if (typeof smart === 'string') this.#obstacle = smart;
    else this.#smart = smart;
    this.#runs = timeline.cuts.map((cut): readonly Segment[] =>
      this.#smart?.recordings.has(cut.recording)
        ? planSegments(cut.packets, cut.times[0]!, cut.to)
        : [{ kind: 'encode', from: cut.times[0]!, to: cut.to }],
    );
    this.#decodingTimes = new DecodingTimes(webm ? 0 : this.#depth(), this.#step());
    const { color } = this.#encoding;
    this.#fitter = new FrameFilter(width, height, 'yuv420p', { ...options, ...(color && { levels: color }) });
    this.#muxer = new Muxer(path, container);
    if (timeline.cuts.some((cut) => cut.recording.hasAudio)) {
      const sink = (packet: Packet) => this.#muxer.write(packet, this.#audio!, SOUND_BASE);
      this.#sound = new AudioEncoder(AUDIO_SAMPLE_RATE, sink, webm ? 'libopus' : 'aac');
      this.#feed = createAudioFeed(
        this.#sound,
        timelineAudio(timeline, webm ? { ceiling: OPUS_CEILING, ...options } : options),
      );
    }
  }

  async write(): Promise<Pick<WrittenReel, 'copied' | 'encoded' | 'whyEncoded' | 'width' | 'height'>> {
    this.#start();
    for (const [index, cut] of this.#timeline.cuts.entries()) {
      for (const run of this.#runs[index]!) {
        if (run.kind === 'copy') this.#copy(cut, run);
        else await this.#encode(cut, run);
        // Copied packets may only follow once everything before them has left the encoder.
        if (this.#smart) await this.#closeEncoder();
      }
    }
    await this.#closeEncoder();
    this.#feed?.(Number.POSITIVE_INFINITY);
    this.#sound?.finish();
    this.#muxer.finish();
    const { width, height } = this.#encoding;
    const none =
      this.#smart && this.#copied === 0 ? 'no group of pictures that stands for itself lies within a scene' : undefined;
    const why = this.#obstacle ?? none;
    return {
      copied: this.#copied,
      encoded: this.#encoded,
      width,
      height,
      ...(why !== undefined && { whyEncoded: why }),
    };
  }

  #start(): void {
    const { timeBase, frameRate } = this.#timeline;
    if (this.#smart) {
      this.#video = this.#muxer.copyStream(this.#smart.parameters, this.#smart.record, timeBase, frameRate);
    } else {
      this.#encoder = this.#openEncoder();
      this.#video = this.#muxer.addStream(this.#encoder.context, timeBase, frameRate);
    }
    if (this.#sound) this.#audio = this.#muxer.addStream(this.#sound.context, SOUND_BASE);
    this.#addTexts();
    const { title } = this.#accompaniment;
    this.#muxer.start(title === undefined ? {} : { title });
    this.#putTexts();
  }

  /** Captions, and in mp4 and mov the chapters' titles, each as a track. */
  #addTexts(): void {
    const { captions = [], chapters = [] } = this.#accompaniment;
    const isMp4 = this.#container === 'mp4' || this.#container === 'mov';
    const titles = chapters.map(({ start, end, title }) => ({ start, end, text: title }));
    const tracks = [captions, isMp4 ? titles : []];
    for (const texts of tracks.filter(({ length }) => length > 0)) {
      const stream = this.#muxer.addTextStream(this.#container, TEXT_BASE);
      this.#texts.push({ stream, texts });
    }
  }

  /**
   * Writes all texts, ahead of the frames: the mp4 muxer would put an empty text between two that meet if packets of
   * other tracks came in between.
   */
  #putTexts(): void {
    // Chapters first: a text that begins later would make the muxer begin their track with an empty one.
    for (const { stream, texts } of this.#texts.toReversed()) {
      for (const { start, end, text } of texts) {
        using packet = new Packet();
        packet.alloc();
        packet.data = textSample(text, this.#container);
        packet.pts = BigInt(Math.round(start * 1000));
        packet.dts = packet.pts;
        packet.duration = BigInt(Math.max(1, Math.round(end * 1000) - Math.round(start * 1000)));
        packet.isKeyframe = true;
        this.#muxer.write(packet, stream, TEXT_BASE, this.#container === 'mp4' || this.#container === 'mov');
      }
    }
  }

  #openEncoder(): VideoEncoder {
    const encoding = this.#smart ? { ...this.#encoding, parameterSetId: this.#smart.parameterSetId } : this.#encoding;
    return new VideoEncoder(encoding, (packet) => {
      const data = this.#smart ? joinWithLengths(nalUnits(packet.data!, 0)) : packet.data!;
      this.#put(data, packet.pts, (packet.flags & AV_PKT_FLAG_KEY) !== 0);
      this.#encoded++;
    });
  }

  async #closeEncoder(): Promise<void> {
    await this.#encoder?.finish();
    this.#encoder?.[Symbol.dispose]();
    this.#encoder = undefined;
  }

  #copy(cut: TimedCut, run: Segment & { kind: 'copy' }): void {
    const { lengthSize } = cut.recording.parameterSets!;
    let position = -1;
    for (const { packet, info } of cut.recording.packets(cut.from, cut.to)) {
      position++;
      if (position >= run.end) break;
      if (position < run.first) continue;
      this.#tick(cut, info.pts);
      const data = joinWithLengths(unitsToCopy(packet.data!, lengthSize));
      this.#put(data, this.#place(cut, info.pts), info.key);
      this.#copied++;
    }
  }

  async #encode(cut: TimedCut, run: Segment): Promise<void> {
    this.#encoder ??= this.#openEncoder();
    let first = true;
    if (!this.#timeline.constant) {
      for (const { frame, pts } of cut.recording.frames(run.from, run.to)) {
        await this.#encodeFrame(cut, frame, pts, this.#place(cut, pts), first);
        first = false;
      }
      return;
    }
    // One frame per tick: each frame of the recording as often as ticks of the reel fall into its time.
    const { timeBase } = this.#timeline;
    let tick = 0n;
    let shown = 0;
    for (const { frame, pts } of cut.recording.frames(run.from, run.to)) {
      const next = cut.times[++shown] ?? cut.to;
      const end = next >= cut.to ? cut.length : rescale(next - cut.times[0]!, cut.recording.timeBase, timeBase);
      for (; tick < end && tick < cut.length; tick++) {
        await this.#encodeFrame(cut, frame, pts, cut.offset + tick, first);
        first = false;
      }
    }
  }

  async #encodeFrame(cut: TimedCut, frame: Frame, pts: bigint, at: bigint, key: boolean): Promise<void> {
    this.#tick(cut, pts);
    const fitted = this.#fitter.fit(frame, cut.recording.rotation, { x: this.#centre(cut, pts), y: 0.5 });
    if (this.#accompaniment.paint) {
      fitted.makeWritable();
      const { width, height } = this.#encoding;
      const picture = { width, height, planes: fitted.data!, strides: fitted.linesize };
      this.#accompaniment.paint(picture, secondsIn(at, this.#timeline.timeBase), cut.index);
    }
    await this.#encoder!.encode(fitted, at, key);
  }

  /** What a crop keeps in the middle, across. */
  #centre(cut: TimedCut, pts: bigint): number {
    if (!this.#options.follow) return 0.5;
    const { recording } = cut;
    if (this.#path?.cut !== cut) {
      using other = new Recording(recording.path);
      const { width, height } = this.#encoding;
      const view = Math.min(1, (width * recording.height) / (height * recording.width));
      const [start, end] = [recording.seconds(cut.times[0]!), recording.seconds(cut.to)];
      this.#path = { cut, path: followAction(other, start, end, view) };
    }
    return actionAt(this.#path.path, recording.seconds(pts));
  }

  /** The place in the reel of a frame of a cut. */
  #place(cut: TimedCut, pts: bigint): bigint {
    return cut.offset + rescale(pts - cut.times[0]!, cut.recording.timeBase, this.#timeline.timeBase);
  }

  #tick(cut: TimedCut, pts: bigint): void {
    this.#options.signal?.throwIfAborted();
    const t = secondsIn(this.#place(cut, pts), this.#timeline.timeBase);
    this.#feed?.(t + 0.5);
    this.#options.onProgress?.(t, secondsIn(this.#timeline.length, this.#timeline.timeBase));
  }

  #put(data: Buffer, pts: bigint, key: boolean): void {
    using packet = new Packet();
    packet.alloc();
    packet.data = data;
    packet.pts = pts;
    packet.dts = this.#decodingTimes.next(pts);
    packet.duration = this.#durations().get(pts) ?? this.#step();
    packet.isKeyframe = key;
    this.#muxer.write(packet, this.#video!, this.#timeline.timeBase);
  }

  #lasts: Map<bigint, bigint> | undefined;

  /** How long each frame is shown, by its place in the reel. */
  #durations(): Map<bigint, bigint> {
    if (this.#lasts) return this.#lasts;
    this.#lasts = new Map();
    if (this.#timeline.constant) return this.#lasts;
    for (const cut of this.#timeline.cuts) {
      for (const [index, time] of cut.times.entries()) {
        const from = this.#place(cut, time);
        this.#lasts.set(from, this.#place(cut, cut.times[index + 1] ?? cut.to) - from);
      }
    }
    return this.#lasts;
  }

  #step(): bigint {
    const { timeBase, frameRate } = this.#timeline;
    const step = rescale(1n, { num: frameRate.den, den: frameRate.num }, timeBase);
    return step > 0n ? step : 1n;
  }

  #depth(): number {
    let depth = ENCODER_DEPTH;
    for (const [index, cut] of this.#timeline.cuts.entries()) {
      for (const run of this.#runs[index]!) {
        if (run.kind !== 'copy') continue;
        depth = Math.max(depth, reorderDepth(cut.packets.slice(run.first, run.end).map(({ pts }) => pts)));
      }
    }
    return depth;
  }

  [Symbol.dispose](): void {
    this.#encoder?.[Symbol.dispose]();
    this.#sound?.[Symbol.dispose]();
    this.#fitter[Symbol.dispose]();
    this.#muxer[Symbol.dispose]();
  }
}

/**
 * Decoding times for packets in the order of decoding, from their presentation times alone. With frames shown at most
 * `depth` places after they are decoded, the i-th packet decodes when the frame shown `depth` places earlier is due:
 * times ascend and none lies behind its own presentation (the scheme of ISO/IEC 14496-12 with a constant shift).
 */
export class DecodingTimes {
  readonly #depth: number;
  readonly #step: bigint;
  readonly #waiting: bigint[] = [];
  #count = 0;
  #first = 0n;

  /** `step` ticks lie between the decoding times before the first frame is due. */
  constructor(depth: number, step: bigint) {
    this.#depth = depth;
    this.#step = step;
  }

  next(pts: bigint): bigint {
    if (this.#count === 0) this.#first = pts;
    let place = this.#waiting.length;
    while (place > 0 && this.#waiting[place - 1]! > pts) place--;
    this.#waiting.splice(place, 0, pts);
    const index = this.#count++;
    return index < this.#depth ? this.#first - BigInt(this.#depth - index) * this.#step : this.#waiting.shift()!;
  }
}

/** How many places at most a frame is decoded before frames that are shown earlier: what `depth` must be. */
export function reorderDepth(times: readonly bigint[]): number {
  const shown = new Map(times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((time, rank) => [time, rank]));
  return times.reduce((depth, time, index) => Math.max(depth, index - shown.get(time)!), 0);
}
