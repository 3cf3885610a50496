import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import {
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVERROR_EIO,
  AVERROR_EOF,
  AVERROR_PROTOCOL_NOT_FOUND,
  AVFMT_FLAG_CUSTOM_IO,
  AVMEDIA_TYPE_AUDIO,
  AV_LOG_QUIET,
  type AVCodecID,
} from 'node-av/constants';
import { Dictionary, FormatContext, InputFormat, IOContext, Log, Packet, type Stream } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';
import { chooseVideoStream, countVideoStreams, describeVideo, type VideoInfo } from '../container/info.ts';
import { describeError } from '../container/open.ts';
import { checkLimit, mediaLimits } from '../limits.ts';
import { type ByteSource, GrowingFile, StreamBytes } from './byte-source.ts';
import { canListen, listens, type LiveSource, nameOfSource, receivesDatagrams } from './source.ts';

/** FFmpeg's names of the containers that may arrive live as bytes, and by the network. */
const STREAMABLE_FORMATS = ['mov,mp4,m4a,3gp,3g2,mj2', 'matroska,webm', 'mpegts', 'flv', 'nut'] as const;

/** What FFmpeg may open for a source: its own protocol and what that is built on, and the formats that it carries. */
const ALLOWED: Readonly<
  Record<string, { readonly protocols: readonly string[]; readonly formats: readonly string[] }>
> = {
  srt: { protocols: ['srt'], formats: ['mpegts', 'matroska,webm'] },
  rtmp: { protocols: ['rtmp', 'tcp'], formats: ['flv', 'live_flv'] },
  rtmps: { protocols: ['rtmps', 'tls', 'tcp'], formats: ['flv', 'live_flv'] },
  rtsp: { protocols: ['rtp', 'udp', 'tcp'], formats: ['rtsp', 'rtp', 'sdp', 'mpegts'] },
  rtsps: { protocols: ['rtp', 'udp', 'tls', 'tcp'], formats: ['rtsp', 'rtp', 'sdp', 'mpegts'] },
  udp: { protocols: ['udp'], formats: ['mpegts'] },
  rtp: { protocols: ['rtp', 'udp'], formats: ['rtp', 'sdp', 'mpegts'] },
  tcp: { protocols: ['tcp'], formats: STREAMABLE_FORMATS },
  http: { protocols: ['http', 'tcp'], formats: STREAMABLE_FORMATS },
  https: { protocols: ['https', 'tls', 'tcp'], formats: STREAMABLE_FORMATS },
  // A playlist names its parts by addresses, never files of this machine.
  hls: { protocols: ['http', 'https', 'tls', 'tcp'], formats: ['hls', 'mpegts', 'mov,mp4,m4a,3gp,3g2,mj2'] },
};

/** File descriptor of standard input. */
const STDIN = 0;
/** Bytes that FFmpeg takes from a byte source at once. */
const IO_BYTES = 64 * 1024;
/** Bytes and time by which the streams of a container are found out. */
const PROBE_BYTES = 2_000_000n;
const PROBE_MICROSECONDS = 2_000_000n;

/** What the system keeps of UDP packets, as far as it allows so much: a keyframe of hundreds of kilobytes is sent in one burst. */
const RECEIVE_BUFFER_BYTES = String(4 << 20);
/** Less is not waiting for a sender, but the time that reading a packet takes. */
const MIN_WAIT_MS = 5;

/** Options of `LiveInput.open`. */
export interface LiveInputOptions {
  /** Seconds without growth after which a file is complete. */
  readonly idleSeconds: number;
  /** Seconds to wait for a connection and its first packets. */
  readonly connectSeconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Instead of the process's own. */
  readonly stdin?: NodeJS.ReadableStream | undefined;
}

/** A packet of a live stream, which the receiver frees. */
export interface LivePacket {
  readonly packet: Packet;
  /** Index of its stream in the container. */
  readonly stream: number;
  /** `performance.now()` when it was read. */
  readonly arrived: number;
  /** The source kept the reader waiting: nothing that was sent before is still to be read. */
  readonly isLive: boolean;
  /** It was kept waiting on purpose, so that it is not late. */
  readonly isKept?: true;
  /** From here on, the video has another codec: what `video` and `info` say by now. */
  readonly hasNewCodec?: true;
}

