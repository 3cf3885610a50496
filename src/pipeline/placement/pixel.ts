import type { View } from '../../detectors/kind.ts';
import { loadKind } from '../../detectors/registry.ts';
import type { Picture } from '../../media/picture.ts';
import type { RegionSpec } from '../../profile/profile.ts';
import type { HudSettings } from '../../regions/place.ts';
import { RegionSet } from '../../regions/regions.ts';
import type { Game } from '../game.ts';

/**
 * Pixels of the video per pixel that the game drew, for elements that do not grow with the game's picture: what lets text
 * there be read, if it is not 1. A recording that was resized has its own factor, a game drawn in a window has 1.
 */
export async function pixelOf(game: Game, pictures: readonly Picture[], hud: HudSettings): Promise<number | undefined> {
  const { profile, assets, plugins } = game;
  const own = Object.entries(profile.detectors).filter(
    ([, { region, kind }]) =>
      region !== undefined && profile.regions[region]!.scale === 'none' && /^(?:text|feed)$/.test(kind),
  );
  const [picture] = pictures;
  if (own.length === 0 || !picture) return undefined;
  const high = ((hud.content?.height ?? 1) * picture.height) / profile.reference.height;
  if (Math.abs(high - 1) < 0.01) return undefined;
  const factor = Math.round(high * 10_000) / 10_000;
  const regions: Record<string, RegionSpec> = {};
  for (const [, { region }] of own) regions[region!] = profile.regions[region!]!;
  const read = async (pixel: number): Promise<number> => {
    let characters = 0;
    for (const [, spec] of own) {
      const kind = await loadKind(spec.kind, plugins);
      using detector = await kind.open(spec, assets);
      const set = await RegionSet.open(regions, picture, profile.reference, { ...hud, pixel });
      for (const one of pictures) {
        const placed = set.get(spec.region!);
        const view: View = {
          picture: one,
          ...placed,
          place: (name) => set.get(name),
          once: (_, make) => make(),
          prepared: () => placed.prepare(one),
        };
        const seen = await detector.read(view);
        if (seen.state === 'seen') characters += String(seen.value).replaceAll(/\s/g, '').length;
      }
    }
    return characters;
  };
  return (await read(factor)) > (await read(1)) ? factor : undefined;
}
