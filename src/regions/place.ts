import { anchorPoint, clip } from '../geometry.ts';
import type { FrameSize, HudSettings, Rect, Size } from '../geometry.ts';
import type { RegionSpec } from '../profile/profile.ts';

export type { HudSettings };

/** The place of a region in frames of one size. */
export interface PlacedRegion {
  /** Whole pixels, padding included, clipped to the frame; zero-sized outside it. */
  readonly rect: Rect;
  /** The element itself in fractional pixels, without padding, unclipped. */
  readonly inner: Rect;
  /** Pixels of this frame per pixel of the reference frame, across and down. */
  readonly scaleX: number;
  readonly scaleY: number;
}

/**
 * Places a region relative to something found: in units of its size, or in fractions of the reference frame, which the region's
 * `scale` converts.
 *
 * @param found In pixels of the frame.
 */
export function placeRelativeRegion(
  spec: RegionSpec,
  found: Rect,
  frame: FrameSize,
  reference: Size,
  hud: HudSettings = {},
): PlacedRegion {
  const content = hud.content ?? { x: 0, y: 0, width: 1, height: 1 };
  const aspect = pixelAspectOf(frame, hud);
  const size = { width: content.width * frame.width * aspect, height: content.height * frame.height };
  const [wide, scaleY] = regionScale(spec, size, reference, hud);
  const scaleX = wide / aspect;
  const [unitX, unitY] =
    spec.relative?.unit === 'frame'
      ? [reference.width * scaleX, reference.height * scaleY]
      : [found.width, found.height];
  const inner: Rect = {
    x: found.x + spec.x * unitX,
    y: found.y + spec.y * unitY,
    width: spec.width * unitX,
    height: spec.height * unitY,
  };
  return { rect: clip(padOutwards(inner, spec.padding ?? 0), frame), inner, scaleX, scaleY };
}

/** Distances below this are rounding noise of the fractions, not pixels. */
const EPSILON = 1e-6;

/**
 * Places a region in frames of one size: the element keeps its distance to its anchor, in pixels of the reference times the scale.
 * The rectangle is rounded outwards to whole pixels.
 *
 * @param reference Frame size on which the region's fractions were measured.
 * @throws RangeError if a size is not positive.
 */
export function placeRegion(spec: RegionSpec, frame: FrameSize, reference: Size, hud: HudSettings = {}): PlacedRegion {
  for (const size of [frame, reference]) {
    if (!(size.width > 0 && size.height > 0))
      throw new RangeError(`the frame size is not positive: ${size.width}×${size.height}`);
  }
  const content = hud.content ?? { x: 0, y: 0, width: 1, height: 1 };
  const [width, height] = [content.width * frame.width, content.height * frame.height];
  const aspect = pixelAspectOf(frame, hud);
  const [wide, scaleY] = regionScale(spec, { width: width * aspect, height }, reference, hud);
  const scaleX = wide / aspect;
  const anchor = anchorPoint(spec.anchor ?? 'centre');
  // A margin moves an edge anchor inwards and leaves a centre anchor: (1 − 2a) is 1, 0, −1.
  const originX = content.x * frame.width + (anchor.x + (1 - 2 * anchor.x) * (hud.x ?? 0)) * width;
  const originY = content.y * frame.height + (anchor.y + (1 - 2 * anchor.y) * (hud.y ?? 0)) * height;
  const inner: Rect = {
    x: originX + (spec.x - anchor.x) * reference.width * scaleX,
    y: originY + (spec.y - anchor.y) * reference.height * scaleY,
    width: spec.width * reference.width * scaleX,
    height: spec.height * reference.height * scaleY,
  };
  return { rect: clip(padOutwards(inner, spec.padding ?? 0), frame), inner, scaleX, scaleY };
}

/** Returns the pixel aspect ratio (width over height) at which the frame shows what the game drew. */
function pixelAspectOf({ pixelAspect = 1 }: FrameSize, { aspect = pixelAspect }: HudSettings): number {
  return aspect;
}

/** Returns the largest whole factor by which a canvas fits into a frame, at least 1. */
function wholeFactor({ width, height }: Size, canvas: Size): number {
  return Math.max(1, Math.floor(Math.min(width / canvas.width, height / canvas.height) + EPSILON));
}

/** The canvas of most games that enlarge theirs by whole factors. */
const DEFAULT_CANVAS = { width: 320, height: 200 };

/** Returns pixels of the frame per pixel of the reference, across and down, by the region's `scale`. */
function regionScale(
  { scale: mode = 'height', canvas = DEFAULT_CANVAS }: RegionSpec,
  frame: Size,
  reference: Size,
  { scale: hudScale = 1, stretch = 1, pixel = 1 }: HudSettings,
): readonly [number, number] {
  const x = frame.width / reference.width;
  const y = frame.height / reference.height;
  switch (mode) {
    case 'height':
      return [y * hudScale * stretch, y * hudScale];
    case 'width':
      return [x * hudScale * stretch, x * hudScale];
    case 'fit':
      return [Math.min(x, y) * hudScale * stretch, Math.min(x, y) * hudScale];
    case 'stretch':
      return [x * hudScale * stretch, y * hudScale];
    case 'whole': {
      // The game's own pixels count, not those of a video that was resized afterwards.
      const drawn = { width: frame.width / pixel, height: frame.height / pixel };
      const whole = (pixel * wholeFactor(drawn, canvas)) / wholeFactor(reference, canvas);
      return [whole * hudScale * stretch, whole * hudScale];
    }
    case 'none':
      return [pixel * hudScale, pixel * hudScale];
  }
}

/** Grows `rect` by `padding`, fractions of its own size, and rounds it outwards to whole pixels. */
function padOutwards(rect: Rect, padding: NonNullable<RegionSpec['padding']>): Rect {
  const padX = rect.width * (typeof padding === 'number' ? padding : padding.x);
  const padY = rect.height * (typeof padding === 'number' ? padding : padding.y);
  const x = Math.floor(rect.x - padX + EPSILON);
  const y = Math.floor(rect.y - padY + EPSILON);
  return {
    x,
    y,
    width: Math.ceil(rect.x + rect.width + padX - EPSILON) - x,
    height: Math.ceil(rect.y + rect.height + padY - EPSILON) - y,
  };
}
