import type { Rect } from '../../geometry.ts';
import { upperMedian } from '../../statistics.ts';
import type { Observation, PreparedCrop, View } from '../kind.ts';
import type { GaugeShape } from './index.ts';
import { type ColorOption, type ColorSpaceName, distanceTo, inSpace, namedColors } from '../../regions/color.ts';

/** A gauge cut across its direction, from its empty end to its full end: for each slice its pixels as RGB triples. */
type Slices = readonly (readonly number[])[];

/** Slices of a full ring: half a degree each. */
const MAX_RING_SLICES = 720;

/** Cuts a gauge into slices: columns or rows of a bar, sectors of a ring. */
export function cutSlices(crop: PreparedCrop, view: View, options: GaugeShape): Slices {
  const { direction = 'right' } = options;
  // The unpadded region in pixels of the crop, which preprocessing may have resized.
  const fx = crop.width / view.rect.width;
  const fy = crop.height / view.rect.height;
  const box = {
    x: (view.inner.x - view.rect.x) * fx,
    y: (view.inner.y - view.rect.y) * fy,
    width: view.inner.width * fx,
    height: view.inner.height * fy,
  };
  if (direction === 'clockwise' || direction === 'counterclockwise')
    return cutRing(crop, box, options, direction === 'clockwise');
  const [left, right] = [Math.max(0, Math.round(box.x)), Math.min(crop.width, Math.round(box.x + box.width))];
  const [top, bottom] = [Math.max(0, Math.round(box.y)), Math.min(crop.height, Math.round(box.y + box.height))];
  const isVertical = direction === 'up' || direction === 'down';
  const [from, to, first, last] = isVertical ? [top, bottom, left, right] : [left, right, top, bottom];
  const slices = Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const pixels: number[] = [];
    for (let j = first; j < last; j++) addPixel(pixels, crop, isVertical ? j : from + i, isVertical ? from + i : j);
    return pixels;
  });
  return direction === 'left' || direction === 'up' ? slices.toReversed() : slices;
}

function cutRing(
  crop: PreparedCrop,
  box: Rect,
  { start = 0, sweep = 360, radii = [0.7, 1] }: GaugeShape,
  isClockwise: boolean,
): Slices {
  const count = Math.max(
    2,
    Math.min(MAX_RING_SLICES, Math.round((sweep / 360) * Math.PI * Math.max(box.width, box.height))),
  );
  const slices = Array.from({ length: count }, (): number[] => []);
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  for (let y = 0; y < crop.height; y++) {
    for (let x = 0; x < crop.width; x++) {
      const dx = (x + 0.5 - cx) / (box.width / 2);
      const dy = (y + 0.5 - cy) / (box.height / 2);
      const radius = Math.hypot(dx, dy);
      if (radius < radii[0] || radius > radii[1]) continue;
      // Clockwise from twelve o'clock.
      const angle = (Math.atan2(dx, -dy) * 180) / Math.PI;
      const along = ((((isClockwise ? angle - start : start - angle) % 360) + 360) % 360) / sweep;
      if (along < 1) addPixel(slices[Math.floor(along * count)]!, crop, x, y);
    }
  }
  // A sector without a pixel's centre takes its neighbour's pixels.
  return slices
    .map((pixels, i) => (pixels.length > 0 ? pixels : (slices[i - 1] ?? pixels)))
    .filter((pixels) => pixels.length > 0);
}

function addPixel(pixels: number[], { data, width, channels }: PreparedCrop, x: number, y: number): void {
  const at = (y * width + x) * channels;
  if (channels === 1) pixels.push(data[at]!, data[at]!, data[at]!);
  else pixels.push(data[at]!, data[at + 1]!, data[at + 2]!);
}

/** How full a gauge is. */
export interface Fill {
  /** From 0, empty, to 1, full. */
  readonly level: number;
  readonly confidence: number;
  /** Share of the pixels that have a colour of the gauge. */
  readonly known: number;
}

/** Distance of two colours, in levels, from which the border between them counts as an edge. */
const MIN_EDGE_CONTRAST = 24;

