import type { Assets, Comparer, Deferred, Observation, Placement, View } from '../../detectors/kind.ts';
import { placeOf } from '../../detectors/kind.ts';
import type { FrameSize } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { referenceOf } from '../../profile/media.ts';
import type { Profile } from '../../profile/profile.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { RegionSet } from '../../regions/regions.ts';
import { ASLEEP, type Edges, type Observations, storeSketch, type Places } from './chunk-readings.ts';
import { Guess } from './guess.ts';
import { Layouts } from './layouts.ts';
import {
  type Following,
  needsOf,
  offReading,
  openStations,
  seenAs,
  type Station,
  type StationOptions,
} from './station.ts';

/** Milliseconds of reading after which the decoder beside may have finished a packet. */
const BREATH = 1;

export interface SampleReaderOptions extends StationOptions {
  readonly hud?: HudSettings | undefined;
  /** What others switch on is read as if it were on. */
  readonly awake?: boolean;
}

/** What has been read of a picture: `read` marks the detectors. One that another screen hides was read and saw nothing at all. */
export interface Sight {
  readonly seen: Observations;
  readonly read: Uint8Array;
}

/** Takes a reading that is to be made elsewhere, if it is wanted there: returns its stand-in, else undefined. */
export type Handover = (detector: number, deferred: Deferred) => Observation | undefined;

/**
 * Reads pictures of one size with all detectors of a profile: screens first, then the others in the order in which they
 * depend on each other, each only when its regions changed. The result for a picture does not depend on those before.
 */
