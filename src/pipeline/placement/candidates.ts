import type { Template } from '../../detectors/icon/template.ts';
import type { Landmark } from '../../detectors/kind.ts';
import { anchorPoint, type HudSettings, type Rect, type Size } from '../../geometry.ts';
import type { RegionSpec } from '../../profile/profile.ts';
import { roundTo } from '../../statistics.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import type { Borders } from './borders.ts';
import type { LandmarkMatch } from './landmark-locator.ts';

/** A landmark's upper left corner on the reference frame, in pixels, and its region's anchor and scale mode. */
export interface LandmarkSpot {
  readonly x: number;
  readonly y: number;
  readonly anchor: NonNullable<RegionSpec['anchor']>;
  readonly mode: NonNullable<RegionSpec['scale']>;
}

/** A template to search for, with its possible places on the reference frame. */
export interface PlacedLandmark {
  readonly width: number;
  readonly height: number;
  readonly template: Template;
  readonly spots: readonly LandmarkSpot[];
  /** Distinctness: standard deviation of its levels times the root of its area. */
  readonly weight: number;
}

/** Largest aspect ratio of a landmark; longer ones are split, as they tolerate no error of the scale. */
const MAX_LANDMARK_ASPECT = 4;
const MAX_LANDMARKS = 10;
/** Smallest side in reference pixels: smaller landmarks resemble other things. */
const MIN_LANDMARK_SIDE = 14;

/** Collects the landmarks of a profile's detectors, the most distinct first. */
export async function findLandmarks({
  profile,
  assets,
  detectors,
}: CompiledProfile): Promise<readonly PlacedLandmark[]> {
  const { width, height } = profile.reference;
  const landmarks = new Map<string, PlacedLandmark>();
  const hasModeless = Object.values(profile.detectors).some(({ modes }) => modes === undefined);
  for (const { spec, kind, media } of detectors) {
    // Prefer the HUD layout that needs no mode.
    if (media !== undefined || (spec.modes && hasModeless)) continue;
    if (kind.input !== 'frame') continue;
    for (const landmark of (await kind.landmarks?.(spec, assets)) ?? []) {
      const region = profile.regions[landmark.region];
      if (region === undefined || region.scale === 'none' || region.scale === 'whole' || region.relative) continue;
      const box = { width: region.width * width, height: region.height * height };
      const size = landmark.width > 0 ? landmark : box;
      const places = landmark.at?.(box) ?? [{ x: (box.width - size.width) / 2, y: (box.height - size.height) / 2 }];
      const spots = places.map(({ x, y }): LandmarkSpot => {
        const { anchor = 'centre', scale: mode = 'height' } = region;
        return { x: region.x * width + x, y: region.y * height + y, anchor, mode };
      });
      for (const piece of split(landmark, size.width, size.height, spots)) merge(landmarks, piece);
    }
  }
  return [...landmarks.values()]
    .filter(({ width: w, height: h }) => Math.min(w, h) >= MIN_LANDMARK_SIDE)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_LANDMARKS);
}

/** Adds a landmark, or its spots to an equal one: several regions may show the digits of one font. */
function merge(landmarks: Map<string, PlacedLandmark>, landmark: PlacedLandmark): void {
  const { template } = landmark;
  const key = `${Math.round(landmark.width)} ${Math.round(landmark.height)} ${Buffer.from(template.rgb).toString('base64')}`;
  const known = landmarks.get(key);
  const spots = [...(known?.spots ?? [])];
  for (const spot of landmark.spots)
    if (!spots.some(({ x, y }) => Math.abs(x - spot.x) < 1 && Math.abs(y - spot.y) < 1)) spots.push(spot);
  landmarks.set(key, { ...landmark, spots });
}

/** Splits a wide landmark into pieces of nearly equal width. */
function split(landmark: Landmark, width: number, height: number, spots: readonly LandmarkSpot[]): PlacedLandmark[] {
  const { columns, rows, levels, weights } = landmark;
  const count = Math.max(1, Math.ceil(width / (MAX_LANDMARK_ASPECT * height)));
  return Array.from({ length: count }, (_, n): PlacedLandmark => {
    const [from, to] = [Math.round((n * columns) / count), Math.round(((n + 1) * columns) / count)];
    const [rgb, mask] = [new Uint8Array((to - from) * rows * 3), new Uint8Array((to - from) * rows)];
    for (let y = 0, at = 0; y < rows; y++)
      for (let x = from; x < to; x++, at++) {
        rgb.fill(levels[y * columns + x]!, 3 * at, 3 * at + 3);
        mask[at] = weights[y * columns + x]!;
      }
    const own = ((to - from) * width) / columns;
    const template = { width: to - from, height: rows, rgb, mask };
    return {
      width: own,
      height,
      template,
      spots: spots.map((spot) => ({ ...spot, x: spot.x + (from * width) / columns })),
      weight: deviation(template) * Math.sqrt(own * height),
    };
  });
}

