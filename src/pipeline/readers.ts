import { resolve } from 'node:path';
import type { Device } from '../compute/scheduler/schedule.ts';
import { type Copy, moduleBeside, ThreadDevice } from '../compute/scheduler/threads.ts';
import type { Observation } from '../detectors/kind.ts';
import type { VideoFile } from '../media/video.ts';
import type { HudSettings } from '../regions/place.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { Game } from './game.ts';
import type { OpenRequest, ReadingNote } from './read-thread.ts';
import { ReadingSession, type ReadRequest, type SettleRequest } from './session.ts';
import type { LeftReading } from './sharing.ts';

/** What a reader is given besides its request. */
export interface ReadContext {
  readonly signal: AbortSignal;
  /** Told how long request and readings were on their way between two threads. */
  readonly onCopy?: ((copy: Copy) => void) | undefined;
  /** Told what the thread notes on the way. */
  readonly onNote?: (note: ReadingNote) => void;
}

/** Something that reads chunks, one at a time. Close it when the work is over. */
export interface Reader extends Device {
  /** Whether it is a thread of its own, which can end or be ended. */
  readonly thread: boolean;
  read(request: ReadRequest, context: ReadContext): Promise<ChunkReadings>;
  /** Makes readings that another thread has left. */
  settle(left: readonly LeftReading[], context: ReadContext): Promise<ReadonlyMap<number, Observation>>;
  retire(reason?: unknown): Promise<void>;
}

/**
 * The readers of a recording. A single one reads in this thread: another would have to load everything once more, which
 * costs as much as decoding three seconds of video. Several are threads of their own.
 */
export class Readers implements AsyncDisposable {
  readonly #file: VideoFile;
  readonly #game: Game;
  readonly #hud: HudSettings | undefined;
  readonly #most: number;
  readonly #companion: string | undefined;
  #opening: Promise<readonly Reader[]> | undefined;

  /** `most`: how many may read at once. `file` must stay open as long as they read; it may be a `companion` of the profile's. */
  constructor(file: VideoFile, game: Game, hud: HudSettings | undefined, most: number, companion?: string) {
    this.#file = file;
    this.#game = game;
    this.#hud = hud;
    this.#most = most;
    this.#companion = companion;
  }

  /** Lets threads start for so many portions of work, if there are to be several. */
  start(portions: number): void {
    if (Math.min(this.#most, portions) < 2) return;
    this.#opening ??= this.#openThreads(Math.min(this.#most, portions));
    // Who opens them is told.
    this.#opening.catch(() => undefined);
  }

  /** The readers, at least one and at most one a portion. Throws what opening the recording and the detectors throws. */
  open(portions: number): Promise<readonly Reader[]> {
    this.start(portions);
    this.#opening ??= ReadingSession.open(this.#file, this.#game, { hud: this.#hud, companion: this.#companion }).then(
      (one) => [new OwnThread(one)],
    );
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const readers = await this.#opening?.catch(() => []);
    await Promise.all((readers ?? []).map((reader) => reader.retire()));
  }

  async #openThreads(count: number): Promise<readonly Reader[]> {
    const threads = Array.from({ length: count }, (_, i) => new ReadingThread(`reader ${i + 1}`));
    const { pack, path, plugins, languages } = this.#game;
    const open: OpenRequest = {
      open: {
        media: resolve(this.#file.path),
        profile: pack.locate(path),
        hud: this.#hud,
        companion: this.#companion,
        plugins: plugins.modules,
        languages,
      },
    };
    // All of them are waited for: a thread that is ended while a library of foreign code is at work in it takes the process along.
    const opened = await Promise.allSettled(threads.map((thread) => thread.device.call(open)));
    const failed = opened.find((one) => one.status === 'rejected');
    if (!failed) return threads;
    await Promise.all(threads.map((thread) => thread.retire()));
    throw failed.reason;
  }
}

class ReadingThread implements Reader {
  readonly thread = true;
  readonly name: string;
  readonly device: ThreadDevice;

  constructor(name: string) {
    this.name = name;
    this.device = new ThreadDevice(name, moduleBeside(import.meta.url, './read-thread'));
  }

  read(request: ReadRequest, context: ReadContext): Promise<ChunkReadings> {
    return this.device.call(request, optionsOf(context));
  }

  settle(left: readonly LeftReading[], context: ReadContext): Promise<ReadonlyMap<number, Observation>> {
    return this.device.call({ settle: left } satisfies SettleRequest, optionsOf(context));
  }

  async retire(reason?: unknown): Promise<void> {
    await this.device.retire(reason);
  }
}

function optionsOf({ signal, onCopy, onNote }: ReadContext) {
  return {
    signal,
    ...(onCopy ? { onCopy } : {}),
    ...(onNote ? { onNote: (note: unknown) => onNote(note as ReadingNote) } : {}),
  };
}

class OwnThread implements Reader {
  readonly thread = false;
  readonly name = 'reader';
  readonly #session: ReadingSession;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(session: ReadingSession) {
    this.#session = session;
  }

  read(request: ReadRequest, { signal }: ReadContext): Promise<ChunkReadings> {
    const reading = this.#session.read(request, { signal });
    this.#reading = reading;
    return reading;
  }

  settle(left: readonly LeftReading[]): Promise<ReadonlyMap<number, Observation>> {
    return this.#session.settle(left);
  }

  /** The file cannot be closed under a reading: waits until the one under way has noticed its signal. */
  async retire(): Promise<void> {
    await this.#reading.catch(() => undefined);
    this.#session[Symbol.dispose]();
  }
}
