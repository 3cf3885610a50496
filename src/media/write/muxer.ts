import { extname } from 'node:path';
import {
  AV_CODEC_ID_BIN_DATA,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AV_LOG_QUIET,
  AVMEDIA_TYPE_ATTACHMENT,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants';
import {
  type CodecContext,
  type CodecParameters,
  Dictionary,
  FFmpegError,
  FormatContext,
  Log,
  type Packet,
  type Stream,
} from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import type { Rational } from '../../time.ts';
import { toAvRational } from './encoder.ts';

/** Containers that reels are written to, by FFmpeg's names. */
export type Container = 'mp4' | 'mov' | 'matroska' | 'webm';

/** Returns the container for a file name's extension; mp4 for an unknown one. */
export function containerForPath(path: string): Container {
  const extension = extname(path).toLowerCase();
  if (extension === '.webm') return 'webm';
  if (extension === '.mkv') return 'matroska';
  return extension === '.mov' ? 'mov' : 'mp4';
}

/** Whether a container is of the mp4 family rather than Matroska's. */
export function isMp4Family(container: Container): boolean {
  return container === 'mp4' || container === 'mov';
}

/** A text shown from `start` to `end` seconds of a reel. */
export interface TimedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Encodes a text as a packet: in mp4 after its length (3GPP TS 26.245), elsewhere the text alone. */
export function encodeText(text: string, container: Container): Buffer {
  const words = Buffer.from(text);
  if (!isMp4Family(container)) return words;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(words.length);
  return Buffer.concat([length, words]);
}

/** Text sample description after its common header (3GPP TS 26.245 §5.16): centred at the bottom, white, one font. */
function textSampleDescription(): Buffer {
  const font = Buffer.from('Sans-Serif');
  return Buffer.concat([
    Buffer.from([0, 0, 0, 0]), // display flags
    Buffer.from([1, 0xff]), // horizontally centred, at the bottom
    Buffer.from([0, 0, 0, 0]), // transparent background
    Buffer.alloc(8), // text box: the whole track
    Buffer.from([0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255]), // style: font 1, size 18, white
    Buffer.from([0, 0, 0, 5 + 8 + font.length, ...Buffer.from('ftab'), 0, 1, 0, 1, font.length]),
    font,
  ]);
}

/** A media file being written: add streams, then `start`, `write` packets, `finish`. Dispose it in any case. */
export class Muxer implements Disposable {
  readonly path: string;
  readonly #container: Container;
  readonly #context = new FormatContext();
  #isOpen = false;

  constructor(path: string, container: Container = 'mp4') {
    Log.setLevel(AV_LOG_QUIET);
    this.path = path;
    this.#container = container;
    FFmpegError.throwIfError(this.#context.allocOutputContext2(null, container, path), 'open output');
  }

  /** Adds a stream of an encoder's packets. */
  addStream(encoder: CodecContext, timeBase: Rational, frameRate?: Rational, tag?: string): Stream {
    const stream = this.#context.newStream(null);
    FFmpegError.throwIfError(encoder.parametersFromContext(stream.codecpar), 'stream parameters');
    const configured = configure(stream, timeBase, frameRate);
    if (tag !== undefined) stream.codecpar.codecTag = Buffer.from(tag, 'latin1').readUInt32LE();
    return configured;
  }

  /** Adds a stream of copied packets. @param record Its decoder configuration; undefined: that of `parameters`, if any. */
  addCopiedStream(
    parameters: CodecParameters,
    record: Buffer | undefined,
    timeBase: Rational,
    frameRate: Rational,
  ): Stream {
    const stream = this.#context.newStream(null);
    FFmpegError.throwIfError(parameters.copy(stream.codecpar), 'stream parameters');
    if (record) stream.codecpar.extradata = record;
    return configure(stream, timeBase, frameRate);
  }

  /** Adds a stream of timed text. */
  addTextStream(timeBase: Rational): Stream {
    const stream = this.#context.newStream(null);
    stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE;
    if (this.#container === 'webm') stream.codecpar.codecId = AV_CODEC_ID_WEBVTT;
    else if (this.#container === 'matroska') stream.codecpar.codecId = AV_CODEC_ID_SUBRIP;
    else {
      stream.codecpar.codecId = AV_CODEC_ID_MOV_TEXT;
      stream.codecpar.extradata = textSampleDescription();
    }
    stream.timeBase = toAvRational(timeBase);
    return stream;
  }

  /** Attaches a file. Matroska only. */
  attach(name: string, mimeType: string, data: Buffer): void {
    const stream = this.#context.newStream(null);
    stream.codecpar.codecType = AVMEDIA_TYPE_ATTACHMENT;
    stream.codecpar.codecId = AV_CODEC_ID_BIN_DATA;
    stream.codecpar.extradata = data;
    using tags = Dictionary.fromObject({ filename: name, mimetype: mimeType });
    stream.metadata = tags;
  }

  /**
   * Opens the file and writes its header.
   *
   * @param title Shown by players.
   * @param indexBytes Space for an index before the frames (mp4 and mov only).
   * @throws PlaybyplayError `unwritable`.
   */
  start(title?: string, indexBytes?: number): void {
    this.#context.url = `file:${this.path}`;
    this.#check(this.#context.openOutputSync());
    this.#isOpen = true;
    if (title !== undefined && title !== '') {
      using tags = Dictionary.fromObject({ title });
      this.#context.metadata = tags;
    }
    using options = Dictionary.fromObject(indexBytes === undefined ? {} : { moov_size: String(indexBytes) });
    this.#check(this.#context.writeHeaderSync(options));
  }

  /**
   * Writes a packet.
   *
   * @param timeBase Unit of the packet's times.
   * @param immediately Does not wait for other streams to reach the same time.
   * @throws PlaybyplayError `unwritable`.
   */
  write(packet: Packet, stream: Stream, timeBase: Rational, immediately = false): void {
    packet.streamIndex = stream.index;
    packet.rescaleTs(timeBase, stream.timeBase);
    const { writeFrameSync, interleavedWriteFrameSync } = this.#context;
    this.#check((immediately ? writeFrameSync : interleavedWriteFrameSync).call(this.#context, packet));
  }

  /** Writes what remains and closes the file. @throws PlaybyplayError `unwritable`. */
  finish(): void {
    const code = this.#context.writeTrailerSync();
    this.#close();
    this.#check(code);
  }

  #check(code: number): void {
    if (code < 0)
      throw new PlaybyplayError('unwritable', `${this.path} cannot be written: ${FFmpegError.strerror(code)}`);
  }

  #close(): void {
    if (this.#isOpen) this.#context.closeOutputSync();
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    this.#close();
    this.#context.freeContext();
  }
}

function configure(stream: Stream, timeBase: Rational, frameRate: Rational | undefined): Stream {
  stream.codecpar.codecTag = 0;
  stream.timeBase = toAvRational(timeBase);
  if (frameRate) stream.avgFrameRate = toAvRational(frameRate);
  return stream;
}