/** An open live stream: one connection, or one file. */
export class LiveInput implements AsyncDisposable {
  readonly source: LiveSource;
  readonly video: Stream;
  #info: VideoInfo;
  #codec: AVCodecID;
  readonly #extradata: Buffer | null;
  readonly #format: FormatContext;
  readonly #io: IOContext | undefined;
  readonly #bytes: ByteSource | undefined;
  #isReading = false;
  #isClosed = false;
  /** Why reading ended, if not because the stream is over. */
  problem: string | undefined;

  private constructor(
    source: LiveSource,
    format: FormatContext,
    video: Stream,
    io: IOContext | undefined,
    bytes: ByteSource | undefined,
  ) {
    this.source = source;
    this.#format = format;
    this.#io = io;
    this.#bytes = bytes;
    this.video = video;
    this.#info = describeVideo(format, video, countVideoStreams(format));
    this.#codec = video.codecpar.codecId;
    this.#extradata = video.codecpar.extradata;
  }

  /** The video, as of the packet that was read last. */
  get info(): VideoInfo {
    return this.#info;
  }

  /**
   * Connects to a source and finds its streams.
   *
   * @throws PlaybyplayError `not-a-video`, `no-video-stream`, `unsupported-codec`, `unsupported-source`, `no-connection`,
   * `over-limit`, and those of files.
   */
  static async open(source: LiveSource, options: LiveInputOptions): Promise<LiveInput> {
    Log.setLevel(AV_LOG_QUIET);
    const bytes = await openBytes(source, options);
    const format = new FormatContext();
    let io: IOContext | undefined;
    const interrupt = (): void => {
      bytes?.stop();
      format.interrupt();
    };
    const patience = listens(source) ? undefined : options.connectSeconds;
    let isLate = false;
    const giveUp = (): void => {
      isLate = true;
      interrupt();
    };
    const timer = bytes || patience === undefined ? undefined : setTimeout(giveUp, 1000 * patience);
    options.signal?.addEventListener('abort', interrupt);
    try {
      options.signal?.throwIfAborted();
      format.allocContext();
      format.maxStreams = mediaLimits().streams + 1;
      if (bytes) {
        io = new IOContext();
        io.allocContextWithCallbacks(IO_BYTES, 0, async (size) => (await bytes.read(size)) ?? null, null, null);
      }
      const opened = await openFormat(format, source, io);
      options.signal?.throwIfAborted();
      if (opened < 0) throw isLate ? silence(source, options.connectSeconds) : refusal(source, opened);
      format.probesize = PROBE_BYTES;
      format.maxAnalyzeDuration = PROBE_MICROSECONDS;
      checkStreams(format, source);
      const found = await format.findStreamInfo();
      options.signal?.throwIfAborted();
      checkStreams(format, source);
      if (found < 0) throw isLate ? silence(source, options.connectSeconds) : refusal(source, found);
      const video = chooseVideoStream(format, nameOfSource(source));
      return new LiveInput(source, format, video, io, bytes);
    } catch (error) {
      await format.closeInput();
      io?.freeContext();
      await bytes?.[Symbol.asyncDispose]();
      throw error;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', interrupt);
    }
  }

