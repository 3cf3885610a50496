import { AVERROR_EAGAIN, AVERROR_EOF, AV_FRAME_FLAG_CORRUPT } from 'node-av/constants';
import type { CodecContext, Packet, Stream } from 'node-av/lib';
import type { VideoInfo } from '../container/info.ts';
import { describeError } from '../container/open.ts';
import { PictureFactory } from '../decode/picture-factory.ts';
import type { Picture } from '../picture.ts';
import { openDecoder } from '../video.ts';

/** Decodes the packets of a live stream one after the other, on a thread of Node's pool. */
export class LiveDecoder implements Disposable {
  readonly #decoder: CodecContext;
  readonly #factory: PictureFactory;
  readonly #wanted: (position: number) => number | undefined;
  /** By the number of their packet. */
  readonly #pictures = new Map<number, Picture>();
  /** Why pictures are missing since the last keyframe. */
  #failure: string | undefined;

  /** @param wanted The time in seconds of a packet's frame, if its picture is wanted. */
  constructor(stream: Stream, info: VideoInfo, name: string, wanted: (position: number) => number | undefined) {
    this.#decoder = openDecoder(stream.codecpar, stream.timeBase, name, false);
    this.#factory = new PictureFactory(info.rotation, info.pixelAspect);
    this.#wanted = wanted;
  }

  /** Why the pictures of the packets sent last are missing; undefined where they are not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Decodes a packet. After a failure nothing is decoded up to the next keyframe. */
  async send(packet: Packet, position: number, isKey: boolean): Promise<void> {
    if (isKey && this.#failure !== undefined) {
      this.#decoder.flushBuffers();
      this.#failure = undefined;
    }
    if (this.#failure !== undefined) return;
    // The number passes through the decoder as the timestamp, so that repeated or missing timestamps do no harm.
    packet.pts = BigInt(position);
    const result = await this.#decoder.sendPacket(packet);
    if (result < 0) this.#failure = `a packet cannot be decoded (${describeError(result)})`;
    this.#receive();
    if (this.#failure !== undefined) this.#flush();
  }

  /** Gives up what follows until the next keyframe. */
  fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.#flush();
  }

  /** No more packets follow. */
  end(): void {
    if (this.#failure === undefined) this.#flush();
  }

  /** Lets the decoder give out what it holds. */
  #flush(): void {
    this.#decoder.sendPacketSync(null);
    this.#receive();
  }

  /** The picture of a packet, which the caller disposes of; undefined where it is not decoded (yet). */
  take(position: number): Picture | undefined {
    const picture = this.#pictures.get(position);
    this.#pictures.delete(position);
    return picture;
  }

  /** Seconds of the last wanted picture that came out: those before it will not come any more. */
  lastOutSeconds = Number.NEGATIVE_INFINITY;

  #receive(): void {
    const decoder = this.#decoder.getNative();
    for (;;) {
      const frame = this.#factory.frame();
      const result = decoder.receiveFrameSync(frame);
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      if (result < 0) {
        this.#failure ??= `a packet cannot be decoded (${describeError(result)})`;
        return;
      }
      if (frame.decodeErrorFlags !== 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) !== 0) {
        this.#failure ??= 'a picture is damaged';
        frame.unref();
        continue;
      }
      const position = Number(frame.pts);
      const t = this.#wanted(position);
      if (t === undefined) {
        this.#factory.drop();
        continue;
      }
      this.lastOutSeconds = t;
      this.#pictures.set(position, this.#factory.take(t));
    }
  }

  [Symbol.dispose](): void {
    for (const picture of this.#pictures.values()) picture[Symbol.dispose]();
    this.#pictures.clear();
    this.#decoder.freeContext();
    this.#factory[Symbol.dispose]();
  }
}
