import { type Pattern, Matcher, type Planes } from '../../detectors/icon/matcher.ts';
import { scaleTemplate } from '../../detectors/icon/template.ts';
import { anchorPoint, type Rect, type Size } from '../../geometry.ts';
import type { Picture } from '../../media/picture.ts';
import { type HudSettings, placeRegion } from '../../regions/place.ts';
import { Sizes, vertex } from './locate.ts';
import type { PlacedLandmark, LandmarkSpot } from './landmarks.ts';

/** How wide and high a HUD is drawn, compared with how its profile has it. */
export interface OwnSize {
  readonly across: number;
  readonly down: number;
}

/** A size at which marks were found where the edges to which they keep their distance put them. */
export interface SizedSighting extends OwnSize {
  /** Sum over the marks of how much they correlate beyond what anything does. */
  readonly score: number;
}

/** Heights of the HUD that are tried, and how wide it is compared with them. */
const HEIGHTS = { least: 0.4, most: 2.3, step: 1.06 } as const;
const STRETCHES = { least: 0.56, most: 1.8, step: 1.09 } as const;
/** Largest errors of a size in between, across and down. */
const ERROR = { x: 0.055, y: 0.032 } as const;
/** The shorter side of a mark, in pixels, at which it is looked for coarsely and finely. */
const COARSE = 9;
const FINE = 22;
/** Correlation from which a mark counts, coarsely and finely. */
const PROMISING = 0.6;
const SURE = 0.68;
/** Coarse sizes that are followed. */
const FOLLOWED = 10;
/** Pixels of the reference frame from where it should be at which a mark is taken to be something else. */
const STRAY = 2.5;

/** A mark that was found: how far it is from its anchor at the profile's size and on the picture, in pixels. */
interface Pair {
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
  readonly score: number;
}

/**
 * Looks for a HUD that is drawn at a size of its own, perhaps stretched otherwise than the picture: its marks keep their distance
 * to edges of the picture, in pixels of the HUD. The best supported sizes first. Deterministic.
 */
export class AnchoredLocator {
  readonly #sizes: Sizes;
  readonly #frame: Size;
  readonly #marks: readonly PlacedLandmark[];
  readonly #reference: Size;
  readonly #content: Rect;
  readonly #matcher = new Matcher(1);
  readonly #planes = new Map<number, Planes>();
  readonly #patterns = new Map<string, Pattern>();

  /** `content`: where the game's picture lies, in fractions of the frame. */
  constructor(picture: Picture, marks: readonly PlacedLandmark[], reference: Size, content: Rect) {
    this.#sizes = new Sizes(picture);
    this.#frame = picture;
    this.#marks = marks;
    this.#reference = reference;
    this.#content = content;
  }

  sightings(): readonly SizedSighting[] {
    const coarse: SizedSighting[] = [];
    for (let down: number = HEIGHTS.least; down <= HEIGHTS.most; down *= HEIGHTS.step)
      for (let stretch: number = STRETCHES.least; stretch <= STRETCHES.most; stretch *= STRETCHES.step) {
        const size = { across: down * stretch, down };
        const score = scoreOf(this.#look(size, COARSE, PROMISING, ERROR, 1.5), PROMISING);
        if (score > 0) coarse.push({ ...size, score });
      }
    const found: SizedSighting[] = [];
    for (const size of coarse.toSorted((a, b) => b.score - a.score).slice(0, FOLLOWED)) {
      const exact = this.#refined(size);
      const same = (one: OwnSize): boolean =>
        Math.abs(one.across / exact!.across - 1) < 0.004 && Math.abs(one.down / exact!.down - 1) < 0.004;
      if (exact && !found.some(same)) found.push(exact);
    }
    return found.toSorted((a, b) => b.score - a.score);
  }

  /** The size that fits all marks best which lie where a size has them. */
  #refined(rough: OwnSize): SizedSighting | undefined {
    let size = rough;
    let score = 0;
    for (const error of [ERROR, { x: 0.015, y: 0.015 }, { x: 0.005, y: 0.005 }]) {
      const pairs = this.#look(size, FINE, SURE, error, 1.5);
      const exact = fitted(pairs, size);
      if (!exact) return undefined;
      ({ size, score } = exact);
    }
    return { ...size, score };
  }

