import { anchorPoint, type Rect, type Size } from '../../geometry.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { Edges } from './borders.ts';
import type { Sighting } from './locate.ts';

/** A placement that explains where marks were seen, and how likely it is beforehand, against others. */
export interface Candidate {
  readonly hud: HudSettings;
  readonly prior: number;
}

/** A HUD scale nearer to 1 than this is 1. */
const PLAIN = 0.012;
const SCALES = [0.35, 3] as const;
/** Shares of the frame: within it an edge is where it should be; beyond it a side is none of the frame. */
const SAME = 0.012;
/** Share of the frame by which a picture may reach beyond it. */
const BEYOND = 0.06;

/**
 * Where the game's picture may lie, given how its HUD is scaled and moved. Marks tell the scale and the point to which they keep
 * their distance; how far the picture reaches from there tell its borders, or the scale if the HUD is not scaled by itself.
 */
export function contentsOf(sighting: Sighting, edges: Edges, frame: Size, reference: Size): Candidate[] {
  const { scale, spot } = sighting;
  const anchor = anchorPoint(spot.anchor);
  const size = { width: scale * reference.width, height: scale * reference.height };
  const point = { x: sighting.x + anchor.x * size.width, y: sighting.y + anchor.y * size.height };
  const across = spans(point.x, anchor.x, size.width, edges.left, edges.right, frame.width);
  const down = spans(point.y, anchor.y, size.height, edges.top, edges.bottom, frame.height);
  const found = across.flatMap((x) =>
    down.flatMap((y): Candidate[] => {
      const [wide, high] = [size.width / x.length, size.height / y.length];
      const { mode } = spot;
      // A HUD that is stretched over the picture is so in both directions alike.
      if (mode === 'stretch' && Math.abs(wide / high - 1) > 2 * PLAIN) return [];
      const raw = mode === 'width' ? wide : mode === 'fit' ? Math.max(wide, high) : high;
      if (!(raw >= SCALES[0] && raw <= SCALES[1])) return [];
      const plain = Math.abs(raw - 1) < PLAIN;
      const content = fractions({ x: x.from, y: y.from, width: x.length, height: y.length }, frame);
      const hud = { content, ...(plain ? {} : { scale: rounded(raw, 4) }) };
      // Most recordings have the aspect ratio for which the profile was made.
      const odd = Math.abs((x.length / y.length) * (reference.height / reference.width) - 1) > 0.015;
      return [{ hud, prior: -x.doubt - y.doubt - (plain ? 0 : 0.05) - (odd ? 0.15 : 0) }];
    }),
  );
  return found.toSorted((a, b) => b.prior - a.prior);
}

/**
 * The game's picture as the borders alone have it; then with one of them where a picture of the usual proportions would have it:
 * where a bar stands still at an edge, what moves ends before.
 */
export function contentsWithin(edges: Edges, frame: Size, reference: Size): Candidate[] {
  const { left: lefts, right: rights, top: tops, bottom: bottoms } = edges;
  const rects: Edged[] = [];
  for (const left of lefts)
    for (const right of rights)
      for (const top of tops) for (const bottom of bottoms) rects.push({ left, right, top, bottom });
  const seen = rects.filter((one) => largeEnough(one, frame));
  const aspect = reference.width / reference.height;
  const guessed = seen.flatMap((one): Edged[] => {
    const { left, right, top, bottom } = one;
    const [width, height] = [(bottom - top) * aspect, (right - left) / aspect];
    return [
      { ...one, bottom: top + height },
      { ...one, top: bottom - height },
      { ...one, right: left + width },
      { ...one, left: right - width },
    ];
  });
  const all = [...seen];
  for (const one of guessed) if (isIn(one, frame) && !all.some((other) => alike(one, other))) all.push(one);
  return all.map(({ left, right, top, bottom }) => ({
    hud: { content: fractions({ x: left, y: top, width: right - left, height: bottom - top }, frame) },
    prior: 0,
  }));
}

/** The game's picture in one of the windows that can be seen, in pixels. */
export function contentsOutlined(windows: readonly Rect[], frame: Size): Candidate[] {
  return windows.map((window) => ({ hud: { content: fractions(window, frame) }, prior: 0 }));
}

/** What all borders enclose, if that is not the whole frame. */
export function innermost({ left, right, top, bottom }: Edges, frame: Size): Rect | undefined {
  const one = { left: left.at(-1)!, right: right.at(-1)!, top: top.at(-1)!, bottom: bottom.at(-1)! };
  if (!largeEnough(one, frame) || alike(one, { left: 0, top: 0, right: frame.width, bottom: frame.height }))
    return undefined;
  return fractions({ x: one.left, y: one.top, width: one.right - one.left, height: one.bottom - one.top }, frame);
}

interface Edged {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function largeEnough({ left, right, top, bottom }: Edged, { width, height }: Size): boolean {
  return right - left > 0.2 * width && bottom - top > 0.2 * height;
}

/** Whether it lies in the frame, but for a strip that may have been cut off. */
function isIn(one: Edged, frame: Size): boolean {
  const { left, right, top, bottom } = one;
  const [x, y] = [BEYOND * frame.width, BEYOND * frame.height];
  return largeEnough(one, frame) && left >= -x && top >= -y && right <= frame.width + x && bottom <= frame.height + y;
}

/** Nearer to each other than pictures tell. */
function alike(a: Edged, b: Edged): boolean {
  return (['left', 'right', 'top', 'bottom'] as const).every((side) => Math.abs(a[side] - b[side]) < 2);
}

interface Span {
  readonly from: number;
  readonly length: number;
  readonly doubt: number;
}

/** The stretches of one axis in which `point` lies at `share`: as long as the scale says, and from border to border. */
function spans(
  point: number,
  share: number,
  length: number,
  starts: readonly number[],
  ends: readonly number[],
  whole: number,
): Span[] {
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= SAME * whole;
  const own = { from: point - share * length, length };
  // A side that should be seen and is not makes it unlikely; one outside the frame, as of an enlarged picture, a little.
  const unseen = (at: number, known: readonly number[]): number => (known.some((one) => near(one, at)) ? 0 : 0.1);
  const doubtOf = (at: number, known: readonly number[], beyond: boolean): number =>
    beyond ? 0.05 : unseen(at, known);
  const doubt =
    doubtOf(own.from, starts, own.from < -SAME * whole) +
    doubtOf(own.from + length, ends, own.from + length > (1 + SAME) * whole);
  const found: Span[] = [{ ...own, doubt }];
  for (const start of starts)
    for (const end of ends) {
      const long = end - start;
      if (long < 0.2 * whole || !near(start + share * long, point)) continue;
      if (near(start, own.from) && near(end, own.from + length)) continue;
      found.push({ from: point - share * long, length: long, doubt: 0.05 });
    }
  return found;
}

function fractions({ x, y, width, height }: Rect, frame: Size): Rect {
  return {
    x: rounded(x / frame.width, 6),
    y: rounded(y / frame.height, 6),
    width: rounded(width / frame.width, 6),
    height: rounded(height / frame.height, 6),
  };
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
