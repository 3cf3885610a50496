import { Codec, CodecContext, Frame, Packet, SoftwareResampleContext, avChannelLayoutDefault } from 'node-av/lib';
import type { FormatContext, Stream } from 'node-av/lib';
import {
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVMEDIA_TYPE_AUDIO,
  AV_CODEC_FLAG2_SKIP_MANUAL,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
  AV_CHANNEL_ORDER_NATIVE,
  AV_NOPTS_VALUE,
  AV_SAMPLE_FMT_FLTP,
} from 'node-av/constants';
import type { AVSampleFormat } from 'node-av/constants';
import { PlaybyplayError } from '../errors.ts';
import { roundTime } from '../time.ts';
import { findJoinedParts, JoinedClock } from './joined-clock.ts';
import { openFormat } from './container/open.ts';

/** Consecutive samples of a track, each -1…1. */
export interface AudioBlock {
  /** Seconds of the first sample on the video's clock, to the microsecond. */
  readonly t: number;
  /** Mono samples. */
  readonly samples: Float32Array;
  /** Left and right channel if `stereo` was asked for; `samples` is then their mean. */
  readonly sides?: readonly [Float32Array, Float32Array];
}

/** What to read of a track, and how. */
export interface AudioRange {
  /** Samples per second of the result. */
  readonly sampleRate: number;
  /** Whether blocks also have both channels; default false. */
  readonly stereo?: boolean | undefined;
  /** Container time, in seconds, that is time 0: that of the first video frame (`originSeconds`). Default 0. */
  readonly origin?: number | undefined;
  /** Only samples in `[from, to)` are given, in seconds of the video's clock; default all. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of `readAudio`. */
export interface AudioOptions extends AudioRange {
  /** 0 for the first audio track, 1 for the second…; default 0. */
  readonly track?: number | undefined;
}

/** Audio before `from` that is decoded and discarded, so that codecs with overlapping frames settle. */
const PREROLL_SECONDS = 1;
/** Timestamps that are off by more start a new run of samples; less is rounding. */
const MAX_JITTER_SECONDS = 0.03;

/**
 * Reads an audio track as PCM. Blocks are contiguous except where the recording has a gap or a damaged packet. Read from
 * another `from`, samples lie on the same clock but not on the same sampling grid.
 *
 * @throws PlaybyplayError `no-such-audio-track`, `unsupported-codec`, and those of opening a file.
 *
 * @example
 * ```ts
 * for (const { t, samples } of readAudio('match.mp4', { sampleRate: 16_000, from: 60, to: 70 }))
 *   console.log(t, samples.length);
 * ```
 */
export function* readAudio(path: string, options: AudioOptions): Generator<AudioBlock, void, undefined> {
  using reader = new AudioReader(path, options.track);
  yield* reader.read(options);
}

/** An open audio track, of which ranges can be read one after the other. */
export class AudioReader implements Disposable {
  readonly #path: string;
  readonly #format: FormatContext;
  readonly #stream: Stream;
  readonly #clock: JoinedClock | undefined;
  /** The demuxer is no longer at the beginning. */
  #hasRead = false;

  /**
   * @param track 0 for the first audio track, 1 for the second…
   * @throws PlaybyplayError `no-such-audio-track`, and those of opening a file.
   */
  constructor(path: string, track = 0) {
    this.#path = path;
    this.#format = openFormat(path);
    try {
      this.#stream = selectTrack(this.#format, track, path);
    } catch (error) {
      this.#format.closeInputSync();
      throw error;
    }
    const parts = findJoinedParts(path);
    this.#clock = parts.length > 0 ? new JoinedClock(parts) : undefined;
  }