/** Numbers of pixels of a slice: in the colours of the full part, in those of either part, and all. */
interface Votes {
  readonly full: number;
  readonly known: number;
  readonly count: number;
}

/** The colours of a gauge. Without `empty`, whatever is not within `tolerance` of `fill` is empty. */
interface GaugeColors {
  readonly fill: readonly ColorOption[];
  readonly empty?: readonly ColorOption[] | undefined;
  readonly space: ColorSpaceName;
  readonly tolerance: number;
}

/** Counts the pixels of each slice that have a colour of the full or the empty part. */
export function countVotes(slices: Slices, { fill, empty, space, tolerance }: GaugeColors): readonly Votes[] {
  const [full] = namedColors({ full: fill }, space);
  const [none] = empty ? namedColors({ none: empty }, space) : [];
  return slices.map((pixels) => {
    let [votesFull, known] = [0, 0];
    for (let i = 0; i < pixels.length; i += 3) {
      const color = inSpace(pixels[i]!, pixels[i + 1]!, pixels[i + 2]!, space);
      const toFull = distanceTo(color, full!);
      const toEmpty = none ? distanceTo(color, none) : tolerance;
      if (Math.min(toFull, none ? toEmpty : 0) > tolerance) continue;
      known++;
      if (toFull < toEmpty) votesFull++;
    }
    return { full: votesFull, known, count: pixels.length / 3 };
  });
}

/** Share of the slices with an unknown colour that are a full part and no border, and share of those after them that must be empty. */
const MIN_UNKNOWN = 0.04;
const MIN_KNOWN_REST = 0.8;
/** Share of the slices that an empty part has at least by which the full part is known. */
const MIN_REST = 0.1;
/** Share of the slices within which an unknown part begins: the border of a gauge may have the colour of its empty part. */
const MAX_BORDER = 0.05;

/** Whether most pixels of a slice have a colour of the gauge. */
function isKnown({ known, count }: Votes): boolean {
  return known >= 0.5 * count;
}

/** Distance from the usual colour of an unknown full part within which its slices are, and share of them that must be. */
const MAX_PART_DISTANCE = 50;
const MIN_PART_SHARE = 0.85;

/** Whether a part of a gauge has one colour: scenery behind an empty part has several. */
function isOneColour(part: Slices): boolean {
  const means = part.map((pixels) => [0, 1, 2].map((k) => mean(pixels, k)));
  const usual = [0, 1, 2].map((k) => upperMedian(means.map((colour) => colour[k]!))!);
  const near = means.filter((colour) => Math.hypot(...colour.map((one, k) => one - usual[k]!)) <= MAX_PART_DISTANCE);
  return near.length >= MIN_PART_SHARE * means.length;
}

/**
 * Takes slices of unknown colours at the start of a gauge for full ones, where they have one colour and what follows is empty.
 *
 * @param pixels The slices that voted.
 * @returns Undefined where they have several colours, so that nobody knows where the full part ends.
 */
export function fillUnknownStart(slices: readonly Votes[], pixels: Slices): readonly Votes[] | undefined {
  const from = slices.findIndex((slice) => !isKnown(slice));
  const end = slices.findIndex((slice, i) => i > from && isKnown(slice) && isKnown(slices[i + 1] ?? slice));
  if (from < 0 || from > MAX_BORDER * slices.length) return slices;
  const rest = slices.slice(end);
  const isEmpty = rest.filter((slice) => isKnown(slice) && slice.full < 0.5 * slice.known).length;
  if (
    end - from < MIN_UNKNOWN * slices.length ||
    rest.length < MIN_REST * slices.length ||
    isEmpty < MIN_KNOWN_REST * rest.length
  )
    return slices;
  if (!isOneColour(pixels.slice(from, end))) return undefined;
  return slices.map((slice, i) => (i < end ? { ...slice, full: slice.count, known: slice.count } : slice));
}

/** Share of a full slice’s pixels that have the colours of `fill` (others are of a border), and of those behind that may have them. */
const [PURE_SHARE, STRAY_SHARE] = [0.6, 0.1];
/** Slices between the full part and the rest that may be mixed. */
const MIXED_SLICES = 2;

