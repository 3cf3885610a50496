import { stat } from 'node:fs/promises';
import { type ChapterMark, readChapters } from '../../media/container/chapters.ts';
import { openVideo } from '../../media/video.ts';
import { even } from '../../media/write/frame-filter.ts';
import type { VideoInfo } from '../../media/container/info.ts';
import { GracefulWorker } from '../../threads/graceful-worker.ts';
import { threadModule } from '../../threads/rpc-worker.ts';
import type { StreamColumns } from './describe-stream.ts';
import type { PictureFormat } from './encode-picture.ts';
import type { FrameChoice } from './frame-reader.ts';
import type { EncodedFrame, FrameRequest, OpenedRecording } from './frame-thread.ts';
import type { PreviewRequest } from './preview-thread.ts';

/** Peaks of sound that are kept per second, from which waveforms of long stretches are drawn. */
const PEAKS_PER_SECOND = 20;
/** Seconds of sound that are read at once for them. */
const PEAK_STEP_SECONDS = 30;
/** Waveforms of shorter stretches are read from the recording. */
const MAX_DIRECT_PEAK_SECONDS = 40;

/** Containers that know where their keyframes are. In others, they are found by the index once there is one. */
const SEEKABLE_CONTAINERS = /mp4|matroska|webm|avi|flv/;

/** Lowest and highest samples of parts of a stretch. */
export interface Peaks {
  /** Pairs of -127…127. */
  readonly peaks: Int8Array;
  /** Whether all of the stretch has been read. */
  readonly isComplete: boolean;
}

/**
 * A recording that pages look at: two threads, one for exact frames, one for what is shown meanwhile. The first frames are
 * available before the recording is indexed.
 */
export class OpenRecording implements AsyncDisposable {
  readonly path: string;
  readonly info: VideoInfo;
  /** Chapter marks of the container, in its own time. */
  readonly chapters: readonly ChapterMark[];
  /** Size and time of change of the file: another version is opened anew. */
  readonly version: string;
  /** Frames and times, once the packets are indexed. */
  readonly opened: Promise<OpenedRecording>;
  readonly #frames: GracefulWorker;
  readonly #previews: GracefulWorker;
  readonly #previewsOpened: Promise<unknown>;
  #ready: OpenedRecording | undefined;
  #failure: unknown;
  /** Peaks of all sound, as far as they have been read. */
  #overview: Int8Array | undefined;
  #overviewEnd = 0;
  #isClosed = false;

  private constructor(path: string, info: VideoInfo, chapters: readonly ChapterMark[], version: string) {
    this.path = path;
    this.info = info;
    this.chapters = chapters;
    this.version = version;
    this.#frames = new GracefulWorker('frames', threadModule(import.meta.url, './frame-thread'));
    this.#previews = new GracefulWorker('previews', threadModule(import.meta.url, './preview-thread'));
    this.opened = this.#frames.call<OpenedRecording>({ open: path } satisfies FrameRequest);
    this.opened.then(
      (opened) => {
        this.#ready = opened;
      },
      (error: unknown) => {
        this.#failure = error;
      },
    );
    this.#previewsOpened = this.#previews.call({ open: path } satisfies PreviewRequest);
    this.#previewsOpened.catch(() => undefined);
  }

  /** Opens a recording. Throws as `openVideo`. */
  static async open(path: string): Promise<OpenRecording> {
    const version = await versionOfRecording(path);
    using file = openVideo(path);
    return new OpenRecording(path, file.info, await readChapters(path), version);
  }

