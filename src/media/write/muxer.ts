import { AV_LOG_QUIET } from 'node-av/constants';
import {
  Dictionary,
  FFmpegError,
  FormatContext,
  Log,
  type CodecContext,
  type CodecParameters,
  type Packet,
  type Stream,
} from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import type { Rational } from '../../time.ts';
import { rational } from './encoder.ts';
import type { Container } from './container.ts';
import { describeTextStream } from './text-track.ts';

/** A media file being written. Streams are added first, then `start`, packets, `finish`. */
export class Muxer implements Disposable {
  readonly path: string;
  readonly #context = new FormatContext();
  #open = false;

  constructor(path: string, format: Container = 'mp4') {
    Log.setLevel(AV_LOG_QUIET);
    this.path = path;
    FFmpegError.throwIfError(this.#context.allocOutputContext2(null, format, path), 'open output');
  }

  addStream(encoder: CodecContext, timeBase: Rational, frameRate?: Rational): Stream {
    const stream = this.#context.newStream(null);
    FFmpegError.throwIfError(encoder.parametersFromContext(stream.codecpar), 'stream parameters');
    stream.codecpar.codecTag = 0;
    stream.timeBase = rational(timeBase);
    if (frameRate) stream.avgFrameRate = rational(frameRate);
    return stream;
  }

  /** A stream of packets copied from elsewhere, under a decoder configuration of its own. */
  copyStream(parameters: CodecParameters, record: Buffer, timeBase: Rational, frameRate: Rational): Stream {
    const stream = this.#context.newStream(null);
    FFmpegError.throwIfError(parameters.copy(stream.codecpar), 'stream parameters');
    stream.codecpar.extradata = record;
    stream.codecpar.codecTag = 0;
    stream.timeBase = rational(timeBase);
    stream.avgFrameRate = rational(frameRate);
    return stream;
  }

  /** A stream of timed text. */
  addTextStream(container: Container, timeBase: Rational): Stream {
    const stream = this.#context.newStream(null);
    describeTextStream(stream.codecpar, container);
    stream.timeBase = rational(timeBase);
    return stream;
  }

  /** Opens the file and writes its head, with the title that players show. */
  start({ title }: { readonly title?: string } = {}): void {
    this.#context.url = `file:${this.path}`;
    const opened = this.#context.openOutputSync();
    if (opened < 0) {
      throw new PlaybyplayError('unwritable', `${this.path} cannot be written: ${FFmpegError.strerror(opened)}`);
    }
    this.#open = true;
    if (title !== undefined && title !== '') {
      using tags = Dictionary.fromObject({ title });
      this.#context.metadata = tags;
    }
    using options = Dictionary.fromObject({});
    FFmpegError.throwIfError(this.#context.writeHeaderSync(options), 'write header');
  }

  /** Writes a packet whose times are in `timeBase`; `now` does not wait for other tracks to come as far. */
  write(packet: Packet, stream: Stream, timeBase: Rational, now = false): void {
    packet.streamIndex = stream.index;
    packet.rescaleTs(timeBase, stream.timeBase);
    const code = now ? this.#context.writeFrameSync(packet) : this.#context.interleavedWriteFrameSync(packet);
    if (code < 0) {
      throw new PlaybyplayError('unwritable', `${this.path} cannot be written: ${FFmpegError.strerror(code)}`);
    }
  }

  finish(): void {
    const code = this.#context.writeTrailerSync();
    this.#close();
    if (code < 0) {
      throw new PlaybyplayError('unwritable', `${this.path} cannot be written: ${FFmpegError.strerror(code)}`);
    }
  }

  #close(): void {
    if (this.#open) this.#context.closeOutputSync();
    this.#open = false;
  }

  [Symbol.dispose](): void {
    this.#close();
    this.#context.freeContext();
  }
}
