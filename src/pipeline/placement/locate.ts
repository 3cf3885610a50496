import { Matcher, type Pattern } from '../../detectors/icon/matcher.ts';
import { scaleTemplate } from '../../detectors/icon/template.ts';
import type { PreparedCrop } from '../../detectors/kind.ts';
import { sampleLine } from '../../detectors/text/line-image.ts';
import type { Picture } from '../../media/picture.ts';
import type { PlacedLandmark, LandmarkSpot } from './landmarks.ts';

/** Where the reference frame would lie if its HUD were only scaled and moved: pixel = offset + scale · reference pixel. */
export interface Similarity {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** A mark that was found in a picture, and which of its spots it is taken for. */
export interface Sighting extends Similarity {
  readonly spot: LandmarkSpot;
  /** Correlation, and the sum of what further marks add to it. */
  readonly score: number;
}

/** The scales that are tried, relative to that at which the reference frame is as high as the picture. */
const SCALES = { least: 0.35, most: 2, step: 1.09 } as const;
/** The shorter side of a mark, in pixels, at which it is looked for everywhere; and at which it is placed. */
const COARSE = 8;
const FINE = 22;
/** Correlation from which a place is followed, coarsely and finely. */
const PROMISING = 0.62;
const SURE = 0.68;
/** Places of a mark that are followed. */
const PLACES = 4;

interface Peak extends Similarity {
  readonly mark: PlacedLandmark;
  readonly score: number;
}

/** A picture's luma in several sizes, made when they are asked for. */
export class Sizes {
  readonly #picture: Picture;
  readonly #made = new Map<number, PreparedCrop>();

  constructor(picture: Picture) {
    this.#picture = picture;
  }

  /** In the power of √2 nearest to `factor`, at most 1. */
  near(factor: number): { readonly crop: PreparedCrop; readonly factor: number; readonly across: number } {
    const level = Math.max(0, Math.round(-2 * Math.log2(Math.min(1, factor))));
    const exact = 2 ** (-level / 2);
    const { width, height } = this.#picture;
    let crop = this.#made.get(level);
    if (!crop) {
      const size = { width: Math.max(1, Math.round(width * exact)), height: Math.max(1, Math.round(height * exact)) };
      const whole = { x: 0, y: 0, width, height };
      const { data } = sampleLine(this.#picture, whole, size.width, size.height, 'luma');
      crop = {
        data: Uint8Array.from(data, (level8) => Math.min(255, Math.max(0, Math.round(level8)))),
        ...size,
        channels: 1,
      };
      this.#made.set(level, crop);
    }
    return { crop, factor: crop.height / height, across: crop.width / width };
  }
}

/** Looks for marks on one picture. */
export class Locator {
  readonly #sizes: Sizes;
  readonly #marks: readonly PlacedLandmark[];
  readonly #unit: number;

  constructor(picture: Picture, marks: readonly PlacedLandmark[], reference: { readonly height: number }) {
    this.#sizes = new Sizes(picture);
    this.#marks = marks;
    this.#unit = picture.height / reference.height;
  }

