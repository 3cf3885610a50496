import { activationsOf, holdOf } from '../../cues/activation.ts';
import { compileValue } from '../../cues/condition.ts';
import type { Assets, Comparer, Detector, DetectorKind, Observation, Sketch } from '../../detectors/kind.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import { loadKind } from '../../detectors/registry.ts';
import { withInterval } from '../../profile/interval.ts';
import { mediaOf } from '../../profile/media.ts';
import type { DetectorSpec, Profile, ValueCondition } from '../../profile/profile.ts';
import type { ChangeGate, SimilarityGate } from '../../regions/change-detection.ts';
import type { FollowingRegion, Region, RegionSet } from '../../regions/regions.ts';
import { awaitedIn } from './awaited.ts';
import { ASLEEP } from './chunk-readings.ts';

/** Where a detector looks. */
export interface Lying {
  /** Of a region that follows something: where it lay last. */
  region: Region | undefined;
  gates: readonly ChangeGate[];
  /** The same regions at the last probe, of kinds that read shapes: undefined for others. */
  likenesses: readonly SimilarityGate[] | undefined;
  /** Where its region follows something: what, by whom it is found, and how the region is watched. */
  follows: Following | undefined;
}

/** One detector of the profile, opened and placed. */
export interface Station extends Lying {
  readonly name: string;
  readonly spec: DetectorSpec;
  readonly detector: Detector;
  /** Lays it where the HUD is. */
  readonly place: (regions: RegionSet) => Lying;
  /** Index of the detector that `when` names. */
  readonly when: number | undefined;
  /** Whether that reading is the one that it waits for. */
  readonly allows: (before: Observation) => boolean;
  /** Others switch it on. */
  readonly switched: boolean;
  /** What it saw when its gates last opened. */
  last: Observation | undefined;
  /** What it saw at the probe that its likenesses keep. */
  alike: Observation | undefined;
  readonly comparer: Comparer | undefined;
  readonly vectors: boolean;
  /** Has no readings of these pictures. */
  readonly hears: boolean;
  /** Of one that compares: its sample before and its first, since `begin`. */
  before: Sketch | undefined;
  first: Sketch | undefined;
  /** Nobody waits for its readings, so that they can be made elsewhere. */
  readonly apart: boolean;
}

/** In the place of a detector that looks at another recording. */
const NOT_HERE: Detector = { read: () => ({ state: 'unreadable', confidence: 0 }), [Symbol.dispose]() {} };

/** What a region follows. */
export interface Following {
  readonly station: number;
  /** It may lie where something was found before. */
  readonly hold: boolean;
  readonly region: FollowingRegion;
  readonly watch: (region: Region) => ChangeGate;
}

export interface StationOptions {
  readonly plugins?: Plugins | undefined;
  /** The pictures are of that companion recording. */
  readonly media?: string | undefined;
  /** Detectors that read nothing. */
  readonly closed?: ReadonlySet<string>;
}

/** Opens the detectors of a profile and lays them on `regions`. `loose` are those whose cues' values differ from their readings'. */
export async function openStations(
  profile: Profile,
  assets: Assets,
  regions: RegionSet,
  { plugins, media, closed }: StationOptions,
): Promise<{ readonly stations: readonly Station[]; readonly loose: ReadonlySet<string> }> {
  const switched = activationsOf(profile);
  const loose = new Set<string>();
  const [names, awaited] = [Object.keys(profile.detectors), awaitedIn(profile)];
  const stations: Station[] = [];
  for (const [name, spec] of Object.entries(profile.detectors)) {
    const kind = await loadKind(spec.kind, plugins);
    if (kind.track) loose.add(name);
    const foreign = mediaOf(spec) !== media || closed?.has(name) === true;
    const hold = holdOf(profile, name) !== undefined;
    const place = (all: RegionSet): Lying => lyingIn(all, kind, spec, names, hold);
    stations.push({
      name,
      spec,
      place,
      ...place(regions),
      detector: foreign || kind.input !== 'frame' ? NOT_HERE : await kind.open(spec, assets),
      when: spec.when ? names.indexOf(spec.when.detector) : undefined,
      allows: spec.when?.seen === false ? ({ state }) => state === 'absent' : seenAs(spec.when?.value),
      switched: (switched.get(name)?.length ?? 0) > 0 && kind.input !== 'frame-pair',
      last: undefined,
      alike: undefined,
      comparer: foreign || kind.input !== 'frame-pair' ? undefined : kind.compare(withInterval(profile, name)),
      vectors: !foreign && 'vectors' in kind && kind.vectors?.(spec) === true,
      hears: foreign || kind.input === 'audio' || kind.input === 'records',
      before: undefined,
      first: undefined,
      apart: !awaited.has(name),
    });
  }
  return { stations, loose };
}

/** Kinds that tell shapes apart: what an encoder leaves of the same picture at another time is the same to them. */
const OF_SHAPES: ReadonlySet<string> = new Set(['text', 'icon']);

/** Where a detector looks while the regions lie like this. */
function lyingIn(
  regions: RegionSet,
  kind: DetectorKind,
  spec: DetectorSpec,
  names: readonly string[],
  hold: boolean,
): Lying {
  const follows = spec.region === undefined ? undefined : regions.following(spec.region);
  const region = spec.region === undefined || follows ? undefined : regions.get(spec.region);
  const others = (('regions' in kind ? kind.regions?.(spec) : undefined) ?? []).map((other) => regions.get(other));
  const channels = (kind.input === 'frame' ? kind.reads : undefined) ?? 'pixels';
  const watch = (one: Region): ChangeGate => one.gate(channels);
  const watched = region ? [region, ...others] : others;
  return {
    region,
    gates: watched.map(watch),
    likenesses: region && OF_SHAPES.has(kind.name) ? watched.map((one) => one.similarityGate(channels)) : undefined,
    follows: follows && { station: names.indexOf(follows.detector), region: follows, hold, watch },
  };
}

/** The detectors whose readings of the same sample one needs. */
export function needsOf({ when, follows }: Station): readonly number[] {
  return [...(when === undefined ? [] : [when]), ...(follows ? [follows.station] : [])];
}

/** What a detector reports while the one it waits for does not see what it should; undefined when it is to be read. */
export function offReading({ allows }: Station, before: Observation | undefined): Observation | undefined {
  if (before === ASLEEP) return ASLEEP;
  if (!before || before.state === 'unreadable') return { state: 'unreadable', confidence: 0 };
  return allows(before) ? undefined : { state: 'absent', confidence: before.confidence };
}

/** Whether something is seen that is `value` (any value if undefined). */
export function seenAs(value: ValueCondition | undefined): (observation: Observation) => boolean {
  const fits = compileValue(value);
  return (observation) => observation.state === 'seen' && fits(observation.value);
}