  /** Reads a range as `readAudio` does. Finish one range before reading the next. */
  *read(range: AudioRange): Generator<AudioBlock, void, undefined> {
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, origin = 0, sampleRate } = range;
    const stream = this.#stream;
    using decoder = new AudioDecoder(stream, this.#path, range);
    using packet = new Packet();
    packet.alloc();
    const scale = stream.timeBase.num / stream.timeBase.den;
    if (from > PREROLL_SECONDS || this.#hasRead) {
      // After every seek, FFmpeg would again skip the beginning of a track that an edit list shortens. Times decide here.
      decoder.keepBeginning();
      const begin = from + origin - PREROLL_SECONDS;
      const start = Math.max(0, Math.floor(begin / scale));
      if (this.#clock) this.#format.seekFrameSync(stream.index, BigInt(this.#clock.seek(begin)), AVSEEK_FLAG_BYTE);
      else if (this.#format.seekFrameSync(stream.index, BigInt(start), AVSEEK_FLAG_BACKWARD) < 0)
        this.#format.seekFrameSync(stream.index, 0n, AVSEEK_FLAG_BACKWARD);
    }
    this.#hasRead = true;
    for (let isOpen = true; isOpen; ) {
      range.signal?.throwIfAborted();
      isOpen = this.#readPacket(packet);
      for (const block of decoder.decode(isOpen ? packet : null, (seconds) => seconds - origin)) {
        if (block.t >= to) return;
        yield* clip(block, from, to, sampleRate);
      }
      packet.unref();
    }
  }

  /** Reads the track's next packet; false at the end or where the file cannot be read. */
  #readPacket(packet: Packet): boolean {
    while (this.#format.readFrameSync(packet) >= 0) {
      if (packet.streamIndex === this.#stream.index) {
        this.#moveToOneClock(packet);
        return true;
      }
      packet.unref();
    }
    return false;
  }

  #moveToOneClock(packet: Packet): void {
    if (!this.#clock || packet.pts === AV_NOPTS_VALUE) return;
    const { num, den } = this.#stream.timeBase;
    const shift = this.#clock.shiftOf(Number(packet.pos), (Number(packet.pts) * num) / den);
    packet.pts += BigInt(Math.round((shift * den) / num));
    packet.dts = packet.pts;
  }

  [Symbol.dispose](): void {
    this.#format.closeInputSync();
  }
}

/** Decodes the packets of a sound track, one after the other, to PCM. */
export class AudioDecoder implements Disposable {
  readonly #context: CodecContext;
  readonly #resampler: Resampler;
  readonly #frame = new Frame();
  readonly #scale: number;

  /**
   * @param name What errors call the source.
   * @throws PlaybyplayError `unsupported-codec`.
   */
  constructor(
    stream: Pick<Stream, 'codecpar' | 'timeBase'>,
    name: string,
    { sampleRate, stereo = false }: Pick<AudioRange, 'sampleRate' | 'stereo'>,
  ) {
    this.#context = openAudioDecoder(stream, name);
    this.#resampler = new Resampler(sampleRate, stereo);
    this.#frame.alloc();
    this.#scale = stream.timeBase.num / stream.timeBase.den;
  }

  /** Gives out the beginning of a track that an edit list shortens, too. */
  keepBeginning(): void {
    const context = this.#context;
    context.flags2 = (context.flags2 | AV_CODEC_FLAG2_SKIP_MANUAL) as typeof context.flags2;
  }

