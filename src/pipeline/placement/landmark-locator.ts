import { Matcher, type Pattern } from '../../detectors/icon/matcher.ts';
import { scaleTemplate } from '../../detectors/icon/template.ts';
import type { PreparedCrop } from '../../detectors/kind.ts';
import { sampleLine } from '../../detectors/text/line-image.ts';
import type { Picture } from '../../media/picture.ts';
import type { LandmarkSpot, PlacedLandmark } from './candidates.ts';

/** Maps the reference frame onto a picture: pixel = offset + scale · reference pixel. */
export interface Similarity {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** A landmark found in a picture, with the similarity that it implies. */
export interface LandmarkMatch extends Similarity {
  /** The place on the reference frame to which the match is attributed. */
  readonly spot: LandmarkSpot;
  /** Correlation; with the support of further landmarks, the sum of theirs above 0.5. */
  readonly score: number;
}

/** Scales searched, relative to the one at which the reference frame is as high as the picture; `factor` from one to the next. */
const SEARCHED_SCALES = { min: 0.35, max: 2, factor: 1.09 } as const;
/** Shorter side of a landmark, in pixels of the reduced picture, in the search of the whole picture and in the refinement. */
const COARSE_SIDE_PIXELS = 8;
const FINE_SIDE_PIXELS = 22;
/** Lowest correlation in the coarse search and after refinement. */
const MIN_COARSE_CORRELATION = 0.62;
const MIN_CORRELATION = 0.68;
/** Peaks refined per landmark. */
const MAX_PEAKS = 4;
/** Root mean square distance between landmarks, in reference pixels, from which they determine a scale. */
const MIN_SPREAD_PIXELS = 60;

/** A landmark's upper left corner in pixels of the picture. */
interface Peak extends Similarity {
  readonly landmark: PlacedLandmark;
  readonly score: number;
}

/** The luma of a picture at several sizes, computed on demand. */
export class ImagePyramid {
  readonly #picture: Picture;
  readonly #levels = new Map<number, PreparedCrop>();

  constructor(picture: Picture) {
    this.#picture = picture;
  }

  /** Returns the picture reduced by the power of √2 nearest to `factor`, at most 1, and its exact scales. */
  level(factor: number): { readonly crop: PreparedCrop; readonly scaleX: number; readonly scaleY: number } {
    const level = Math.max(0, Math.round(-2 * Math.log2(Math.min(1, factor))));
    const exact = 2 ** (-level / 2);
    const { width, height } = this.#picture;
    let crop = this.#levels.get(level);
    if (!crop) {
      const size = { width: Math.max(1, Math.round(width * exact)), height: Math.max(1, Math.round(height * exact)) };
      const whole = { x: 0, y: 0, width, height };
      const { data } = sampleLine(this.#picture, whole, size.width, size.height, 'luma');
      crop = {
        data: Uint8Array.from(data, (level8) => Math.min(255, Math.max(0, Math.round(level8)))),
        ...size,
        channels: 1,
      };
      this.#levels.set(level, crop);
    }
    return { crop, scaleX: crop.width / width, scaleY: crop.height / height };
  }
}

/** Finds landmarks in one picture whose HUD is scaled and moved as a whole. Deterministic. */
export class LandmarkLocator {
  readonly #pyramid: ImagePyramid;
  readonly #landmarks: readonly PlacedLandmark[];
  /** Scale at which the reference frame is as high as the picture. */
  readonly #frameScale: number;

  constructor(picture: Picture, landmarks: readonly PlacedLandmark[], reference: { readonly height: number }) {
    this.#pyramid = new ImagePyramid(picture);
    this.#landmarks = landmarks;
    this.#frameScale = picture.height / reference.height;
  }

