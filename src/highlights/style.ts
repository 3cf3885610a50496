import type { Music } from '../media/write/music.ts';

/** Seconds the title is shown. */
export const TITLE_CARD_SECONDS = 2.5;
/** Seconds the end card is shown. */
export const END_CARD_SECONDS = 2;

/** Parts of a reel that can be left out or added. */
export const reelParts = [
  'counter',
  'banners',
  'captions',
  'stickers',
  'hud',
  'slow-motion',
  'punch-in',
  'progress',
  'end-card',
] as const;

/** One of `reelParts`. */
export type ReelPart = (typeof reelParts)[number];

/** How one scene follows another: at once, through black, or with a fast pan. */
export type Transition = 'cut' | 'dip' | 'whip';

/** How a reel is presented. */
export interface ReelStyle {
  readonly summary: string;
  readonly parts: readonly ReelPart[];
  readonly transition: Transition;
  /** Which victories are shown in slow motion: the best one, or the last of every scene. */
  readonly slowMotion: 'best' | 'each';
  /** Seconds over which the sound of neighbouring scenes is mixed. */
  readonly crossfade: number;
  readonly musicPriority: NonNullable<Music['priority']>;
}

/** Built-in styles by name. */
const reelStyles = {
  plain: {
    summary: 'the scenes as they were recorded',
    parts: [],
    transition: 'cut',
    slowMotion: 'best',
    crossfade: 0.04,
    musicPriority: 'game',
  },
  short: {
    summary: 'counter, streak banners, captions, enlarged HUD, punch-in, slow motion of the best victory, progress bar',
    parts: ['counter', 'banners', 'captions', 'stickers', 'hud', 'slow-motion', 'punch-in', 'progress'],
    transition: 'cut',
    slowMotion: 'best',
    crossfade: 0.2,
    musicPriority: 'game',
  },
  montage: {
    summary:
      'counter, streak banners, enlarged HUD, punch-in, slow motion of the best victory, whip pans; music in front',
    parts: ['counter', 'banners', 'stickers', 'hud', 'slow-motion', 'punch-in', 'end-card'],
    transition: 'whip',
    slowMotion: 'best',
    crossfade: 0.2,
    musicPriority: 'music',
  },
  cinematic: {
    summary:
      'slow motion in every scene, streak banners, enlarged HUD, through black from scene to scene; music in front',
    parts: ['banners', 'hud', 'slow-motion', 'end-card'],
    transition: 'dip',
    slowMotion: 'each',
    crossfade: 0.5,
    musicPriority: 'music',
  },
} as const satisfies Readonly<Record<string, ReelStyle>>;

/** Name of a built-in style. */
export type ReelStyleName = keyof typeof reelStyles;

/**
 * A built-in style with some parts added and others left out.
 *
 * @example
 * ```ts
 * reelStyle('short', { omit: ['progress'] }).parts.includes('counter'); // true
 * ```
 */
export function reelStyle(
  name: ReelStyleName,
  { add = [], omit = [] }: { readonly add?: readonly ReelPart[]; readonly omit?: readonly ReelPart[] } = {},
): ReelStyle {
  const style: ReelStyle = reelStyles[name];
  const parts = reelParts.filter((part) => (style.parts.includes(part) || add.includes(part)) && !omit.includes(part));
  return { ...style, parts };
}
