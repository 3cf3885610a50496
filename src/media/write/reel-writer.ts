import { AV_CODEC_ID_HEVC, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { Packet, type Frame, type Stream } from 'node-av/lib';
import { LOG_ATTACHMENT } from '../../events/embedded.ts';
import { nalUnits } from '../bitstream/nal.ts';
import { AUDIO_SAMPLE_RATE, createAudioFeed, timelineAudio } from './audio-mix.ts';
import { mp4IndexBytes } from './container-edits.ts';
import { AudioEncoder, canWaitForever, VideoEncoder, type VideoEncoding } from './encoder.ts';
import { EncoderProcess } from './encoder-process.ts';
import { FrameFilter } from './frame-filter.ts';
import { type Container, encodeText, isMp4Family, Muxer, type TimedText } from './muxer.ts';
import {
  joinWithLengths,
  planSegments,
  planStreamCopy,
  type Segment,
  type StreamCopy,
  unitsToCopy,
} from './stream-copy.ts';
import type { ReelExtras, ReelOptions, WrittenReel } from './reel.ts';
import { rescale, rescaleAt, secondsIn, type TimedCut, type Timeline } from './timeline.ts';

const AUDIO_TIME_BASE = { num: 1, den: AUDIO_SAMPLE_RATE };
const TEXT_TIME_BASE = { num: 1, den: 1000 };
/** x264 with a pyramid of B-frames decodes a frame at most two places early. */
const ENCODER_REORDER_DEPTH = 2;
/** Opus changes the phase of low frequencies, which adds up to 2.2 dB to limited peaks. */
const OPUS_CEILING_DB = -4;
/** Samples in a packet of AAC. */
const AAC_FRAME_SAMPLES = 1024;
/** How far audio is written ahead of the picture. */
const AUDIO_LEAD_SECONDS = 0.5;

/** What is decided before anything is written. */
export interface WriterPlan {
  readonly container: Container;
  readonly timeline: Timeline;
  readonly encoding: VideoEncoding;
  readonly extras: ReelExtras;
}

/** How the frames of a reel were written. */
export type WrittenFrames = Pick<WrittenReel, 'copied' | 'encoded' | 'whyEncoded'>;

/** Writes one reel: copies what it can, encodes the rest, and brings picture, audio and texts to the file side by side. */
export class ReelWriter implements Disposable {
  readonly #plan: WriterPlan;
  readonly #options: ReelOptions;
  readonly #copy: StreamCopy | undefined;
  /** Why nothing can be copied. */
  readonly #obstacle: string | undefined;
  readonly #segments: readonly (readonly Segment[])[];
  readonly #muxer: Muxer;
  readonly #audioEncoder: AudioEncoder | undefined;
  readonly #feedAudio: ((t: number) => void) | undefined;
  readonly #decodingTimes: DecodingTimes;
  readonly #filter: FrameFilter;
  readonly #durations: ReadonlyMap<bigint, bigint>;
  #encoder: VideoEncoder | EncoderProcess | undefined;
  #video: Stream | undefined;
  #audio: Stream | undefined;
  #copied = 0;
  #encoded = 0;

  constructor(path: string, plan: WriterPlan, options: ReelOptions) {
    const { container, timeline, encoding } = plan;
    this.#plan = plan;
    this.#options = options;
    const copy = options.method === 'full' ? undefined : decideCopy(plan, options);
    if (typeof copy === 'string') this.#obstacle = copy;
    else this.#copy = copy;
    this.#segments = timeline.cuts.map((cut): readonly Segment[] =>
      this.#copy?.recordings.has(cut.recording)
        ? planSegments(cut.packets, cut.times[0]!, cut.to)
        : [{ kind: 'encode', from: cut.times[0]!, to: cut.to }],
    );
    const isWebm = container === 'webm';
    this.#decodingTimes = new DecodingTimes(isWebm ? 0 : this.#reorderDepth(), this.#frameTicks);
    this.#durations = this.#frameDurations();
    const { width, height, color } = encoding;
    this.#filter = new FrameFilter(width, height, 'yuv420p', { ...options, ...(color && { levels: color }) });
    this.#muxer = new Muxer(path, container);
    if (timeline.cuts.some((cut) => cut.recording.hasAudio)) {
      const sink = (packet: Packet) => this.#muxer.write(packet, this.#audio!, AUDIO_TIME_BASE);
      this.#audioEncoder = new AudioEncoder(AUDIO_SAMPLE_RATE, sink, isWebm ? 'libopus' : 'aac');
      const mix = isWebm ? { ...options, ceiling: options.ceiling ?? OPUS_CEILING_DB } : options;
      this.#feedAudio = createAudioFeed(this.#audioEncoder, timelineAudio(timeline, mix));
    }
  }

  /** Writes the file. */
  async write(): Promise<WrittenFrames> {
    await this.#start();
    for (const [index, cut] of this.#plan.timeline.cuts.entries()) {
      for (const segment of this.#segments[index]!) {
        if (segment.kind === 'copy') this.#copySegment(cut, segment);
        else await this.#encodeSegment(cut, segment);
        // Copied packets may follow only when everything before them has left the encoder.
        if (this.#copy) await this.#closeEncoder();
      }
    }
    await this.#closeEncoder();
    this.#feedAudio?.(Number.POSITIVE_INFINITY);
    this.#audioEncoder?.finish();
    this.#muxer.finish();
    const hasNoGroup = this.#copy && this.#copied === 0;
    const whyEncoded = this.#obstacle ?? (hasNoGroup ? 'no scene contains a whole group of pictures' : undefined);
    return { copied: this.#copied, encoded: this.#encoded, ...(whyEncoded !== undefined && { whyEncoded }) };
  }

  async #start(): Promise<void> {
    const { container, encoding, extras, timeline } = this.#plan;
    const { timeBase, frameRate } = timeline;
    if (this.#copy) {
      const { parameters, record } = this.#copy;
      this.#video = this.#muxer.addCopiedStream(parameters, record, timeBase, frameRate);
    } else if (canWaitForever(encoding.encoder)) {
      const { encoder, parameters } = await EncoderProcess.open(encoding, ({ data, pts, isKey }) => {
        this.#writeFrame(Buffer.from(data), pts, isKey);
        this.#encoded++;
      });
      this.#encoder = encoder;
      this.#video = this.#muxer.addCopiedStream(parameters, undefined, timeBase, frameRate);
      parameters.free();
    } else {
      this.#encoder = this.#openEncoder();
      // Apple's players want this tag.
      const tag = isMp4Family(container) && this.#encoder.context.codecId === AV_CODEC_ID_HEVC ? 'hvc1' : undefined;
      this.#video = this.#muxer.addStream(this.#encoder.context, timeBase, frameRate, tag);
    }
    if (this.#audioEncoder) this.#audio = this.#muxer.addStream(this.#audioEncoder.context, AUDIO_TIME_BASE);
    const { captions = [], chapters = [], log, title } = extras;
    // In mp4 and mov the chapter titles are a track, too.
    const titles = isMp4Family(container) ? chapters.map(({ title: text, ...times }) => ({ text, ...times })) : [];
    const texts = [captions, titles]
      .filter(({ length }) => length > 0)
      .map((list) => [this.#muxer.addTextStream(TEXT_TIME_BASE), list] as const);
    if (container === 'matroska' && log !== undefined)
      this.#muxer.attach(LOG_ATTACHMENT, 'application/x-ndjson', Buffer.from(log));
    this.#muxer.start(title, isMp4Family(container) ? this.#indexBytes() : undefined);
    // Chapters first: the muxer begins a track whose first text comes later with an empty one.
    for (const [stream, list] of texts.toReversed()) for (const text of list) this.#writeText(text, stream);
  }

  /** Space for the index of an mp4: it stands before the frames, so that the reel plays before it is loaded. */
  #indexBytes(): number {
    const { timeline, extras } = this.#plan;
    const { captions = [], chapters = [] } = extras;
    const frames = timeline.constant
      ? Number(timeline.length)
      : timeline.cuts.reduce((sum, { times }) => sum + times.length, 0);
    const sound = (secondsIn(timeline.length, timeline.timeBase) * AUDIO_SAMPLE_RATE) / AAC_FRAME_SAMPLES;
    // The muxer puts empty texts between those of a track.
    const texts = 2 * (captions.length + chapters.length);
    return mp4IndexBytes(frames + Math.ceil(sound) + texts, chapters);
  }

  /** Writes a text before the frames: between packets of other tracks the mp4 muxer puts empty texts between two that meet. */
  #writeText({ start, end, text }: TimedText, stream: Stream): void {
    const { container } = this.#plan;
    using packet = new Packet();
    packet.alloc();
    packet.data = encodeText(text, container);
    packet.pts = BigInt(Math.round(start * 1000));
    packet.dts = packet.pts;
    packet.duration = BigInt(Math.max(1, Math.round(end * 1000) - Math.round(start * 1000)));
    packet.isKeyframe = true;
    this.#muxer.write(packet, stream, TEXT_TIME_BASE, isMp4Family(container));
  }

  #openEncoder(): VideoEncoder {
    const { encoding } = this.#plan;
    const copy = this.#copy;
    return new VideoEncoder(copy ? { ...encoding, parameterSetId: copy.parameterSetId } : encoding, (packet) => {
      const data = copy ? joinWithLengths(nalUnits(packet.data!, 0)) : packet.data!;
      this.#writeFrame(data, packet.pts, (packet.flags & AV_PKT_FLAG_KEY) !== 0);
      this.#encoded++;
    });
  }

  async #closeEncoder(): Promise<void> {
    await this.#encoder?.finish();
    this.#encoder?.[Symbol.dispose]();
    this.#encoder = undefined;
  }

  #copySegment(cut: TimedCut, segment: Segment & { kind: 'copy' }): void {
    const { lengthSize } = cut.recording.parameterSets!;
    let position = -1;
    for (const { packet, info } of cut.recording.packets(cut.from, cut.to)) {
      position++;
      if (position >= segment.end) break;
      if (position < segment.first) continue;
      this.#advance(cut, info.pts);
      const data = joinWithLengths(unitsToCopy(packet.data!, lengthSize));
      this.#writeFrame(data, this.#reelTicks(cut, info.pts), info.key);
      this.#copied++;
    }
  }

  async #encodeSegment(cut: TimedCut, { from, to }: Segment): Promise<void> {
    this.#encoder ??= this.#openEncoder();
    const { timeBase, constant } = this.#plan.timeline;
    let isFirst = true;
    let tick = 0n;
    let shown = 0;
    for (const { frame, pts } of cut.recording.frames(from, to)) {
      if (!constant) {
        await this.#encodeFrame(cut, frame, pts, this.#reelTicks(cut, pts), isFirst);
        isFirst = false;
        continue;
      }
      // One frame per tick: each frame of the recording as often as ticks of the reel fall into its time.
      const next = cut.times[++shown] ?? cut.to;
      const end =
        next >= cut.to ? cut.length : rescaleAt(cut.speed, next - cut.times[0]!, cut.recording.timeBase, timeBase);
      for (; tick < end && tick < cut.length; tick++) {
        await this.#encodeFrame(cut, frame, pts, cut.offset + tick, isFirst);
        isFirst = false;
      }
    }
  }

  async #encodeFrame(cut: TimedCut, frame: Frame, pts: bigint, at: bigint, isKey: boolean): Promise<void> {
    this.#advance(cut, pts);
    const { encoding, extras, timeline } = this.#plan;
    const { recording, index } = cut;
    const reelSeconds = secondsIn(at, timeline.timeBase);
    const view = this.#options.view?.(index, recording.seconds(pts), reelSeconds);
    const filtered = this.#filter.apply(frame, recording.rotation, view);
    if (extras.paint) {
      filtered.makeWritable();
      const { width, height } = encoding;
      const planes = { width, height, planes: filtered.data!, strides: filtered.linesize };
      extras.paint(planes, reelSeconds, index);
    }
    await this.#encoder!.encode(filtered, at, isKey);
  }

  /** Position in the reel of a frame of a cut. */
  #reelTicks(cut: TimedCut, pts: bigint): bigint {
    const { recording, speed, times, offset } = cut;
    return offset + rescaleAt(speed, pts - times[0]!, recording.timeBase, this.#plan.timeline.timeBase);
  }

  /** Checks for interruption, writes the audio up to a frame and reports progress. */
  #advance(cut: TimedCut, pts: bigint): void {
    this.#options.signal?.throwIfAborted();
    const { timeBase, length } = this.#plan.timeline;
    const t = secondsIn(this.#reelTicks(cut, pts), timeBase);
    this.#feedAudio?.(t + AUDIO_LEAD_SECONDS);
    this.#options.onProgress?.(t, secondsIn(length, timeBase));
  }

  #writeFrame(data: Buffer, pts: bigint, isKey: boolean): void {
    using packet = new Packet();
    packet.alloc();
    packet.data = data;
    packet.pts = pts;
    packet.dts = this.#decodingTimes.next(pts);
    packet.duration = this.#durations.get(pts) ?? this.#frameTicks;
    packet.isKeyframe = isKey;
    this.#muxer.write(packet, this.#video!, this.#plan.timeline.timeBase);
  }

  /** How long each frame is shown, by its position in the reel; empty for a constant rate. */
  #frameDurations(): Map<bigint, bigint> {
    const durations = new Map<bigint, bigint>();
    const { cuts, constant } = this.#plan.timeline;
    for (const cut of constant ? [] : cuts) {
      for (const [index, time] of cut.times.entries()) {
        const from = this.#reelTicks(cut, time);
        durations.set(from, this.#reelTicks(cut, cut.times[index + 1] ?? cut.to) - from);
      }
    }
    return durations;
  }

  /** Length of a frame at the reel's rate. */
  get #frameTicks(): bigint {
    const { timeBase, frameRate } = this.#plan.timeline;
    const ticks = rescale(1n, { num: frameRate.den, den: frameRate.num }, timeBase);
    return ticks > 0n ? ticks : 1n;
  }

  #reorderDepth(): number {
    let depth = ENCODER_REORDER_DEPTH;
    for (const [index, cut] of this.#plan.timeline.cuts.entries()) {
      for (const segment of this.#segments[index]!) {
        if (segment.kind !== 'copy') continue;
        const times = cut.packets.slice(segment.first, segment.end).map(({ pts }) => pts);
        depth = Math.max(depth, reorderDepth(times));
      }
    }
    return depth;
  }

  [Symbol.dispose](): void {
    this.#encoder?.[Symbol.dispose]();
    this.#audioEncoder?.[Symbol.dispose]();
    this.#filter[Symbol.dispose]();
    this.#muxer[Symbol.dispose]();
  }
}

