import type { Rect, Size } from '../../geometry.ts';
import { cropAround, type Layout } from '../../media/write/frame-filter.ts';
import { loadProfile } from '../../profile/load.ts';
import { PlaybyplayError } from '../../errors.ts';
import { mediaOf } from '../../profile/media.ts';
import { placeRegion } from '../../regions/place.ts';

/** Where a game's profile says the HUD is, in fractions of a recording's frame. Nothing for an unknown game. */
export async function hudOf(game: string, frame: Size): Promise<Rect[]> {
  try {
    const { profile } = await loadProfile(game);
    // Where regions lie that follow something is seen in the picture only; those of companions are on other pictures.
    const specs = Object.values(profile.detectors);
    const elsewhere = (name: string): boolean => {
      const own = specs.filter(({ region }) => region === name);
      return own.length > 0 && own.every((spec) => mediaOf(spec) !== undefined);
    };
    const fixed = Object.entries(profile.regions).filter(([name, { relative }]) => !relative && !elsewhere(name));
    return fixed.map(([, region]) => {
      const { rect } = placeRegion(region, frame, profile.reference);
      return {
        x: rect.x / frame.width,
        y: rect.y / frame.height,
        width: rect.width / frame.width,
        height: rect.height / frame.height,
      };
    });
  } catch (error) {
    if (error instanceof PlaybyplayError) return [];
    throw error;
  }
}

/** The HUD at the bottom of the frame as one strip, fractions of the frame; undefined where there is none. */
export function bottomHud(hud: readonly Rect[]): Rect | undefined {
  const low = hud.filter(({ y, height }) => y + height / 2 > 0.75);
  if (low.length === 0) return undefined;
  const left = Math.max(0, Math.min(...low.map(({ x }) => x)) - 0.01);
  const right = Math.min(1, Math.max(...low.map(({ x, width }) => x + width)) + 0.01);
  const top = Math.max(0, Math.min(...low.map(({ y }) => y)) - 0.01);
  return { x: left, y: top, width: right - left, height: 1 - top };
}

/** A part of the recording's frame (fractions) as it lies in the reel's frame (fractions), under a layout. */
export function intoReel(rect: Rect, source: Size, reel: Size, layout: Layout): Rect {
  const window = windowOf(source, reel, layout);
  return {
    x: (rect.x - window.x) / window.width,
    y: (rect.y - window.y) / window.height,
    width: rect.width / window.width,
    height: rect.height / window.height,
  };
}

/** What the reel's frame shows, in fractions of the recording's: less than all of it for a crop, more with bars. */
function windowOf(source: Size, reel: Size, layout: Layout): Rect {
  if (layout === 'crop' || layout === 'hud') {
    const rect = cropAround(0.5, 0.5, source, reel);
    return {
      x: rect.x / source.width,
      y: rect.y / source.height,
      width: rect.width / source.width,
      height: rect.height / source.height,
    };
  }
  const scale = Math.min(reel.width / source.width, reel.height / source.height);
  const width = reel.width / (source.width * scale);
  const height = reel.height / (source.height * scale);
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

/** Middles of the places where captions may stand, best first; all within the part of the frame that every screen shows. */
const PLACES = [0.86, 0.78, 0.7, 0.14, 0.22, 0.3];
/** The same on upright pictures, over whose lower quarter and top telephones lay the buttons and names of their programs. */
const UPRIGHT = [0.7, 0.64, 0.58, 0.2, 0.26, 0.32];

/** The best height for a caption of some height (fractions of the frame) that hides the least of the HUD. */
export function captionPlace(hud: readonly Rect[], height: number, upright = false): number {
  const places = upright ? UPRIGHT : PLACES;
  const covered = places.map((middle) => {
    const top = middle - height / 2;
    const bottom = middle + height / 2;
    // Captions stand in the middle of the width: what lies at the sides is not hidden.
    return hud.reduce((sum, rect) => {
      const across = Math.max(0, Math.min(rect.x + rect.width, 0.85) - Math.max(rect.x, 0.15));
      const down = Math.max(0, Math.min(rect.y + rect.height, bottom) - Math.max(rect.y, top));
      return sum + across * down;
    }, 0);
  });
  const least = Math.min(...covered);
  return places[covered.findIndex((area) => area <= least + 1e-6)]!;
}
