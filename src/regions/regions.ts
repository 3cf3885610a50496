import type { FrameSize, Rect, Size } from '../geometry.ts';
import type { Picture } from '../media/picture.ts';
import type { RegionSpec } from '../profile/profile.ts';
import { cropGrey, cropLuma, cropPlanes, cropRgb, sameLuma, samePixels } from './crop.ts';
import { BlockSums, Likeness } from './likeness.ts';
import type { HudSettings, PlacedRegion } from './place.ts';
import { placeBeside, placeRegion } from './place.ts';
import type { Preprocess } from './preprocess.ts';
import { compilePreprocess } from './preprocess.ts';
import type { Crop } from './step.ts';

/** A profile's region in frames of one size. */
export interface Region extends PlacedRegion {
  readonly name: string;
  /** What its preprocessing depends on: luma alone, or colours too. Decides what the gate compares. */
  readonly reads: 'luma' | 'pixels';
  /** The size and channels of a prepared crop. */
  readonly shape: Preprocess['shape'];
  /** The crop after all steps; computed once per picture, also for regions that share rectangle and first steps. */
  prepare(picture: Picture): Crop;
  /** A gate for one reader of this region. `reads` widens what it compares. */
  gate(reads?: 'luma' | 'pixels'): ChangeGate;
  /** The same, but for what an encoder makes of a picture that does not change. */
  likeness(reads?: 'luma' | 'pixels'): Likeness;
}

/** Changes in a row after which only one picture in so many is kept. */
const RESTLESS = 16;
const KEPT = 4;

/** The samples of a rectangle as they were last looked at, with a number that grows whenever they have changed. */
class Watched {
  readonly #rect: PlacedRegion['rect'];
  readonly #same: typeof sameLuma;
  readonly #copy: typeof cropLuma;
  #picture: Picture | undefined;
  #previous: Uint8Array | undefined;
  /** Whether `previous` holds the last picture; how many in a row have been different. */
  #kept = false;
  #changes = 0;
  #version = 0;

  constructor(rect: PlacedRegion['rect'], reads: 'luma' | 'pixels') {
    this.#rect = rect;
    this.#same = reads === 'luma' ? sameLuma : samePixels;
    this.#copy = reads === 'luma' ? cropLuma : cropPlanes;
  }