export class SampleReader implements Disposable {
  readonly #stations: readonly Station[];
  /** By station: the indices of those whose readings of the same sample it needs. */
  readonly #needs: readonly (readonly number[])[];
  /** Indices of the stations such that dependencies come first. */
  readonly #order: readonly number[];
  readonly #screens: readonly {
    readonly name: string;
    readonly station: number;
    readonly shows: (one: Observation) => boolean;
  }[];
  readonly #layouts: Layouts;
  #regions: RegionSet;
  readonly #guess: Guess;
  /** What is switched on by others is read: never, always, or where it seems to be on. */
  #awake: boolean | 'guess';

  private constructor(profile: Profile, stations: readonly Station[], layouts: Layouts, guess: Guess, awake: boolean) {
    this.#stations = stations;
    this.#needs = stations.map(needsOf);
    this.#layouts = layouts;
    this.#regions = layouts.first;
    this.#guess = guess;
    this.#awake = awake;
    const names = stations.map((station) => station.name);
    this.#screens = Object.entries(profile.screens ?? {}).map(([name, screen]) => ({
      name,
      station: names.indexOf(screen.detector),
      shows: seenAs(screen.value),
    }));
    const order = new Set<number>();
    const visit = (index: number): void => {
      for (const other of [...this.#needs[index]!, ...guess.sources(index)]) if (!order.has(other)) visit(other);
      order.add(index);
    };
    for (const { station } of this.#screens) visit(station);
    for (let i = 0; i < stations.length; i++) visit(i);
    this.#order = [...order];
  }

  static async open(
    profile: Profile,
    assets: Assets,
    frame: FrameSize,
    options: SampleReaderOptions = {},
  ): Promise<SampleReader> {
    const { hud, media, awake = false } = options;
    const layouts = await Layouts.open(profile.regions, frame, referenceOf(profile, media), hud);
    const { stations, loose } = await openStations(profile, assets, layouts.first, options);
    return new SampleReader(profile, stations, layouts, new Guess(profile, loose), awake);
  }

  /** Whether any detector compares its samples. */
  get compares(): boolean {
    return this.#stations.some(({ comparer }) => comparer !== undefined);
  }

  /** Whether any detector looks at the codec's motion vectors. */
  get looksAtVectors(): boolean {
    return this.#stations.some(({ vectors }) => vectors);
  }

  /** A stretch of samples begins, which come in order of time: detectors that compare have none before the next. */
  begin(): void {
    this.#guess.begin();
    if (this.#awake === false) this.#awake = 'guess';
    for (const station of this.#stations) {
      station.before = undefined;
      station.first = undefined;
      // What was left to others in another stretch is not known here.
      if (station.last && 'pending' in station.last) station.last = undefined;
    }
  }

  /** How many readings a detector makes at once, by its number; of those that make more than one and that nobody waits for. */
  get together(): ReadonlyMap<number, number> {
    const counts = this.#stations.map(({ detector, apart }, d) => [d, apart ? (detector.together ?? 1) : 1] as const);
    return new Map(counts.filter(([, count]) => count > 1));
  }

  settleAll(detector: number, deferred: readonly Deferred[]): Promise<readonly Observation[]> {
    return this.#stations[detector]!.detector.settleAll!(deferred);
  }

  /** The sketches at both ends of the stretch since `begin`, by number of the detector. */
  edges(): Record<number, Edges> {
    const edges: Record<number, Edges> = {};
    for (const [d, { first, before }] of this.#stations.entries()) {
      if (first && before) edges[d] = { first: storeSketch(first), last: storeSketch(before) };
    }
    return edges;
  }

  /** A probe is made, which is compared with those before and others with it. */
  #probing = false;

  /** The time of the last probe that was made anew, as long as others may be compared with it. */
  probedAnew: number | undefined;

  /** Where regions lie that stay where something was found before: by time of the sample and number of the detector. */
  places: Places | undefined;

  /** Who is told whenever a picture is looked at. */
  onPicture: (() => void) | undefined;

  /** Lets others have the thread for a moment; called between detectors, every few milliseconds. */
  breathe: (() => Promise<unknown>) | undefined;

  /** Makes a reading that was handed over. */
  async settle(detector: number, deferred: Deferred): Promise<Observation> {
    return await this.#stations[detector]!.detector.settle!(deferred);
  }

  /**
   * Reads the detectors whose entry in `due` is 1, and what they depend on. With `handOver`, dear readings may be left to others;
   * what is `known` of this very picture is not read again.
   */
  async read(picture: Picture, due: ArrayLike<number>, handOver?: Handover, known?: Sight): Promise<Observations> {
    this.onPicture?.();
    this.#layOut(picture.t);
    const result: (Observation | undefined)[] = this.#stations.map(() => undefined);
    const needed = this.withDependencies(due);
    const memo = new Map<string, unknown>();
    let screen: string | undefined;
    let breath = performance.now();
    for (const index of this.#order) {
      const station = this.#stations[index]!;
      if (!needed[index] || station.hears) continue;
      if (this.breathe && performance.now() - breath >= BREATH) {
        await this.breathe();
        breath = performance.now();
      }
      const isScreen = this.#screens.find((one) => one.station === index);
      if (known?.read[index]) {
        const before = known.seen[index];
        result[index] = before;
        if (before && isScreen && screen === undefined && isScreen.shows(before)) screen = isScreen.name;
        continue;
      }
      if (screen !== undefined && !isScreen && !(station.spec.screens ?? []).includes(screen)) continue;
      if (station.switched && !this.#isAwake(index, picture, result)) {
        result[index] = ASLEEP;
        continue;
      }
      const off = station.when === undefined ? undefined : offReading(station, result[station.when]);
      const placed = off ?? (station.follows && (await this.#place(index, station.follows, result, picture.t)));
      const pending = placed ?? this.#look(index, picture, memo, handOver);
      const observation = pending instanceof Promise ? await pending : pending;
      result[index] = observation;
      if (isScreen && screen === undefined && isScreen.shows(observation)) screen = isScreen.name;
    }
    return result;
  }

  /**
   * Reads a picture with all detectors. One whose regions look as they did at a probe before, but for what an encoder makes of them at another
   * time, still sees what it saw there, unless this one is made `anew`: nothing is taken from those before.
   */
  async probe(picture: Picture, anew: boolean): Promise<Observations> {
    this.#layOut(picture.t);
    if (anew) {
      this.forgetProbes();
      this.probedAnew = picture.t;
    }
    this.#probing = true;
    try {
      return await this.read(picture, new Uint8Array(this.#stations.length).fill(1));
    } finally {
      this.#probing = false;
    }
  }

  /** Pictures are no longer compared with the probes before. */
  forgetProbes(): void {
    this.probedAnew = undefined;
    for (const station of this.#stations) station.alike = undefined;
  }

  /**
   * Reads what `due` marks of a picture between two probes, but for what is `known` of it: exactly, as just after a change a figure may look like that of
   * a probe and yet not be read for sure.
   */
  look(picture: Picture, due: ArrayLike<number>, known: Sight): Promise<Observations> {
    return this.read(picture, due, undefined, known);
  }

  /** What `read` would give for a picture on which all detectors see what `seen` says. */
  recall(seen: Observations, due: ArrayLike<number>): Observations {
    const needed = this.withDependencies(due);
    return seen.map((observation, index) => (needed[index] ? observation : undefined));
  }

  /** Lays all regions where the HUD is at `t`; what was remembered of the place before is forgotten. */
  #layOut(t: number): void {
    const regions = this.#layouts.at(t);
    if (regions === this.#regions) return;
    this.#regions = regions;
    this.probedAnew = undefined;
    for (const station of this.#stations)
      Object.assign(station, station.place(regions), { last: undefined, alike: undefined, before: undefined });
  }

  /** The detectors that `due` marks, and what they depend on. */
  withDependencies(due: ArrayLike<number>): Uint8Array {
    const needed = Uint8Array.from(due);
    for (const { station } of this.#screens) needed[station] = 1;
    for (let i = this.#order.length - 1; i >= 0; i--) {
      const index = this.#order[i]!;
      if (needed[index]) for (const other of this.#needs[index]!) needed[other] = 1;
    }
    return needed;
  }

  #isAwake(index: number, { t }: Picture, seen: Observations): boolean {
    if (this.#awake !== 'guess') return this.#awake;
    // Also where it is off: the guess goes by what it has been shown.
    return this.#guess.isOn(index, t, seen);
  }

  /** Lays a region that follows something where that was found; what is read instead, where it was not. */
  async #place(index: number, follows: Following, seen: Observations, t: number): Promise<Observation | undefined> {
    const station = this.#stations[index]!;
    const found = seen[follows.station];
    if (found === ASLEEP) return ASLEEP;
    const place = (found && placeOf(found)) ?? this.places?.get(t)?.get(index);
    if (!place) {
      // Where something was found before is known behind the workers.
      if (follows.hold && this.#awake !== true) return ASLEEP;
      return found?.state === 'absent' ? found : { state: 'unreadable', confidence: 0 };
    }
    const region = follows.region.at(place);
    if (region !== station.region) {
      station.region = region;
      station.gates = [follows.watch(region)];
      station.last = undefined;
    }
    return undefined;
  }

  #compare(station: Station, comparer: Comparer, picture: Picture, memo: Map<string, unknown>): Observation {
    const now = comparer.sketch(this.#view(station, picture, memo));
    if (now === undefined) return { state: 'unreadable', confidence: 1 };
    const { before } = station;
    station.before = now;
    station.first ??= now;
    return comparer.compare(before, now);
  }

  #look(
    index: number,
    picture: Picture,
    memo: Map<string, unknown>,
    handOver: Handover | undefined,
  ): Observation | Promise<Observation> {
    const station = this.#stations[index]!;
    if (station.comparer) return this.#compare(station, station.comparer, picture, memo);
    if (this.#probing && station.alike && station.likenesses?.every((likeness) => likeness.matches(picture)))
      return station.alike;
    // Every gate must be asked, as each remembers what it was shown.
    let changed = station.last === undefined;
    for (const gate of station.gates) if (gate.changed(picture)) changed = true;
    if (!changed && station.gates.length > 0) return this.#remember(station, picture, station.last!);
    const view = this.#view(station, picture, memo);
    const seen = handOver && station.apart ? this.#handOver(index, view, handOver) : station.detector.read(view);
    return seen instanceof Promise
      ? seen.then((observation) => this.#remember(station, picture, observation))
      : this.#remember(station, picture, seen);
  }

  #remember(station: Station, picture: Picture, seen: Observation): Observation {
    station.last = seen;
    if (!this.#probing || !station.likenesses) return seen;
    station.alike = seen.state === 'unreadable' ? undefined : seen;
    if (station.alike) for (const likeness of station.likenesses) likeness.remember(picture);
    return seen;
  }

  #handOver(index: number, view: View, handOver: Handover): Observation | Promise<Observation> {
    const { detector } = this.#stations[index]!;
    if (!detector.defer || !detector.settle) return detector.read(view);
    return Promise.resolve(detector.defer(view)).then((found) =>
      'deferred' in found ? (handOver(index, found) ?? detector.settle!(found)) : found,
    );
  }

  #view(station: Station, picture: Picture, memo: Map<string, unknown>): View {
    const region = station.region;
    const whole = { x: 0, y: 0, width: picture.width, height: picture.height };
    const placement: Placement = region ?? { rect: whole, inner: whole, scaleX: 1, scaleY: 1 };
    return {
      picture,
      rect: placement.rect,
      inner: placement.inner,
      scaleX: placement.scaleX,
      scaleY: placement.scaleY,
      place: (name) => this.#regions.get(name),
      once: <T>(key: string, make: () => T): T => {
        if (!memo.has(key)) memo.set(key, make());
        return memo.get(key) as T;
      },
      prepared: () => {
        if (!region) throw new RangeError(`detector ${station.name} has no region`);
        return region.prepare(picture);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const { detector } of this.#stations) detector[Symbol.dispose]();
  }
}