function decideCopy({ container, timeline, encoding, extras }: WriterPlan, { view }: ReelOptions): StreamCopy | string {
  if (extras.paint || view) return 'captions, overlays or effects are drawn into it';
  if (container === 'webm') return 'webm contains VP9';
  if (encoding.maxRate !== undefined) return 'its size is limited';
  return planStreamCopy(timeline, encoding);
}

/**
 * Assigns decoding times to packets in decode order from their presentation times alone. Where frames are shown at most
 * `depth` places after they are decoded, packet i decodes when the frame shown `depth` places earlier is due: times ascend,
 * and none is later than its own presentation time (ISO/IEC 14496-12 with a constant shift).
 */
export class DecodingTimes {
  readonly #depth: number;
  readonly #step: bigint;
  readonly #waiting: bigint[] = [];
  #count = 0;
  #first = 0n;

  /** @param step Ticks between the decoding times before the first frame is due. */
  constructor(depth: number, step: bigint) {
    this.#depth = depth;
    this.#step = step;
  }

  /** Returns the decoding time of the next packet. */
  next(pts: bigint): bigint {
    if (this.#count === 0) this.#first = pts;
    let place = this.#waiting.length;
    while (place > 0 && this.#waiting[place - 1]! > pts) place--;
    this.#waiting.splice(place, 0, pts);
    const index = this.#count++;
    return index < this.#depth ? this.#first - BigInt(this.#depth - index) * this.#step : this.#waiting.shift()!;
  }
}

/** How many places at most a frame is decoded before frames that are shown earlier. @param times In decode order. */
export function reorderDepth(times: readonly bigint[]): number {
  const shown = new Map(times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((time, rank) => [time, rank]));
  return times.reduce((depth, time, index) => Math.max(depth, index - shown.get(time)!), 0);
}
