/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A frame in pixels, which need not be square. */
export interface FrameSize extends Size {
  /** How many times as wide as high a pixel is shown; default 1. */
  readonly pixelAspect?: number | undefined;
}

/** A rectangle: in pixels, or in fractions of a frame where the name says so. Right and bottom edges are exclusive. */
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** Which point of the frame a HUD element keeps its distance to when the aspect ratio changes. */
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

/** The part of `rect` inside a `size` frame; zero-sized where they do not meet. */
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

/** How a player has set the HUD, or a recorder the picture; everything optional. */
export interface HudSettings {
  /** The game's HUD scale, relative to the one the profile was measured at: sizes and distances to the anchor grow by it; default 1. */
  readonly scale?: number;
  /** How many times as wide as high the HUD is drawn, compared with the game's picture; default 1: sizes and distances across grow by it, too. */
  readonly stretch?: number;
  /** Safe-area margin across and down, as a fraction of the frame: elements anchored at an edge move inwards by it; default 0. */
  readonly x?: number;
  readonly y?: number;
  /** Where the game's picture lies in the video, in fractions of the frame (letterbox, pillarbox, a stream's layout); default all of it. */
  readonly content?: Rect;
  /** Pixels of the video per pixel that the game drew, where the recording was resized: what `scale: "none"` grows by; default 1. */
  readonly pixel?: number;
  /**
   * How many times as wide as high a pixel of the video shows what the game drew: 4/3 where a game of 16:9 was squeezed to 4:3; 3/4 where
   * one of 4:3 was stretched to 16:9. Default: as the video file says, which is mostly 1.
   */
  readonly aspect?: number;
  /** Where it lies later on, in order of time: each holds from `t` seconds until the next, and tells everything anew. */
  readonly changes?: readonly LaterSettings[];
}

/** Settings that hold from a time on. */
export interface LaterSettings extends Omit<HudSettings, 'changes'> {
  /** Seconds. */
  readonly t: number;
  /** How surely it was found, if it was. */
  readonly confidence?: number;
}
