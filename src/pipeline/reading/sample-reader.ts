import { PlaybyplayError } from '../../errors.ts';
import { findSameSampleDetectors } from '../../cues/activation.ts';
import { compileValue } from '../../cues/condition.ts';
import { PossibleActivity } from '../../cues/possible-activity.ts';
import {
  type Comparer,
  type Deferred,
  type Detector,
  type DetectorKind,
  type Observation,
  placeOf,
  type Placement,
  type Sketch,
  type View,
} from '../../detectors/kind.ts';
import type { FrameSize, HudSettings, Rect } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import type { ValueCondition } from '../../profile/profile.ts';
import type { ChangeGate, ComparedSamples } from '../../regions/change-detection.ts';
import type { FollowingRegion, Region, RegionSet } from '../../regions/regions.ts';
import { type CompiledDetector, type CompiledProfile, readsFramesOf, type RegionLayouts } from '../compile-profile.ts';
import { type Observations, type SketchEnds, storeSketch } from './chunk-readings.ts';

/** Options of a `SampleReader`. */
export interface SampleReaderOptions {
  /** Where the HUD lies, if not where the profile has it. */
  readonly hud?: HudSettings | undefined;
  /** The frames are of this companion recording. */
  readonly media?: string | undefined;
  /** Names of detectors that are not opened and read nothing. */
  readonly closed?: ReadonlySet<string>;
}

/** Where a detector reads. */
interface DetectorPlacement {
  /** Of a region that follows something: where it lay last. */
  region: Region | undefined;
  gates: readonly ChangeGate[];
  readonly following: FollowingRegion | undefined;
}

/** A detector of the profile, opened and placed. */
interface OpenDetector extends DetectorPlacement {
  readonly compiled: CompiledDetector;
  /** Undefined where it reads nothing of these frames. */
  readonly detector: Detector | undefined;
  readonly comparer: Comparer | undefined;
  /** Whether the reading of the detector that `when` names allows this one to be read. */
  readonly allows: (seen: Observation) => boolean;
  /** Others decide whether it is read. */
  readonly isActivated: boolean;
  /** No other detector waits for its readings, so they can be made later. */
  readonly isDeferrable: boolean;
  /** What it saw when its gates last opened. */
  last: Observation | undefined;
  /** Of one that compares: its previous and its first sample since `begin`. */
  previousSketch: Sketch | undefined;
  firstSketch: Sketch | undefined;
}

/** How samples are read. */
export interface ReadOptions {
  /** Leaves out detectors that are certainly inactive; default: all are read. */
  readonly activity?: PossibleActivity | undefined;
  /** Takes a reading that is made later and returns an observation to stand for it; undefined: it is made at once. */
  readonly defer?: ((detector: number, deferred: Deferred) => Observation | undefined) | undefined;
  /** What has been read of this picture already: 1 where it is not read again. */
  readonly known?: { readonly seen: Observations; readonly read: Uint8Array } | undefined;
  /** Called between detectors every few milliseconds, to let others have the thread. */
  readonly pause?: (() => Promise<unknown>) | undefined;
}

/** Milliseconds of reading after which others may have the thread. */
const MAX_READING_MS = 1;

/**
 * Reads pictures with all detectors of a profile: screens first, then the others in the order in which they depend on each
 * other, each only when its regions changed. Regions are placed anew where the size of the pictures changes. The reading of a picture does not depend on those before, but for
 * kinds that compare samples and regions that stay where something was last found.
 */
export class SampleReader implements Disposable {
  readonly #game: CompiledProfile;
  readonly #media: string | undefined;
  readonly #detectors: readonly OpenDetector[];
  /** By detector: those whose readings of the same sample it needs. */
  readonly #needs: readonly (readonly number[])[];
  /** The detectors such that dependencies come first. */
  readonly #order: readonly number[];
  /** By number of the detector that reads it. */
  readonly #screens: ReadonlyMap<number, { readonly name: string; readonly isShown: (seen: Observation) => boolean }>;
  readonly #hud: HudSettings | undefined;
  /** By size of the pictures. */
  readonly #layoutsBySize = new Map<string, RegionLayouts>();
  /** For pictures of this size. */
  #layouts: RegionLayouts;
  #frame: FrameSize;
  #regions: RegionSet;
  /** Detectors that are read even while inactive, as regions stay where they last found something. */
  readonly #alwaysRead: ReadonlySet<number>;
  /** By detector: where it last found something. */
  readonly #found = new Map<number, { readonly t: number; readonly place: Rect }>();

