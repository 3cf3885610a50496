import { join } from 'node:path';
import { avGetCodecName, CodecParameters, type Packet } from 'node-av/lib';
import { produceOutput } from '../files/output.ts';
import { toFileName } from '../files/file-name.ts';
import type { LiveInput } from '../media/live/input.ts';
import { type Container, Muxer } from '../media/write/muxer.ts';
import type { StreamPacket } from '../pipeline/live/watch.ts';
import { formatClock, type Rational } from '../time.ts';

/** Options of `ClipRecorder`. */
export interface ClipOptions {
  /** Folder in which clips are written. */
  readonly folder: string;
  /** Seconds of the stream that are kept. */
  readonly seconds: number;
  readonly onClip?: ((path: string) => void) | undefined;
  readonly onProblem: (message: string) => void;
}

/** A stream of which packets are kept; it outlives the connection. */
interface KeptStream {
  readonly index: number;
  readonly isVideo: boolean;
  readonly parameters: CodecParameters;
  readonly timeBase: Rational;
  readonly frameRate: Rational;
}

interface PendingClip {
  readonly name: string;
  readonly from: number;
  to: number;
}

/** Bytes of the stream that are kept at most. */
const MAX_BYTES = 256 << 20;
/** A clip to which further events belong ends at last after so many seconds. */
const MAX_CLIP_SECONDS = 180;
/** Codecs that players expect in mp4. */
const MP4_CODECS: ReadonlySet<string> = new Set(['h264', 'hevc', 'av1', 'aac', 'mp3', 'opus', 'ac3']);
/** Codecs of pictures that are not compressed: too large to be kept. */
const RAW_CODECS: ReadonlySet<string> = new Set(['rawvideo', 'wrapped_avframe', 'mjpeg']);

/** Keeps the last part of a stream as packets, and cuts clips from it without encoding them again. */
export class ClipRecorder implements AsyncDisposable {
  readonly #options: ClipOptions;
  #input: LiveInput | undefined;
  #streams: readonly KeptStream[] = [];
  #packets: StreamPacket[] = [];
  #bytes = 0;
  #clips: PendingClip[] = [];
  #writing: Promise<void> = Promise.resolve();
  #isRaw = false;

  constructor(options: ClipOptions) {
    this.#options = options;
  }

  /** Keeps a packet. */
  add(item: StreamPacket): void {
    if (item.input !== this.#input) this.#begin(item.input);
    if (this.#isRaw) {
      item.packet.free();
      return;
    }
    this.#packets.push(item);
    this.#bytes += item.packet.size;
    const due = this.#clips.filter(({ to }) => item.t >= to);
    if (due.length > 0) this.#clips = this.#clips.filter((clip) => !due.includes(clip));
    for (const clip of due) this.#write(clip);
    this.#trim(item.t);
  }

  /** Plans a clip. It is written once the stream has come to its end; one that overlaps it is prolonged instead. */
  cut(from: number, to: number, text: string): void {
    if (this.#isRaw) {
      this.#options.onProblem('no clip is cut: the source is not compressed');
      return;
    }
    const open = this.#clips.find((clip) => from <= clip.to && to - clip.from <= MAX_CLIP_SECONDS);
    if (open) open.to = Math.max(open.to, to);
    else this.#clips.push({ name: `${formatClock(from, 0).replaceAll(':', '-')} ${text}`, from, to });
  }

  #begin(input: LiveInput): void {
    this.#finish();
    this.#input = input;
    this.#isRaw = RAW_CODECS.has(input.info.codec);
    this.#streams = [input.video, ...input.audio].map((stream) => {
      const parameters = new CodecParameters();
      parameters.alloc();
      stream.codecpar.copy(parameters);
      const isVideo = stream.index === input.video.index;
      const { num, den } = stream.timeBase;
      const frameRate = isVideo ? input.info.frameRate : { num: 0, den: 1 };
      return { index: stream.index, isVideo, parameters, timeBase: { num, den }, frameRate };
    });
  }

  /** Writes what was planned, as far as the stream has come, and forgets the stream. */
  #finish(): void {
    for (const clip of this.#clips.splice(0)) this.#write(clip);
    for (const { packet } of this.#packets.splice(0)) packet.free();
    this.#bytes = 0;
    const streams = this.#streams;
    this.#writing = this.#writing.then(() => {
      for (const { parameters } of streams) parameters.free();
    });
  }

  /** Forgets whole groups of pictures that no clip needs any more. */
  #trim(t: number): void {
    const needed = Math.min(t - this.#options.seconds, ...this.#clips.map(({ from }) => from));
    for (;;) {
      const next = this.#packets.findIndex(({ isKey }, i) => i > 0 && isKey);
      if (next < 0 || (this.#packets[next]!.t > needed && this.#bytes <= MAX_BYTES)) return;
      for (const { packet } of this.#packets.splice(0, next)) {
        this.#bytes -= packet.size;
        packet.free();
      }
    }
  }

  #write({ name, from, to }: PendingClip): void {
    const first = Math.max(
      0,
      this.#packets.findLastIndex(({ isKey, t }) => isKey && t <= from),
    );
    const start = this.#packets.findIndex(({ isKey }, i) => i >= first && isKey);
    const chosen = start < 0 ? [] : this.#packets.slice(start).filter(({ t }) => t <= to);
    if (chosen.length === 0) return this.#options.onProblem(`clip “${name}”: the stream is not kept that long`);
    const kept = this.#streams.filter(({ index }) => chosen.some(({ stream }) => stream === index));
    const isMp4 = kept.every(({ parameters }) => MP4_CODECS.has(avGetCodecName(parameters.codecId) ?? ''));
    const container: Container = isMp4 ? 'mp4' : 'matroska';
    const path = join(this.#options.folder, `${toFileName(name)}.${isMp4 ? 'mp4' : 'mkv'}`);
    const packets = chosen.flatMap(({ packet, stream }) => {
      const copy = kept.some(({ index }) => index === stream) ? packet.clone() : null;
      return copy ? [{ packet: copy, stream }] : [];
    });
    this.#writing = this.#writing.then(async () => {
      try {
        await produceOutput(path, async (temporary) => mux(temporary, container, kept, packets), {
          kind: 'video',
        });
        this.#options.onClip?.(path);
      } catch (error) {
        this.#options.onProblem(`clip “${name}”: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        for (const { packet } of packets) packet.free();
      }
    });
  }

  /** Writes what is planned, and frees everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#finish();
    await this.#writing;
  }
}

/** Writes packets to a container; times begin at 0. */
function mux(
  path: string,
  container: Container,
  streams: readonly KeptStream[],
  packets: readonly { readonly packet: Packet; readonly stream: number }[],
): void {
  using muxer = new Muxer(path, container);
  const outputs = new Map(
    streams.map((stream) => {
      const { parameters, timeBase, frameRate } = stream;
      return [
        stream.index,
        { output: muxer.addCopiedStream(parameters, undefined, timeBase, frameRate), stream },
      ] as const;
    }),
  );
  muxer.start();
  const video = streams.find(({ isVideo }) => isVideo)!;
  const first = packets.find(({ stream }) => stream === video.index)!.packet;
  const origin = (Number(first.dts) * video.timeBase.num) / video.timeBase.den;
  for (const { packet, stream: index } of packets) {
    const { output, stream } = outputs.get(index)!;
    const shift = BigInt(Math.round((origin * stream.timeBase.den) / stream.timeBase.num));
    if (packet.dts < shift) continue;
    packet.pts -= shift;
    packet.dts -= shift;
    muxer.write(packet, output, stream.timeBase);
  }
  muxer.finish();
}
