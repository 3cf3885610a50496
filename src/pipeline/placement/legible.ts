import { loadKind } from '../../detectors/registry.ts';
import type { Issue } from '../../errors.ts';
import type { FrameSize } from '../../geometry.ts';
import { mediaOf } from '../../profile/media.ts';
import { type HudSettings, placeRegion } from '../../regions/place.ts';
import type { Game } from '../game.ts';

/** Pixels of the video across a letter, or a figure, below which its strokes run into each other. */
const LEAST = { letter: 4.7, figure: 3.7 } as const;
/** The same down. */
const LEAST_HIGH = 6;

/** Says which text of a profile is drawn so small on a recording that what is read of it cannot be relied on. */
export async function smallText(game: Game, frame: FrameSize, hud: HudSettings): Promise<Issue | undefined> {
  const { profile, assets, plugins } = game;
  const small: { readonly name: string; readonly width: number; readonly height: number }[] = [];
  for (const [name, spec] of Object.entries(profile.detectors)) {
    const region = spec.region === undefined ? undefined : profile.regions[spec.region];
    if (!region || region.relative || mediaOf(spec) !== undefined) continue;
    const kind = await loadKind(spec.kind, plugins);
    const size = kind.input === 'frame' ? await kind.characters?.(spec, assets) : undefined;
    if (!size) continue;
    const { scaleX, scaleY } = placeRegion(region, frame, profile.reference, hud);
    const [width, height] = [size.width * scaleX, size.height * scaleY];
    const least = size.figures ? LEAST.figure : LEAST.letter;
    if (width < least || height < LEAST_HIGH) small.push({ name, width, height });
  }
  if (small.length === 0) return undefined;
  const list = small.map(({ name, width, height }) => `${name} (${width.toFixed(1)} × ${height.toFixed(1)} pixels)`);
  return {
    code: 'text-too-small',
    message: `characters are too small in this recording to be told apart for sure: ${list.join(', ')}`,
    hint: 'Expect wrong letters in names, and names read differently from time to time. A recording of more pixels is read better.',
  };
}
