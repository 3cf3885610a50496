import type { FrameSize, Rect, Size } from '../geometry.ts';
import type { Picture } from '../media/picture.ts';
import type { RegionSpec } from '../profile/profile.ts';
import { ChangeGate, type ComparedSamples, SampleTracker } from './change-detection.ts';
import { type Crop, cropGrey, cropRgb } from './crop.ts';
import { type HudSettings, type PlacedRegion, placeRegion, placeRelativeRegion } from './place.ts';
import { compilePreprocess, type Preprocess } from './preprocess/compile.ts';

/** A profile's region in frames of one size. */
export interface Region extends PlacedRegion {
  readonly name: string;
  /** The samples that its preprocessing depends on. */
  readonly reads: ComparedSamples;
  /** The shape of a prepared crop. */
  readonly shape: Preprocess['shape'];
  /**
   * Crops the region and preprocesses it, once per picture, also for regions with the same rectangle and steps. Returns a promise
   * where a step runs in sharp; crops of several regions are then processed side by side.
   */
  prepare(picture: Picture): Crop | Promise<Crop>;
  /** Creates a gate for one reader. `compared` widens what the gate compares. */
  gate(compared?: ComparedSamples): ChangeGate;
}

/** A region placed relative to what another detector finds. */
export interface FollowingRegion {
  readonly detector: string;
  /** Returns the region for something found at `found`, in pixels of the frame; the same object for the same place if remembered. */
  at(found: Rect): Region;
}

/** Places of a following region that are remembered: positions jitter between a few. */
const MAX_REMEMBERED_PLACES = 32;

/** All regions of a profile, placed and compiled for frames of one size. */
export class RegionSet {
  readonly #regions: ReadonlyMap<string, Region>;
  readonly #following: ReadonlyMap<string, FollowingRegion>;

  private constructor(regions: ReadonlyMap<string, Region>, following: ReadonlyMap<string, FollowingRegion>) {
    this.#regions = regions;
    this.#following = following;
  }

  /**
   * Places and compiles the regions.
   *
   * @param reference Frame size on which the fractions were measured.
   * @throws PlaybyplayError `invalid-preprocessing` with every issue of the region concerned.
   */
  static open(
    specs: Readonly<Record<string, RegionSpec>>,
    frame: FrameSize,
    reference: Size,
    hud: HudSettings = {},
  ): RegionSet {
    const cache = new CropCache();
    const regions = new Map<string, Region>();
    const following = new Map<string, FollowingRegion>();
    for (const [name, spec] of Object.entries(specs)) {
      if (spec.relative) {
        const open = (found: Rect): Region =>
          openRegion(name, spec, placeRelativeRegion(spec, found, frame, reference, hud), cache);
        following.set(name, { detector: spec.relative.detector, at: rememberPlaces(open) });
      } else regions.set(name, openRegion(name, spec, placeRegion(spec, frame, reference, hud), cache));
    }
    return new RegionSet(regions, following);
  }

  /** Returns a region that follows a detector; undefined for one with a fixed place. */
  following(name: string): FollowingRegion | undefined {
    return this.#following.get(name);
  }

  /**
   * Returns a region with a fixed place.
   *
   * @throws RangeError for a name that the profile does not have.
   */
  get(name: string): Region {
    const region = this.#regions.get(name);
    if (!region) throw new RangeError(`the profile has no region "${name}"`);
    return region;
  }

  names(): Iterable<string> {
    return this.#regions.keys();
  }
}

function rememberPlaces(open: (found: Rect) => Region): FollowingRegion['at'] {
  const known = new Map<string, Region>();
  return (found) => {
    const key = [found.x, found.y, found.width, found.height].join(' ');
    const region = known.get(key) ?? open(found);
    // The least recently used place comes first and is forgotten first.
    known.delete(key);
    if (known.size >= MAX_REMEMBERED_PLACES) known.delete(known.keys().next().value!);
    known.set(key, region);
    return region;
  };
}

type MaybeCrop = Crop | Promise<Crop>;

/** Crops of a picture by rectangle and steps; they live as long as the picture object. */
class CropCache {
  readonly #crops = new WeakMap<Picture, Map<string, MaybeCrop>>();

  get<T extends MaybeCrop>(picture: Picture, key: string, make: () => T): T {
    let crops = this.#crops.get(picture);
    if (!crops) this.#crops.set(picture, (crops = new Map()));
    let crop = crops.get(key) as T | undefined;
    if (!crop) crops.set(key, (crop = make()));
    return crop;
  }
}

function openRegion(name: string, spec: RegionSpec, placed: PlacedRegion, cache: CropCache): Region {
  const { rect, scaleX, scaleY } = placed;
  // A profile may hold a region that lies outside frames of this aspect ratio: there is nothing to prepare.
  const steps = rect.width === 0 || rect.height === 0 ? [] : (spec.preprocess ?? []);
  const size = { width: rect.width, height: rect.height, scaleX, scaleY };
  const { from, shape, run } = compilePreprocess(steps, size, { path: `regions/${name}/preprocess` });
  const place = [rect.x, rect.y, rect.width, rect.height, scaleX, scaleY, from].join(' ');
  const key = place + JSON.stringify(steps);
  const reads = from === 'grey' ? 'luma' : 'pixels';
  const trackers = new Map<ComparedSamples, SampleTracker>();
  const widened = (wanted: ComparedSamples): ComparedSamples => (wanted === 'pixels' ? 'pixels' : reads);
  function crop(picture: Picture): Crop {
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
    gate: (wanted = reads) =>
      new ChangeGate(getOrCreate(trackers, widened(wanted), (what) => new SampleTracker(rect, what))),
    prepare: (picture) => (steps.length === 0 ? crop(picture) : cache.get(picture, key, () => run(crop(picture)))),
  };
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: (key: K) => V): V {
  const value = map.get(key) ?? create(key);
  map.set(key, value);
  return value;
}
