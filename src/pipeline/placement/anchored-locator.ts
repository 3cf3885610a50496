import { Matcher, type Pattern, type Planes } from '../../detectors/icon/matcher.ts';
import { scaleTemplate } from '../../detectors/icon/template.ts';
import { anchorPoint, type HudSettings, type Rect, type Size } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { placeRegion } from '../../regions/place.ts';
import { roundTo } from '../../statistics.ts';
import type { LandmarkSpot, PlacedLandmark } from './candidates.ts';
import { ImagePyramid, limitRange, locateMaximum } from './landmark-locator.ts';

/** Size of a HUD relative to the size that its profile implies. */
export interface HudSize {
  readonly scaleX: number;
  readonly scaleY: number;
}

/** A HUD size at which landmarks are found at their distances from their anchors. */
export interface HudSizeMatch extends HudSize {
  /** Sum of the landmarks' correlations above the threshold. */
  readonly score: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Vertical scales searched, and ratios of the horizontal scale to them; `factor` from one to the next. */
const SCALES = { min: 0.4, max: 2.3, factor: 1.06 } as const;
const STRETCHES = { min: 0.56, max: 1.8, factor: 1.09 } as const;
/** Largest relative errors of the scales between two searched ones. */
const SEARCH_ERROR: Point = { x: 0.055, y: 0.032 };
/** The same in the steps of the refinement. */
const REFINEMENT_ERRORS: readonly Point[] = [SEARCH_ERROR, { x: 0.015, y: 0.015 }, { x: 0.005, y: 0.005 }];
/** Pixels by which a landmark may be off besides. */
const SLACK_PIXELS = 1.5;
/** Shorter side of a landmark, in pixels of the reduced picture, in the search and in the refinement. */
const COARSE_SIDE_PIXELS = 9;
const FINE_SIDE_PIXELS = 22;
const MIN_SIDE_PIXELS = 5;
/** Lowest correlation in the search and in the refinement. */
const MIN_COARSE_CORRELATION = 0.6;
const MIN_CORRELATION = 0.68;
/** Sizes of the search that are refined. */
const MAX_REFINED_SIZES = 10;
/** Sizes that differ less, relatively, are equal. */
const SAME_SIZE = 0.004;
/** Distance from its place, in reference pixels, from which a match is an outlier. */
const OUTLIER_PIXELS = 2.5;

/** A landmark found: its distance from its anchor at the profile's size and in the picture, in pixels. */
interface PointPair {
  readonly from: Point;
  readonly to: Point;
  readonly score: number;
}

/**
 * Finds the size of a HUD that is scaled independently of the picture, perhaps also stretched: its landmarks keep their
 * distances to edges of the picture, in pixels of the HUD. Deterministic.
 */
export class AnchoredLocator {
  readonly #pyramid: ImagePyramid;
  readonly #frame: Size;
  readonly #landmarks: readonly PlacedLandmark[];
  readonly #reference: Size;
  readonly #content: Rect;
  readonly #matcher = new Matcher(1);
  readonly #planes = new Map<number, Planes>();
  readonly #patterns = new Map<string, Pattern>();

  /** @param content The game's picture, in fractions of the frame. */
  constructor(picture: Picture, landmarks: readonly PlacedLandmark[], reference: Size, content: Rect) {
    this.#pyramid = new ImagePyramid(picture);
    this.#frame = picture;
    this.#landmarks = landmarks;
    this.#reference = reference;
    this.#content = content;
  }

  /** Searches all sizes. Returns those found, the best supported first. */
  search(): readonly HudSizeMatch[] {
    const coarse: HudSizeMatch[] = [];
    for (let scaleY: number = SCALES.min; scaleY <= SCALES.max; scaleY *= SCALES.factor)
      for (let stretch: number = STRETCHES.min; stretch <= STRETCHES.max; stretch *= STRETCHES.factor) {
        const size = { scaleX: scaleY * stretch, scaleY };
        const pairs = this.#matchAt(size, COARSE_SIDE_PIXELS, MIN_COARSE_CORRELATION, SEARCH_ERROR);
        const score = sumScores(pairs, MIN_COARSE_CORRELATION);
        if (score > 0) coarse.push({ ...size, score });
      }
    const found: HudSizeMatch[] = [];
    for (const size of coarse.toSorted((a, b) => b.score - a.score).slice(0, MAX_REFINED_SIZES)) {
      const exact = this.#refine(size);
      const isSame = (one: HudSize): boolean =>
        Math.abs(one.scaleX / exact!.scaleX - 1) < SAME_SIZE && Math.abs(one.scaleY / exact!.scaleY - 1) < SAME_SIZE;
      if (exact && !found.some(isSame)) found.push(exact);
    }
    return found.toSorted((a, b) => b.score - a.score);
  }

  /** Fits a size to all landmarks that are found near their places at a rough size. */
  #refine(rough: HudSize): HudSizeMatch | undefined {
    let size = rough;
    let score = 0;
    for (const error of REFINEMENT_ERRORS) {
      const exact = fitSize(this.#matchAt(size, FINE_SIDE_PIXELS, MIN_CORRELATION, error), size);
      if (!exact) return undefined;
      ({ size, score } = exact);
    }
    return { ...size, score };
  }

