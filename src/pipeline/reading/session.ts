import { setImmediate as turn } from 'node:timers/promises';
import type { Assets, Observation } from '../../detectors/kind.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import type { DecoderWorker, DecodeRequest } from '../../media/decode/decoder-worker.ts';
import type { Chunk, PacketIndex } from '../../media/packets/packet-index.ts';
import type { VideoFile } from '../../media/video.ts';
import type { PictureCache } from '../../media/decode/picture-cache.ts';
import type { Profile } from '../../profile/profile.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { ChunkReadings, Places } from './chunk-readings.ts';
import { readAdaptively } from './adaptive.ts';
import type { BetweenRules } from './between.ts';
import type { Carried, ProbeRule } from './probe.ts';
import { betweenRules } from './rules.ts';
import { type ChunkPlan, readFully, type Share } from './read-chunk.ts';
import { SampleReader } from './sample-reader.ts';
import type { LeftReading, Waiting } from './sharing.ts';

/** One chunk to read; `rules` (one a detector) ask for the adaptive plan. */
export interface ReadRequest {
  readonly chunk: Chunk;
  readonly index: PacketIndex;
  readonly plan: ChunkPlan;
  readonly rules: readonly ProbeRule[] | undefined;
  /** Where regions lie that stay where something was found before. */
  readonly places?: Places | undefined;
  /** What will be read next, if that is known and it is read in this thread, too. */
  readonly next?: DecodeRequest | undefined;
  /** Milliseconds after which a thread says again that it is at work. */
  readonly pulse: number;
  /** Leaves readings to others while fewer than `most` wait. */
  readonly share?: { readonly waiting: Waiting; readonly most: number } | undefined;
}

/** Readings to be made that another thread has left. */
export interface SettleRequest {
  readonly settle: readonly LeftReading[];
}

export interface SessionOptions {
  readonly hud?: HudSettings | undefined;
  /** The file is closed with the session. */
  readonly owned?: boolean;
  /** Detectors that others switch on are read as if they were on. */
  readonly awake?: boolean;
  /** The recording is this companion of the profile's. */
  readonly companion?: string | undefined;
  /** There is a processor for the decoder to work on while pictures are read. */
  readonly ahead?: boolean | undefined;
  /** Decodes on a thread of its own, once it is ready, where everything is read. */
  readonly beside?: DecoderWorker | undefined;
  /** Pictures that need not be decoded again. */
  readonly kept?: PictureCache | undefined;
}

/** An open recording and the detectors of a profile: reads chunks, one after the other, in the thread that made it. */
export class ReadingSession implements Disposable {
  readonly #file: VideoFile;
  readonly #reader: SampleReader;
  readonly #detectors: number;
  readonly #owned: boolean;
  readonly #between: BetweenRules | undefined;
  readonly #ahead: boolean;
  readonly #beside: DecoderWorker | undefined;
  readonly #kept: PictureCache | undefined;
  readonly #carried: Carried = { frame: -1, probe: undefined };

  private constructor(
    file: VideoFile,
    reader: SampleReader,
    detectors: number,
    owned: boolean,
    between: BetweenRules | undefined,
    ahead: boolean,
    beside: DecoderWorker | undefined,
    kept: PictureCache | undefined,
  ) {
    this.#kept = kept;
    this.#beside = beside;
    this.#between = between;
    this.#ahead = ahead;
    this.#owned = owned;
    this.#file = file;
    this.#reader = reader;
    this.#detectors = detectors;
  }

  /** Reads from `file`, which others may read from between chunks; closes it with itself only if it is `owned`. */
  static async open(
    file: VideoFile,
    game: { readonly profile: Profile; readonly assets: Assets; readonly plugins?: Plugins },
    { hud, owned = false, awake = false, companion, ahead = false, beside, kept }: SessionOptions,
  ): Promise<ReadingSession> {
    try {
      const reader = await SampleReader.open(game.profile, game.assets, file.info, {
        hud,
        plugins: game.plugins,
        awake,
        media: companion,
      });
      if (reader.looksAtVectors) file.exportMotionVectors();
      const between = await betweenRules(game.profile, game.plugins, companion);
      return new ReadingSession(
        file,
        reader,
        Object.keys(game.profile.detectors).length,
        owned,
        between,
        ahead,
        beside,
        kept,
      );
    } catch (error) {
      if (owned) file[Symbol.dispose]();
      throw error;
    }
  }

  /** Rejects with the signal's reason soon after it is aborted. `share` takes readings that others may make. */
  read(
    { chunk, index, plan, rules, places, next }: Omit<ReadRequest, 'pulse' | 'share'>,
    { signal, share, alive }: { signal?: AbortSignal; share?: Share | undefined; alive?: () => void } = {},
  ): Promise<ChunkReadings> {
    this.#reader.onPicture = alive;
    // What compares samples cannot be probed: a keyframe does not tell what came before it.
    const isFull = rules === undefined || this.#reader.compares;
    const beside = isFull && this.#beside?.isReady ? this.#beside : undefined;
    // Not ready for this chunk, it may be for the next.
    if (isFull && !beside && next) this.#beside?.announce(next);
    this.#reader.breathe = this.#ahead && !beside ? turn : undefined;
    this.#reader.places = places;
    const between = this.#between;
    const context = {
      file: this.#file,
      reader: this.#reader,
      detectors: this.#detectors,
      index,
      between,
      carried: this.#carried,
      kept: this.#kept,
      ahead: this.#ahead,
      beside,
      next,
      signal,
      share,
    };
    return isFull ? readFully(context, chunk, plan) : readAdaptively(context, chunk, plan, rules);
  }

  /** Makes readings that were left to others. */
  async settle(left: readonly LeftReading[]): Promise<Map<number, Observation>> {
    const made = new Map<number, Observation>();
    for (const { id, detector, deferred } of left) made.set(id, await this.#reader.settle(detector, deferred));
    return made;
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
    if (this.#owned) this.#file[Symbol.dispose]();
  }
}
