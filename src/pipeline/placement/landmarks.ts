import type { Landmark } from '../../detectors/kind.ts';
import type { Template } from '../../detectors/icon/template.ts';
import type { RegionSpec } from '../../profile/profile.ts';
import type { CompiledProfile } from '../compile-profile.ts';

/** A landmark's upper left corner on the reference frame, in pixels, and its region's anchor and scale mode. */
export interface LandmarkSpot {
  readonly x: number;
  readonly y: number;
  readonly anchor: NonNullable<RegionSpec['anchor']>;
  readonly mode: NonNullable<RegionSpec['scale']>;
}

/** A template to search for, with its possible places on the reference frame. */
export interface PlacedLandmark {
  readonly width: number;
  readonly height: number;
  readonly template: Template;
  readonly spots: readonly LandmarkSpot[];
  /** Distinctness: standard deviation of its levels times the root of its area. */
  readonly weight: number;
}

/** Largest aspect ratio of a landmark; longer ones are split, as they tolerate no error of the scale. */
const MAX_LANDMARK_ASPECT = 4;
const MAX_LANDMARKS = 10;
/** Smallest side in reference pixels: smaller landmarks resemble other things. */
const MIN_LANDMARK_SIDE = 14;

/** Collects the landmarks of a profile's detectors, the most distinct first. */
export async function findLandmarks({
  profile,
  assets,
  detectors,
}: CompiledProfile): Promise<readonly PlacedLandmark[]> {
  const { width, height } = profile.reference;
  const landmarks = new Map<string, PlacedLandmark>();
  const hasModeless = Object.values(profile.detectors).some(({ modes }) => modes === undefined);
  for (const { spec, kind, media } of detectors) {
    // Prefer the HUD layout that needs no mode.
    if (media !== undefined || (spec.modes && hasModeless)) continue;
    if (kind.input !== 'frame') continue;
    for (const landmark of (await kind.landmarks?.(spec, assets)) ?? []) {
      const region = profile.regions[landmark.region];
      if (region === undefined || region.scale === 'none' || region.scale === 'whole' || region.relative) continue;
      const box = { width: region.width * width, height: region.height * height };
      const size = landmark.width > 0 ? landmark : box;
      const places = landmark.at?.(box) ?? [{ x: (box.width - size.width) / 2, y: (box.height - size.height) / 2 }];
      const spots = places.map(({ x, y }): LandmarkSpot => {
        const { anchor = 'centre', scale: mode = 'height' } = region;
        return { x: region.x * width + x, y: region.y * height + y, anchor, mode };
      });
      for (const piece of split(landmark, size.width, size.height, spots)) merge(landmarks, piece);
    }
  }
  return [...landmarks.values()]
    .filter(({ width: w, height: h }) => Math.min(w, h) >= MIN_LANDMARK_SIDE)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_LANDMARKS);
}

/** Adds a landmark, or its spots to an equal one: several regions may show the digits of one font. */
function merge(landmarks: Map<string, PlacedLandmark>, landmark: PlacedLandmark): void {
  const { template } = landmark;
  const key = `${Math.round(landmark.width)} ${Math.round(landmark.height)} ${Buffer.from(template.rgb).toString('base64')}`;
  const known = landmarks.get(key);
  const spots = [...(known?.spots ?? [])];
  for (const spot of landmark.spots)
    if (!spots.some(({ x, y }) => Math.abs(x - spot.x) < 1 && Math.abs(y - spot.y) < 1)) spots.push(spot);
  landmarks.set(key, { ...landmark, spots });
}

/** Splits a wide landmark into pieces of nearly equal width. */
function split(landmark: Landmark, width: number, height: number, spots: readonly LandmarkSpot[]): PlacedLandmark[] {
  const { columns, rows, levels, weights } = landmark;
  const count = Math.max(1, Math.ceil(width / (MAX_LANDMARK_ASPECT * height)));
  return Array.from({ length: count }, (_, n): PlacedLandmark => {
    const [from, to] = [Math.round((n * columns) / count), Math.round(((n + 1) * columns) / count)];
    const [rgb, mask] = [new Uint8Array((to - from) * rows * 3), new Uint8Array((to - from) * rows)];
    for (let y = 0, at = 0; y < rows; y++)
      for (let x = from; x < to; x++, at++) {
        rgb.fill(levels[y * columns + x]!, 3 * at, 3 * at + 3);
        mask[at] = weights[y * columns + x]!;
      }
    const own = ((to - from) * width) / columns;
    const template = { width: to - from, height: rows, rgb, mask };
    return {
      width: own,
      height,
      template,
      spots: spots.map((spot) => ({ ...spot, x: spot.x + (from * width) / columns })),
      weight: deviation(template) * Math.sqrt(own * height),
    };
  });
}

function deviation({ rgb, mask }: Template): number {
  let [total, sum, squares] = [1e-9, 0, 0];
  for (let i = 0; i < mask.length; i++) {
    const [weight, level] = [mask[i]!, rgb[3 * i]!];
    total += weight;
    sum += weight * level;
    squares += weight * level * level;
  }
  return Math.sqrt(Math.max(0, squares / total - (sum / total) ** 2));
}
