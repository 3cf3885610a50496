/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
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
