import type { Observation } from '../kind.ts';

/** What of a full cell must have the colours of `fill`: a picture in a cell leaves room around it. */
const LEAST_SHARE = 0.2;

interface Votes {
  readonly full: number;
  readonly count: number;
}

/**
 * How many of `cells` equal cells in a row are full, from the empty end on: hearts, lives, cartridges, stars. Each cell has a share
 * of pixels in the colours of the full ones; those before the change point should have the same, those behind it none. The
 * confidence is that of the worst cell, so that scenery of the same colour behind an empty one makes the row unreadable for a
 * moment, not longer.
 */
export function countCells(slices: readonly Votes[], cells: number, zero: boolean): Observation {
  if (slices.length < 2 * cells) return { state: 'unreadable', confidence: 1 };
  const sums = Array.from({ length: cells }, () => ({ full: 0, count: 0 }));
  for (const [i, { full, count }] of slices.entries()) {
    const cell = sums[Math.floor(((i + 0.5) * cells) / slices.length)]!;
    cell.full += full;
    cell.count += count;
  }
  const shares = sums.map(({ full, count }) => (count === 0 ? 0 : full / count));
  let best = { value: 0, off: Math.max(...shares) / LEAST_SHARE };
  for (let value = 1; value <= cells; value++) {
    const usual = shares.slice(0, value).reduce((sum, share) => sum + share, 0) / value;
    if (usual < LEAST_SHARE) continue;
    const off = Math.max(...shares.map((share, i) => Math.abs(share - (i < value ? usual : 0)))) / usual;
    if (off < best.off) best = { value, off };
  }
  const confidence = Math.max(0, 1 - best.off);
  if (confidence < 0.5) return { state: 'unreadable', confidence: 1 - confidence };
  return best.value === 0 && !zero ? { state: 'absent', confidence } : { state: 'seen', value: best.value, confidence };
}
