import type { Detector, Observation, View } from '../../detectors/kind.ts';
import { isFeedDetail } from '../../detectors/feed/lines.ts';
import { loadKind } from '../../detectors/registry.ts';
import type { Picture } from '../../media/picture.ts';
import type { DetectorSpec, RegionSpec } from '../../profile/profile.ts';
import type { HudSettings } from '../../regions/place.ts';
import { RegionSet } from '../../regions/regions.ts';
import type { Game } from '../game.ts';

/** Heights of the pictures that games draw: what a recording may have been resized from. */
const DRAWN = [480, 600, 720, 768, 800, 900, 1024, 1050, 1080, 1200, 1440, 1600, 2160];
/** Smaller than this text in pixels cannot be read, larger it is not drawn. */
const SIZES = [0.42, 3] as const;
/** Evidence (log likelihood ratio) of a character that is surely there, and the share of a line's that must be. */
const SURE = 30;
const MOST = 0.6;
/** Characters that decide, and how many more than any other size has there must be. */
const ENOUGH = 24;
const AHEAD = 1.3;

/** An element in pixels of the game, with its detector. */
interface Element {
  readonly spec: DetectorSpec;
  readonly region: string;
}

/**
 * Pixels of the video per pixel that the game drew, for elements that do not grow with the game's picture: what lets text
 * there be read best, if it is not 1. A recording that was resized has its own factor, a game drawn in a window has 1. Looks at
 * pictures until one size is plainly the best.
 */
export async function pixelOf(game: Game, pictures: Iterable<Picture>, hud: HudSettings): Promise<number | undefined> {
  const elements = elementsOf(game);
  if (elements.length === 0) return undefined;
  let sizes: Size[] | undefined;
  try {
    for (const picture of pictures) {
      sizes ??= await openSizes(game, elements, sizesOf((hud.content?.height ?? 1) * picture.height));
      const [own, ...others] = sizes as [Size, ...Size[]];
      await look(game, own, elements, picture, hud);
      // Text that is read well as the game drew it needs no other size.
      if (own.sure >= ENOUGH / 2 && sizes.every((size) => size === own || size.sure === 0)) return undefined;
      for (const size of others) await look(game, size, elements, picture, hud);
      const [best, next] = sizes.toSorted((a, b) => b.sure - a.sure) as [Size, Size];
      if (best.sure >= ENOUGH && best.sure >= AHEAD * next.sure) return best === own ? undefined : best.factor;
    }
    return undefined;
  } finally {
    for (const { detectors } of sizes ?? []) for (const detector of detectors) detector[Symbol.dispose]();
  }
}

/** Whether a profile has text that is drawn in pixels of the game. */
export function hasPixels(game: Game): boolean {
  return elementsOf(game).length > 0;
}

function elementsOf({ profile }: Game): Element[] {
  return Object.values(profile.detectors).flatMap((spec) => {
    const { region, kind } = spec;
    const inPixels = region !== undefined && profile.regions[region]?.scale === 'none';
    return inPixels && (kind === 'text' || kind === 'feed') ? [{ spec, region }] : [];
  });
}

/** 1 first, then those that a recording `height` pixels high can have. */
function sizesOf(height: number): number[] {
  const resized = DRAWN.map((drawn) => Math.round((height / drawn) * 10_000) / 10_000);
  return [1, ...resized.filter((size) => Math.abs(size - 1) > 0.01 && size >= SIZES[0] && size <= SIZES[1])];
}

interface Size {
  readonly factor: number;
  readonly detectors: readonly Detector[];
  /** Characters that were surely read. */
  sure: number;
}

async function openSizes(game: Game, elements: readonly Element[], factors: readonly number[]): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const factor of factors) {
    const detectors: Detector[] = [];
    for (const { spec } of elements) {
      const kind = await loadKind(spec.kind, game.plugins);
      detectors.push(await kind.open(spec, game.assets));
    }
    sizes.push({ factor, detectors, sure: 0 });
  }
  return sizes;
}

async function look(
  { profile }: Game,
  size: Size,
  elements: readonly Element[],
  picture: Picture,
  hud: HudSettings,
): Promise<void> {
  const regions: Record<string, RegionSpec> = {};
  for (const { region } of elements) regions[region] = profile.regions[region]!;
  const set = await RegionSet.open(regions, picture, profile.reference, { ...hud, pixel: size.factor });
  for (const [i, { region }] of elements.entries()) {
    const placed = set.get(region);
    const view: View = {
      picture,
      ...placed,
      place: (name) => set.get(name),
      once: (_, make) => make(),
      prepared: () => placed.prepare(picture),
    };
    size.sure += sureIn(await size.detectors[i]!.read(view));
  }
}

/** Characters that were read beyond doubt, of lines that are so on the whole. */
function sureIn(seen: Observation): number {
  if (seen.state !== 'seen') return 0;
  if (!isFeedDetail(seen.detail)) return seen.confidence >= 0.8 ? String(seen.value).replaceAll(/\s/g, '').length : 0;
  return seen.detail.lines.reduce((sum, { scores }) => {
    const read = scores.filter((score) => score > 0).length;
    const sure = scores.filter((score) => score >= SURE).length;
    return sum + (sure >= MOST * read && sure >= 4 ? sure : 0);
  }, 0);
}