/**
 * Takes slices of unknown colours behind the full part for empty ones, where the full part begins at the start of the gauge and
 * ends at an edge across it.
 */
export function emptyUnknownRest(slices: readonly Votes[]): readonly Votes[] {
  const isPure = ({ full, count }: Votes): boolean => full >= PURE_SHARE * count;
  const first = slices.findIndex(isPure);
  if (first < 0 || first > MAX_BORDER * slices.length) return slices;
  const behind = slices.findIndex((slice, i) => i > first && !isPure(slice));
  if (behind < 0 || behind - first < MIN_UNKNOWN * slices.length) return slices;
  const rest = slices.slice(behind + MIXED_SLICES);
  if (rest.some(({ full, count }) => full > STRAY_SHARE * count)) return slices;
  return slices.map((slice, i) => (i < behind ? slice : { ...slice, known: Math.max(slice.known, slice.count) }));
}

/**
 * Finds the level by colours: the change point that the fewest votes contradict, as the slices before it should be full and those
 * behind it empty. How full the slice at the change point is gives the fraction.
 */
export function fillByColor(slices: readonly Votes[]): Fill {
  const total = slices.reduce((sum, { count }) => sum + count, 0);
  const known = slices.reduce((sum, slice) => sum + slice.known, 0);
  if (known === 0) return { level: 0, confidence: 0, known: 0 };
  const shares = slices.map((slice) => (slice.known === 0 ? undefined : slice.full / slice.known));
  const filled = shares.map((share) => share ?? 0);
  // Votes against "n slices are full": the empty shares of those n and the full shares of the others.
  let against = filled.reduce((sum, share) => sum + share, 0);
  let [fewest, best] = [against, 0];
  for (const [n, share] of shares.entries()) {
    if (share !== undefined) against += 1 - 2 * share;
    if (against < fewest - 1e-9) [fewest, best] = [against, n + 1];
  }
  const partial = boundaryFraction(shares, best);
  const level = Math.min(1, Math.max(0, (best + partial) / slices.length));
  const votes = shares.filter((share) => share !== undefined).length;
  return {
    level,
    confidence: Math.max(0, 1 - (2.5 * Math.max(0, fewest - Math.abs(partial))) / votes),
    known: known / total,
  };
}

/** Fraction of a slice by which the level lies beyond (or before) slice `best`, from the anti-aliased slices on both sides. */
function boundaryFraction(shares: readonly (number | undefined)[], best: number): number {
  const inside = shares[best - 1];
  const outside = shares[best];
  const short = inside === undefined ? 0 : inside - 1;
  const beyond = outside ?? 0;
  return beyond > -short ? beyond : short;
}

/**
 * Finds the level without colours: the edge that best splits the slices' mean colours into two parts, each a straight line per
 * channel (a gradient or a flat colour), by least squares over prefix sums. The confidence is 0 if the colours at the edge
 * differ by less than `MIN_EDGE_CONTRAST`.
 */
export function fillByEdge(slices: Slices): Fill {
  const means = slices.map((pixels) => [0, 1, 2].map((k) => mean(pixels, k)));
  const n = means.length;
  const fits = [0, 1, 2].map((k) => prefixSums(means.map((color) => color[k]!)));
  const whole = fits.reduce((sum, fit) => sum + residual(fit, 0, n), 0);
  let [smallest, best] = [whole, 0];
  // At least two slices on each side: any line fits one.
  for (let split = 2; split <= n - 2; split++) {
    const rest = fits.reduce((sum, fit) => sum + residual(fit, 0, split) + residual(fit, split, n), 0);
    if (rest < smallest - 1e-9) [smallest, best] = [rest, split];
  }
  if (best === 0) return { level: 0, confidence: 0, known: 1 };
  const jump = Math.hypot(...fits.map((fit) => valueAt(fit, best, n, best) - valueAt(fit, 0, best, best)));
  if (jump < MIN_EDGE_CONTRAST) return { level: 0, confidence: 0, known: 1 };
  return { level: best / n, confidence: Math.max(0, 1 - smallest / Math.max(whole, 1e-9)), known: 1 };
}

