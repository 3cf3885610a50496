import { type Clauses, compileActivations, holdSecondsOf } from '../cues/activation.ts';
import { createTracker, type Tracker } from '../cues/tracker.ts';
import type { Assets, DetectorKind } from '../detectors/kind.ts';
import { NO_PLUGINS, type Plugins } from '../detectors/plugins/load.ts';
import { loadKind } from '../detectors/registry.ts';
import type { FrameSize, HudSettings } from '../geometry.ts';
import { resolveGridSpacing, resolveInterval, resolveReferenceSize } from '../profile/defaults.ts';
import type { DetectorSpec, Profile } from '../profile/profile.ts';
import { RegionSet } from '../regions/regions.ts';

/** A detector of a profile with everything that the profile says of it resolved. */
export interface CompiledDetector {
  /** Its position in the profile, by which other detectors and readings refer to it. */
  readonly number: number;
  readonly name: string;
  readonly spec: DetectorSpec;
  readonly kind: DetectorKind;
  /** The companion recording that it reads; undefined: the recording itself. */
  readonly media: string | undefined;
  /** Seconds between its samples, approximately where frames are counted. */
  readonly interval: number;
  /** The detector that `when` names. */
  readonly when: number | undefined;
  /** The detector that its region follows. */
  readonly follows: number | undefined;
  /** Seconds for which its region stays where something was last found. */
  readonly holdSeconds: number | undefined;
  /** @param isEarly As for `track` of the detector's kind. */
  createTracker(isEarly?: boolean): Promise<Tracker>;
}

/** A checked profile with its detector kinds loaded and its rules compiled. */
export interface CompiledProfile {
  readonly profile: Profile;
  readonly assets: Assets;
  readonly plugins: Plugins;
  /** In the order of the profile. */
  readonly detectors: readonly CompiledDetector[];
  /** What activates detectors, by name; those without an entry are always active. */
  readonly activations: ReadonlyMap<string, Clauses>;
  /** Places all regions on frames of one size, wherever the HUD lies in the course of the recording. */
  placeFor(frame: FrameSize, hud?: HudSettings, media?: string): Promise<RegionLayouts>;
}

/** Loads the kinds of a profile's detectors and resolves what the detectors refer to. */
export async function compileProfile<Loaded extends { readonly profile: Profile; readonly assets: Assets }>(
  loaded: Loaded,
  plugins: Plugins = NO_PLUGINS,
): Promise<Loaded & CompiledProfile> {
  const { profile, assets } = loaded;
  const names = Object.keys(profile.detectors);
  const numberOf = (name: string | undefined): number | undefined => (name === undefined ? name : names.indexOf(name));
  const detectors = await Promise.all(
    names.map(async (name, number): Promise<CompiledDetector> => {
      const spec = profile.detectors[name]!;
      const kind = await loadKind(spec.kind, plugins);
      const grid = resolveGridSpacing(profile, name);
      return {
        number,
        name,
        spec,
        kind,
        media: spec.media,
        interval: resolveInterval(profile, name),
        when: numberOf(spec.when?.detector),
        follows: numberOf(spec.region === undefined ? undefined : profile.regions[spec.region]?.relative?.detector),
        holdSeconds: holdSecondsOf(profile, name),
        createTracker: async (isEarly) =>
          kind.track ? await kind.track(name, spec, grid, assets, isEarly) : createTracker(name, spec, grid),
      };
    }),
  );
  return {
    ...loaded,
    plugins,
    detectors,
    activations: compileActivations(profile),
    placeFor: (frame, hud = {}, media) => RegionLayouts.open(profile, frame, hud, media),
  };
}

/** Whether a detector reads frames of a recording (`media`: a companion), alone or in pairs. */
export function readsFramesOf({ kind, media }: CompiledDetector, recording: string | undefined): boolean {
  return media === recording && (kind.input === 'frame' || kind.input === 'frame-pair');
}

/** The regions of a profile as they lie on a recording, whose HUD may move from some time on. */
export class RegionLayouts {
  readonly #times: readonly number[];
  readonly #sets: readonly RegionSet[];

  private constructor(times: readonly number[], sets: readonly RegionSet[]) {
    this.#times = times;
    this.#sets = sets;
  }

  static async open(
    profile: Profile,
    frame: FrameSize,
    hud: HudSettings,
    media: string | undefined,
  ): Promise<RegionLayouts> {
    const { changes = [] } = hud;
    const sets: RegionSet[] = [];
    for (const one of [hud, ...changes])
      sets.push(await RegionSet.open(profile.regions, frame, resolveReferenceSize(profile, media), one));
    return new RegionLayouts(
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
