import { holdOf } from '../cues/activation.ts';
import { type Observation, placeOf, type Reading } from '../detectors/kind.ts';
import type { Rect } from '../geometry.ts';
import type { Profile } from '../profile/profile.ts';
import type { Places } from './reading/chunk-readings.ts';

interface Holder {
  readonly name: string;
  readonly index: number;
  /** The detector that its region follows. */
  readonly followed: string;
  /** Seconds. */
  readonly hold: number;
}

/**
 * Where regions lie that stay where something was found last. What came before a sample may lie in another chunk, so this is
 * known behind the workers only: they leave such readings out, and those for which there is a place are made afterwards.
 */
export class Holding {
  readonly #holders: readonly Holder[];
  readonly #last = new Map<string, { readonly t: number; readonly place: Rect }>();
  readonly #places = new Map<number, Map<number, Rect>>();

  constructor(profile: Profile) {
    this.#holders = Object.entries(profile.detectors).flatMap(([name, { region }], index) => {
      const hold = holdOf(profile, name);
      const followed = region === undefined ? undefined : profile.regions[region]?.relative?.detector;
      return hold === undefined || followed === undefined ? [] : [{ name, index, followed, hold }];
    });
  }

  /** The places of samples whose readings are still to be made. */
  get places(): Places {
    return this.#places;
  }

  /**
   * Takes a sample: its readings, and the detectors that were left out. Of these, those for which no place is known are done
   * with: they are given what the detector that they follow reads.
   */
  take(
    t: number,
    readings: readonly Reading[],
    asleep: readonly string[],
  ): { readonly readings: readonly Reading[]; readonly asleep: readonly string[] } {
    if (this.#holders.length === 0) return { readings, asleep };
    const made: Reading[] = [];
    const done = new Set<string>();
    for (const { name, index, followed, hold } of this.#holders) {
      const seen = readings.find(({ detector }) => detector === followed)?.observation;
      const place = seen && placeOf(seen);
      if (place) this.#last.set(name, { t, place });
      if (place || !asleep.includes(name)) continue;
      const last = this.#last.get(name);
      if (last && t - last.t <= hold + 1e-6) this.#keep(t, index, last.place);
      else {
        done.add(name);
        made.push({ detector: name, t, observation: missing(seen) });
      }
    }
    if (done.size === 0) return { readings, asleep };
    return { readings: [...readings, ...made], asleep: asleep.filter((name) => !done.has(name)) };
  }

  /** Everything before `t` seconds has been read. */
  forget(t: number): void {
    for (const time of this.#places.keys()) if (time < t) this.#places.delete(time);
  }

  #keep(t: number, index: number, place: Rect): void {
    const places = this.#places.get(t) ?? new Map<number, Rect>();
    places.set(index, place);
    this.#places.set(t, places);
  }
}

/** What is read where nothing was found, nor before. */
function missing(seen: Observation | undefined): Observation {
  return seen?.state === 'absent' ? seen : { state: 'unreadable', confidence: 0 };
}