  private constructor(
    game: CompiledProfile,
    media: string | undefined,
    detectors: readonly OpenDetector[],
    layouts: RegionLayouts,
    frame: FrameSize,
    hud: HudSettings | undefined,
  ) {
    this.#game = game;
    this.#media = media;
    this.#frame = frame;
    this.#hud = hud;
    this.#layoutsBySize.set(sizeKey(frame), layouts);
    this.#detectors = detectors;
    this.#layouts = layouts;
    this.#regions = layouts.first;
    this.#needs = game.detectors.map(({ when, follows }) => [when, follows].filter((one) => one !== undefined));
    const names = game.detectors.map(({ name }) => name);
    this.#screens = new Map(
      Object.entries(game.profile.screens ?? {}).map(([name, screen]) => [
        names.indexOf(screen.detector),
        { name, isShown: isSeenAs(screen.value) },
      ]),
    );
    this.#alwaysRead = SampleReader.warmUpOf(game, media)?.detectors ?? new Set();
    const activity = this.createActivity();
    const order = new Set<number>();
    const visit = (number: number): void => {
      for (const other of [...this.#needs[number]!, ...activity.sourcesOf(number)]) if (!order.has(other)) visit(other);
      order.add(number);
    };
    for (const number of this.#screens.keys()) visit(number);
    for (const number of names.keys()) visit(number);
    this.#order = [...order];
  }

  static async open(game: CompiledProfile, frame: FrameSize, options: SampleReaderOptions = {}): Promise<SampleReader> {
    const { hud, media } = options;
    const layouts = await game.placeFor(frame, hud, media);
    const detectors = await openDetectors(game, layouts.first, options);
    return new SampleReader(game, media, detectors, layouts, frame, hud);
  }

  /** Whether any detector compares its samples. */
  get comparesSamples(): boolean {
    return this.#detectors.some(({ comparer }) => comparer !== undefined);
  }

  /** Whether any detector needs the codec's motion vectors. */
  get needsVectors(): boolean {
    return this.#detectors.some(
      ({ compiled: { kind, spec }, detector, comparer }) =>
        (detector ?? comparer) !== undefined && 'vectors' in kind && kind.vectors?.(spec) === true,
    );
  }

  /**
   * Seconds before a sample on whose readings it may depend, as regions stay where something was last found, and the detectors
   * that find it; undefined where every sample stands alone.
   */
  static warmUpOf(
    game: CompiledProfile,
    media?: string,
  ): { readonly seconds: number; readonly detectors: ReadonlySet<number> } | undefined {
    const names = game.detectors.map(({ name }) => name);
    const held = game.detectors.filter((one) => readsFramesOf(one, media) && one.holdSeconds !== undefined);
    if (held.length === 0) return undefined;
    const found = held.flatMap(({ follows }) => findSameSampleDetectors(game.profile, names[follows!]!));
    return {
      seconds: Math.max(...held.map(({ holdSeconds }) => holdSeconds!)),
      detectors: new Set(found.map((name) => names.indexOf(name))),
    };
  }

  /** Follows which detectors may be active in a stretch of samples. */
  createActivity(): PossibleActivity {
    const { profile, activations, detectors } = this.#game;
    const byName = new Map(detectors.map((one) => [one.name, one]));
    return new PossibleActivity({
      profile,
      activations,
      interval: (name) => byName.get(name)!.interval,
      tracking: (name) => {
        const compiled = byName.get(name)!;
        if (!readsFramesOf(compiled, this.#media)) return 'unread';
        if (compiled.kind.input === 'frame-pair') return 'own-pairs';
        return compiled.kind.track ? 'own' : 'default';
      },
    });
  }

  /** A stretch of samples begins; `continues`: it follows the samples read last. Samples come in order of time. */
  begin(continues: boolean): void {
    if (!continues) this.#found.clear();
    for (const one of this.#detectors) {
      one.previousSketch = undefined;
      one.firstSketch = undefined;
      // Readings that are made later stand for others in each stretch.
      if (one.last && 'pending' in one.last) one.last = undefined;
    }
  }

  /** How many readings a detector makes at once, by number; of those that make several and that nobody waits for. */
  get batchSizes(): ReadonlyMap<number, number> {
    const sizes = this.#detectors.map(
      ({ detector, isDeferrable }, d) => [d, isDeferrable ? (detector?.together ?? 1) : 1] as const,
    );
    return new Map(sizes.filter(([, size]) => size > 1));
  }

  settleAll(detector: number, deferred: readonly Deferred[]): Promise<readonly Observation[]> {
    const one = this.#detectors[detector]!;
    return one.detector!.settleAll!(deferred).catch((error: unknown) => {
      throw nameDetector(error, one.compiled.name);
    });
  }

  /** The sketches at both ends of the stretch since `begin`, by number of the detector. */
  sketchEnds(): Record<number, SketchEnds> {
    const ends: Record<number, SketchEnds> = {};
    for (const [d, { firstSketch, previousSketch }] of this.#detectors.entries())
      if (firstSketch && previousSketch)
        ends[d] = { first: storeSketch(firstSketch), last: storeSketch(previousSketch) };
    return ends;
  }

  /** Reads the detectors whose entry in `due` is 1, and what they depend on. */
  async read(picture: Picture, due: ArrayLike<number>, options: ReadOptions = {}): Promise<Observations> {
    const { known, activity, pause } = options;
    const { width, height } = picture;
    if (width !== this.#frame.width || height !== this.#frame.height) await this.#fitTo(picture);
    this.#layOut(picture.t);
    const seen: (Observation | undefined)[] = this.#detectors.map(() => undefined);
    const needed = this.withDependencies(due);
    const memo = new Map<string, unknown>();
    let screen: string | undefined;
    let paused = performance.now();
    for (const number of this.#order) {
      const one = this.#detectors[number]!;
      if (!needed[number] || !(one.detector ?? one.comparer)) continue;
      if (pause && performance.now() - paused >= MAX_READING_MS) {
        await pause();
        paused = performance.now();
      }
      const ownScreen = this.#screens.get(number);
      if (known?.read[number]) seen[number] = known.seen[number];
      else if (screen !== undefined && !ownScreen && !one.compiled.spec.screens?.includes(screen)) continue;
      else if (activity && this.#isInactive(number, activity, picture.t)) {
        activity.observe(number, picture.t, 'inactive');
        continue;
      } else {
        const reading = this.#observe(number, picture, seen, memo, options);
        seen[number] = reading instanceof Promise ? await reading : reading;
      }
      const observation = seen[number];
      if (!observation) continue;
      activity?.observe(number, picture.t, observation);
      if (ownScreen && screen === undefined && ownScreen.isShown(observation)) screen = ownScreen.name;
    }
    return seen;
  }

  /** The detectors that `due` marks, and what they depend on. */
  withDependencies(due: ArrayLike<number>): Uint8Array {
    const needed = Uint8Array.from(due);
    for (const number of this.#screens.keys()) needed[number] = 1;
    for (let i = this.#order.length - 1; i >= 0; i--) {
      const number = this.#order[i]!;
      if (needed[number]) for (const other of this.#needs[number]!) needed[other] = 1;
    }
    return needed;
  }

  /** What `read` returns for a picture on which all detectors see what `seen` says. */
  select(seen: Observations, due: ArrayLike<number>): Observations {
    const needed = this.withDependencies(due);
    return seen.map((observation, number) => (needed[number] ? observation : undefined));
  }

  /** Takes the regions for pictures of another size, in which nothing was found yet. */
  async #fitTo({ width, height, pixelAspect }: Picture): Promise<void> {
    this.#frame = { width, height, ...(pixelAspect === undefined ? {} : { pixelAspect }) };
    const key = sizeKey(this.#frame);
    this.#layouts = this.#layoutsBySize.get(key) ?? (await this.#game.placeFor(this.#frame, this.#hud, this.#media));
    this.#layoutsBySize.set(key, this.#layouts);
    this.#found.clear();
  }

  /** Places all regions where the HUD is at `t`, and forgets what was read at the place before. */
  #layOut(t: number): void {
    const regions = this.#layouts.at(t);
    if (regions === this.#regions) return;
    this.#regions = regions;
    for (const one of this.#detectors)
      Object.assign(one, placeDetector(one.compiled, regions), { last: undefined, previousSketch: undefined });
  }

  #isInactive(number: number, activity: PossibleActivity, t: number): boolean {
    const { isActivated, comparer } = this.#detectors[number]!;
    // A comparison needs every sample.
    return isActivated && !comparer && !this.#alwaysRead.has(number) && !activity.isPossible(number, t);
  }

  #observe(
    number: number,
    picture: Picture,
    seen: Observations,
    memo: Map<string, unknown>,
    options: ReadOptions,
  ): Observation | Promise<Observation> {
    const one = this.#detectors[number]!;
    const { when, follows } = one.compiled;
    const blocked = when === undefined ? undefined : readBlocked(one, seen[when]);
    const unplaced = blocked ?? (one.following && this.#follow(one, one.following, follows!, seen, picture.t));
    if (unplaced) return unplaced;
    if (one.comparer) return this.#compare(one, one.comparer, picture, memo);
    // Every gate must be asked, as each remembers what it was shown.
    let changed = one.last === undefined;
    for (const gate of one.gates) if (gate.changed(picture)) changed = true;
    if (!changed && one.gates.length > 0) return one.last!;
    const view = this.#view(one, picture, memo);
    const canDefer = options.defer && one.isDeferrable && one.detector!.defer;
    const reading = canDefer ? defer(number, one.detector!, view, options.defer!) : undefined;
    const result = reading ?? one.detector!.read(view);
    if (!(result instanceof Promise)) return (one.last = result);
    return result.then(
      (observation) => (one.last = observation),
      (error: unknown) => {
        throw nameDetector(error, one.compiled.name);
      },
    );
  }

  /** Places a region that follows something where that was found; returns what is read where it was not. */
  #follow(
    one: OpenDetector,
    following: FollowingRegion,
    follows: number,
    seen: Observations,
    t: number,
  ): Observation | undefined {
    const leader = seen[follows];
    let place = leader && placeOf(leader);
    if (place) this.#found.set(follows, { t, place });
    const { holdSeconds } = one.compiled;
    const last = this.#found.get(follows);
    if (holdSeconds !== undefined && last && t - last.t <= holdSeconds + 1e-6) place ??= last.place;
    if (!place) return leader?.state === 'absent' ? leader : { state: 'unreadable', confidence: 0 };
    const region = following.at(place);
    if (region !== one.region) {
      one.region = region;
      one.gates = [region.gate(comparedSamplesOf(one.compiled.kind))];
      one.last = undefined;
    }
    return undefined;
  }

  #compare(one: OpenDetector, comparer: Comparer, picture: Picture, memo: Map<string, unknown>): Observation {
    const sketch = comparer.sketch(this.#view(one, picture, memo));
    if (sketch === undefined) return { state: 'unreadable', confidence: 1 };
    const previous = one.previousSketch;
    one.previousSketch = sketch;
    one.firstSketch ??= sketch;
    return comparer.compare(previous, sketch);
  }

  #view({ region, compiled }: OpenDetector, picture: Picture, memo: Map<string, unknown>): View {
    const whole = { x: 0, y: 0, width: picture.width, height: picture.height };
    const { rect, inner, scaleX, scaleY }: Placement = region ?? { rect: whole, inner: whole, scaleX: 1, scaleY: 1 };
    return {
      picture,
      rect,
      inner,
      scaleX,
      scaleY,
      place: (name) => this.#regions.get(name),
      once: <T>(key: string, make: () => T): T => {
        if (!memo.has(key)) memo.set(key, make());
        return memo.get(key) as T;
      },
      prepared: () => {
        if (!region) throw new RangeError(`detector ${compiled.name} has no region`);
        return region.prepare(picture);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const { detector } of this.#detectors) detector?.[Symbol.dispose]();
  }
}

function sizeKey({ width, height }: FrameSize): string {
  return `${width}×${height}`;
}

async function openDetectors(
  game: CompiledProfile,
  regions: RegionSet,
  { media, closed }: SampleReaderOptions,
): Promise<readonly OpenDetector[]> {
  const awaited = findAwaited(game);
  const open: OpenDetector[] = [];
  for (const compiled of game.detectors) {
    const { kind, spec, name, interval } = compiled;
    const isRead = readsFramesOf(compiled, media) && !closed?.has(name);
    open.push({
      compiled,
      ...placeDetector(compiled, regions),
      detector: isRead && kind.input === 'frame' ? await kind.open(spec, game.assets) : undefined,
      comparer: isRead && kind.input === 'frame-pair' ? kind.compare({ ...spec, interval }) : undefined,
      allows: spec.when?.seen === false ? ({ state }) => state === 'absent' : isSeenAs(spec.when?.value),
      isActivated: game.activations.has(name),
      isDeferrable: !awaited.has(name),
      last: undefined,
      previousSketch: undefined,
      firstSketch: undefined,
    });
  }
  return open;
}

/** Names of the detectors whose readings decide whether, or where, others are read. */
function findAwaited({ profile, activations }: CompiledProfile): ReadonlySet<string> {
  const names = Object.keys(profile.detectors);
  return new Set([
    ...names.flatMap((name) => findSameSampleDetectors(profile, name).filter((other) => other !== name)),
    ...[...activations.values()].flat(2).flatMap(({ sources }) => sources),
    ...Object.values(profile.screens ?? {}).map(({ detector }) => detector),
  ]);
}

function comparedSamplesOf(kind: DetectorKind): ComparedSamples {
  return (kind.input === 'frame' ? kind.reads : undefined) ?? 'pixels';
}

function placeDetector({ kind, spec }: CompiledDetector, regions: RegionSet): DetectorPlacement {
  const following = spec.region === undefined ? undefined : regions.following(spec.region);
  const region = spec.region === undefined || following ? undefined : regions.get(spec.region);
  const others = (('regions' in kind ? kind.regions?.(spec) : undefined) ?? []).map((name) => regions.get(name));
  const compared = comparedSamplesOf(kind);
  return { region, following, gates: [...(region ? [region] : []), ...others].map((one) => one.gate(compared)) };
}

/** What a detector reads while the one it waits for does not see what it should; undefined when it is to be read. */
function readBlocked({ allows }: OpenDetector, seen: Observation | undefined): Observation | undefined {
  if (!seen || seen.state === 'unreadable') return { state: 'unreadable', confidence: 0 };
  return allows(seen) ? undefined : { state: 'absent', confidence: seen.confidence };
}

/** Tests whether an observation sees `value` (any value if undefined). */
function isSeenAs(value: ValueCondition | undefined): (observation: Observation) => boolean {
  const fits = compileValue(value);
  return (observation) => observation.state === 'seen' && fits(observation.value);
}

/** The error of a network, with the detector that runs it. */
function nameDetector(error: unknown, name: string): unknown {
  if (!(error instanceof PlaybyplayError) || !error.code.startsWith('model-')) return error;
  const { code, message, hint, issues } = error;
  return new PlaybyplayError(code, `detector “${name}”: ${message}`, { hint, issues, cause: error });
}

async function defer(
  number: number,
  detector: Detector,
  view: View,
  take: NonNullable<ReadOptions['defer']>,
): Promise<Observation> {
  const found = await detector.defer!(view);
  return 'deferred' in found ? (take(number, found) ?? detector.read(view)) : found;
}
