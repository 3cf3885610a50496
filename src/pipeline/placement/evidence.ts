import type { Detector, DetectorKind, Observation, View } from '../../detectors/kind.ts';
import type { HudSettings } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import type { DetectorSpec, Profile, RegionSpec } from '../../profile/profile.ts';
import { RegionSet } from '../../regions/regions.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import type { Candidate } from './candidates.ts';

/** Confidence from which an element counts as seen. */
export const MIN_ELEMENT_CONFIDENCE = 0.7;
/** Confidence above which an element counts towards `stopAfter`. */
const MIN_STOP_CONFIDENCE = 0.8;

/** How many of a profile's HUD elements were seen in pictures at one placement. */
export interface Evidence {
  /** Pictures examined. */
  readonly pictures: number;
  /** Pictures with at least two elements, or one if the profile has only one. */
  readonly showing: number;
  /** Number of pictures in which each element was seen. */
  readonly elements: Readonly<Record<string, number>>;
  /** Confidence that the placement is right, 0 to 1. */
  readonly confidence: number;
}

/**
 * Elements of a group that must be seen in one picture to confirm a placement by itself: a count, a share of the group, and a
 * share of the profile's largest group. A wrong placement shows two or three by chance, most easily of a small group; a right one
 * shows half of a group.
 */
const MIN_CONVINCING_ELEMENTS = 3;
const MIN_GROUP_SHARE = 0.25;
const MIN_LARGEST_GROUP_SHARE = 0.15;
/** Profiles with fewer elements are confirmed by two in one picture. */
const MIN_ELEMENTS_OF_FULL_PROFILE = 6;
/** Without such a picture: pictures that differ, and the share of them that must show two elements. */
const MIN_DIFFERENT_PICTURES = 3;
const MIN_SHOWING_SHARE = 0.5;
/** Pictures are compared by the levels of a grid; they differ where a tenth of its cells differ by so many levels. */
const GRID = 16;
const MIN_LEVEL_DIFFERENCE = 6;
const MIN_DIFFERENT_SHARE = 0.1;

/** Counts the elements seen in pictures. */
export class EvidenceCounter {
  readonly #names: readonly string[];
  readonly #requirements: ReadonlyMap<string, ElementGroup>;
  readonly #seen: number[];
  readonly #sketches: { readonly levels: Uint8Array; readonly shows: boolean }[] = [];
  #sum = 0;
  #isConvinced = false;
  pictures = 0;
  showing = 0;
  /** Elements seen, summed over the pictures. */
  sightings = 0;

  constructor(reader: ElementReader) {
    this.#names = reader.names;
    this.#requirements = reader.groups;
    this.#seen = reader.names.map(() => 0);
  }