  /** Looks at a picture, once however often it is asked for. */
  versionIn(picture: Picture): number {
    if (picture === this.#picture) return this.#version;
    this.#picture = picture;
    if (this.#kept && this.#same(picture, this.#rect, this.#previous!)) {
      this.#changes = 0;
      return this.#version;
    }
    // Over scenery that moves all the time only now and then a picture is kept: what is not compared counts as changed.
    this.#kept = ++this.#changes <= RESTLESS || this.#changes % KEPT === 0;
    if (this.#kept) this.#previous = this.#copy(picture, this.#rect, this.#previous);
    return ++this.#version;
  }
}

/** Tells one reader whether the samples of a rectangle have changed since it last asked; readers share the looking. */
export class ChangeGate {
  readonly #watched: Watched;
  #seen = 0;

  /** Use `Region.gate`. */
  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /**
   * Whether any reader of the rectangle has seen a change since this one last asked (true for the first picture). Equality is
   * exact, so a reading kept behind it is the one that this very picture would give.
   */
  changed(picture: Picture): boolean {
    const version = this.#watched.versionIn(picture);
    if (version === this.#seen) return false;
    this.#seen = version;
    return true;
  }

  /** Forgets: the next picture counts as changed. */
  reset(): void {
    this.#seen = 0;
  }
}

/** A region that lies where something was found. */
export interface FollowingRegion {
  readonly detector: string;
  /** The region for a find at `found`, in pixels of the frame; the same object for the same place as long as it is remembered. */
  at(found: Rect): Promise<Region> | Region;
}

/** Places of a region that are remembered: what is found jitters between a few. */
const REMEMBERED = 32;

/** All regions of a profile, placed and compiled for frames of one size. */
export class RegionSet {
  readonly #regions: ReadonlyMap<string, Region>;
  readonly #following: ReadonlyMap<string, FollowingRegion>;

  private constructor(regions: ReadonlyMap<string, Region>, following: ReadonlyMap<string, FollowingRegion>) {
    this.#regions = regions;
    this.#following = following;
  }

  /**
   * @param reference the frame size on which the fractions were measured.
   * @throws PlaybyplayError `invalid-preprocessing` with every issue of the region concerned.
   */
  static async open(
    specs: Readonly<Record<string, RegionSpec>>,
    frame: FrameSize,
    reference: Size,
    hud: HudSettings = {},
  ): Promise<RegionSet> {
    const cache = new CropCache();
    const regions = new Map<string, Region>();
    const following = new Map<string, FollowingRegion>();
    for (const [name, spec] of Object.entries(specs)) {
      if (spec.relative) {
        const open = (found: Rect): Promise<Region> =>
          openRegion(name, spec, placeBeside(spec, found, frame, reference, hud), cache);
        following.set(name, { detector: spec.relative.detector, at: remembered(open) });
      } else regions.set(name, await openRegion(name, spec, placeRegion(spec, frame, reference, hud), cache));
    }
    return new RegionSet(regions, following);
  }

  /** A region that follows something; undefined for one that has its place. */
  following(name: string): FollowingRegion | undefined {
    return this.#following.get(name);
  }

  /** Throws RangeError for a name that the profile does not have. */
  get(name: string): Region {
    const region = this.#regions.get(name);
    if (!region) throw new RangeError(`no region "${name}"`);
    return region;
  }

  names(): Iterable<string> {
    return this.#regions.keys();
  }
}

function remembered(open: (found: Rect) => Promise<Region>): FollowingRegion['at'] {
  const known = new Map<string, Region>();
  return (found) => {
    const key = [found.x, found.y, found.width, found.height].join(' ');
    const region = known.get(key);
    if (region) {
      // The one used last goes last.
      known.delete(key);
      known.set(key, region);
      return region;
    }
    return open(found).then((made) => {
      if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
      known.set(key, made);
      return made;
    });
  };
}

/** Crops made of a picture, by rectangle and steps so far. They live as long as the picture object. */
class CropCache {
  readonly #crops = new WeakMap<Picture, Map<string, Crop>>();

  get(picture: Picture, key: string, make: () => Crop): Crop {
    let crops = this.#crops.get(picture);
    if (!crops) {
      crops = new Map();
      this.#crops.set(picture, crops);
    }
    let crop = crops.get(key);
    if (!crop) {
      crop = make();
      crops.set(key, crop);
    }
    return crop;
  }
}

async function openRegion(name: string, spec: RegionSpec, placed: PlacedRegion, cache: CropCache): Promise<Region> {
  const { rect, scaleX, scaleY } = placed;
  // Outside the frame there is nothing to prepare, but a profile may hold such a region for another aspect ratio.
  const empty = rect.width === 0 || rect.height === 0;
  const steps = empty ? [] : (spec.preprocess ?? []);
  const size = { width: rect.width, height: rect.height, scaleX, scaleY };
  const preprocess = await compilePreprocess(steps, size, `regions/${name}/preprocess`);
  const { from, stages, shape } = preprocess;
  const place = [rect.x, rect.y, rect.width, rect.height, scaleX, scaleY, from].join(' ');
  // A stage inserted by the compiler (grey before a grey step) counts with the step it was inserted for.
  const keys = steps.length === stages.length ? steps.map((_, n) => place + JSON.stringify(steps.slice(0, n + 1))) : [];
  const all = place + JSON.stringify(steps);
  const reads = from === 'grey' ? 'luma' : 'pixels';
  const watched = new Map<'luma' | 'pixels', Watched>();
  const sums = new Map<'luma' | 'pixels', BlockSums>();
  function watch(what: 'luma' | 'pixels'): Watched {
    const known = watched.get(what) ?? new Watched(rect, what);
    watched.set(what, known);
    return known;
  }
  function summed(what: 'luma' | 'pixels'): BlockSums {
    const known = sums.get(what) ?? new BlockSums(rect, what);
    sums.set(what, known);
    return known;
  }
  function raw(picture: Picture): Crop {
    const channels = from === 'grey' ? 1 : 3;
    return cache.get(picture, place, () => {
      const data = from === 'grey' ? cropGrey(picture, rect) : cropRgb(picture, rect);
      return { data, width: rect.width, height: rect.height, channels };
    });
  }
  return {
    ...placed,
    name,
    reads,
    shape,
    gate: (wanted = reads) => new ChangeGate(watch(wanted === 'pixels' ? 'pixels' : reads)),
    likeness: (wanted = reads) => new Likeness(summed(wanted === 'pixels' ? 'pixels' : reads)),
    prepare: (picture) =>
      keys.length === 0
        ? cache.get(picture, all, () => preprocess.run(raw(picture)))
        : keys.reduce((crop, key, n) => cache.get(picture, key, () => stages[n]!.run(crop)), raw(picture)),
  };
}