  /** What the index says; `undefined` while it is being made. Throws what prevented it. */
  get ready(): OpenedRecording | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#ready;
  }

  /** Reads a frame exactly, once the recording is indexed. */
  async frame(
    choice: FrameChoice,
    format: PictureFormat,
    width: number | undefined,
    signal: AbortSignal,
  ): Promise<EncodedFrame> {
    await this.opened;
    return await this.#frames.call<EncodedFrame>({ read: choice, format, width } satisfies FrameRequest, { signal });
  }

  /** Presentation times of the frames of a stretch, and the number of the first of them. */
  async times(from: number, to: number): Promise<{ readonly first: number; readonly times: Float64Array }> {
    await this.opened;
    return await this.#frames.call({ times: { from, to } } satisfies FrameRequest);
  }

  /** How the stream of a stretch comes, in `columns` equal parts. */
  async stream(from: number, to: number, columns: number, signal: AbortSignal): Promise<StreamColumns> {
    await this.opened;
    return await this.#frames.call({ stream: { from, to, columns } } satisfies FrameRequest, { signal });
  }

  /** Reads the last keyframe at or before a time. */
  async preview(t: number, format: PictureFormat, width: number, signal: AbortSignal): Promise<EncodedFrame> {
    if (this.#ready && !SEEKABLE_CONTAINERS.test(this.info.container)) {
      const request: FrameRequest = { keyframe: t, format, width };
      return await this.#frames.call<EncodedFrame>(request, { signal });
    }
    await this.#previewsOpened;
    const shown = this.info.width * (this.info.pixelAspect ?? 1);
    const scale = Math.min(1, width / shown);
    const size = { width: even(shown * scale), height: even(this.info.height * scale) };
    return await this.#previews.call<EncodedFrame>({ preview: t, format, ...size } satisfies PreviewRequest, {
      signal,
    });
  }

  /** Stereo sound of a stretch: interleaved 16-bit samples. */
  async sound(from: number, to: number, signal: AbortSignal): Promise<Int16Array> {
    await this.#previewsOpened;
    return await this.#previews.call<Int16Array>({ sound: { from, to } } satisfies PreviewRequest, { signal });
  }

  /** The waveform of a stretch in `count` parts. That of a long stretch is completed in the background. */
  async peaks(from: number, to: number, count: number, signal: AbortSignal): Promise<Peaks> {
    await this.#previewsOpened;
    if (to - from <= MAX_DIRECT_PEAK_SECONDS) {
      const request: PreviewRequest = { peaks: { from, to, count } };
      return { peaks: await this.#previews.call<Int8Array>(request, { signal }), isComplete: true };
    }
    const { lastTime } = await this.opened;
    if (!this.#overview) {
      this.#overview = new Int8Array(2 * Math.ceil(lastTime * PEAKS_PER_SECOND + 1));
      void this.#readOverview(lastTime);
    }
    return { peaks: this.#summarize(from, to, count), isComplete: this.#overviewEnd >= Math.min(to, lastTime) };
  }

  async #readOverview(lastTime: number): Promise<void> {
    for (let from = 0; from < lastTime && !this.#isClosed; from += PEAK_STEP_SECONDS) {
      const to = from + PEAK_STEP_SECONDS;
      const request: PreviewRequest = { peaks: { from, to, count: PEAK_STEP_SECONDS * PEAKS_PER_SECOND } };
      const part = await this.#previews.call<Int8Array>(request).catch(() => undefined);
      if (part === undefined) return;
      const at = 2 * from * PEAKS_PER_SECOND;
      this.#overview!.set(part.subarray(0, Math.max(0, this.#overview!.length - at)), at);
      this.#overviewEnd = to;
    }
  }

  #summarize(from: number, to: number, count: number): Int8Array {
    const out = new Int8Array(2 * count);
    const step = ((to - from) / count) * PEAKS_PER_SECOND;
    for (let i = 0; i < count; i++) {
      const first = Math.max(0, Math.floor(from * PEAKS_PER_SECOND + i * step));
      const last = Math.min(this.#overview!.length / 2, Math.max(first + 1, Math.floor(first + step)));
      for (let at = first; at < last; at++) {
        out[2 * i] = Math.min(out[2 * i]!, this.#overview![2 * at]!);
        out[2 * i + 1] = Math.max(out[2 * i + 1]!, this.#overview![2 * at + 1]!);
      }
    }
    return out;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#frames[Symbol.asyncDispose](), this.#previews[Symbol.asyncDispose]()]);
  }
}

/** Size and time of change of a file. */
async function versionOfRecording(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size}-${Math.round(mtimeMs)}`;
}

/** Recordings that are open at the same time: a comparison needs two. */
const MAX_OPEN = 3;
/** Seconds after which a recording that nobody asks for is closed, unless it is the last that somebody asked for. */
const IDLE_SECONDS = 60;

interface Entry {
  readonly recording: Promise<OpenRecording>;
  /** In ms of `performance.now()`. */
  used: number;
}

/** Opens recordings as pages ask for them, and closes those that were not asked for longest. */
export class OpenRecordings implements AsyncDisposable {
  /** In the order in which they were asked for. */
  readonly #open = new Map<string, Entry>();
  readonly #timer = setInterval(() => this.#closeIdle(), (1000 * IDLE_SECONDS) / 4).unref();

  /** The recording of a real path. Throws as `openVideo`. */
  async get(path: string): Promise<OpenRecording> {
    const known = this.#open.get(path);
    if (known) {
      const recording = await known.recording;
      if (recording.version === (await versionOfRecording(path))) {
        this.#use(path, known.recording);
        return recording;
      }
      this.#close(path, known);
    }
    const opening = OpenRecording.open(path);
    this.#use(path, opening);
    opening.catch(() => this.#open.delete(path));
    for (const [oldest, entry] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#close(oldest, entry);
    }
    return await opening;
  }

  #use(path: string, recording: Promise<OpenRecording>): void {
    this.#open.delete(path);
    this.#open.set(path, { recording, used: performance.now() });
  }

  #closeIdle(): void {
    const last = [...this.#open.keys()].at(-1);
    for (const [path, entry] of this.#open)
      if (path !== last && performance.now() - entry.used > 1000 * IDLE_SECONDS) this.#close(path, entry);
  }

  #close(path: string, { recording }: Entry): void {
    this.#open.delete(path);
    void recording.then((each) => each[Symbol.asyncDispose]()).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const all = await Promise.allSettled(Array.from(this.#open.values(), ({ recording }) => recording));
    this.#open.clear();
    await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value[Symbol.asyncDispose]() : undefined)));
  }
}
