import type { Packet } from 'node-av/lib';
import { AV_PKT_FLAG_CORRUPT, AV_PKT_FLAG_DISCARD, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { createBitstreamReader, type BitstreamReader } from '../../media/bitstream/bitstream.ts';
import { LiveDecoder } from '../../media/live/decoder.ts';
import type { LiveInput, LivePacket } from '../../media/live/input.ts';
import { nameOfSource } from '../../media/live/source.ts';
import { type LiveFrame, LiveTimeline } from '../../media/live/timeline.ts';
import { HIDDEN, KEY, REFERENCE } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { toTicks } from '../../media/video.ts';
import { upperMedian } from '../../statistics.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import type { Gap } from '../reading/chunk-readings.ts';
import { DetectorSampling } from '../reading/plan.ts';

/** A sample whose picture is decoded; the receiver disposes of the picture. */
export interface LiveSample {
  readonly picture: Picture;
  /** Seconds since the first frame of the session. */
  readonly t: number;
  /** Which detectors are due, by number. */
  readonly due: Uint8Array;
  /** Number of its group of pictures in the connection, in presentation order. */
  readonly group: number;
  /** `performance.now()` when its packet was read. */
  readonly arrived: number;
}

/** A frame whose picture may be wanted. */
interface PendingFrame {
  readonly t: number;
  readonly arrived: number;
  /** Undefined until it is decided whether it is a sample. */
  due?: Uint8Array | 'not a sample';
  /** Number of its group of pictures; set with `due`. */
  group?: number;
}

interface UnsentPacket {
  readonly packet: Packet;
  readonly position: number;
  readonly flags: number;
  readonly isSecondField: boolean;
  /** Why nothing can be decoded from here to the next keyframe. */
  readonly problem: string | undefined;
}

/** The reference frames of the last so many distances are a measure of the usual distance. */
const SPACING_FRAMES = 16;
/** By how much a distance may exceed the largest of these. */
const SPACING_MARGIN = 1.5;
/** Frames by which the regularity of a stream is judged, and a pause that is worth a line in the log. */
const REGULARITY_FRAMES = 120;
const MIN_REGULAR_SHARE = 0.9;
const MIN_PAUSE_SECONDS = 0.2;

/**
 * Takes the packets of one connection and gives its samples: the same frames that `planSamples` takes of the finished
 * recording, decoded from the same packets. Reference frames are decoded as they come; whether another frame is needed is
 * known when the frames around the tick are.
 */
export class LiveSampler implements Disposable {
  readonly #timeline: LiveTimeline;
  #bitstream: BitstreamReader;
  #decoder: LiveDecoder;
  readonly #sampling: DetectorSampling;
  /** By the number of their packet. */
  readonly #pending = new Map<number, PendingFrame>();
  /** Frames that were given to the planner and not decided, and the number of the first of them. */
  #undecided: LiveFrame[] = [];
  #firstUndecided = 0;
  /** Number of the group of pictures of the last frame that was decided on. */
  #group = 0;
  #unsent: UnsentPacket[] = [];
  #samples: { readonly position: number; readonly frame: PendingFrame }[] = [];
  readonly #spacings: number[] = [];
  #lastReference: number | undefined;
  readonly #steps: number[] = [];
  #lastFrame: number | undefined;
  /** The packet before the second field of a frame was sent. */
  #lastSent = -1;
  #gaps: Gap[] = [];
  #lastSampleT: number;
  #missing: string | undefined;
  #hasKey = false;

  /** @param start Seconds since the first frame of the session at which the connection begins. */
  constructor(game: CompiledProfile, input: LiveInput, start: number) {
    const { info } = input;
    const restarts = info.container === 'mpegts';
    this.#timeline = new LiveTimeline({ timeBase: info.timeBase, frameRate: info.frameRate, restarts, start });
    [this.#bitstream, this.#decoder] = this.#openCodec(input);
    this.#sampling = new DetectorSampling(game, {}, undefined);
    this.#lastSampleT = start;
  }

  #openCodec({ info, video, source }: LiveInput): [BitstreamReader, LiveDecoder] {
    const decoder = new LiveDecoder(video, info, nameOfSource(source), (position) => {
      const frame = this.#pending.get(position);
      return frame && frame.due !== 'not a sample' ? frame.t : undefined;
    });
    return [createBitstreamReader(info.codec, video.codecpar.extradata), decoder];
  }

  /** Reads on with the codec that the video has now; what is not decoded of the former one is left out. */
  changeCodec(input: LiveInput): void {
    this.skip('the codec changes');
    this.#decoder[Symbol.dispose]();
    [this.#bitstream, this.#decoder] = this.#openCodec(input);
    this.#hasKey = false;
  }

  /** Seconds since the first frame of the session, at the latest frame. */
  get latest(): number {
    return this.#timeline.latest;
  }

  /** Seconds since the first frame of the session at a time of the container; undefined before the first frame. */
  timeOf(seconds: number): number | undefined {
    return this.#timeline.timeOf(seconds);
  }

  /**
   * Takes a packet of the video stream, and returns the samples that are complete.
   *
   * @param isSkipped The packet is not decoded, nor what follows it up to a keyframe that is not skipped.
   */
  async add(
    { packet, arrived }: Pick<LivePacket, 'packet' | 'arrived'>,
    isSkipped = false,
  ): Promise<readonly LiveSample[]> {
    const bitstream = this.#bitstream;
    const native = packet.getNative();
    if (bitstream.needsData) bitstream.read(packet.data!);
    const isCorrupt = (native.flags & AV_PKT_FLAG_CORRUPT) !== 0;
    const isKey = (native.flags & AV_PKT_FLAG_KEY) !== 0 && bitstream.start;
    const isHidden =
      (native.flags & AV_PKT_FLAG_DISCARD) !== 0 || bitstream.skipped || bitstream.orphan || bitstream.secondField;
    const flags = (isKey ? KEY : 0) | (bitstream.reference ? REFERENCE : 0) | (isHidden ? HIDDEN : 0);
    const { position, t } = this.#timeline.add({ pts: toTicks(packet.pts), dts: toTicks(packet.dts), flags });
    if (isSkipped) this.#hasKey = false;
    else if (isKey) this.#hasKey = true;
    if (!this.#hasKey || bitstream.orphan) packet.free();
    else {
      const problem = bitstream.gap
        ? 'packets are missing'
        : isCorrupt || bitstream.damaged
          ? 'a packet is damaged'
          : undefined;
      this.#unsent.push({ packet, position, flags, isSecondField: bitstream.secondField, problem });
      if (t !== undefined) this.#pending.set(position, { t, arrived });
    }
    this.#plan(this.#timeline.take());
    await this.#send();
    return this.#takeReady();
  }

  /** No more packets follow: returns the last samples. */
  async end(): Promise<readonly LiveSample[]> {
    this.#plan(this.#timeline.take(true));
    this.#sampling.end();
    this.#decide(Number.POSITIVE_INFINITY);
    await this.#send();
    this.#decoder.end();
    const ready = this.#takeReady(true);
    const { latest } = this;
    if (this.#missing !== undefined && latest > this.#lastSampleT)
      this.#gaps.push({ t: this.#lastSampleT, end: latest, reason: this.#missing });
    // A connection that is lost may be ended a second time.
    this.#missing = undefined;
    return ready;
  }

  /** Discards what is not decoded; goes on with the next keyframe. */
  skip(reason: string): void {
    this.#decoder.fail(reason);
    this.#note(reason);
    for (const { packet } of this.#unsent.splice(0)) packet.free();
    this.#samples = [];
    for (const position of this.#pending.keys()) this.#forget(position);
  }

  /** Takes the stretches without samples that were found since the last call. */
  takeGaps(): readonly Gap[] {
    return this.#gaps.splice(0);
  }

  #plan(frames: readonly LiveFrame[]): void {
    if (frames.length > 0) {
      for (const frame of frames) this.#watch(frame);
      this.#undecided.push(...frames);
      this.#sampling.add({ t: frames.map(({ t }) => t), reference: frames.map((one) => (one.isReference ? 1 : 0)) });
    }
    const spacing = this.#spacings.length < SPACING_FRAMES ? 0 : SPACING_MARGIN * Math.max(...this.#spacings);
    this.#decide(this.#sampling.undecided(spacing));
  }

  /** Decides on the frames before number `end`. */
  #decide(end: number): void {
    const { frames, due } = this.#sampling.take(end);
    const count = Math.max(0, Math.min(this.#undecided.length, end - this.#firstUndecided));
    const decided = this.#undecided.splice(0, count);
    const marks = new Map(frames.map((number, i) => [number - this.#firstUndecided, due[i]!]));
    this.#firstUndecided += count;
    for (const [i, { position, isKey }] of decided.entries()) {
      if (isKey) this.#group++;
      const frame = this.#pending.get(position);
      if (!frame || frame.due) continue;
      const own = marks.get(i);
      frame.due = own ?? 'not a sample';
      frame.group = this.#group;
      if (own) this.#samples.push({ position, frame });
      // The packet is sent already, or will be forgotten with it.
      else if (position < (this.#unsent[0]?.position ?? Number.POSITIVE_INFINITY)) this.#forget(position);
    }
  }

  /** Sends the packets of which it is known that they are needed. */
  async #send(): Promise<void> {
    while (this.#unsent.length > 0) {
      const { packet, position, flags, isSecondField, problem } = this.#unsent[0]!;
      const frame = this.#pending.get(position);
      const isReference = (flags & REFERENCE) !== 0;
      const needed = isSecondField ? this.#lastSent === position - 1 : isReference || frame?.due !== 'not a sample';
      if (needed && !isSecondField && !isReference && frame && frame.due === undefined) return;
      this.#unsent.shift();
      if (problem !== undefined && (flags & KEY) === 0) {
        this.#decoder.fail(problem);
        this.#note(problem);
      }
      if (needed) {
        await this.#decoder.send(packet, position, (flags & KEY) !== 0);
        if (this.#decoder.failure !== undefined) this.#note(this.#decoder.failure);
        this.#lastSent = position;
      }
      packet.free();
      if (frame?.due === 'not a sample') this.#forget(position);
    }
  }

  /** Returns the samples whose pictures are decoded, in order; those whose pictures will not come are left out. */
  #takeReady(isOver = false): readonly LiveSample[] {
    const ready: LiveSample[] = [];
    const unsent = this.#unsent[0]?.position ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const next = this.#samples[0];
      if (!next) break;
      const { position, frame } = next;
      const picture = this.#decoder.take(position);
      if (!picture) {
        const isSent = position < unsent;
        const isPassed = this.#decoder.lastOutSeconds > frame.t || this.#decoder.failure !== undefined || isOver;
        if (!isSent || !isPassed) break;
        this.#samples.shift();
        this.#forget(position);
        this.#note(this.#decoder.failure ?? 'the decoder gives no picture');
        continue;
      }
      this.#samples.shift();
      this.#forget(position);
      if (this.#missing !== undefined) {
        if (frame.t > this.#lastSampleT) this.#gaps.push({ t: this.#lastSampleT, end: frame.t, reason: this.#missing });
        this.#missing = undefined;
      }
      this.#lastSampleT = frame.t;
      ready.push({ picture, t: frame.t, due: frame.due as Uint8Array, group: frame.group!, arrived: frame.arrived });
    }
    return ready;
  }

  #note(reason: string): void {
    this.#missing ??= reason;
  }

  #forget(position: number): void {
    this.#pending.delete(position);
    this.#decoder.take(position)?.[Symbol.dispose]();
  }

  /** Learns the usual distances of frames, and finds pauses. */
  #watch({ t, isReference }: LiveFrame): void {
    if (isReference) {
      if (this.#lastReference !== undefined) this.#spacings.push(t - this.#lastReference);
      if (this.#spacings.length > SPACING_FRAMES) this.#spacings.shift();
      this.#lastReference = t;
    }
    const before = this.#lastFrame;
    this.#lastFrame = t;
    if (before === undefined) return;
    const step = t - before;
    if (step >= MIN_PAUSE_SECONDS && this.#steps.length >= REGULARITY_FRAMES / 2) {
      const usual = upperMedian(this.#steps)!;
      const regular = this.#steps.filter((one) => one <= 1.5 * usual).length;
      if (regular >= MIN_REGULAR_SHARE * this.#steps.length && step - usual >= Math.max(MIN_PAUSE_SECONDS, 2 * usual))
        this.#gaps.push({ t: before, end: t, reason: 'no frames arrived' });
    }
    this.#steps.push(step);
    if (this.#steps.length > REGULARITY_FRAMES) this.#steps.shift();
  }

  [Symbol.dispose](): void {
    for (const { packet } of this.#unsent.splice(0)) packet.free();
    this.#decoder[Symbol.dispose]();
  }
}
