import { extname } from 'node:path';
import {
  AV_LOG_QUIET,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants';
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

/** The files that reels are written to. */
export type Container = 'mp4' | 'mov' | 'matroska' | 'webm';

/** The container that a file's name asks for; mp4 where it says nothing. */
export function containerForPath(path: string): Container {
  const extension = extname(path).toLowerCase();
  if (extension === '.webm') return 'webm';
  if (extension === '.mkv') return 'matroska';
  return extension === '.mov' ? 'mov' : 'mp4';
}

/** A text shown from `start` to `end` seconds of a reel. */
export interface TimedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Sets a stream up for timed text as the container holds it. */
export function describeTextStream(parameters: CodecParameters, container: Container): void {
  parameters.codecType = AVMEDIA_TYPE_SUBTITLE;
  if (container === 'webm') parameters.codecId = AV_CODEC_ID_WEBVTT;
  else if (container === 'matroska') parameters.codecId = AV_CODEC_ID_SUBRIP;
  else {
    parameters.codecId = AV_CODEC_ID_MOV_TEXT;
    parameters.extradata = sampleEntry();
  }
}

/** A sample: in mp4 the text behind its length (3GPP TS 26.245), elsewhere the text alone. */
export function textSample(text: string, container: Container): Buffer {
  const words = Buffer.from(text);
  if (container === 'matroska' || container === 'webm') return words;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(words.length);
  return Buffer.concat([length, words]);
}

/** The sample description behind its common head (3GPP TS 26.245 §5.16): centred at the bottom, white, one font. */
function sampleEntry(): Buffer {
  const font = Buffer.from('Sans-Serif');
  return Buffer.concat([
    Buffer.from([0, 0, 0, 0]), // display flags
    Buffer.from([1, 0xff]), // justified to the middle, at the bottom
    Buffer.from([0, 0, 0, 0]), // background, transparent
    Buffer.alloc(8), // text box: the whole track
    Buffer.from([0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255]), // style: font 1, size 18, white
    Buffer.from([0, 0, 0, 5 + 8 + font.length, ...Buffer.from('ftab'), 0, 1, 0, 1, font.length]),
    font,
  ]);
}
