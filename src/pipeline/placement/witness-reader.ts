import type { Detector, DetectorKind, Observation, View } from '../../detectors/kind.ts';
import type { Picture } from '../../media/picture.ts';
import type { DetectorSpec, Profile, RegionSpec } from '../../profile/profile.ts';
import type { HudSettings } from '../../regions/place.ts';
import { RegionSet } from '../../regions/regions.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import { MIN_ELEMENT_CONFIDENCE } from './evidence.ts';

/** A detector whose seeing something proves that it looks at the right place. */
interface Witness {
  readonly name: string;
  readonly detector: Detector;
  readonly region: string;
  /** Reads text, which costs little at a new scale; icons have to be made for it. */
  readonly light: boolean;
  /** The modes in which it is read: those of one HUD are seen together, those of another not. */
  readonly modes: string;
}

/** Which detectors are asked: until `enough` are sure, those of text alone, or one. */
interface WitnessReadOptions {
  readonly enough?: number;
  readonly light?: boolean;
  readonly only?: number;
}

/**
 * Tells how well a profile fits pictures at a placement: reads them with those detectors that only see what they know —
 * text in a learnt font, icons — whatever they wait for.
 */
export class WitnessReader implements Disposable {
  readonly #witnesses: readonly Witness[];
  readonly #loaded: Pick<CompiledProfile, 'profile'>;
  readonly #regions: Readonly<Record<string, RegionSpec>>;
  /** How many detectors were asked by the last `read`, by their modes. */
  readonly #asked = new Map<string, number>();
  #cache: { readonly key: string; readonly set: RegionSet } | undefined;

  private constructor(
    loaded: Pick<CompiledProfile, 'profile'>,
    witnesses: readonly Witness[],
    regions: Readonly<Record<string, RegionSpec>>,
  ) {
    this.#loaded = loaded;
    this.#witnesses = witnesses;
    this.#regions = regions;
  }

  /** `wanted`: names of the detectors to be asked; default all. */
  static async open(game: CompiledProfile, wanted?: ReadonlySet<string>): Promise<WitnessReader> {
    const { profile, assets } = game;
    const witnesses: Witness[] = [];
    const regions = new Set<string>();
    for (const { name, spec, kind } of game.detectors) {
      const { region } = spec;
      if (
        region === undefined ||
        kind.input !== 'frame' ||
        !isWitness(profile, spec, kind) ||
        (wanted && !wanted.has(name))
      )
        continue;
      const { fallback: _, ...own } = spec as typeof spec & { readonly fallback?: unknown };
      const modes = modeKeyOf(profile, spec);
      witnesses.push({ name, region, modes, light: spec.kind === 'text', detector: await kind.open(own, assets) });
      for (const one of [region, ...(kind.regions?.(own) ?? [])]) regions.add(one);
    }
    const used = Object.entries(profile.regions).filter(([name]) => regions.has(name));
    witnesses.sort((a, b) => Number(b.light) - Number(a.light));
    return new WitnessReader(game, witnesses, Object.fromEntries(used));
  }

  /** The detectors that are asked, in this order. */
  get names(): readonly string[] {
    return this.#witnesses.map(({ name }) => name);
  }

