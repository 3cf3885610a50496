import { loadKind } from '../detectors/registry.ts';
import type { Issue } from '../errors.ts';
import type { ChunkReadings } from './reading/chunk-readings.ts';
import type { Game } from './game.ts';
import { STRONG } from './placement/count.ts';
import { isWitness, modesOf } from './placement/fit.ts';

/** Seconds of a recording after which it is judged how much of a profile was recognised; and that are needed to judge at all. */
const FIRST = 60;
const LEAST = 10;
/** Share of the elements of which fewer are seen when a profile does not fit; with fewer elements nothing is said. */
const SHARE = 0.3;
const ENOUGH = 4;
/** Samples in which an element is seen when that is no accident. */
const SAMPLES = 2;
/** Samples in which what switches a mode on is seen when the mode is. */
const STANDS = 10;
/** How many of them are named. */
const NAMED = 8;

/**
 * Watches how much of a profile is recognised in the first minute that is read. A profile that lies beside the HUD may
 * still see an icon or two, and reads nothing else: that must not pass in silence.
 */
export class Recognition {
  readonly #game: string;
  readonly #names: readonly string[];
  /** By number among the profile's detectors. */
  readonly #seen: Map<number, number>;
  /** The detectors that switch on modes in which others are read. */
  readonly #marks: ReadonlySet<string>;
  /** In which modes each is read. */
  readonly #modes: readonly string[];
  #first: number | undefined;
  #last = 0;
  #over = false;

  private constructor(game: Game, witnesses: readonly number[]) {
    this.#game = game.profile.game;
    this.#names = Object.keys(game.profile.detectors);
    this.#modes = Object.values(game.profile.detectors).map((spec) => modesOf(game.profile, spec));
    const used = Object.values(game.profile.detectors).flatMap(({ modes = [] }) => modes);
    this.#marks = new Set(used.map((mode) => game.profile.modes![mode]!.detector));
    this.#seen = new Map(witnesses.map((detector) => [detector, 0]));
  }

  static async open(game: Game): Promise<Recognition> {
    const witnesses: number[] = [];
    for (const [number, spec] of Object.values(game.profile.detectors).entries())
      if (isWitness(game.profile, spec, await loadKind(spec.kind, game.plugins))) witnesses.push(number);
    return new Recognition(game, witnesses);
  }

  /** Takes the readings of the next chunk; says once the first minute is over if too little was seen. */
  add({ t, seen, observations }: ChunkReadings): Issue | undefined {
    for (const [i, time] of t.entries()) {
      if (this.#over) return undefined;
      this.#first ??= time;
      this.#last = time;
      if (time - this.#first > FIRST) return this.#judge();
      for (const [detector, count] of this.#seen) {
        const observation = observations[seen[i]![detector]!];
        if (observation?.state === 'seen' && observation.confidence >= STRONG) this.#seen.set(detector, count + 1);
      }
    }
    return undefined;
  }

  /** The recording is over: the same for one of less than a minute. */
  end(): Issue | undefined {
    return this.#over || this.#last - (this.#first ?? 0) < LEAST ? undefined : this.#judge();
  }

  #judge(): Issue | undefined {
    this.#over = true;
    const all = [...this.#seen];
    const there = all.filter(([, count]) => count >= SAMPLES);
    // One HUD of several is enough: that of some mode.
    const share = (own: typeof all): number => own.filter(([, count]) => count >= SAMPLES).length / own.length;
    const shares = [...Map.groupBy(all, ([detector]) => this.#modes[detector]!).values()].map(share);
    if (all.length < ENOUGH || Math.max(...shares) >= SHARE) return undefined;
    // Detectors of a mode may be read later, by themselves: what switches it on says that they are there.
    if (all.some(([detector, count]) => count >= STANDS && this.#marks.has(this.#names[detector]!))) return undefined;
    const named = (list: typeof all): string => {
      const names = list.slice(0, NAMED).map(([detector]) => this.#names[detector]);
      const more = list.length - names.length;
      return `${names.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
    };
    const missing = all.filter((one) => !there.includes(one));
    return {
      code: 'little-recognised',
      message: `of the ${all.length} elements by which ${this.#game} is known only ${there.length} were recognised in the first ${Math.round(this.#last - this.#first!)} s (${named(there)}); never seen: ${named(missing)}`,
      hint: 'If they are on the screen, they lie where the profile does not look, or look otherwise: playbyplay profile place <media> --game <game> --picture regions.png draws where it looks.',
    };
  }
}