function deviation({ rgb, mask }: Template): number {
  let [total, sum, squares] = [1e-9, 0, 0];
  for (let i = 0; i < mask.length; i++) {
    const [weight, level] = [mask[i]!, rgb[3 * i]!];
    total += weight;
    sum += weight * level;
    squares += weight * level * level;
  }
  return Math.sqrt(Math.max(0, squares / total - (sum / total) ** 2));
}

/** A placement to be judged by the detectors, and its score before that. */
export interface Candidate {
  readonly hud: HudSettings;
  readonly prior: number;
}

/** HUD scales that differ less from 1 are 1. */
const SCALE_TOLERANCE = 0.012;
const MIN_HUD_SCALE = 0.35;
const MAX_HUD_SCALE = 3;
/** Share of the frame within which two edges coincide. */
const EDGE_TOLERANCE = 0.012;
/** Share of the frame by which a picture may extend beyond it. */
const MAX_OVERHANG = 0.06;
/** Smallest side of a game's picture, as a share of the frame. */
const MIN_CONTENT_SIDE = 0.2;

/**
 * Derives placements from a landmark match, the likeliest first. The match determines the scale and the position of the anchor;
 * the extent of the picture follows from its borders, or from the scale if the HUD has no scale of its own.
 */
export function candidatesFromMatch(match: LandmarkMatch, borders: Borders, frame: Size, reference: Size): Candidate[] {
  const { scale, spot } = match;
  const anchor = anchorPoint(spot.anchor);
  const size = { width: scale * reference.width, height: scale * reference.height };
  const point = { x: match.x + anchor.x * size.width, y: match.y + anchor.y * size.height };
  const horizontal = findSpans(point.x, anchor.x, size.width, borders.left, borders.right, frame.width);
  const vertical = findSpans(point.y, anchor.y, size.height, borders.top, borders.bottom, frame.height);
  const found = horizontal.flatMap((x) =>
    vertical.flatMap((y): Candidate[] => {
      const [wide, high] = [size.width / x.length, size.height / y.length];
      const { mode } = spot;
      // A HUD that is stretched over the picture has the same scale in both directions.
      if (mode === 'stretch' && Math.abs(wide / high - 1) > 2 * SCALE_TOLERANCE) return [];
      const raw = mode === 'width' ? wide : mode === 'fit' ? Math.max(wide, high) : high;
      if (!(raw >= MIN_HUD_SCALE && raw <= MAX_HUD_SCALE)) return [];
      const isUnscaled = Math.abs(raw - 1) < SCALE_TOLERANCE;
      const content = toFractions({ x: x.from, y: y.from, width: x.length, height: y.length }, frame);
      const hud = { content, ...(isUnscaled ? {} : { scale: roundTo(raw, 4) }) };
      // Most recordings have the aspect ratio for which the profile was made.
      const isUnusual = Math.abs((x.length / y.length) * (reference.height / reference.width) - 1) > 0.015;
      return [{ hud, prior: -x.penalty - y.penalty - (isUnscaled ? 0 : 0.05) - (isUnusual ? 0.15 : 0) }];
    }),
  );
  return found.toSorted((a, b) => b.prior - a.prior);
}

/**
 * Derives placements from the borders alone, then with one border moved to give the reference's aspect ratio: a static bar at an
 * edge of the picture hides its border.
 */
