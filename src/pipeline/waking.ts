import type { Want } from '../cues/nodes.ts';
import { type PacketIndex, frameTime, sliceIndex } from '../media/packets/packet-index.ts';
import { openVideo, type VideoFile } from '../media/video.ts';
import type { HudSettings } from '../regions/place.ts';
import type { Places } from './reading/chunk-readings.ts';
import type { Game } from './game.ts';
import type { Woken } from './interpreter.ts';
import type { Portion } from './reading/plan.ts';
import { ReadingSession } from './reading/session.ts';

/**
 * Reads once more what workers left out, in this thread. Whether a detector is switched on is known only behind the workers;
 * what they guess wrong is mended here, so a guess can cost time but never change a log.
 */
export class Waking implements Disposable {
  readonly #media: Pick<VideoFile, 'path' | 'description'>;
  readonly #game: Game;
  readonly #hud: HudSettings | undefined;
  readonly #index: PacketIndex;
  readonly #portions: readonly Portion[];
  readonly #detectors: readonly string[];
  readonly #companion: string | undefined;
  #session: ReadingSession | undefined;
  /** Samples that were read again. */
  samples = 0;

  constructor(
    media: Pick<VideoFile, 'path' | 'description'>,
    game: Game,
    hud: HudSettings | undefined,
    index: PacketIndex,
    portions: readonly Portion[],
    companion?: string,
  ) {
    this.#media = media;
    this.#game = game;
    this.#hud = hud;
    this.#index = index;
    this.#portions = portions;
    this.#companion = companion;
    this.#detectors = Object.keys(game.profile.detectors);
  }

  async read(wants: readonly Want[], places: Places, signal?: AbortSignal): Promise<readonly Woken[]> {
    this.#session ??= await ReadingSession.open(openVideo(this.#media.path, this.#media.description), this.#game, {
      hud: this.#hud,
      owned: true,
      awake: true,
      companion: this.#companion,
    });
    const woken: Woken[] = [];
    const byPortion = Map.groupBy(wants, ({ t }) => this.#portions.findLast(({ chunk }) => chunk.t <= t)!);
    for (const [portion, own] of [...byPortion].toSorted(([a], [b]) => a.number - b.number))
      woken.push(...(await this.#readPortion(this.#session, portion, own, places, signal)));
    return woken.toSorted((a, b) => a.t - b.t);
  }

  async #readPortion(
    session: ReadingSession,
    { chunk, plan }: Portion,
    wants: readonly Want[],
    places: Places,
    signal: AbortSignal | undefined,
  ): Promise<readonly Woken[]> {
    const byTime = Map.groupBy(wants, ({ t }) => t);
    const frames = plan.frames.filter((frame) => byTime.has(frameTime(this.#index, frame)));
    const due = frames.map((frame) => {
      const mask = new Uint8Array(this.#detectors.length);
      for (const { detector } of byTime.get(frameTime(this.#index, frame))!)
        mask[this.#detectors.indexOf(detector)] = 1;
      return mask;
    });
    this.samples += frames.length;
    const request = { chunk, index: sliceIndex(this.#index, chunk), plan: { frames, due }, rules: undefined, places };
    const { t, seen, observations } = await session.read(request, signal ? { signal } : {});
    const sampleAt = new Map(t.map((time, i) => [time, i]));
    return wants.map((want) => {
      const i = sampleAt.get(want.t);
      const number = i === undefined ? -1 : seen[i]![this.#detectors.indexOf(want.detector)]!;
      return { ...want, observation: observations[number] };
    });
  }

  [Symbol.dispose](): void {
    this.#session?.[Symbol.dispose]();
  }
}
