import type { Rect } from '../geometry.ts';

/** Share of a place that two elements may have in common. */
export const MAX_COMMON_AREA = 0.4;

/** Whether most of a rectangle lies on others, which do not overlap. */
export function isMostlyCovered(rect: Rect, others: readonly Rect[]): boolean {
  return others.reduce((sum, other) => sum + insideShare(rect, other), 0) > MAX_COMMON_AREA;
}

/** Share of a rectangle that lies in another. */
export function insideShare({ x, y, width, height }: Rect, other: Rect): number {
  const across = Math.min(x + width, other.x + other.width) - Math.max(x, other.x);
  const down = Math.min(y + height, other.y + other.height) - Math.max(y, other.y);
  return (Math.max(0, across) * Math.max(0, down)) / Math.max(1e-9, width * height);
}
