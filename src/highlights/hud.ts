import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rect, Size } from '../geometry.ts';
import { type Arrangement, placePicture } from '../media/write/frame-filter.ts';
import { type LoadedProfile, loadProfile } from '../profile/load.ts';
import { PlaybyplayError } from '../errors.ts';
import { placeRegion } from '../regions/place.ts';

const TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'feed']);

/** Where a game shows what, in fractions of a recording's frame. */
export interface ScreenLayout {
  /** Regions of the HUD, by name. */
  readonly hud: ReadonlyMap<string, Rect>;
  /** The regions that detectors read, by detector. */
  readonly regions: ReadonlyMap<string, string>;
  /** Those in which they read text. */
  readonly textRegions: ReadonlyMap<string, string>;
  /** The part that the player looks at. */
  readonly attention?: Rect;
}

/** Loads the profile of a log: the built-in one of its game, else the one that `detect` drafted beside the log. */
async function profileOf(game: string, log: string | undefined): Promise<LoadedProfile> {
  const draft = log === undefined ? undefined : join(dirname(log), 'draft');
  return loadProfile(draft !== undefined && existsSync(draft) ? draft : game);
}

/**
 * The layout of a game by its profile; an empty one for an unknown game.
 *
 * @param media What the log says about the recording: not always its size.
 * @param log Path of the log, beside which the profile may be.
 */
export async function screenLayout(game: string, media: Partial<Size>, log?: string): Promise<ScreenLayout> {
  try {
    const { profile } = await profileOf(game, log);
    const { width = 0, height = 0 } = media;
    const frame = width > 0 && height > 0 ? { width, height } : profile.reference;
    // Regions that follow an object have no fixed place, and those of companion recordings are in another picture.
    const specs = Object.values(profile.detectors);
    const elsewhere = (name: string): boolean => {
      const own = specs.filter(({ region }) => region === name);
      return own.length > 0 && own.every((spec) => spec.media !== undefined);
    };
    const fixed = Object.entries(profile.regions).filter(([name, { relative }]) => !relative && !elsewhere(name));
    const placed = new Map(
      fixed.map(([name, region]) => {
        const { rect } = placeRegion(region, frame, profile.reference);
        return [
          name,
          {
            x: rect.x / frame.width,
            y: rect.y / frame.height,
            width: rect.width / frame.width,
            height: rect.height / frame.height,
          },
        ] as const;
      }),
    );
    const attention = profile.attention === undefined ? undefined : placed.get(profile.attention);
    const isRead = (name: string): boolean => specs.some(({ region }) => region === name);
    const hud = new Map([...placed].filter(([name]) => name !== profile.attention || isRead(name)));
    const read = Object.entries(profile.detectors).flatMap(([name, { kind, region }]) =>
      region === undefined ? [] : [{ kind, entry: [name, region] as const }],
    );
    const texts = read.filter(({ kind }) => TEXT_KINDS.has(kind));
    return {
      hud,
      regions: new Map(read.map(({ entry }) => entry)),
      textRegions: new Map(texts.map(({ entry }) => entry)),
      ...(attention && { attention }),
    };
  } catch (error) {
    if (error instanceof PlaybyplayError) return { hud: new Map(), regions: new Map(), textRegions: new Map() };
    throw error;
  }
}

/** Pictures of words in a game, by word: those with which its profile finds icons. Empty for an unknown game. */
export async function iconsOf(game: string, log?: string): Promise<ReadonlyMap<string, Buffer>> {
  try {
    const { profile, assets } = await profileOf(game, log);
    const icons = new Map<string, Buffer>();
    for (const { kind, icons: table } of Object.values(profile.detectors)) {
      if (kind !== 'icon' || typeof table !== 'object' || table === null) continue;
      for (const [word, files] of Object.entries(table)) {
        const first: unknown = Array.isArray(files) ? files[0] : files;
        if (typeof first === 'string' && !icons.has(word)) icons.set(word, Buffer.from(await assets.read(first)));
      }
    }
    return icons;
  } catch (error) {
    if (error instanceof PlaybyplayError) return new Map();
    throw error;
  }
}

/**
 * Maps a rectangle of the recording's frame to the reel's frame; both in fractions.
 *
 * @param center What a crop lies around; default the middle.
 */
export function mapToReel(
  rect: Rect,
  source: Size,
  reel: Size,
  arrangement: Arrangement,
  center: { readonly x: number; readonly y: number } = { x: 0.5, y: 0.5 },
): Rect {
  const { layout } = arrangement;
  const isWhole = layout === 'pad' || layout === 'blur';
  const { crop, top, lines } = isWhole ? placeWhole(source, reel) : placePicture(source, reel, arrangement, center);
  return {
    x: (rect.x * source.width - crop.x) / crop.width,
    y: (top + ((rect.y * source.height - crop.y) * lines) / crop.height) / reel.height,
    width: (rect.width * source.width) / crop.width,
    height: (rect.height * source.height * lines) / crop.height / reel.height,
  };
}

/** What a reel shows of a frame and around it where the whole frame is shown: more than the frame, in its pixels. */
function placeWhole(source: Size, reel: Size): { crop: Rect; top: number; lines: number } {
  const scale = Math.min(reel.width / source.width, reel.height / source.height);
  const [width, height] = [reel.width / scale, reel.height / scale];
  const crop = { x: (source.width - width) / 2, y: (source.height - height) / 2, width, height };
  return { crop, top: 0, lines: reel.height };
}

/** Vertical centres of what is drawn over a reel, best first, all within the title-safe area. */
const PLACES = {
  caption: [0.86, 0.78, 0.7, 0.14, 0.22, 0.3],
  banner: [0.3, 0.36, 0.22, 0.66, 0.16],
} as const;
/** The same for portrait video, where phone apps cover the lower quarter and the top. */
const PORTRAIT_PLACES = {
  caption: [0.7, 0.64, 0.58, 0.2, 0.26, 0.32],
  banner: [0.36, 0.42, 0.3, 0.24, 0.58],
} as const;

/** A part of the frame that is better not covered. */
export interface Obstacle extends Rect {
  /** How much it matters; default 1. */
  readonly weight?: number;
}

/**
 * Finds the vertical centre, in fractions of the frame, at which a caption or banner of this height covers least of the HUD.
 */
export function placeOverlay(
  kind: 'caption' | 'banner',
  hud: readonly Obstacle[],
  height: number,
  upright: boolean,
): number {
  const places = (upright ? PORTRAIT_PLACES : PLACES)[kind];
  const covered = places.map((middle) => {
    const top = middle - height / 2;
    const bottom = middle + height / 2;
    // Both are centred: HUD elements at the sides are not covered.
    return hud.reduce((sum, rect) => {
      const across = Math.max(0, Math.min(rect.x + rect.width, 0.85) - Math.max(rect.x, 0.15));
      const down = Math.max(0, Math.min(rect.y + rect.height, bottom) - Math.max(rect.y, top));
      return sum + across * down * (rect.weight ?? 1);
    }, 0);
  });
  const least = Math.min(...covered);
  return places[covered.findIndex((area) => area <= least + 1e-6)]!;
}
