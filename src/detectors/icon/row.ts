import type { Observation, Placement, PreparedCrop } from '../kind.ts';

/** Pixels of the reference frame by which an icon may be off the middle of its cell. */
const SLACK = 2;

/** A cell of a row: its part of the crop, with some room around it, and where it lies on the frame. */
export interface Cell {
  readonly crop: PreparedCrop;
  readonly place: Placement;
}

/** The cells into which a region (without its padding) is divided, along its longer side, each with room for jitter. */
export function cellsOf(crop: PreparedCrop, place: Placement, count: number): readonly Cell[] {
  const { rect, inner, scaleX, scaleY } = place;
  const across = inner.height > inner.width;
  const [wide, high] = across ? [inner.width, inner.height / count] : [inner.width / count, inner.height];
  const [fx, fy] = [crop.width / rect.width, crop.height / rect.height];
  const [slackX, slackY] = [SLACK * scaleX, SLACK * scaleY];
  // All of one size, so that templates are made ready once.
  const width = Math.min(crop.width, Math.ceil((wide + 2 * slackX) * fx));
  const height = Math.min(crop.height, Math.ceil((high + 2 * slackY) * fy));
  return Array.from({ length: count }, (_, i) => {
    const box = {
      x: inner.x + (across ? 0 : i * wide),
      y: inner.y + (across ? i * high : 0),
      width: wide,
      height: high,
    };
    const left = Math.min(crop.width - width, Math.max(0, Math.round((box.x - slackX - rect.x) * fx)));
    const top = Math.min(crop.height - height, Math.max(0, Math.round((box.y - slackY - rect.y) * fy)));
    return {
      crop: cut(crop, left, top, width, height),
      place: {
        scaleX,
        scaleY,
        rect: { x: rect.x + left / fx, y: rect.y + top / fy, width: width / fx, height: height / fy },
        inner: box,
      },
    };
  });
}

function cut({ data, width: stride, channels }: PreparedCrop, x: number, y: number, width: number, height: number) {
  const part = new Uint8Array(width * height * channels);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * stride + x) * channels;
    part.set(data.subarray(from, from + width * channels), row * width * channels);
  }
  return { data: part, width, height, channels };
}

/**
 * How many icons stand in a row from its beginning on, by what each cell shows. They are one and the same; where one is
 * missing none follows. Its confidence is that of the least sure cell.
 */
export function countRow(cells: readonly Observation[], zero: boolean): Observation {
  const none = cells.findIndex(({ state }) => state === 'absent');
  const value = none === -1 ? cells.length : none;
  const confidence = Math.min(...cells.map((cell) => cell.confidence));
  const names = new Set(cells.slice(0, value).map((cell) => (cell.state === 'seen' ? cell.value : undefined)));
  const broken = names.has(undefined) || names.size > 1 || cells.slice(value).some(({ state }) => state !== 'absent');
  if (broken) return { state: 'unreadable', confidence: 1 };
  if (value === 0 && !zero) return { state: 'absent', confidence };
  return { state: 'seen', value, confidence, ...(value === 0 ? {} : { detail: { icon: [...names][0] } }) };
}
