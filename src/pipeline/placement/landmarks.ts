import type { Landmark } from '../../detectors/kind.ts';
import type { Template } from '../../detectors/icon/template.ts';
import type { RegionSpec } from '../../profile/profile.ts';
import type { CompiledProfile } from '../compile-profile.ts';

/** A place on the reference frame, in pixels, and what it keeps its distance to. */
export interface LandmarkSpot {
  readonly x: number;
  readonly y: number;
  readonly anchor: NonNullable<RegionSpec['anchor']>;
  readonly mode: NonNullable<RegionSpec['scale']>;
}

/** A picture to look for, and where its upper left corner may lie on the reference frame. */
export interface PlacedLandmark {
  readonly width: number;
  readonly height: number;
  readonly template: Template;
  readonly spots: readonly LandmarkSpot[];
  /** How much there is to see in it: deviation of its levels times the root of its area. */
  readonly weight: number;
}

/** How long a mark may be, in multiples of its shorter side: a long one does not bear a wrong scale. */
const LONGEST = 4;
/** Marks that are looked for, at most. */
const MOST = 10;
/** Pixels of the reference frame: smaller marks look like much else. */
const LEAST_SIDE = 14;

/** The pictures by which a profile can be found on a frame, the most telling first. */
export async function findLandmarks({
  profile,
  assets,
  detectors,
}: CompiledProfile): Promise<readonly PlacedLandmark[]> {
  const { width, height } = profile.reference;
  const marks = new Map<string, PlacedLandmark>();
  const plain = Object.values(profile.detectors).some(({ modes }) => modes === undefined);
  for (const { spec, kind, media } of detectors) {
    // By the layout that needs no mode.
    if (media !== undefined || (spec.modes && plain)) continue;
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
      for (const piece of pieces(landmark, size.width, size.height, spots)) add(marks, piece);
    }
  }
  return [...marks.values()]
    .filter((mark) => Math.min(mark.width, mark.height) >= LEAST_SIDE)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MOST);
}

/** The same picture in several regions (a font's figures) is looked for once. */
function add(marks: Map<string, PlacedLandmark>, mark: PlacedLandmark): void {
  const { template } = mark;
  const key = `${Math.round(mark.width)} ${Math.round(mark.height)} ${Buffer.from(template.rgb).toString('base64')}`;
  const known = marks.get(key);
  const spots = [...(known?.spots ?? [])];
  for (const spot of mark.spots)
    if (!spots.some(({ x, y }) => Math.abs(x - spot.x) < 1 && Math.abs(y - spot.y) < 1)) spots.push(spot);
  marks.set(key, { ...mark, spots });
}

function pieces(landmark: Landmark, width: number, height: number, spots: readonly LandmarkSpot[]): PlacedLandmark[] {
  const { columns, rows, levels, weights } = landmark;
  const count = Math.max(1, Math.ceil(width / (LONGEST * height)));
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
