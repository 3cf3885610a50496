import type { FrameSize, Size } from '../../geometry.ts';
import type { RegionSpec } from '../../profile/profile.ts';
import type { HudSettings } from '../../regions/place.ts';
import { RegionSet } from '../../regions/regions.ts';

/** The regions of a profile wherever its HUD lies in the course of a recording. */
export class Layouts {
  readonly #times: readonly number[];
  readonly #sets: readonly RegionSet[];

  private constructor(times: readonly number[], sets: readonly RegionSet[]) {
    this.#times = times;
    this.#sets = sets;
  }

  /** As `RegionSet.open`, for every place that the settings tell. */
  static async open(
    specs: Readonly<Record<string, RegionSpec>>,
    frame: FrameSize,
    reference: Size,
    hud: HudSettings = {},
  ): Promise<Layouts> {
    const { changes = [] } = hud;
    const sets: RegionSet[] = [];
    for (const one of [hud, ...changes]) sets.push(await RegionSet.open(specs, frame, reference, one));
    return new Layouts(
      changes.map(({ t }) => t),
      sets,
    );
  }

  /** The regions as they lie at the beginning. */
  get first(): RegionSet {
    return this.#sets[0]!;
  }

  /** The regions as they lie at `t` seconds. */
  at(t: number): RegionSet {
    return this.#sets[this.#times.findLastIndex((from) => from <= t) + 1]!;
  }
}