  /**
   * Looks for one mark after the other everywhere, in every scale, and sees which others support what is found: for each mark
   * the similarities under which it lies where the profile has it, the best supported first. Deterministic.
   */
  *everywhere(): Generator<readonly Sighting[], void, undefined> {
    for (const mark of this.#marks) {
      const found: Peak[] = [];
      for (let scale = SCALES.least; scale <= SCALES.most; scale *= SCALES.step)
        found.push(...scan(this.#sizes, mark, scale * this.#unit));
      const peaks = distinct(found).map((one) => placed(this.#sizes, one));
      const sightings = peaks
        .filter(({ score }) => score >= SURE)
        .flatMap((peak) =>
          mark.spots.map((spot): Sighting => {
            const [x, y] = [peak.x - peak.scale * spot.x, peak.y - peak.scale * spot.y];
            return supported(this.#sizes, { scale: peak.scale, x, y, spot, score: peak.score }, this.#marks);
          }),
        );
      yield sightings.toSorted((a, b) => b.score - a.score || a.scale - b.scale || a.x - b.x);
    }
  }

  /** Where marks really lie that are expected at a similarity: for each anchor to which any are found, the best supported first. */
  about(expected: Similarity): readonly Sighting[] {
    const anchors = new Map<string, Sighting>();
    for (const mark of this.#marks)
      for (const spot of mark.spots) {
        const corner = {
          scale: expected.scale,
          x: expected.x + expected.scale * spot.x,
          y: expected.y + expected.scale * spot.y,
        };
        const found = near(this.#sizes, mark, expected.scale, corner, 3);
        if (!found || found.score < SURE) continue;
        const group = `${spot.anchor} ${spot.mode}`;
        if (found.score <= (anchors.get(group)?.score ?? 0)) continue;
        const [x, y] = [found.x - found.scale * spot.x, found.y - found.scale * spot.y];
        anchors.set(group, { scale: found.scale, x, y, spot, score: found.score });
      }
    return [...anchors.values()]
      .map((sighting) => supported(this.#sizes, sighting, this.#marks))
      .toSorted((a, b) => b.score - a.score);
  }
}

/** The most promising places of a mark at one scale; positions are of its upper left corner, in pixels of the picture. */
function scan(sizes: Sizes, mark: PlacedLandmark, scale: number): Peak[] {
  const { crop, factor, across } = sizes.near(COARSE / (scale * Math.min(mark.width, mark.height)));
  const matcher = new Matcher(1);
  const pattern = patternOf(matcher, mark, scale * factor);
  const [right, bottom] = [crop.width - pattern.width, crop.height - pattern.height];
  if (right < 1 || bottom < 1 || Math.min(pattern.width, pattern.height) < COARSE - 3) return [];
  const scores = matcher.scan(matcher.load(crop), pattern, 'correlation', [0, right], [0, bottom]);
  const columns = right + 1;
  const peaks: Peak[] = [];
  for (let n = 0; n < scores.length; n++) {
    const score = scores[n]!;
    if (score < PROMISING) continue;
    const column = n % columns;
    if ((column > 0 && scores[n - 1]! > score) || (column < right && scores[n + 1]! >= score)) continue;
    if ((scores[n - columns] ?? -1) > score || (scores[n + columns] ?? -1) >= score) continue;
    peaks.push({ mark, scale, x: column / across, y: Math.floor(n / columns) / factor, score });
  }
  return peaks.toSorted((a, b) => b.score - a.score).slice(0, PLACES);
}

function patternOf(matcher: Matcher, { width, height, template }: PlacedLandmark, scale: number): Pattern {
  const sized = scaleTemplate(
    template,
    Math.max(1, Math.round(width * scale)),
    Math.max(1, Math.round(height * scale)),
  );
  return matcher.add(sized);
}

/** The best peaks, no two of which are the same place at neighbouring scales. */
function distinct(peaks: readonly Peak[]): Peak[] {
  const kept: Peak[] = [];
  for (const peak of peaks.toSorted((a, b) => b.score - a.score)) {
    if (kept.length === PLACES) break;
    const reach = 0.5 * peak.scale * Math.min(peak.mark.width, peak.mark.height);
    const same = (one: Peak): boolean =>
      Math.abs(one.x - peak.x) < reach &&
      Math.abs(one.y - peak.y) < reach &&
      Math.abs(Math.log(one.scale / peak.scale)) < 0.2;
    if (!kept.some(same)) kept.push(peak);
  }
  return kept;
}

/** A peak's scale and place at a finer resolution. */
function placed(sizes: Sizes, peak: Peak): Peak {
  let best = peak;
  let score = 0;
  for (const [reach, step] of [
    [0.06, 0.015],
    [0.01, 0.004],
  ] as const) {
    const around = best;
    for (let change = -reach; change <= reach + 1e-9; change += step) {
      const found = near(sizes, peak.mark, around.scale * (1 + change), around, reach === 0.06 ? 3 : 1.5);
      if (found && found.score > score) {
        score = found.score;
        best = found;
      }
    }
  }
  return { ...best, score };
}

/**
 * The best place of a mark at a scale within `reach` fine pixels of where `around` has it; the middle stays in place when the
 * scale differs.
 */
function near(sizes: Sizes, mark: PlacedLandmark, scale: number, around: Similarity, reach: number): Peak | undefined {
  const { crop, factor, across } = sizes.near(FINE / (scale * Math.min(mark.width, mark.height)));
  const matcher = new Matcher(1);
  const pattern = patternOf(matcher, mark, scale * factor);
  const half = { x: (mark.width * (around.scale - scale)) / 2, y: (mark.height * (around.scale - scale)) / 2 };
  const [x, y] = [(around.x + half.x) * across, (around.y + half.y) * factor];
  const xs = window(x, reach, crop.width - pattern.width);
  const ys = window(y, reach, crop.height - pattern.height);
  if (!xs || !ys) return undefined;
  const part = partOf(crop, xs[0], ys[0], xs[1] - xs[0] + pattern.width, ys[1] - ys[0] + pattern.height);
  const scores = matcher.scan(matcher.load(part), pattern, 'correlation', [0, xs[1] - xs[0]], [0, ys[1] - ys[0]]);
  const columns = xs[1] - xs[0] + 1;
  let most = 0;
  for (let n = 1; n < scores.length; n++) if (scores[n]! > scores[most]!) most = n;
  const [column, row] = [most % columns, Math.floor(most / columns)];
  const at = (c: number, r: number): number | undefined =>
    c < 0 || c >= columns || r < 0 || r * columns + c >= scores.length ? undefined : scores[r * columns + c];
  const score = scores[most]!;
  return {
    mark,
    scale,
    x: (xs[0] + column + vertex(at(column - 1, row), score, at(column + 1, row))) / across,
    y: (ys[0] + row + vertex(at(column, row - 1), score, at(column, row + 1))) / factor,
    score,
  };
}

function partOf(
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

/** Where between its neighbours the top of a parabola lies. */
export function vertex(before: number | undefined, top: number, after: number | undefined): number {
  if (before === undefined || after === undefined) return 0;
  const bend = before - 2 * top + after;
  return bend >= 0 ? 0 : Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend)));
}

function window(at: number, reach: number, end: number): readonly [number, number] | undefined {
  const [from, to] = [Math.max(0, Math.floor(at - reach)), Math.min(end, Math.ceil(at + reach))];
  return from <= to ? [from, to] : undefined;
}

/** One mark found where a similarity has it: its place on the reference frame and on the picture. */
export interface Pair {
  readonly from: { readonly x: number; readonly y: number };
  readonly x: number;
  readonly y: number;
  readonly score: number;
}

/**
 * The similarity that fits all marks which are where this one has them, as far as they keep their distance to the same anchor:
 * those of other anchors may lie elsewhere.
 */
function supported(sizes: Sizes, sighting: Sighting, marks: readonly PlacedLandmark[]): Sighting {
  const first: Pair = { from: sighting.spot, x: 0, y: 0, score: sighting.score };
  let now: Similarity = sighting;
  let pairs: Pair[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const origin = { x: now.x + now.scale * sighting.spot.x, y: now.y + now.scale * sighting.spot.y };
    const bySpot = new Map<string, Pair>([[key(first.from), { ...first, ...origin }]]);
    for (const mark of marks)
      for (const spot of mark.spots) {
        if (spot.anchor !== sighting.spot.anchor || spot.mode !== sighting.spot.mode) continue;
        const corner = { scale: now.scale, x: now.x + now.scale * spot.x, y: now.y + now.scale * spot.y };
        const distance = Math.hypot(spot.x - sighting.spot.x, spot.y - sighting.spot.y) * now.scale;
        const fine = FINE / (now.scale * Math.min(mark.width, mark.height));
        const reach = Math.max(1.5, Math.min(1, fine) * (2 + (turn === 0 ? 0.015 : 0.004) * distance));
        const found = near(sizes, mark, now.scale, corner, reach);
        const known = bySpot.get(key(spot));
        if (found && found.score >= SURE && found.score > (known?.score ?? 0))
          bySpot.set(key(spot), { from: spot, x: found.x, y: found.y, score: found.score });
      }
    pairs = [...bySpot.values()];
    now = fitted(pairs, now);
  }
  return { ...now, spot: sighting.spot, score: pairs.reduce((sum, { score }) => sum + score - 0.5, 0) };
}

function key({ x, y }: { readonly x: number; readonly y: number }): string {
  return `${Math.round(x / 8)} ${Math.round(y / 8)}`;
}

/** The least-squares similarity through the pairs; the scale is kept where they lie too near to tell it. */
export function fitted(pairs: readonly Pair[], { scale }: Similarity): Similarity {
  const mean = (value: (pair: Pair) => number): number =>
    pairs.reduce((sum, one) => sum + value(one), 0) / pairs.length;
  const [fx, fy, tx, ty] = [
    mean(({ from }) => from.x),
    mean(({ from }) => from.y),
    mean(({ x }) => x),
    mean(({ y }) => y),
  ];
  const spread = mean(({ from }) => (from.x - fx) ** 2 + (from.y - fy) ** 2);
  const common = mean(({ from, x, y }) => (from.x - fx) * (x - tx) + (from.y - fy) * (y - ty));
  const exact = spread > 60 ** 2 ? common / spread : scale;
  return { scale: exact, x: tx - exact * fx, y: ty - exact * fy };
}
