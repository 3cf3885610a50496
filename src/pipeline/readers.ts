import { resolve } from 'node:path';
import type { Device } from '../compute/scheduler/schedule.ts';
import { type Copy, moduleBeside, ThreadDevice } from '../compute/scheduler/threads.ts';
import type { VideoFile } from '../media/video.ts';
import type { HudSettings } from '../regions/place.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { Game } from './game.ts';
import type { OpenRequest } from './read-thread.ts';
import { ReadingSession, type ReadRequest } from './session.ts';

/** Something that reads chunks, one at a time. Close it when the work is over. */
export interface Reader extends Device {
  /** `onCopy` is told how long request and readings were on their way between two threads. */
  read(request: ReadRequest, signal: AbortSignal, onCopy?: (copy: Copy) => void): Promise<ChunkReadings>;
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
  #opening: Promise<readonly Reader[]> | undefined;

  /** `most`: how many may read at once. `file` must stay open as long as they read. */
  constructor(file: VideoFile, game: Game, hud: HudSettings | undefined, most: number) {
    this.#file = file;
    this.#game = game;
    this.#hud = hud;
    this.#most = most;
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
    this.#opening ??= ReadingSession.open(this.#file, this.#game, { hud: this.#hud }).then((one) => [
      new OwnThread(one),
    ]);
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const readers = await this.#opening?.catch(() => []);
    await Promise.all((readers ?? []).map((reader) => reader.retire()));
  }

  async #openThreads(count: number): Promise<readonly Reader[]> {
    const threads = Array.from({ length: count }, (_, i) => new ReadingThread(`reader ${i + 1}`));
    const { pack, path, plugins } = this.#game;
    const open: OpenRequest = {
      open: {
        media: resolve(this.#file.path),
        profile: pack.locate(path),
        hud: this.#hud,
        plugins: plugins.modules,
      },
    };
    try {
      await Promise.all(threads.map((thread) => thread.device.call(open)));
    } catch (error) {
      await Promise.all(threads.map((thread) => thread.retire()));
      throw error;
    }
    return threads;
  }
}

class ReadingThread implements Reader {
  readonly name: string;
  readonly device: ThreadDevice;

  constructor(name: string) {
    this.name = name;
    this.device = new ThreadDevice(name, moduleBeside(import.meta.url, './read-thread'));
  }

  read(request: ReadRequest, signal: AbortSignal, onCopy?: (copy: Copy) => void): Promise<ChunkReadings> {
    return this.device.call(request, { signal, ...(onCopy ? { onCopy } : {}) });
  }

  async retire(reason?: unknown): Promise<void> {
    await this.device.retire(reason);
  }
}

class OwnThread implements Reader {
  readonly name = 'reader';
  readonly #session: ReadingSession;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(session: ReadingSession) {
    this.#session = session;
  }

  read(request: ReadRequest, signal: AbortSignal): Promise<ChunkReadings> {
    const reading = this.#session.read(request, signal);
    this.#reading = reading;
    return reading;
  }

  /** The file cannot be closed under a reading: waits until the one under way has noticed its signal. */
  async retire(): Promise<void> {
    await this.#reading.catch(() => undefined);
    this.#session[Symbol.dispose]();
  }
}
