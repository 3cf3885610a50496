import {
  AV_CHANNEL_LAYOUT_STEREO,
  AV_SAMPLE_FMT_FLTP,
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVERROR_EAGAIN,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants';
import { FFmpegError, Frame, Packet, SoftwareResampleContext, type FormatContext } from 'node-av/lib';
import { openDecoder } from './decoder.ts';

/** Stereo sound as floats, both channels of one length. */
export interface Sound {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/** Decodes sound from `start` (seconds of the container) into `target`, which is filled sample for sample by time. */
export function readSound(context: FormatContext, index: number, target: Sound, start: number, rate: number): void {
  const stream = context.streams[index]!;
  for (const each of context.streams) each.discard = each.index === index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  using decoder = openDecoder(stream);
  using packet = new Packet();
  using frame = new Frame();
  packet.alloc();
  frame.alloc();
  const base = stream.timeBase.num / stream.timeBase.den;
  using resampler = new StereoResampler(target, start, rate, base);
  const receive = () => {
    while (decoder.receiveFrameSync(frame) >= 0) {
      resampler.add(frame);
      frame.unref();
    }
  };
  // Codecs with overlapping windows need a packet or two before the first whole one.
  const from = BigInt(Math.floor((start - 0.2) / base));
  if (context.seekFrameSync(index, from, AVSEEK_FLAG_BACKWARD) < 0)
    context.seekFrameSync(index, 0n, AVSEEK_FLAG_BACKWARD);
  while (nextPacket(context, index, packet)) {
    const sent = decoder.sendPacketSync(packet);
    packet.unref();
    if (sent < 0 && sent !== AVERROR_EAGAIN) continue;
    receive();
    if (resampler.full) return;
  }
  decoder.sendPacketSync(null);
  receive();
  resampler.flush();
}

/** Reads the stream's next packet; false at the end. */
function nextPacket(context: FormatContext, index: number, packet: Packet): boolean {
  while (context.readFrameSync(packet) >= 0) {
    if (packet.streamIndex === index) return true;
    packet.unref();
  }
  return false;
}

/** Brings decoded sound to stereo floats of one rate and lays it down by its time stamps. */
class StereoResampler implements Disposable {
  readonly #target: Sound;
  readonly #start: number;
  readonly #rate: number;
  readonly #base: number;
  #context: SoftwareResampleContext | undefined;
  #sourceRate = 0;
  /** Next sample to write, relative to the target; undefined until the first frame said where it stands. */
  #position: number | undefined;

  constructor(target: Sound, start: number, rate: number, base: number) {
    this.#target = target;
    this.#start = start;
    this.#rate = rate;
    this.#base = base;
  }

  get full(): boolean {
    return this.#position !== undefined && this.#position >= this.#target.left.length;
  }

  add(frame: Frame): void {
    const t = Number(frame.bestEffortTimestamp) * this.#base;
    if (!this.#context || this.#sourceRate !== frame.sampleRate) this.#open(frame);
    const delay = Number(this.#context!.getDelay(BigInt(this.#rate)));
    const expected = Math.round((t - this.#start) * this.#rate) - delay;
    // Time stamps are rounded to the container's ticks; only a real hole or overlap moves the position.
    if (this.#position === undefined || Math.abs(expected - this.#position) > this.#rate * 0.01) {
      this.#position = expected;
    }
    this.#convert(frame.extendedData ?? frame.data, frame.nbSamples);
  }

  flush(): void {
    if (this.#context && !this.full) this.#convert(null, 0);
  }

  [Symbol.dispose](): void {
    this.#context?.free();
  }

  #open(frame: Frame): void {
    this.#context?.free();
    this.#context = new SoftwareResampleContext();
    FFmpegError.throwIfError(
      this.#context.allocSetOpts2(
        AV_CHANNEL_LAYOUT_STEREO,
        AV_SAMPLE_FMT_FLTP,
        this.#rate,
        frame.channelLayout,
        frame.format as Parameters<SoftwareResampleContext['allocSetOpts2']>[4],
        frame.sampleRate,
      ),
      'sound conversion',
    );
    FFmpegError.throwIfError(this.#context.init(), 'sound conversion');
    this.#sourceRate = frame.sampleRate;
  }

  #convert(input: Buffer[] | null, samples: number): void {
    const context = this.#context!;
    const capacity = Math.max(1, context.getOutSamples(samples));
    const planes = [Buffer.alloc(capacity * 4), Buffer.alloc(capacity * 4)];
    const written = context.convertSync(planes, capacity, input, samples);
    FFmpegError.throwIfError(written, 'sound conversion');
    const at = this.#position ?? 0;
    copyInto(this.#target.left, at, planes[0]!, written);
    copyInto(this.#target.right, at, planes[1]!, written);
    this.#position = at + written;
  }
}

function copyInto(target: Float32Array, at: number, plane: Buffer, samples: number): void {
  const from = Math.max(0, -at);
  const to = Math.min(samples, target.length - at);
  if (to <= from) return;
  target.set(new Float32Array(plane.buffer, plane.byteOffset + from * 4, to - from), at + from);
}