export function candidatesWithinBorders(borders: Borders, frame: Size, reference: Size): Candidate[] {
  const { left: lefts, right: rights, top: tops, bottom: bottoms } = borders;
  const rects: Sides[] = [];
  for (const left of lefts)
    for (const right of rights)
      for (const top of tops) for (const bottom of bottoms) rects.push({ left, right, top, bottom });
  const seen = rects.filter((one) => isLargeEnough(one, frame));
  const aspect = reference.width / reference.height;
  const completed = seen.flatMap((one): Sides[] => {
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
  for (const one of completed) if (fitsFrame(one, frame) && !all.some((other) => isSame(one, other))) all.push(one);
  return all.map(({ left, right, top, bottom }) => ({
    hud: { content: toFractions({ x: left, y: top, width: right - left, height: bottom - top }, frame) },
    prior: 0,
  }));
}

/** Derives placements from outlines of windows, in pixels. */
export function candidatesFromOutlines(windows: readonly Rect[], frame: Size): Candidate[] {
  return windows.map((window) => ({ hud: { content: toFractions(window, frame) }, prior: 0 }));
}

/** Returns the area that all borders enclose, in fractions; undefined where it is the whole frame. */
export function innermostArea({ left, right, top, bottom }: Borders, frame: Size): Rect | undefined {
  const one = { left: left.at(-1)!, right: right.at(-1)!, top: top.at(-1)!, bottom: bottom.at(-1)! };
  if (!isLargeEnough(one, frame) || isSame(one, { left: 0, top: 0, right: frame.width, bottom: frame.height }))
    return undefined;
  return toFractions({ x: one.left, y: one.top, width: one.right - one.left, height: one.bottom - one.top }, frame);
}

interface Sides {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function isLargeEnough({ left, right, top, bottom }: Sides, { width, height }: Size): boolean {
  return right - left > MIN_CONTENT_SIDE * width && bottom - top > MIN_CONTENT_SIDE * height;
}

/** Whether an area is within the frame, apart from a strip that may have been cut off. */
function fitsFrame(one: Sides, frame: Size): boolean {
  const { left, right, top, bottom } = one;
  const [x, y] = [MAX_OVERHANG * frame.width, MAX_OVERHANG * frame.height];
  return isLargeEnough(one, frame) && left >= -x && top >= -y && right <= frame.width + x && bottom <= frame.height + y;
}

/** Whether two areas differ less than pictures can show. */
function isSame(a: Sides, b: Sides): boolean {
  return (['left', 'right', 'top', 'bottom'] as const).every((side) => Math.abs(a[side] - b[side]) < 2);
}

interface Span {
  readonly from: number;
  readonly length: number;
  readonly penalty: number;
}

/** Finds spans of one axis that have `point` at `share` of their length: with the given length, and from border to border. */
function findSpans(
  point: number,
  share: number,
  length: number,
  starts: readonly number[],
  ends: readonly number[],
  whole: number,
): Span[] {
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= EDGE_TOLERANCE * whole;
  const own = { from: point - share * length, length };
  // A side without a visible border is unlikely; one outside the frame, as in an enlarged picture, less so.
  const sidePenalty = (at: number, known: readonly number[], isOutside: boolean): number =>
    isOutside ? 0.05 : known.some((one) => near(one, at)) ? 0 : 0.1;
  const penalty =
    sidePenalty(own.from, starts, own.from < -EDGE_TOLERANCE * whole) +
    sidePenalty(own.from + length, ends, own.from + length > (1 + EDGE_TOLERANCE) * whole);
  const found: Span[] = [{ ...own, penalty }];
  for (const start of starts)
    for (const end of ends) {
      const long = end - start;
      if (long < MIN_CONTENT_SIDE * whole || !near(start + share * long, point)) continue;
      if (near(start, own.from) && near(end, own.from + length)) continue;
      found.push({ from: point - share * long, length: long, penalty: 0.05 });
    }
  return found;
}

function toFractions({ x, y, width, height }: Rect, frame: Size): Rect {
  return {
    x: roundTo(x / frame.width, 6),
    y: roundTo(y / frame.height, 6),
    width: roundTo(width / frame.width, 6),
    height: roundTo(height / frame.height, 6),
  };
}

/** Aspect ratios at which games draw. */
const SCREEN_ASPECTS = [4 / 3, 16 / 9, 16 / 10, 5 / 4, 64 / 27] as const;
/** Pixel aspect ratios that differ less from 1 are square. */
const SQUARE_TOLERANCE = 0.03;

/**
 * Lists pixel aspect ratios, other than 1, of games that were drawn for another screen and stretched to one of the areas: 4:3 to
 * 16:9, or 16:9 to 4:3.
 *
 * @param areas Areas that the game may fill, in fractions of the frame.
 */
export function listPixelAspects(frame: Size, areas: readonly Rect[]): readonly number[] {
  const found: number[] = [];
  for (const { width, height } of areas)
    for (const screen of SCREEN_ASPECTS) {
      const aspect = (screen * height * frame.height) / (width * frame.width);
      if (Math.abs(aspect - 1) < SQUARE_TOLERANCE || aspect < 0.5 || aspect > 2) continue;
      if (!found.some((one) => Math.abs(one / aspect - 1) < 0.01)) found.push(aspect);
    }
  return found;
}
