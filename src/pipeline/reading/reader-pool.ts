import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type MessageTransfer, WorkerError, threadModule, RpcWorker } from '../../threads/rpc-worker.ts';
import { now, type Trace } from '../../threads/trace.ts';
import { stuckSeconds, type Watch, watchThread } from '../../threads/watchdog.ts';
import { PlaybyplayError } from '../../errors.ts';
import type { HudSettings } from '../../geometry.ts';
import { DecoderWorker } from '../../media/decode/decoder-worker.ts';
import { openVideo, type VideoFile } from '../../media/video.ts';
import type { Game } from '../game.ts';
import type { ReadContext } from './chunk-decoding.ts';
import { ChunkReader } from './chunk-reader.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { PlannedChunk } from './plan.ts';
import type { OpenRequest } from './reader-thread.ts';

/** Options of a `ReaderPool`. */
export interface ReaderPoolOptions {
  readonly plan: 'full' | 'adaptive';
  /** How many chunks are read at once, at most. */
  readonly workers: number;
  readonly hud?: HudSettings | undefined;
  /** The recording is this companion of the profile's. */
  readonly companion?: string | undefined;
  /** Seconds without a sign of life after which a thread is replaced; default `stuckSeconds()`. */
  readonly stuckAfter?: number | undefined;
  /** Decode for readers in this thread, one each; started where that pays. See `createDecoders`. */
  readonly decoders?: readonly DecoderWorker[] | undefined;
  /** Collects what was read when. */
  readonly trace?: Trace | undefined;
}

/** A chunk with its readings. */
export interface ReadChunk {
  readonly request: PlannedChunk;
  readonly readings: ChunkReadings;
}

/** Readers that share one thread: it has time for them while their decoders, or Node's pool, use two cores. */
const MAX_LOCAL_READERS = 2;
/** Chunks from which on decoder threads pay for their start. */
const MIN_CHUNKS_FOR_DECODER_WORKERS = 3;
/** Times that a chunk is tried before the run fails. */
const MAX_ATTEMPTS = 3;
/** Chunks under way or waiting to be given out, per worker. */
const CHUNKS_AHEAD = 2;

interface ReaderContext extends ReadContext {
  /** Called with the time that a message took from thread to thread. */
  readonly onTransfer: (copy: MessageTransfer) => void;
}

/** Reads chunks, one at a time. */
interface Reader extends AsyncDisposable {
  readonly name: string;
  read(request: PlannedChunk, context: ReaderContext): Promise<ChunkReadings>;
}

/**
 * Creates decoder threads for the readers that share this thread, which the caller disposes of; none where readers have threads of
 * their own or decode in this process's pool.
 */
export function createDecoders(
  file: VideoFile,
  plan: ReaderPoolOptions['plan'],
  workers: number,
  stuckAfter?: number,
): DecoderWorker[] {
  if (plan !== 'full' || workers > MAX_LOCAL_READERS || availableParallelism() === 1) return [];
  return Array.from({ length: workers }, () => new DecoderWorker(file, workers, stuckAfter));
}

/**
 * Reads the chunks of a recording on several threads and gives the readings out in order. Up to two readers
 * work in this thread, unless plug-ins are used: another thread would load, compile and optimize the program again, which costs as much
 * as reading some seconds of video.
 */
export class ReaderPool implements AsyncDisposable {
  readonly #file: VideoFile;
  readonly #game: Game;
  readonly #options: ReaderPoolOptions;
  #opening: Promise<readonly Reader[]> | undefined;
  /** How many readers work in this thread, if any do. */
  #localReaders = 1;

  /** `file` must stay open as long as the pool is in use. */
  constructor(file: VideoFile, game: Game, options: ReaderPoolOptions) {
    this.#file = file;
    this.#game = game;
    this.#options = options;
  }

  /** Lets threads start for about so many chunks. */
  start(chunks: number): void {
    const { workers, decoders = [] } = this.#options;
    const usesPlugins = this.#game.detectors.some(({ kind }) => this.#game.plugins.kinds.has(kind.name));
    const count = Math.max(1, Math.min(workers, chunks));
    if (count <= (availableParallelism() > 1 ? MAX_LOCAL_READERS : 1) && !usesPlugins) {
      this.#localReaders = count;
      if (chunks >= MIN_CHUNKS_FOR_DECODER_WORKERS) for (const decoder of decoders) decoder.start();
      return;
    }
    this.#opening ??= this.#openThreads(count, usesPlugins);
    // The consumer of the readings receives the error.
    this.#opening.catch(() => undefined);
  }