  /** The marks that are seen at a size, or near where it has them. */
  #look(size: OwnSize, pixels: number, least: number, error: { x: number; y: number }, slack: number): Pair[] {
    const best = new Map<string, Pair>();
    for (const mark of this.#marks)
      for (const spot of mark.spots) {
        const { from, at, unit } = this.#expected(mark, spot, size);
        const pair = this.#near(mark, unit, at, pixels, {
          x: slack + error.x * Math.abs(from.x) * size.across,
          y: slack + error.y * Math.abs(from.y) * size.down,
        });
        if (!pair || pair.score < least) continue;
        const key = `${spot.anchor} ${Math.round(spot.x / 8)} ${Math.round(spot.y / 8)}`;
        if (pair.score <= (best.get(key)?.score ?? 0)) continue;
        best.set(key, {
          from,
          to: {
            x: from.x * size.across + pair.x - at.x,
            y: from.y * size.down + pair.y - at.y,
          },
          score: pair.score,
        });
      }
    return [...best.values()];
  }

  /** Where the middle of a mark should lie; its distance to the anchor at the profile's own size; pixels per reference pixel. */
  #expected(mark: PlacedLandmark, { x, y, anchor, mode }: LandmarkSpot, { across, down }: OwnSize) {
    const { width, height } = this.#reference;
    const spec = { x: x / width, y: y / height, width: mark.width / width, height: mark.height / height };
    const own: HudSettings = { content: this.#content };
    const { inner, scaleX, scaleY } = placeRegion({ ...spec, anchor, scale: mode }, this.#frame, this.#reference, own);
    const point = anchorPoint(anchor);
    const origin = {
      x: (this.#content.x + point.x * this.#content.width) * this.#frame.width,
      y: (this.#content.y + point.y * this.#content.height) * this.#frame.height,
    };
    const from = { x: inner.x + inner.width / 2 - origin.x, y: inner.y + inner.height / 2 - origin.y };
    const at = { x: origin.x + from.x * across, y: origin.y + from.y * down };
    return { from, at, unit: { x: scaleX * across, y: scaleY * down } };
  }

  /** The best place of a mark's middle about `at`, within `reach` pixels. */
  #near(
    mark: PlacedLandmark,
    unit: { readonly x: number; readonly y: number },
    at: { readonly x: number; readonly y: number },
    pixels: number,
    reach: { readonly x: number; readonly y: number },
  ): { readonly x: number; readonly y: number; readonly score: number } | undefined {
    const { crop, factor, across } = this.#sizes.near(pixels / Math.min(mark.width * unit.x, mark.height * unit.y));
    const [wide, high] = [Math.round(mark.width * unit.x * across), Math.round(mark.height * unit.y * factor)];
    if (Math.min(wide, high) < COARSE - 4) return undefined;
    const xs = span(at.x * across - wide / 2, Math.max(1.5, reach.x * across), crop.width - wide);
    const ys = span(at.y * factor - high / 2, Math.max(1.5, reach.y * factor), crop.height - high);
    if (!xs || !ys) return undefined;
    let planes = this.#planes.get(crop.height);
    if (!planes) this.#planes.set(crop.height, (planes = this.#matcher.load(crop)));
    const pattern = this.#patternOf(mark, wide, high);
    const scores = this.#matcher.scan(planes, pattern, 'correlation', xs, ys);
    const columns = xs[1] - xs[0] + 1;
    let most = 0;
    for (let n = 1; n < scores.length; n++) if (scores[n]! > scores[most]!) most = n;
    const [column, row] = [most % columns, Math.floor(most / columns)];
    const beside = (c: number, r: number): number | undefined =>
      c < 0 || c >= columns || r < 0 || r * columns + c >= scores.length ? undefined : scores[r * columns + c];
    const score = scores[most]!;
    return {
      x: (xs[0] + column + vertex(beside(column - 1, row), score, beside(column + 1, row)) + wide / 2) / across,
      y: (ys[0] + row + vertex(beside(column, row - 1), score, beside(column, row + 1)) + high / 2) / factor,
      score,
    };
  }

  #patternOf(mark: PlacedLandmark, wide: number, high: number): Pattern {
    const key = `${this.#marks.indexOf(mark)} ${wide} ${high}`;
    let pattern = this.#patterns.get(key);
    if (!pattern) this.#patterns.set(key, (pattern = this.#matcher.add(scaleTemplate(mark.template, wide, high))));
    return pattern;
  }
}

/** Sizes nearer to the profile's own than this are it. */
const PLAIN = 0.004;

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** A size as settings of the HUD. */
export function settingsOf({ across, down }: OwnSize): Pick<HudSettings, 'scale' | 'stretch'> {
  const stretch = across / down;
  return {
    ...(Math.abs(down - 1) < PLAIN ? {} : { scale: rounded(down) }),
    ...(Math.abs(stretch - 1) < PLAIN ? {} : { stretch: rounded(stretch) }),
  };
}

function scoreOf(pairs: readonly Pair[], least: number): number {
  return pairs.length < 2 ? 0 : pairs.reduce((sum, { score }) => sum + score - least + 0.1, 0);
}

/** Least squares for each direction: distances to the anchors grow by the size. Strays are left out. */
function fitted(pairs: readonly Pair[], size: OwnSize): { readonly size: OwnSize; readonly score: number } | undefined {
  let used = pairs;
  let now = size;
  for (let turn = 0; turn < 2; turn++) {
    if (used.length < 2) return undefined;
    now = { across: ratio(used, 'x', now.across), down: ratio(used, 'y', now.down) };
    const { across, down } = now;
    used = used.filter(
      ({ from, to }) =>
        Math.abs(to.x - from.x * across) <= STRAY * Math.max(1, across) &&
        Math.abs(to.y - from.y * down) <= STRAY * Math.max(1, down),
    );
  }
  return used.length < 2 ? undefined : { size: now, score: scoreOf(used, SURE) };
}

/** The factor of one direction; as it was, where all marks lie on their anchor's line. */
function ratio(pairs: readonly Pair[], axis: 'x' | 'y', otherwise: number): number {
  const squares = pairs.reduce((sum, { from, score }) => sum + score * from[axis] ** 2, 0);
  const common = pairs.reduce((sum, { from, to, score }) => sum + score * from[axis] * to[axis], 0);
  return squares > 30 ** 2 ? common / squares : otherwise;
}

function span(at: number, reach: number, end: number): readonly [number, number] | undefined {
  const [from, to] = [Math.max(0, Math.floor(at - reach)), Math.min(end, Math.ceil(at + reach))];
  return from <= to ? [from, to] : undefined;
}