  /** Finds the landmarks near their places at a size that may be wrong by a relative `error`. */
  #matchAt(size: HudSize, sidePixels: number, minScore: number, error: Point): PointPair[] {
    const best = new Map<string, PointPair>();
    for (const landmark of this.#landmarks)
      for (const spot of landmark.spots) {
        const { from, at, unit } = this.#expectedPlace(landmark, spot, size);
        const found = this.#matchNear(landmark, unit, at, sidePixels, {
          x: SLACK_PIXELS + error.x * Math.abs(from.x) * size.scaleX,
          y: SLACK_PIXELS + error.y * Math.abs(from.y) * size.scaleY,
        });
        if (!found || found.score < minScore) continue;
        const key = `${spot.anchor} ${Math.round(spot.x / 8)} ${Math.round(spot.y / 8)}`;
        if (found.score <= (best.get(key)?.score ?? 0)) continue;
        best.set(key, {
          from,
          to: { x: from.x * size.scaleX + found.x - at.x, y: from.y * size.scaleY + found.y - at.y },
          score: found.score,
        });
      }
    return [...best.values()];
  }

  /** Returns the expected middle of a landmark, its distance from the anchor at the profile's size, and pixels per reference pixel. */
  #expectedPlace(landmark: PlacedLandmark, { x, y, anchor, mode }: LandmarkSpot, size: HudSize) {
    const { width, height } = this.#reference;
    const spec = { x: x / width, y: y / height, width: landmark.width / width, height: landmark.height / height };
    const hud: HudSettings = { content: this.#content };
    const { inner, scaleX, scaleY } = placeRegion({ ...spec, anchor, scale: mode }, this.#frame, this.#reference, hud);
    const point = anchorPoint(anchor);
    const origin = {
      x: (this.#content.x + point.x * this.#content.width) * this.#frame.width,
      y: (this.#content.y + point.y * this.#content.height) * this.#frame.height,
    };
    const from = { x: inner.x + inner.width / 2 - origin.x, y: inner.y + inner.height / 2 - origin.y };
    const at = { x: origin.x + from.x * size.scaleX, y: origin.y + from.y * size.scaleY };
    return { from, at, unit: { x: scaleX * size.scaleX, y: scaleY * size.scaleY } };
  }

  /** Finds the best match of a landmark's middle within `reach` pixels of `at`. */
  #matchNear(
    landmark: PlacedLandmark,
    unit: Point,
    at: Point,
    sidePixels: number,
    reach: Point,
  ): (Point & { readonly score: number }) | undefined {
    const shorterSide = Math.min(landmark.width * unit.x, landmark.height * unit.y);
    const { crop, scaleX, scaleY } = this.#pyramid.level(sidePixels / shorterSide);
    const width = Math.round(landmark.width * unit.x * scaleX);
    const height = Math.round(landmark.height * unit.y * scaleY);
    if (Math.min(width, height) < MIN_SIDE_PIXELS) return undefined;
    const xs = limitRange(at.x * scaleX - width / 2, Math.max(1.5, reach.x * scaleX), crop.width - width);
    const ys = limitRange(at.y * scaleY - height / 2, Math.max(1.5, reach.y * scaleY), crop.height - height);
    if (!xs || !ys) return undefined;
    let planes = this.#planes.get(crop.height);
    if (!planes) this.#planes.set(crop.height, (planes = this.#matcher.load(crop)));
    const pattern = this.#getPattern(landmark, width, height);
    const { x, y, score } = locateMaximum(this.#matcher.scan(planes, pattern, 'correlation', xs, ys), xs, ys);
    return { x: (x + width / 2) / scaleX, y: (y + height / 2) / scaleY, score };
  }

  #getPattern(landmark: PlacedLandmark, width: number, height: number): Pattern {
    const key = `${this.#landmarks.indexOf(landmark)} ${width} ${height}`;
    let pattern = this.#patterns.get(key);
    if (!pattern)
      this.#patterns.set(key, (pattern = this.#matcher.add(scaleTemplate(landmark.template, width, height))));
    return pattern;
  }
}

/** Expresses a size as HUD settings; a scale or stretch of about 1 is left out. */
export function toHudSettings({ scaleX, scaleY }: HudSize): Pick<HudSettings, 'scale' | 'stretch'> {
  const stretch = scaleX / scaleY;
  return {
    ...(Math.abs(scaleY - 1) < SAME_SIZE ? {} : { scale: roundTo(scaleY, 4) }),
    ...(Math.abs(stretch - 1) < SAME_SIZE ? {} : { stretch: roundTo(stretch, 4) }),
  };
}

/** Sums the correlations above a threshold; 0 for a single landmark. */
function sumScores(pairs: readonly PointPair[], minScore: number): number {
  return pairs.length < 2 ? 0 : pairs.reduce((sum, { score }) => sum + score - minScore + 0.1, 0);
}

/** Fits a size by least squares in each direction and again without outliers. Undefined with fewer than two landmarks. */
function fitSize(
  pairs: readonly PointPair[],
  size: HudSize,
): { readonly size: HudSize; readonly score: number } | undefined {
  let used = pairs;
  let now = size;
  for (let pass = 0; pass < 2; pass++) {
    if (used.length < 2) return undefined;
    now = { scaleX: fitRatio(used, 'x', now.scaleX), scaleY: fitRatio(used, 'y', now.scaleY) };
    const { scaleX, scaleY } = now;
    used = used.filter(
      ({ from, to }) =>
        Math.abs(to.x - from.x * scaleX) <= OUTLIER_PIXELS * Math.max(1, scaleX) &&
        Math.abs(to.y - from.y * scaleY) <= OUTLIER_PIXELS * Math.max(1, scaleY),
    );
  }
  return used.length < 2 ? undefined : { size: now, score: sumScores(used, MIN_CORRELATION) };
}

/** Ratio of distances along one axis; `fallback` where all landmarks are close to the line through their anchor. */
function fitRatio(pairs: readonly PointPair[], axis: 'x' | 'y', fallback: number): number {
  const squares = pairs.reduce((sum, { from, score }) => sum + score * from[axis] ** 2, 0);
  const products = pairs.reduce((sum, { from, to, score }) => sum + score * from[axis] * to[axis], 0);
  return squares > 30 ** 2 ? products / squares : fallback;
}
