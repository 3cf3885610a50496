import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Observation } from '../../detectors/kind.ts';
import type { DecoderWorker } from '../../media/decode/decoder-worker.ts';
import type { VideoFile } from '../../media/video.ts';
import type { PictureCache } from '../../media/decode/picture-cache.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { Game } from '../game.ts';
import type { ReadContext, Reader } from './reader.ts';
import { ReadingThread } from './reading-thread.ts';
import { ReadingSession, type ReadRequest } from './session.ts';
import type { LeftReading } from './sharing.ts';

/** Portions from which on a decoder of its own is worth its start. */
const WORTH_A_DECODER = 3;

interface ReadersOptions {
  readonly companion?: string;
  readonly stuckAfter?: number | undefined;
  readonly beside?: DecoderWorker | undefined;
  readonly kept?: PictureCache | undefined;
}

/** Seconds that a call into a plug-in may take. */
const PATIENCE = 60;

/**
 * The readers of a recording. A single one reads in this thread: another would have to load everything once more, which
 * costs as much as decoding three seconds of video. Several are threads of their own, and so is one that calls plug-ins.
 */
export class Readers implements AsyncDisposable {
  readonly #file: VideoFile;
  readonly #game: Game;
  readonly #hud: HudSettings | undefined;
  readonly #most: number;
  readonly #companion: string | undefined;
  readonly #patience: number;
  readonly #beside: DecoderWorker | undefined;
  readonly #kept: PictureCache | undefined;
  #opening: Promise<readonly Reader[]> | undefined;

  /**
   * `most`: how many may read at once. `file` must stay open as long as they read; it may be a `companion` of the profile's.
   * `stuckAfter`: seconds after which a thread counts as stuck; a plug-in gets half of them, at most a minute. `beside` decodes for a
   * single reader in this thread; it is started where that pays. Pictures that were `kept` need not be decoded again there.
   */
  constructor(
    file: VideoFile,
    game: Game,
    hud: HudSettings | undefined,
    most: number,
    { companion, stuckAfter, beside, kept }: ReadersOptions = {},
  ) {
    this.#kept = kept;
    this.#beside = beside;
    this.#file = file;
    this.#game = game;
    this.#hud = hud;
    this.#most = most;
    this.#companion = companion;
    this.#patience = Math.min(PATIENCE, (stuckAfter ?? 2 * PATIENCE) / 2);
  }

  /** Lets threads start for so many portions of work, if there are to be several. */
  start(portions: number): void {
    const own = Object.values(this.#game.profile.detectors).every(({ kind }) => !this.#game.plugins.kinds.has(kind));
    if (Math.min(this.#most, portions) < 2 && own) {
      if (this.#most === 1 && portions >= WORTH_A_DECODER) this.#beside?.start();
      return;
    }
    this.#opening ??= this.#openThreads(Math.max(1, Math.min(this.#most, portions)));
    // Who opens them is told.
    this.#opening.catch(() => undefined);
  }

  /** The readers, at least one and at most one a portion. Throws what opening the recording and the detectors throws. */
  open(portions: number): Promise<readonly Reader[]> {
    this.start(portions);
    // Threads, which may be ended at any moment, decode where they read.
    const ahead = availableParallelism() > 1;
    const [hud, companion, beside, kept] = [this.#hud, this.#companion, this.#beside, this.#kept];
    this.#opening ??= ReadingSession.open(this.#file, this.#game, { hud, companion, ahead, beside, kept }).then(
      (one) => [new OwnThread(one)],
    );
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const readers = await this.#opening?.catch(() => []);
    await Promise.all((readers ?? []).map((reader) => reader.retire()));
  }

  async #openThreads(count: number): Promise<readonly Reader[]> {
    const { pack, path, plugins, languages } = this.#game;
    const open = {
      media: resolve(this.#file.path),
      described: this.#file.description,
      profile: pack.locate(path),
      hud: this.#hud,
      companion: this.#companion,
      plugins: plugins.modules,
      languages,
    };
    const threads = Array.from(
      { length: count },
      (_, i) => new ReadingThread(`reader ${i + 1}`, open, plugins.modules.length > 0 ? this.#patience : undefined),
    );
    // All of them are waited for: a thread that is ended while a library of foreign code is at work in it takes the process along.
    const opened = await Promise.allSettled(threads.map((thread) => thread.open()));
    const failed = opened.find((one) => one.status === 'rejected');
    if (!failed) return threads;
    await Promise.all(threads.map((thread) => thread.retire()));
    throw failed.reason;
  }
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
