import { Codec, CodecContext, Frame, Packet, SoftwareResampleContext, avChannelLayoutDefault } from 'node-av/lib';
import type { FormatContext, Stream } from 'node-av/lib';
import {
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVMEDIA_TYPE_AUDIO,
  AV_CODEC_FLAG2_SKIP_MANUAL,
  AVSEEK_FLAG_BACKWARD,
  AV_CHANNEL_ORDER_NATIVE,
  AV_NOPTS_VALUE,
  AV_SAMPLE_FMT_FLTP,
} from 'node-av/constants';
import type { AVSampleFormat } from 'node-av/constants';
import { PlaybyplayError } from '../errors.ts';
import { roundTime } from '../time.ts';
import { openFormat } from './container/open.ts';

/** A run of sound: mono samples, -1…1. */
export interface AudioBlock {
  /** Seconds of the first sample on the video's clock, to the microsecond. */
  readonly t: number;
  readonly samples: Float32Array;
  /** Left and right, if they were asked for; `samples` is then their mean. */
  readonly sides?: readonly [Float32Array, Float32Array];
}

export interface AudioOptions {
  /** 0 for the first sound track, 1 for the second… */
  readonly track?: number;
  /** Samples a second wanted. */
  readonly sampleRate: number;
  /** Both sides of the sound, too; default false. */
  readonly stereo?: boolean;
  /** Container time, in seconds, that is time 0: that of the first video frame (`originOf`). */
  readonly origin?: number;
  /** Seconds on the video's clock: only samples in `[from, to)` are given. */
  readonly from?: number;
  readonly to?: number;
  readonly signal?: AbortSignal;
}

/** Sound before `from` that is decoded and thrown away, so that codecs which overlap their frames have settled. Seconds. */
const PREROLL = 1;
/** A timestamp further than this from where the samples before it lead begins a new run; less is rounding. Seconds. */
const JITTER = 0.03;

/**
 * Reads a sound track as mono PCM. Blocks follow each other without a gap, except where the recording has one; damaged
 * packets leave one. Read from another `from`, samples lie on the same clock but not on the same sampling grid.
 * Throws PlaybyplayError `no-such-audio-track`, `unsupported-codec`, and those of opening a file.
 */
export function* readAudio(path: string, options: AudioOptions): Generator<AudioBlock, void, undefined> {
  using resources = new DisposableStack();
  const format = resources.adopt(openFormat(path), (opened) => opened.closeInputSync());
  const stream = selectTrack(format, options.track ?? 0, path);
  const decoder = resources.use(openDecoder(stream, path));
  const resampler = resources.use(new Resampler(options.sampleRate, options.stereo ?? false));
  const packet = resources.use(new Packet());
  const frame = resources.use(new Frame());
  packet.alloc();
  frame.alloc();
  const scale = stream.timeBase.num / stream.timeBase.den;
  const origin = options.origin ?? 0;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = options;
  if (from > PREROLL) {
    // A track that an edit list shortens is told to skip its beginning, behind each seek once more: times decide here.
    decoder.flags2 = (decoder.flags2 | AV_CODEC_FLAG2_SKIP_MANUAL) as typeof decoder.flags2;
    format.seekFrameSync(stream.index, BigInt(Math.floor((from + origin - PREROLL) / scale)), AVSEEK_FLAG_BACKWARD);
  }
  for (let open = true; open; ) {
    options.signal?.throwIfAborted();
    open = nextPacket(format, stream, packet);
    decoder.sendPacketSync(open ? packet : null);
    packet.unref();
    while (decoder.receiveFrameSync(frame) >= 0) {
      const stamp = frame.bestEffortTimestamp;
      const blocks = resampler.feed(frame, stamp === AV_NOPTS_VALUE ? undefined : Number(stamp) * scale - origin);
      frame.unref();
      for (const block of blocks) {
        if (block.t >= to) return;
        const part = cut(block, from, to, options.sampleRate);
        if (part.samples.length > 0) yield part;
      }
    }
  }
  for (const block of resampler.flush()) {
    const part = cut(block, from, to, options.sampleRate);
    if (part.samples.length > 0) yield part;
  }
}