  /**
   * Reads chunks as they are requested; yields their readings in the same order. Rejects with the signal's reason once it is
   * aborted, or with what opening the recording or a detector throws.
   */
  async *read(requests: AsyncIterable<PlannedChunk>, signal?: AbortSignal): AsyncGenerator<ReadChunk, void, undefined> {
    const stop = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const source = requests[Symbol.asyncIterator]();
    const running: Job[] = [];
    const idle = new IdleReaders();
    let pulling: Promise<'pulled'> | undefined;
    let isOver = false;
    const aborted = new Promise<never>((_, reject) =>
      stopped.addEventListener('abort', () => reject(stopped.reason as Error), { once: true }),
    );
    aborted.catch(() => undefined);
    const pull = async (): Promise<'pulled'> => {
      const { value, done } = await source.next();
      if (done) isOver = true;
      else running.push(this.#begin(value, running, idle, stopped));
      pulling = undefined;
      return 'pulled';
    };
    try {
      for (;;) {
        stopped.throwIfAborted();
        if (!isOver && running.length < CHUNKS_AHEAD * this.#options.workers) {
          pulling ??= pull();
          // A failure is noticed when it is waited for.
          pulling.catch(() => undefined);
        }
        const [head] = running;
        if (!head && !pulling) return;
        const first = await Promise.race([...(head ? [head.result] : []), ...(pulling ? [pulling, aborted] : [])]);
        if (first === 'pulled') continue;
        running.shift();
        yield { request: head!.request, readings: first };
      }
    } finally {
      stop.abort();
      await Promise.allSettled(running.map(({ result }) => result));
      // A source that waits for more to arrive returns when its own signal is aborted.
      const closed = source.return?.();
      if (pulling) closed?.catch(() => undefined);
      else await closed;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const readers = await this.#opening?.catch(() => []);
    for (const reader of readers ?? []) await reader[Symbol.asyncDispose]();
  }

  #begin(request: PlannedChunk, running: readonly Job[], idle: IdleReaders, signal: AbortSignal): Job {
    const job: Job = { request, result: this.#run(request, () => following(running, request), idle, signal) };
    // A failure is noticed when its turn comes.
    job.result.catch(() => undefined);
    return job;
  }

  async #run(
    request: PlannedChunk,
    next: () => PlannedChunk | undefined,
    idle: IdleReaders,
    signal: AbortSignal,
  ): Promise<ChunkReadings> {
    this.#opening ??= this.#openLocal();
    const readers = await this.#opening;
    idle.add(readers);
    const reader = await idle.take();
    try {
      // The next request may be here already: the decoder goes on with it.
      await turn();
      signal.throwIfAborted();
      const start = now();
      const follows = this.#options.plan === 'full' && readers.length === 1 ? next() : undefined;
      const { trace } = this.#options;
      const context = {
        signal,
        onTransfer: (copy: MessageTransfer) => trace?.span({ device: reader.name, activity: 'copy', ...copy }),
        next: follows && { index: follows.index, chunk: follows.chunk, frames: follows.samples.frames },
      };
      const readings = await reader.read(request, context);
      const name = `read ${request.chunk.t.toFixed(1)}–${request.chunk.end.toFixed(1)} s`;
      trace?.span({ device: reader.name, activity: 'run', name, start, end: now() });
      return readings;
    } finally {
      idle.give(reader);
    }
  }

  async #openLocal(): Promise<readonly Reader[]> {
    const { plan, hud, companion, decoders = [] } = this.#options;
    const decodesAhead = availableParallelism() > 1;
    return await Promise.all(
      Array.from({ length: this.#localReaders }, async (_, i) => {
        const own = i === 0 ? undefined : openVideo(this.#file.path, this.#file.description);
        const options = { plan, hud, companion, decodesAhead, decoder: decoders[i] };
        const reader = await ChunkReader.open(own ?? this.#file, this.#game, options);
        return new LocalReader(this.#localReaders === 1 ? 'reader' : `reader ${i + 1}`, reader, own);
      }),
    );
  }

  async #openThreads(count: number, usesPlugins: boolean): Promise<readonly Reader[]> {
    const { plan, hud, companion, stuckAfter = stuckSeconds() } = this.#options;
    const { pack, path, plugins, languages } = this.#game;
    const open = {
      media: resolve(this.#file.path),
      description: this.#file.description,
      profile: pack.locate(path),
      languages,
      plan,
      hud,
      companion,
      plugins: usesPlugins ? plugins.modules : [],
    };
    const threads = Array.from({ length: count }, (_, i) => new ThreadReader(`reader ${i + 1}`, open, stuckAfter));
    // All are waited for: ending a thread while native code starts in it takes the process along.
    const opened = await Promise.allSettled(threads.map((thread) => thread.open()));
    const failed = opened.find((one) => one.status === 'rejected');
    if (!failed) return threads;
    for (const thread of threads) await thread[Symbol.asyncDispose]();
    throw failed.reason;
  }
}

interface Job {
  readonly request: PlannedChunk;
  readonly result: Promise<ChunkReadings>;
}

function following(running: readonly Job[], request: PlannedChunk): PlannedChunk | undefined {
  return running[running.findIndex((job) => job.request === request) + 1]?.request;
}

/** Readers without work, handed out in the order in which they were asked for. */
class IdleReaders {
  #idle: Reader[] | undefined;
  readonly #waiting: ((reader: Reader) => void)[] = [];

  /** Adds the readers of the pool, the first time that it is called. */
  add(readers: readonly Reader[]): void {
    this.#idle ??= [...readers];
  }

  take(): Promise<Reader> {
    const reader = this.#idle!.shift();
    return reader ? Promise.resolve(reader) : new Promise((done) => this.#waiting.push(done));
  }

  give(reader: Reader): void {
    const next = this.#waiting.shift();
    if (next) next(reader);
    else this.#idle!.push(reader);
  }
}

/** Reads in this thread. */
class LocalReader implements Reader {
  readonly name: string;
  readonly #reader: ChunkReader;
  readonly #file: VideoFile | undefined;

  /** @param file What the reader alone uses. */
  constructor(name: string, reader: ChunkReader, file: VideoFile | undefined) {
    this.name = name;
    this.#reader = reader;
    this.#file = file;
  }

  read(request: PlannedChunk, context: ReadContext): Promise<ChunkReadings> {
    return this.#reader.read(request, context);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reader[Symbol.dispose]();
    this.#file?.[Symbol.dispose]();
  }
}

/** Reads in a thread of its own. A thread that ends or gets stuck is replaced, and the chunk is tried again. */
class ThreadReader implements Reader {
  readonly name: string;
  readonly #open: OpenRequest['open'];
  readonly #stuckAfter: number;
  #thread: RpcWorker;
  #isDisposed = false;

  constructor(name: string, open: OpenRequest['open'], stuckAfter: number) {
    this.name = name;
    this.#open = open;
    this.#stuckAfter = stuckAfter;
    this.#thread = this.#start();
  }

  /** Opens recording and detectors; throws what that throws. */
  async open(): Promise<void> {
    await this.#attempt('opening the recording', () => this.#openThread());
  }

  async read(request: PlannedChunk, { signal, onTransfer }: ReaderContext): Promise<ChunkReadings> {
    const { t, end } = request.chunk;
    return await this.#attempt(`reading ${t.toFixed(1)}–${end.toFixed(1)} s`, (onNotification) =>
      this.#thread.call<ChunkReadings>({ read: request }, { onNotification, onTransfer, signal }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#thread.terminate();
  }

  async #attempt<T>(task: string, call: (onNotification: () => void) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      using watch = this.#watch(task);
      try {
        return await call(watch.onSign);
      } catch (error) {
        if (this.#isDisposed || !(error instanceof WorkerError)) throw error;
        if (attempt === MAX_ATTEMPTS) throw this.#attribute(error);
        await this.#thread.terminate();
        this.#thread = this.#start();
        await this.#openThread();
      }
    }
  }

  /** Names the plug-ins in use: what ends or blocks a thread every time is most likely code of theirs. */
  #attribute(error: WorkerError): Error {
    const { plugins } = this.#open;
    if (plugins.length === 0) return error;
    return new PlaybyplayError('plugin-failed', `${error.message}, ${MAX_ATTEMPTS} times at the same place`, {
      cause: error,
      hint: `Most likely a plug-in in use is the reason: ${plugins.join(', ')}.`,
    });
  }

  #start(): RpcWorker {
    return new RpcWorker(this.name, threadModule(import.meta.url, './reader-thread'), {
      // V8 would let it grow to 48 MiB; a larger one makes reading no faster.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
  }

  async #openThread(): Promise<void> {
    await this.#thread.call({ open: this.#open } satisfies OpenRequest);
  }

  /** Ends the thread if it does not respond. */
  #watch(task: string): Watch {
    const thread = this.#thread;
    return watchThread(thread, this.#stuckAfter, task, () => {
      void thread.terminate(new WorkerError(`${this.name} has not responded for ${this.#stuckAfter} s`));
    });
  }
}