  /** The confidence with which each detector sees something, 0 where it does not, or is not asked: see `WitnessReadOptions`. */
  async read(
    picture: Picture,
    hud: HudSettings,
    { enough, light, only }: WitnessReadOptions = {},
  ): Promise<Float64Array> {
    const seen = new Float64Array(this.#witnesses.length);
    const set = await this.#placed(picture, hud);
    const memo = new Map<string, unknown>();
    let sure = 0;
    this.#asked.clear();
    for (const [i, witness] of this.#witnesses.entries()) {
      if (sure >= (enough ?? Number.POSITIVE_INFINITY)) break;
      if (only === undefined ? light && !witness.light : only !== i) continue;
      this.#asked.set(witness.modes, (this.#asked.get(witness.modes) ?? 0) + 1);
      const placed = set.get(witness.region);
      if (placed.rect.width === 0 || placed.rect.height === 0) continue;
      const view: View = {
        picture,
        ...placed,
        place: (name) => set.get(name),
        once<T>(key: string, make: () => T): T {
          if (!memo.has(key)) memo.set(key, make());
          return memo.get(key) as T;
        },
        prepared: () => placed.prepare(picture),
      };
      const reading = witness.detector.read(view);
      seen[i] = evidence(reading instanceof Promise ? await reading : reading);
      if (seen[i]! > 0.8) sure++;
    }
    return seen;
  }

  /** Of the detectors that the last `read` asked and that are read in the same modes, the share that is surely seen; the largest. */
  share(seen: Float64Array): number {
    const strong = new Map<string, number>();
    for (const [i, { modes }] of this.#witnesses.entries())
      if (seen[i]! >= MIN_ELEMENT_CONFIDENCE) strong.set(modes, (strong.get(modes) ?? 0) + 1);
    return Math.max(0, ...[...strong].map(([modes, count]) => count / this.#asked.get(modes)!));
  }

  /** The regions at which they look, in the same order. */
  get regionNames(): readonly string[] {
    return this.#witnesses.map(({ region }) => region);
  }

  /** Whether there are enough detectors that cost little to judge by them alone. */
  get hasLight(): boolean {
    return this.#witnesses.filter(({ light }) => light).length >= 2;
  }

  /** The detectors that cost little and whose regions keep their distance to an anchor, by their numbers. */
  lightAt(anchor: string, mode: string): readonly { readonly number: number; readonly region: RegionSpec }[] {
    return this.#witnesses.flatMap(({ light, region: name }, number) => {
      const region = this.#regions[name]!;
      const fits = (region.anchor ?? 'centre') === anchor && (region.scale ?? 'height') === mode;
      return light && fits ? [{ number, region }] : [];
    });
  }

  async #placed(picture: Picture, hud: HudSettings): Promise<RegionSet> {
    const key = JSON.stringify([picture.width, picture.height, hud]);
    if (this.#cache?.key !== key) {
      const set = await RegionSet.open(this.#regions, picture, this.#loaded.profile.reference, hud);
      this.#cache = { key, set };
    }
    return this.#cache.set;
  }

  [Symbol.dispose](): void {
    for (const { detector } of this.#witnesses) detector[Symbol.dispose]();
  }
}

/** The modes in which a detector is read, as one name: different layouts of the HUD are told apart by it. */
export function modeKeyOf({ regions }: Profile, { modes, region }: DetectorSpec): string {
  return JSON.stringify([modes ?? [], (region === undefined ? undefined : regions[region]?.modes) ?? []]);
}

/**
 * The detectors by which a placement is searched: those read in the same modes as most of what was seen already, by name; where nothing was,
 * those that no mode switches on. The other layouts of a HUD would only cost time.
 */
export function chooseWitnesses(profile: Profile, seen: readonly string[] = []): ReadonlySet<string> {
  const all = Object.entries(profile.detectors);
  const groups = Map.groupBy(all, ([, spec]) => modeKeyOf(profile, spec));
  const count = (group: typeof all): number => group.filter(([name]) => seen.includes(name)).length;
  const plain = groups.get(modeKeyOf(profile, { kind: '' })) ?? [];
  const best = [plain, ...groups.values()].reduce((most, group) => (count(group) > count(most) ? group : most));
  return new Set((best.length > 0 ? best : all).map(([name]) => name));
}

/** Whether a detector sees something only where it knows it, at a place that the placement decides. */
export function isWitness({ regions }: Profile, spec: DetectorSpec, kind: DetectorKind): boolean {
  const { region } = spec;
  if (spec.media !== undefined || kind.input !== 'frame' || !kind.landmarks || region === undefined) return false;
  // Where a region follows something else it proves nothing about the placement.
  if (regions[region]?.relative !== undefined) return false;
  // What reads unknown text sees something anywhere.
  const { fallback, atlas } = spec as { readonly fallback?: unknown; readonly atlas?: unknown };
  return fallback === undefined || atlas !== undefined;
}

function evidence(observation: Observation): number {
  return observation.state === 'seen' ? observation.confidence : 0;
}
