import type { Observation, Placement, PreparedCrop } from '../kind.ts';

/** Maximum distance of an icon from the centre of its cell, in pixels of the reference frame. */
const CELL_MARGIN = 2;

/** A cell of a row: its part of the crop with a margin, and its place on the frame. */
export interface Cell {
  readonly crop: PreparedCrop;
  readonly place: Placement;
}

/** Divides a region without its padding into equal cells along its longer side. */
export function splitRow(crop: PreparedCrop, place: Placement, count: number): readonly Cell[] {
  const { rect, inner, scaleX, scaleY } = place;
  const isVertical = inner.height > inner.width;
  const [cellWidth, cellHeight] = isVertical
    ? [inner.width, inner.height / count]
    : [inner.width / count, inner.height];
  const [fx, fy] = [crop.width / rect.width, crop.height / rect.height];
  const [marginX, marginY] = [CELL_MARGIN * scaleX, CELL_MARGIN * scaleY];
  // All of one size, so that templates are scaled once.
  const width = Math.min(crop.width, Math.ceil((cellWidth + 2 * marginX) * fx));
  const height = Math.min(crop.height, Math.ceil((cellHeight + 2 * marginY) * fy));
  return Array.from({ length: count }, (_, i) => {
    const box = {
      x: inner.x + (isVertical ? 0 : i * cellWidth),
      y: inner.y + (isVertical ? i * cellHeight : 0),
      width: cellWidth,
      height: cellHeight,
    };
    const left = Math.min(crop.width - width, Math.max(0, Math.round((box.x - marginX - rect.x) * fx)));
    const top = Math.min(crop.height - height, Math.max(0, Math.round((box.y - marginY - rect.y) * fy)));
    return {
      crop: cutCrop(crop, left, top, width, height),
      place: {
        scaleX,
        scaleY,
        rect: { x: rect.x + left / fx, y: rect.y + top / fy, width: width / fx, height: height / fy },
        inner: box,
      },
    };
  });
}

function cutCrop({ data, width: stride, channels }: PreparedCrop, x: number, y: number, width: number, height: number) {
  const part = new Uint8Array(width * height * channels);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * stride + x) * channels;
    part.set(data.subarray(from, from + width * channels), row * width * channels);
  }
  return { data: part, width, height, channels };
}

/**
 * Counts the icons in a row from the observations of its cells. All cells up to the first empty one must show the same icon, and the
 * others none; otherwise the row is unreadable. The confidence is the lowest of all cells.
 *
 * @param zero Whether an empty row reads 0; otherwise it is absent.
 */
export function countRow(cells: readonly Observation[], zero: boolean): Observation {
  const none = cells.findIndex(({ state }) => state === 'absent');
  const value = none === -1 ? cells.length : none;
  const confidence = Math.min(...cells.map((cell) => cell.confidence));
  const names = new Set(cells.slice(0, value).map((cell) => (cell.state === 'seen' ? cell.value : undefined)));
  const isInconsistent =
    names.has(undefined) || names.size > 1 || cells.slice(value).some(({ state }) => state !== 'absent');
  if (isInconsistent) return { state: 'unreadable', confidence: 1 };
  if (value === 0 && !zero) return { state: 'absent', confidence };
  return { state: 'seen', value, confidence, ...(value === 0 ? {} : { detail: { icon: [...names][0] } }) };
}