  /** The sound tracks, in order. */
  get audio(): readonly Stream[] {
    return this.#format.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  }

  /** Selects the streams whose packets are read besides the video; the others are discarded. */
  select(streams: readonly number[]): void {
    for (const stream of this.#format.streams)
      stream.discard =
        stream.index === this.video.index || streams.includes(stream.index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  }

  /** Every stream of the container. */
  get streams(): readonly Stream[] {
    return this.#format.streams;
  }

  /** Resolves to the next packet; `undefined` when the stream is over, is interrupted, or fails (`problem`). */
  async read(): Promise<LivePacket | undefined> {
    if (this.#isClosed) return undefined;
    const packet = new Packet();
    packet.alloc();
    const before = performance.eventLoopUtilization().idle;
    this.#isReading = true;
    const result = await this.#format.readFrame(packet).finally(() => {
      this.#isReading = false;
    });
    if (result < 0) {
      packet.free();
      // FFmpeg reports a network connection that the sender closes as a failed read, and leaves out why.
      const isClosed = this.source.kind === 'network' && result === AVERROR_EIO;
      if (isClosed) this.problem = 'the connection ended';
      else if (result !== AVERROR_EOF) this.problem = describeError(result);
      return undefined;
    }
    const arrived = performance.now();
    // While the event loop was idle, a packet that had arrived would have been delivered.
    const idle = performance.eventLoopUtilization().idle - before;
    const isLive = this.#bytes?.takeWaited() ?? idle > MIN_WAIT_MS;
    const hasNewCodec = packet.streamIndex === this.video.index && this.#takeNewCodec();
    return { packet, stream: packet.streamIndex, arrived, isLive, ...(hasNewCodec && { hasNewCodec }) };
  }

  /** Whether the codec of the video has changed since the last call: a table of MPEG-TS may name another one at any time. */
  #takeNewCodec(): boolean {
    const { codecpar } = this.video;
    if (codecpar.codecId === this.#codec) return false;
    this.#codec = codecpar.codecId;
    // FFmpeg leaves the headers of the former codec where the new one sends its own with the pictures.
    if (this.#extradata && codecpar.extradata?.equals(this.#extradata)) codecpar.extradata = null;
    this.#info = describeVideo(this.#format, this.video, countVideoStreams(this.#format));
    return true;
  }

  /** Lets a pending `read` end without a packet. */
  interrupt(): void {
    this.#bytes?.stop();
    this.#format.interrupt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    if (this.#isReading) throw new TypeError('interrupt the input and await `read` before it is closed');
    this.#isClosed = true;
    await this.#format.closeInput();
    this.#io?.freeContext();
    await this.#bytes?.[Symbol.asyncDispose]();
  }
}

async function openBytes(source: LiveSource, options: LiveInputOptions): Promise<ByteSource | undefined> {
  if (source.kind === 'stdin') return new StreamBytes(options.stdin ?? openStandardInput());
  if (source.kind !== 'file') return undefined;
  const file = new GrowingFile(source.path, options.idleSeconds);
  await file.open();
  return file;
}

/** Standard input by its descriptor: in the thread of a command, `process.stdin` is empty. */
function openStandardInput(): NodeJS.ReadableStream {
  return createReadStream('', { fd: STDIN, autoClose: false, highWaterMark: IO_BYTES });
}

function openFormat(format: FormatContext, source: LiveSource, io: IOContext | undefined): Promise<number> {
  if (io) {
    format.pb = io;
    format.setFlags(AVFMT_FLAG_CUSTOM_IO);
    allow(format, [], STREAMABLE_FORMATS);
    return format.openInput('', null, null);
  }
  if (source.kind === 'hls') {
    allow(format, ALLOWED['hls']!.protocols, ALLOWED['hls']!.formats);
    return format.openInput(source.url, null, null);
  }
  if (source.kind === 'network') {
    const { protocols, formats } = ALLOWED[source.protocol]!;
    allow(format, protocols, formats);
    const listening = source.protocol === 'srt' ? { mode: 'listener' } : { listen: '1' };
    const transport = source.protocol.startsWith('rtsp') ? { rtsp_transport: 'tcp' } : {};
    const buffer = receivesDatagrams(source) ? { buffer_size: RECEIVE_BUFFER_BYTES } : {};
    using options = Dictionary.fromObject({ ...transport, ...buffer, ...(source.listens ? listening : {}) });
    return format.openInput(source.url, null, options);
  }
  if (source.kind !== 'device') throw new TypeError(`${source.kind} sources are read as bytes`);
  const device = InputFormat.findInputFormat(source.format);
  if (!device)
    throw new PlaybyplayError('unsupported-source', `FFmpeg was built without ${source.format} here`, {
      hint: 'Capture with another program, such as ffmpeg or OBS, and pipe or stream it: ffmpeg … -f matroska - | playbyplay live -',
    });
  allow(format, [], [source.format]);
  using options = Dictionary.fromObject(source.options);
  return format.openInput(source.device, device, options);
}

/** Protocols and formats that FFmpeg may use; an empty list of protocols allows none. */
function allow(format: FormatContext, protocols: readonly string[], formats: readonly string[]): void {
  format.setOption('protocol_whitelist', protocols.length === 0 ? 'none' : protocols.join(','));
  format.setOption('format_whitelist', formats.join(','));
}

function checkStreams(format: FormatContext, source: LiveSource): void {
  const name = nameOfSource(source);
  checkLimit('streams', format.nbStreams, name);
  for (const { codecpar } of format.streams) checkLimit('pixels', codecpar.width * codecpar.height, name);
}

function refusal(source: LiveSource, code: number): PlaybyplayError {
  const name = nameOfSource(source);
  const reason = describeError(code);
  if (code === AVERROR_PROTOCOL_NOT_FOUND)
    return new PlaybyplayError('unsupported-source', `FFmpeg was built without the protocol of ${name} here`);
  if (source.kind === 'file' || source.kind === 'stdin')
    return new PlaybyplayError(
      'not-a-video',
      `${name} is not a video that can be read while it is written (${reason})`,
      {
        hint:
          source.kind === 'file'
            ? 'Record to mkv, fragmented or hybrid mp4, or ts: an mp4 of another kind has its index at the end.'
            : 'Send mkv, fragmented mp4, ts or flv: ffmpeg … -f matroska - | playbyplay live -',
      },
    );
  if (source.kind === 'device')
    return new PlaybyplayError('no-connection', `the ${describeDevice(source)} cannot be captured (${reason})`, {
      hint: hintOfDevice(source),
    });
  if (listens(source))
    return new PlaybyplayError('no-connection', `no sender can be waited for at ${name} (${reason})`, {
      hint: 'The port must be free and the host an address of this machine: 0.0.0.0 is all of them.',
    });
  return new PlaybyplayError('no-connection', `${name} cannot be reached (${reason})`, { hint: hintOfAddress(source) });
}

/** Why nothing could be opened in time. */
function silence(source: LiveSource, seconds: number): PlaybyplayError {
  return new PlaybyplayError('no-connection', `nothing arrived from ${nameOfSource(source)} for ${seconds} s`, {
    hint: hintOfAddress(source),
  });
}

function hintOfAddress(source: LiveSource): string {
  if (receivesDatagrams(source)) return 'Is MPEG-TS being sent to this host and port? Is the port free?';
  return source.kind === 'network' && canListen(source.protocol)
    ? 'Are host and port right, and is it sending? To wait for a sender instead: --listen'
    : 'Is the address right, and is the server sending?';
}

type Device = Extract<LiveSource, { readonly kind: 'device' }>;

function describeDevice({ format, device, options }: Device): string {
  if (format === 'v4l2') return `camera ${device}`;
  const window = options['window_id'];
  return window === undefined ? `screen ${device}` : `window ${window} of the display ${device}`;
}

function hintOfDevice({ format, options }: Device): string {
  if (format === 'v4l2') {
    const cameras = (existsSync('/dev') ? readdirSync('/dev') : [])
      .filter((name) => /^video\d+$/.test(name))
      .map((name) => `/dev/${name}`)
      .toSorted();
    return cameras.length === 0
      ? 'This machine has no camera (/dev/video*). For the virtual camera of OBS, load the module v4l2loopback and start it.'
      : `This machine has ${cameras.join(', ')}: playbyplay live camera:${cameras[0]}`;
  }
  return options['window_id'] === undefined
    ? 'Name a display that is running (echo $DISPLAY), and a --size that fits: playbyplay live screen::0 --size 1280x720'
    : 'Set DISPLAY to the display of the window; xwininfo shows its number (0x1c00007).';
}