function selectTrack(format: FormatContext, track: number, path: string): Stream {
  const tracks = format.streams.filter((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  const selected = tracks[track];
  if (!selected) {
    const has =
      tracks.length === 0 ? 'no sound' : tracks.length === 1 ? 'one sound track' : `${tracks.length} sound tracks`;
    throw new PlaybyplayError('no-such-audio-track', `${path} has ${has}; track ${track} was asked for`, {
      hint: tracks.length > 0 ? `Tracks are counted from 0: give 0 to ${tracks.length - 1}.` : undefined,
    });
  }
  for (const stream of format.streams)
    stream.discard = stream.index === selected.index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  return selected;
}

function openDecoder(stream: Stream, path: string): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(stream.codecpar);
  decoder.pktTimebase = stream.timeBase;
  decoder.threadCount = 1;
  if (!codec || decoder.open2Sync(codec) < 0) {
    decoder.freeContext();
    throw new PlaybyplayError('unsupported-codec', `${path}: no decoder for its sound`);
  }
  return decoder;
}

/** Reads the stream's next packet; false at the end or where the file cannot be read on. */
function nextPacket(format: FormatContext, stream: Stream, packet: Packet): boolean {
  while (format.readFrameSync(packet) >= 0) {
    if (packet.streamIndex === stream.index) return true;
    packet.unref();
  }
  return false;
}

/** The part of a block within `[from, to)`. */
function cut(block: AudioBlock, from: number, to: number, sampleRate: number): AudioBlock {
  const first = Math.max(0, Math.ceil((from - block.t) * sampleRate - 1e-6));
  const last = Math.min(block.samples.length, Math.ceil((to - block.t) * sampleRate - 1e-6));
  if (first === 0 && last === block.samples.length) return block;
  const part = (samples: Float32Array): Float32Array => samples.subarray(first, Math.max(first, last));
  return {
    t: roundTime(block.t + first / sampleRate),
    samples: part(block.samples),
    ...(block.sides ? { sides: [part(block.sides[0]), part(block.sides[1])] } : {}),
  };
}

/** Mixes down to mono and converts to one sample rate, keeping count of time over each run without a gap. */
class Resampler implements Disposable {
  readonly #rate: number;
  readonly #stereo: boolean;
  #context: SoftwareResampleContext | undefined;
  /** What the context was made for. */
  #input = '';
  #inputRate = 0;
  /** Seconds of the run's first sample, samples taken in and given out. */
  #start = 0;
  #taken = 0;
  #given = 0;

  constructor(rate: number, stereo: boolean) {
    this.#rate = rate;
    this.#stereo = stereo;
  }

  /** Takes a decoded frame that starts at `t` seconds (unknown: right after the one before). */
  feed(frame: Frame, t: number | undefined): AudioBlock[] {
    const { sampleRate, channels, nbSamples } = frame;
    const input = `${frame.format} ${sampleRate} ${channels}`;
    const expected = this.#start + this.#taken / (this.#inputRate || 1);
    const blocks: AudioBlock[] = [];
    const jumped = t !== undefined && Math.abs(t - expected) > JITTER;
    if (input !== this.#input || jumped) {
      blocks.push(...this.flush());
      this.#restart(frame, input, t ?? expected);
    }
    const planes = frame.extendedData ?? frame.data ?? [];
    blocks.push(...this.#convert(planes, nbSamples));
    this.#taken += nbSamples;
    return blocks;
  }

  /** What is still inside; the run ends. */
  flush(): AudioBlock[] {
    const blocks = this.#context ? this.#convert(null, 0) : [];
    this.#context?.free();
    this.#context = undefined;
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
    if (context.init() < 0) throw new PlaybyplayError('unsupported-codec', 'the sound cannot be converted');
    this.#context = context;
    this.#input = input;
    this.#inputRate = frame.sampleRate;
    this.#start = t;
    this.#taken = 0;
    this.#given = 0;
  }

  #convert(planes: Buffer[] | null, count: number): AudioBlock[] {
    const context = this.#context!;
    const room = context.getOutSamples(count);
    const out = Array.from({ length: this.#stereo ? 2 : 1 }, () => Buffer.alloc(Math.max(room, 1) * 4));
    const given = room > 0 ? context.convertSync(out, room, planes, count) : 0;
    if (given <= 0) return [];
    const t = roundTime(this.#start + this.#given / this.#rate);
    this.#given += given;
    const [left, right] = out.map(({ buffer, byteOffset }) => new Float32Array(buffer, byteOffset, given));
    if (!right) return [{ t, samples: left! }];
    return [{ t, samples: left!.map((value, i) => (value + right[i]!) / 2), sides: [left!, right] }];
  }

  [Symbol.dispose](): void {
    this.#context?.free();
    this.#context = undefined;
  }
}
