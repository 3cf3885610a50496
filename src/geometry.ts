/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A frame size in pixels, which may be non-square. */
export interface FrameSize extends Size {
  /** Width of a displayed pixel divided by its height; default 1. */
  readonly pixelAspect?: number | undefined;
}

/** A rectangle: in pixels, or in fractions of a frame where the name says so. Right and bottom edges are exclusive. */
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** The point of the frame to which a HUD element keeps its distance when the aspect ratio changes. */
export type Anchor =
  | 'top left'
  | 'top'
  | 'top right'
  | 'left'
  | 'centre'
  | 'right'
  | 'bottom left'
  | 'bottom'
  | 'bottom right';

/** The anchor's position as fractions of the frame. */
export function anchorPoint(anchor: Anchor): { readonly x: number; readonly y: number } {
  return {
    x: anchor.endsWith('left') ? 0 : anchor.endsWith('right') ? 1 : 0.5,
    y: anchor.startsWith('top') ? 0 : anchor.startsWith('bottom') ? 1 : 0.5,
  };
}

/** Intersects a rectangle with a frame; the result is empty if they do not overlap. */
export function clip(rect: Rect, size: Size): Rect {
  const x = Math.min(Math.max(rect.x, 0), size.width);
  const y = Math.min(Math.max(rect.y, 0), size.height);
  return {
    x,
    y,
    width: Math.max(0, Math.min(rect.x + rect.width, size.width) - x),
    height: Math.max(0, Math.min(rect.y + rect.height, size.height) - y),
  };
}

/** How a recording's HUD differs from the profile: the player's HUD settings and the recorder's scaling. */
export interface HudSettings {
  /** HUD scale relative to the profile, for sizes and distances to the anchor; default 1. */
  readonly scale?: number;
  /** Additional horizontal scale of the HUD relative to the game's picture; default 1. */
  readonly stretch?: number;
  /** Horizontal and vertical safe-area margins as fractions of the frame, by which elements at an edge move inwards; default 0. */
  readonly x?: number;
  readonly y?: number;
  /** The game's picture within the video (letterbox, pillarbox, a stream's layout), in fractions of the frame; default all. */
  readonly content?: Rect;
  /** Video pixels per game pixel if the recording was resized, for regions with `scale: "none"`; default 1. */
  readonly pixel?: number;
  /**
   * Width of a video pixel divided by its height, in the game's picture: 4/3 if 16:9 was squeezed to 4:3, 3/4 if 4:3 was stretched
   * to 16:9. Default: as declared by the video file, mostly 1.
   */
  readonly aspect?: number;
  /** Changes over time, in order: each replaces all settings from `t` seconds until the next. */
  readonly changes?: readonly LaterSettings[];
}

/** Settings from a time on. */
export interface LaterSettings extends Omit<HudSettings, 'changes'> {
  /** Seconds. */
  readonly t: number;
  /** Confidence, if the placement was located automatically. */
  readonly confidence?: number;
}