function mean(pixels: readonly number[], channel: number): number {
  let sum = 0;
  for (let i = channel; i < pixels.length; i += 3) sum += pixels[i]!;
  return (sum * 3) / pixels.length;
}

/** Prefix sums of y, i·y and y² (those of i and i² are closed formulas). */
interface Prefixes {
  readonly y: Float64Array;
  readonly iy: Float64Array;
  readonly yy: Float64Array;
}

function prefixSums(values: readonly number[]): Prefixes {
  const [y, iy, yy] = [0, 1, 2].map(() => new Float64Array(values.length + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (const [i, value] of values.entries()) {
    y[i + 1] = y[i]! + value;
    iy[i + 1] = iy[i]! + i * value;
    yy[i + 1] = yy[i]! + value * value;
  }
  return { y, iy, yy };
}

/** Moments of the points from `from` to `to` − 1 about their middle. */
function moments({ y, iy, yy }: Prefixes, from: number, to: number) {
  const count = to - from;
  const centre = (from + to - 1) / 2;
  const sum = y[to]! - y[from]!;
  return {
    count,
    centre,
    sum,
    cross: iy[to]! - iy[from]! - centre * sum,
    square: yy[to]! - yy[from]!,
    spread: (count * (count * count - 1)) / 12,
  };
}

/** Sum of squared deviations from the best straight line. */
function residual(fit: Prefixes, from: number, to: number): number {
  const { count, sum, cross, square, spread } = moments(fit, from, to);
  return Math.max(0, square - (sum * sum) / count - (spread > 0 ? (cross * cross) / spread : 0));
}

/** Value of the best straight line at the edge before slice `at`. */
function valueAt(fit: Prefixes, from: number, to: number, at: number): number {
  const { count, centre, sum, cross, spread } = moments(fit, from, to);
  return sum / count + (spread > 0 ? (cross / spread) * (at - 0.5 - centre) : 0);
}

/** Shares of a cell, along the gauge and across it, around which an outline lies that empty cells have, too. */
const [OUTLINE_ALONG, OUTLINE_ACROSS] = [0.2, 0.25];

/** The middles of equal cells: slices that belong to an outline are without pixels, the others without those at both ends. */
export function middlesOfCells(slices: Slices, cells: number): Slices {
  return slices.map((pixels, i) => {
    const along = (((i + 0.5) * cells) / slices.length) % 1;
    if (along < OUTLINE_ALONG || along > 1 - OUTLINE_ALONG) return [];
    const count = pixels.length / 3;
    const margin = Math.floor(OUTLINE_ACROSS * count);
    return pixels.slice(3 * margin, 3 * (count - margin));
  });
}

/** Minimum share of a full cell in the colours of `fill`: a symbol does not cover its whole cell. */
const MIN_CELL_SHARE = 0.2;

/**
 * Counts the full ones of `cells` equal cells in a row (hearts, lives, cartridges, stars). The middles of full cells have the same
 * share of pixels in the colours of `fill`, those of empty ones none. The confidence is that of the worst cell: background in these colours behind an
 * empty cell makes the row unreadable.
 *
 * @param zero Whether a row without full cells reads 0; otherwise it is absent.
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
  let best = { value: 0, deviation: Math.max(...shares) / MIN_CELL_SHARE };
  for (let value = 1; value <= cells; value++) {
    const usual = shares.slice(0, value).reduce((sum, share) => sum + share, 0) / value;
    if (usual < MIN_CELL_SHARE) continue;
    const deviation = Math.max(...shares.map((share, i) => Math.abs(share - (i < value ? usual : 0)))) / usual;
    if (deviation < best.deviation) best = { value, deviation };
  }
  const confidence = Math.max(0, 1 - best.deviation);
  if (confidence < 0.5) return { state: 'unreadable', confidence: 1 - confidence };
  return best.value === 0 && !zero ? { state: 'absent', confidence } : { state: 'seen', value: best.value, confidence };
}