  /** @param seen Confidence per element of the picture. */
  add(seen: Float64Array, picture: Picture): void {
    let count = 0;
    for (const [i, confidence] of seen.entries()) {
      if (confidence < MIN_ELEMENT_CONFIDENCE) continue;
      count++;
      this.#seen[i]!++;
      this.#sum += confidence;
    }
    this.pictures++;
    this.sightings += count;
    const shows = count >= Math.min(2, this.#names.length);
    if (shows) this.showing++;
    this.#isConvinced ||= [...this.#requirements.values()].some(
      ({ indices, required }) => indices.filter((i) => seen[i]! >= MIN_ELEMENT_CONFIDENCE).length >= required,
    );
    const levels = sketchLevels(picture);
    if (this.#sketches.every((one) => differs(one.levels, levels))) this.#sketches.push({ levels, shows });
  }

  /** Whether one picture shows enough elements of a group (all of them, where the profile has only one or two). */
  get isConvincing(): boolean {
    return this.#names.length <= 1 ? this.fits : this.#isConvinced;
  }

  /**
   * Whether the placement is plausible: one picture shows enough elements of a group, or half of the pictures that differ show two;
   * a profile's only element in three pictures. Equal pictures are no further evidence.
   */
  get fits(): boolean {
    if (this.#names.length <= 1) return this.sightings >= 3;
    if (this.#isConvinced) return true;
    const showing = this.#sketches.filter(({ shows }) => shows).length;
    return this.#sketches.length >= MIN_DIFFERENT_PICTURES && showing >= MIN_SHOWING_SHARE * this.#sketches.length;
  }

  get evidence(): Evidence {
    const elements = Object.fromEntries(
      this.#names.map((name, i) => [name, this.#seen[i]!]).filter(([, n]) => n !== 0),
    );
    const confidence =
      this.sightings === 0 ? 0 : (this.#sum / this.sightings) * (1 - 0.5 ** (this.showing + this.sightings / 4));
    const { pictures, showing } = this;
    return { pictures, showing, elements, confidence: this.fits ? Math.round(confidence * 1000) / 1000 : 0 };
  }
}

/** Luma levels at the points of a grid. */
function sketchLevels({ width, height, y: luma }: Picture): Uint8Array {
  return Uint8Array.from({ length: GRID * GRID }, (_, i) => {
    const [x, y] = [((i % GRID) + 0.5) / GRID, (Math.floor(i / GRID) + 0.5) / GRID];
    return luma.data[Math.floor(y * height) * luma.stride + Math.floor(x * width)]!;
  });
}

function differs(a: Uint8Array, b: Uint8Array): boolean {
  const different = a.reduce((sum, level, i) => sum + Number(Math.abs(level - b[i]!) >= MIN_LEVEL_DIFFERENCE), 0);
  return different >= MIN_DIFFERENT_SHARE * a.length;
}

/** Elements that are visible together. */
interface ElementGroup {
  /** Indices of the elements. */
  readonly indices: readonly number[];
  /** How many of them one picture must show to confirm a placement. */
  readonly required: number;
}

/** A detector that sees something only where the placement is right. */
interface Element {
  readonly name: string;
  readonly detector: Detector;
  readonly region: string;
  /** Reads text, which costs little at a new scale; icons are rescaled first. */
  readonly isCheap: boolean;
  /** Key of the modes in which it is read; elements of one key are visible together. */
  readonly modes: string;
}

/** Which elements are read. */
interface ElementReadOptions {
  /** Stop when so many have been seen. */
  readonly stopAfter?: number;
  readonly cheapOnly?: boolean;
  /** Index of the only element to read. */
  readonly only?: number;
}

/**
 * Reads a profile's elements in pictures at a placement, to judge whether it is right: text in learnt fonts, and icons. Modes
 * and conditions of the detectors are ignored.
 */
export class ElementReader implements Disposable {
  readonly #elements: readonly Element[];
  readonly #profile: Profile;
  readonly #regions: Readonly<Record<string, RegionSpec>>;
  /** Number of elements that the last `read` read, per mode key. */
  readonly #readCounts = new Map<string, number>();
  #cache: { readonly key: string; readonly set: RegionSet } | undefined;

  /** Elements by the key of their modes. */
  readonly groups: ReadonlyMap<string, ElementGroup>;

  private constructor(
    profile: Profile,
    elements: readonly Element[],
    regions: Readonly<Record<string, RegionSpec>>,
    groupSizes: readonly number[],
  ) {
    this.#profile = profile;
    this.#elements = elements;
    this.#regions = regions;
    const total = groupSizes.reduce((sum, size) => sum + size, 0);
    const minimum = total < MIN_ELEMENTS_OF_FULL_PROFILE ? Math.min(2, total) : MIN_CONVINCING_ELEMENTS;
    const byKey = Map.groupBy(elements.keys(), (i) => elements[i]!.modes);
    this.groups = new Map(
      [...byKey].map(([key, indices]) => {
        const shares = [MIN_GROUP_SHARE * indices.length, MIN_LARGEST_GROUP_SHARE * Math.max(...groupSizes)];
        return [key, { indices, required: Math.ceil(Math.max(minimum, ...shares)) }];
      }),
    );
  }

  /** @param wanted Names of the detectors to use; default all. */
  static async open(game: CompiledProfile, wanted?: ReadonlySet<string>): Promise<ElementReader> {
    const { profile, assets } = game;
    const elements: Element[] = [];
    const regions = new Set<string>();
    const groupSizes = new Map<string, number>();
    for (const { name, spec, kind } of game.detectors) {
      const { region } = spec;
      if (region === undefined || kind.input !== 'frame' || !isElement(profile, spec, kind)) continue;
      groupSizes.set(modeKeyOf(profile, spec), (groupSizes.get(modeKeyOf(profile, spec)) ?? 0) + 1);
      if (wanted && !wanted.has(name)) continue;
      const { fallback: _, ...own } = spec as typeof spec & { readonly fallback?: unknown };
      const modes = modeKeyOf(profile, spec);
      elements.push({ name, region, modes, isCheap: spec.kind === 'text', detector: await kind.open(own, assets) });
      for (const one of [region, ...(kind.regions?.(own) ?? [])]) regions.add(one);
    }
    const used = Object.entries(profile.regions).filter(([name]) => regions.has(name));
    elements.sort((a, b) => Number(b.isCheap) - Number(a.isCheap));
    return new ElementReader(profile, elements, Object.fromEntries(used), [...groupSizes.values()]);
  }

  /** How many elements in one picture confirm a placement, whatever their group. */
  get enough(): number {
    return Math.max(0, ...[...this.groups.values()].map(({ required }) => required));
  }

  /** Names of the elements. Their order is that of all results. */
  get names(): readonly string[] {
    return this.#elements.map(({ name }) => name);
  }

  /** Reads the elements. Returns the confidence of each, 0 where nothing is seen or it is not read. */
  async read(
    picture: Picture,
    hud: HudSettings,
    { stopAfter = Number.POSITIVE_INFINITY, cheapOnly, only }: ElementReadOptions = {},
  ): Promise<Float64Array> {
    const seen = new Float64Array(this.#elements.length);
    const set = this.#placeRegions(picture, hud);
    const memo = new Map<string, unknown>();
    let count = 0;
    this.#readCounts.clear();
    for (const [i, element] of this.#elements.entries()) {
      if (count >= stopAfter) break;
      if (only === undefined ? cheapOnly && !element.isCheap : only !== i) continue;
      this.#readCounts.set(element.modes, (this.#readCounts.get(element.modes) ?? 0) + 1);
      const placed = set.get(element.region);
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
      const reading = element.detector.read(view);
      seen[i] = confidenceOf(reading instanceof Promise ? await reading : reading);
      if (seen[i]! > MIN_STOP_CONFIDENCE) count++;
    }
    return seen;
  }

  /** Returns which share of the elements that the last `read` read was seen; the largest of the shares per mode key. */
  shareSeen(seen: Float64Array): number {
    const counts = new Map<string, number>();
    for (const [i, { modes }] of this.#elements.entries())
      if (seen[i]! >= MIN_ELEMENT_CONFIDENCE) counts.set(modes, (counts.get(modes) ?? 0) + 1);
    return Math.max(0, ...[...counts].map(([modes, count]) => count / this.#readCounts.get(modes)!));
  }

  /** Regions of the elements, in the order of `names`. */
  get regionNames(): readonly string[] {
    return this.#elements.map(({ region }) => region);
  }

  /** Whether there are enough cheap elements to judge a placement by them alone. */
  get hasCheapElements(): boolean {
    return this.#elements.filter(({ isCheap }) => isCheap).length >= 2;
  }

  /** Returns the cheap elements whose regions have an anchor and scale mode, with their indices. */
  cheapElementsAt(anchor: string, mode: string): readonly { readonly index: number; readonly region: RegionSpec }[] {
    return this.#elements.flatMap(({ isCheap, region: name }, index) => {
      const region = this.#regions[name]!;
      const fits = (region.anchor ?? 'centre') === anchor && (region.scale ?? 'height') === mode;
      return isCheap && fits ? [{ index, region }] : [];
    });
  }

  #placeRegions(picture: Picture, hud: HudSettings): RegionSet {
    const key = JSON.stringify([picture.width, picture.height, hud]);
    if (this.#cache?.key !== key) {
      const set = RegionSet.open(this.#regions, picture, this.#profile.reference, hud);
      this.#cache = { key, set };
    }
    return this.#cache.set;
  }

  [Symbol.dispose](): void {
    for (const { detector } of this.#elements) detector[Symbol.dispose]();
  }
}

/** Key of the modes in which a detector is read: one per layout of the HUD. */
export function modeKeyOf({ regions }: Profile, { modes, region }: DetectorSpec): string {
  return JSON.stringify([modes ?? [], (region === undefined ? undefined : regions[region]?.modes) ?? []]);
}

/**
 * Chooses the detectors of one HUD layout for the search, as the others only cost time: those with the mode key of most detectors
 * in `seen`, or without modes if none was seen.
 */
export function chooseElements(profile: Profile, seen: readonly string[] = []): ReadonlySet<string> {
  const all = Object.entries(profile.detectors);
  const groups = Map.groupBy(all, ([, spec]) => modeKeyOf(profile, spec));
  const count = (group: typeof all): number => group.filter(([name]) => seen.includes(name)).length;
  const plain = groups.get(modeKeyOf(profile, { kind: '' })) ?? [];
  const best = [plain, ...groups.values()].reduce((most, group) => (count(group) > count(most) ? group : most));
  return new Set((best.length > 0 ? best : all).map(([name]) => name));
}

/** Whether a detector sees something only where the placement is right. */
export function isElement({ regions }: Profile, spec: DetectorSpec, kind: DetectorKind): boolean {
  const { region } = spec;
  if (spec.media !== undefined || kind.input !== 'frame' || !kind.landmarks || region === undefined) return false;
  // A region that follows another detector does not depend on the placement.
  if (regions[region]?.relative !== undefined) return false;
  // A reader of unknown text sees something everywhere.
  const { fallback, reader, atlas } = spec as Readonly<Partial<Record<'fallback' | 'reader' | 'atlas', unknown>>>;
  return (fallback === undefined && reader === undefined) || atlas !== undefined;
}

function confidenceOf(observation: Observation): number {
  return observation.state === 'seen' ? observation.confidence : 0;
}

/** A placement found in a recording. */
export interface FoundPlacement extends Evidence {
  /** Empty: the profile's default placement. */
  readonly hud: HudSettings;
}

/** Mean number of elements seen per picture. */
export function countSeenPerPicture({ elements, pictures }: Evidence): number {
  return Object.values(elements).reduce((sum, n) => sum + n, 0) / Math.max(1, pictures);
}

/**
 * Finds the candidate at which most elements are seen. The first two pictures rule out those at which nothing is seen. Among hundreds
 * of candidates, two elements are seen by chance in every picture of some test pattern: only the default placement is accepted for so
 * little.
 */
export async function findBestCandidate(
  reader: ElementReader,
  pictures: readonly Picture[],
  candidates: readonly Candidate[],
): Promise<{ readonly score: number; readonly found: FoundPlacement } | undefined> {
  let best: { readonly score: number; readonly found: FoundPlacement } | undefined;
  for (const { hud, prior } of candidates) {
    if (reader.hasCheapElements && !(await isAnySeen(reader, pictures.slice(0, 2), hud))) continue;
    const count = new EvidenceCounter(reader);
    let sum = 0;
    for (const [i, picture] of pictures.entries()) {
      const seen = await reader.read(picture, hud);
      count.add(seen, picture);
      for (const confidence of seen) sum += confidence;
      if (i === 1 && count.sightings === 0) break;
    }
    const isEnough = Object.keys(hud).length === 0 ? count.fits : count.isConvincing;
    if (!isEnough || count.showing < Math.min(2, count.pictures)) continue;
    const score = sum / count.pictures + prior;
    if (!best || score > best.score) best = { score, found: { hud, ...count.evidence } };
  }
  return best;
}

async function isAnySeen(reader: ElementReader, pictures: readonly Picture[], hud: HudSettings): Promise<boolean> {
  for (const picture of pictures) {
    const seen = await reader.read(picture, hud, { stopAfter: 1, cheapOnly: true });
    if (seen.some((confidence) => confidence >= MIN_ELEMENT_CONFIDENCE)) return true;
  }
  return false;
}