  /**
   * Takes a packet; null: no more follow.
   *
   * @param toTime Turns times of the container into those of blocks, in seconds.
   */
  *decode(packet: Packet | null, toTime: (seconds: number) => number): Generator<AudioBlock, void, undefined> {
    const frame = this.#frame;
    this.#context.sendPacketSync(packet);
    while (this.#context.receiveFrameSync(frame) >= 0) {
      const stamp = frame.bestEffortTimestamp;
      const t = stamp === AV_NOPTS_VALUE ? undefined : toTime(Number(stamp) * this.#scale);
      const blocks = this.#resampler.feed(frame, t);
      frame.unref();
      yield* blocks;
    }
    if (!packet) yield* this.#resampler.flush();
  }

  [Symbol.dispose](): void {
    this.#frame.free();
    this.#resampler[Symbol.dispose]();
    this.#context.freeContext();
  }
}

function selectTrack(format: FormatContext, track: number, path: string): Stream {
  const tracks = format.streams.filter((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  const selected = tracks[track];
  if (!selected) throw missingTrack(path, tracks.length, track);
  for (const stream of format.streams)
    stream.discard = stream.index === selected.index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  return selected;
}

/** Creates the error for a track that a file does not have. */
export function missingTrack(path: string, count: number, track: number | string): PlaybyplayError {
  const has = count === 0 ? 'no audio' : count === 1 ? 'one audio track' : `${count} audio tracks`;
  const range = count === 1 ? '0' : `0 to ${count - 1}`;
  return new PlaybyplayError('no-such-audio-track', `${path} has ${has}, so there is no track ${track}`, {
    hint: count > 0 ? `Tracks are counted from 0: give ${range}.` : undefined,
  });
}

function openAudioDecoder(stream: Pick<Stream, 'codecpar' | 'timeBase'>, path: string): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(stream.codecpar);
  decoder.pktTimebase = stream.timeBase;
  decoder.threadCount = 1;
  if (!codec || decoder.open2Sync(codec) < 0) {
    decoder.freeContext();
    throw new PlaybyplayError('unsupported-codec', `${path}: no decoder for its audio`);
  }
  return decoder;
}

/** Yields the part of a block within `[from, to)`, unless it is empty. */
function* clip(block: AudioBlock, from: number, to: number, sampleRate: number): Generator<AudioBlock> {
  const first = Math.max(0, Math.ceil((from - block.t) * sampleRate - 1e-6));
  const last = Math.min(block.samples.length, Math.ceil((to - block.t) * sampleRate - 1e-6));
  if (last <= first) return;
  const part = (samples: Float32Array): Float32Array => samples.subarray(first, last);
  yield {
    t: first === 0 ? block.t : roundTime(block.t + first / sampleRate),
    samples: part(block.samples),
    ...(block.sides ? { sides: [part(block.sides[0]), part(block.sides[1])] } : {}),
  };
}

/** Converts decoded audio to one sample rate, mono or stereo, and counts time over each run without a gap. */
class Resampler implements Disposable {
  readonly #rate: number;
  readonly #stereo: boolean;
  #context: SoftwareResampleContext | undefined;
  /** Format, rate and channels of the input. */
  #input = '';
  #inputRate = 0;
  /** Start of the run, and how many samples went in and out since. */
  #startSeconds = 0;
  #samplesIn = 0;
  #samplesOut = 0;

  constructor(rate: number, stereo: boolean) {
    this.#rate = rate;
    this.#stereo = stereo;
  }

  /** Takes a decoded frame. @param t Its time in seconds; undefined when it follows the frame before. */
  feed(frame: Frame, t: number | undefined): AudioBlock[] {
    const { sampleRate, channels, nbSamples } = frame;
    const input = `${frame.format} ${sampleRate} ${channels}`;
    const expected = this.#startSeconds + this.#samplesIn / (this.#inputRate || 1);
    const blocks: AudioBlock[] = [];
    const hasJumped = t !== undefined && Math.abs(t - expected) > MAX_JITTER_SECONDS;
    if (input !== this.#input || hasJumped) {
      blocks.push(...this.flush());
      this.#restart(frame, input, t ?? expected);
    }
    blocks.push(...this.#convert(frame.extendedData ?? frame.data ?? [], nbSamples));
    this.#samplesIn += nbSamples;
    return blocks;
  }

  /** Ends the run and returns what is still inside. */
  flush(): AudioBlock[] {
    const blocks = this.#context ? this.#convert(null, 0) : [];
    this[Symbol.dispose]();
    this.#input = '';
    return blocks;
  }

  #restart(frame: Frame, input: string, t: number): void {
    const layout = frame.channelLayout;
    const known = layout.order === AV_CHANNEL_ORDER_NATIVE ? layout : avChannelLayoutDefault(frame.channels);
    const context = new SoftwareResampleContext();
    context.allocSetOpts2(
      avChannelLayoutDefault(this.#stereo ? 2 : 1),
      AV_SAMPLE_FMT_FLTP,
      this.#rate,
      known,
      frame.format as AVSampleFormat,
      frame.sampleRate,
    );
    if (context.init() < 0) throw new PlaybyplayError('unsupported-codec', 'the audio cannot be converted');
    this.#context = context;
    this.#input = input;
    this.#inputRate = frame.sampleRate;
    this.#startSeconds = t;
    this.#samplesIn = 0;
    this.#samplesOut = 0;
  }

  #convert(planes: Buffer[] | null, count: number): AudioBlock[] {
    const context = this.#context!;
    const capacity = context.getOutSamples(count);
    const out = Array.from({ length: this.#stereo ? 2 : 1 }, () => Buffer.alloc(Math.max(capacity, 1) * 4));
    const written = capacity > 0 ? context.convertSync(out, capacity, planes, count) : 0;
    if (written <= 0) return [];
    const t = roundTime(this.#startSeconds + this.#samplesOut / this.#rate);
    this.#samplesOut += written;
    const [left, right] = out.map(({ buffer, byteOffset }) => new Float32Array(buffer, byteOffset, written));
    if (!right) return [{ t, samples: left! }];
    return [{ t, samples: left!.map((value, i) => (value + right[i]!) / 2), sides: [left!, right] }];
  }

  [Symbol.dispose](): void {
    this.#context?.free();
    this.#context = undefined;
  }
}
