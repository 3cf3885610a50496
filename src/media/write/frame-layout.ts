import type { Rect, Size } from '../../geometry.ts';

/**
 * How a recording's frame comes into a frame of another shape: `pad` whole between black bars, `blur` whole before a
 * blurred copy of itself, `crop` filling the frame, with what lies outside cut off, `hud` cropped above a strip that
 * keeps the HUD whole.
 */
export type Layout = 'pad' | 'blur' | 'crop' | 'hud';

/** The size of a reel of this shape from recordings of this size: as many lines as they have, made even. */
export function sizeFor(aspect: '16:9' | '9:16' | '1:1' | 'source', source: Size): Size {
  const lines = Math.min(source.width, source.height);
  if (aspect === 'source') return { width: even(source.width), height: even(source.height) };
  if (aspect === '1:1') return { width: even(lines), height: even(lines) };
  const long = even((lines * 16) / 9);
  return aspect === '16:9' ? { width: long, height: even(lines) } : { width: even(lines), height: long };
}

/** The largest part of a source frame that has the target's shape, around (x, y), fractions of the source; whole even pixels. */
export function cropAround(x: number, y: number, source: Size, target: Size): Rect {
  const scale = Math.min(source.width / target.width, source.height / target.height);
  const width = Math.min(even(target.width * scale), source.width);
  const height = Math.min(even(target.height * scale), source.height);
  return {
    x: clamp(x * source.width - width / 2, source.width - width),
    y: clamp(y * source.height - height / 2, source.height - height),
    width,
    height,
  };
}

/** How a reel's frame is divided by the `hud` layout: lines of the picture, lines of the strip below it. Even. */
export function hudStrip(hud: Rect, source: Size, target: Size): { readonly picture: number; readonly strip: number } {
  const lines = (target.width * hud.height * source.height) / (hud.width * source.width);
  const strip = Math.min(even(lines), even(target.height * 0.4));
  return { picture: target.height - strip, strip };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, Math.round(value / 2) * 2));
}

export function even(size: number): number {
  return Math.max(2, Math.round(size / 2) * 2);
}