  /**
   * Searches the whole picture at every scale for one landmark after the other, and refines each match by the other landmarks.
   *
   * @returns Per landmark its matches, the best supported first.
   */
  *searchEverywhere(): Generator<readonly LandmarkMatch[], void, undefined> {
    for (const landmark of this.#landmarks) {
      const found: Peak[] = [];
      for (let scale = SEARCHED_SCALES.min; scale <= SEARCHED_SCALES.max; scale *= SEARCHED_SCALES.factor)
        found.push(...findPeaks(this.#pyramid, landmark, scale * this.#frameScale));
      const peaks = selectDistinctPeaks(found).map((one) => refinePeak(this.#pyramid, one));
      const matches = peaks
        .filter(({ score }) => score >= MIN_CORRELATION)
        .flatMap((peak) =>
          landmark.spots.map((spot): LandmarkMatch => {
            const [x, y] = [peak.x - peak.scale * spot.x, peak.y - peak.scale * spot.y];
            return refineBySupport(
              this.#pyramid,
              { scale: peak.scale, x, y, spot, score: peak.score },
              this.#landmarks,
            );
          }),
        );
      yield matches.toSorted((a, b) => b.score - a.score || a.scale - b.scale || a.x - b.x);
    }
  }

  /** Finds landmarks near their places under a similarity. Returns the best match per anchor, the best supported first. */
  searchNear(expected: Similarity): readonly LandmarkMatch[] {
    const bestByAnchor = new Map<string, LandmarkMatch>();
    for (const landmark of this.#landmarks)
      for (const spot of landmark.spots) {
        const corner = {
          scale: expected.scale,
          x: expected.x + expected.scale * spot.x,
          y: expected.y + expected.scale * spot.y,
        };
        const found = matchNear(this.#pyramid, landmark, expected.scale, corner, 3);
        if (!found || found.score < MIN_CORRELATION) continue;
        const group = `${spot.anchor} ${spot.mode}`;
        if (found.score <= (bestByAnchor.get(group)?.score ?? 0)) continue;
        const [x, y] = [found.x - found.scale * spot.x, found.y - found.scale * spot.y];
        bestByAnchor.set(group, { scale: found.scale, x, y, spot, score: found.score });
      }
    return [...bestByAnchor.values()]
      .map((match) => refineBySupport(this.#pyramid, match, this.#landmarks))
      .toSorted((a, b) => b.score - a.score);
  }
}

/** Finds the highest correlation peaks of a landmark at one scale. */
function findPeaks(pyramid: ImagePyramid, landmark: PlacedLandmark, scale: number): Peak[] {
  const { crop, scaleX, scaleY } = pyramid.level(
    COARSE_SIDE_PIXELS / (scale * Math.min(landmark.width, landmark.height)),
  );
  const matcher = new Matcher(1);
  const pattern = addPattern(matcher, landmark, scale * scaleY);
  const [right, bottom] = [crop.width - pattern.width, crop.height - pattern.height];
  if (right < 1 || bottom < 1 || Math.min(pattern.width, pattern.height) < COARSE_SIDE_PIXELS - 3) return [];
  const scores = matcher.scan(matcher.load(crop), pattern, 'correlation', [0, right], [0, bottom]);
  const columns = right + 1;
  const peaks: Peak[] = [];
  for (let n = 0; n < scores.length; n++) {
    const score = scores[n]!;
    if (score < MIN_COARSE_CORRELATION) continue;
    const column = n % columns;
    if ((column > 0 && scores[n - 1]! > score) || (column < right && scores[n + 1]! >= score)) continue;
    if ((scores[n - columns] ?? -1) > score || (scores[n + columns] ?? -1) >= score) continue;
    peaks.push({ landmark, scale, x: column / scaleX, y: Math.floor(n / columns) / scaleY, score });
  }
  return peaks.toSorted((a, b) => b.score - a.score).slice(0, MAX_PEAKS);
}

function addPattern(matcher: Matcher, { width, height, template }: PlacedLandmark, scale: number): Pattern {
  const sized = scaleTemplate(
    template,
    Math.max(1, Math.round(width * scale)),
    Math.max(1, Math.round(height * scale)),
  );
  return matcher.add(sized);
}

/** Selects the highest peaks, but one only of those at nearly the same place and scale. */
function selectDistinctPeaks(peaks: readonly Peak[]): Peak[] {
  const selected: Peak[] = [];
  for (const peak of peaks.toSorted((a, b) => b.score - a.score)) {
    if (selected.length === MAX_PEAKS) break;
    const reach = 0.5 * peak.scale * Math.min(peak.landmark.width, peak.landmark.height);
    const isSame = (one: Peak): boolean =>
      Math.abs(one.x - peak.x) < reach &&
      Math.abs(one.y - peak.y) < reach &&
      Math.abs(Math.log(one.scale / peak.scale)) < 0.2;
    if (!selected.some(isSame)) selected.push(peak);
  }
  return selected;
}

/** Refines the scale and position of a peak at a higher resolution. */
function refinePeak(pyramid: ImagePyramid, peak: Peak): Peak {
  let best = peak;
  let score = 0;
  for (const [reach, step] of [
    [0.06, 0.015],
    [0.01, 0.004],
  ] as const) {
    const around = best;
    for (let change = -reach; change <= reach + 1e-9; change += step) {
      const found = matchNear(pyramid, peak.landmark, around.scale * (1 + change), around, reach === 0.06 ? 3 : 1.5);
      if (found && found.score > score) {
        score = found.score;
        best = found;
      }
    }
  }
  return { ...best, score };
}

/**
 * Finds the best match of a landmark at a scale, within `reach` fine pixels of its position in `around`. The middle stays in
 * place where the scales differ.
 */
function matchNear(
  pyramid: ImagePyramid,
  landmark: PlacedLandmark,
  scale: number,
  around: Similarity,
  reach: number,
): Peak | undefined {
  const { width, height } = landmark;
  const { crop, scaleX, scaleY } = pyramid.level(FINE_SIDE_PIXELS / (scale * Math.min(width, height)));
  const matcher = new Matcher(1);
  const pattern = addPattern(matcher, landmark, scale * scaleY);
  const half = { x: (width * (around.scale - scale)) / 2, y: (height * (around.scale - scale)) / 2 };
  const xs = limitRange((around.x + half.x) * scaleX, reach, crop.width - pattern.width);
  const ys = limitRange((around.y + half.y) * scaleY, reach, crop.height - pattern.height);
  if (!xs || !ys) return undefined;
  const part = cutCrop(crop, xs[0], ys[0], xs[1] - xs[0] + pattern.width, ys[1] - ys[0] + pattern.height);
  const scores = matcher.scan(matcher.load(part), pattern, 'correlation', [0, xs[1] - xs[0]], [0, ys[1] - ys[0]]);
  const { x, y, score } = locateMaximum(scores, xs, ys);
  return { landmark, scale, x: x / scaleX, y: y / scaleY, score };
}

function cutCrop(
  { data, width: line }: PreparedCrop,
  x: number,
  y: number,
  width: number,
  height: number,
): PreparedCrop {
  const out = new Uint8Array(width * height);
  for (let row = 0; row < height; row++)
    out.set(data.subarray((y + row) * line + x, (y + row) * line + x + width), row * width);
  return { data: out, width, height, channels: 1 };
}

/** Inclusive range of the integer positions within `reach` of `at` and from 0 to `end`. */
export function limitRange(at: number, reach: number, end: number): Range | undefined {
  const [from, to] = [Math.max(0, Math.floor(at - reach)), Math.min(end, Math.ceil(at + reach))];
  return from <= to ? [from, to] : undefined;
}

type Range = readonly [first: number, last: number];

/** Finds the maximum of the scores of all positions in two ranges, to a fraction of a pixel. */
export function locateMaximum(
  scores: ArrayLike<number>,
  xs: Range,
  ys: Range,
): { readonly x: number; readonly y: number; readonly score: number } {
  const columns = xs[1] - xs[0] + 1;
  let highest = 0;
  for (let n = 1; n < scores.length; n++) if (scores[n]! > scores[highest]!) highest = n;
  const [column, row] = [highest % columns, Math.floor(highest / columns)];
  const at = (c: number, r: number): number | undefined =>
    c < 0 || c >= columns || r < 0 || r * columns + c >= scores.length ? undefined : scores[r * columns + c];
  const score = scores[highest]!;
  return {
    x: xs[0] + column + parabolaVertex(at(column - 1, row), score, at(column + 1, row)),
    y: ys[0] + row + parabolaVertex(at(column, row - 1), score, at(column, row + 1)),
    score,
  };
}

/** Offset of the vertex of a parabola through three neighbouring scores, −0.5 to 0.5; 0 at an end. */
function parabolaVertex(before: number | undefined, top: number, after: number | undefined): number {
  if (before === undefined || after === undefined) return 0;
  const curvature = before - 2 * top + after;
  return curvature >= 0 ? 0 : Math.max(-0.5, Math.min(0.5, (before - after) / (2 * curvature)));
}

/** Corresponding points of the reference frame and the picture. */
export interface PointPair {
  readonly from: { readonly x: number; readonly y: number };
  readonly x: number;
  readonly y: number;
  readonly score: number;
}

/**
 * Fits the similarity to all landmarks that are found where the match implies them. Only landmarks of the same anchor count:
 * those of other anchors may be elsewhere.
 */
function refineBySupport(
  pyramid: ImagePyramid,
  match: LandmarkMatch,
  landmarks: readonly PlacedLandmark[],
): LandmarkMatch {
  let now: Similarity = match;
  let pairs: PointPair[] = [];
  for (const slack of [0.015, 0.004]) {
    const origin = { x: now.x + now.scale * match.spot.x, y: now.y + now.scale * match.spot.y };
    const bySpot = new Map<string, PointPair>([
      [spotKey(match.spot), { from: match.spot, score: match.score, ...origin }],
    ]);
    for (const landmark of landmarks)
      for (const spot of landmark.spots) {
        if (spot.anchor !== match.spot.anchor || spot.mode !== match.spot.mode) continue;
        const corner = { scale: now.scale, x: now.x + now.scale * spot.x, y: now.y + now.scale * spot.y };
        const distance = Math.hypot(spot.x - match.spot.x, spot.y - match.spot.y) * now.scale;
        const fine = FINE_SIDE_PIXELS / (now.scale * Math.min(landmark.width, landmark.height));
        const reach = Math.max(1.5, Math.min(1, fine) * (2 + slack * distance));
        const found = matchNear(pyramid, landmark, now.scale, corner, reach);
        const known = bySpot.get(spotKey(spot));
        if (found && found.score >= MIN_CORRELATION && found.score > (known?.score ?? 0))
          bySpot.set(spotKey(spot), { from: spot, x: found.x, y: found.y, score: found.score });
      }
    pairs = [...bySpot.values()];
    now = fitSimilarity(pairs, now);
  }
  return { ...now, spot: match.spot, score: pairs.reduce((sum, { score }) => sum + score - 0.5, 0) };
}

/** Key of a spot, equal for spots less than about 8 pixels apart. */
function spotKey({ x, y }: { readonly x: number; readonly y: number }): string {
  return `${Math.round(x / 8)} ${Math.round(y / 8)}`;
}

/** Fits a similarity to pairs by least squares; keeps the scale where the points are too close together to determine it. */
export function fitSimilarity(pairs: readonly PointPair[], { scale }: Similarity): Similarity {
  const mean = (value: (pair: PointPair) => number): number =>
    pairs.reduce((sum, one) => sum + value(one), 0) / pairs.length;
  const [fx, fy, tx, ty] = [
    mean(({ from }) => from.x),
    mean(({ from }) => from.y),
    mean(({ x }) => x),
    mean(({ y }) => y),
  ];
  const spread = mean(({ from }) => (from.x - fx) ** 2 + (from.y - fy) ** 2);
  const covariance = mean(({ from, x, y }) => (from.x - fx) * (x - tx) + (from.y - fy) * (y - ty));
  const exact = spread > MIN_SPREAD_PIXELS ** 2 ? covariance / spread : scale;
  return { scale: exact, x: tx - exact * fx, y: ty - exact * fy };
}
