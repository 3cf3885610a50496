import type { PreparedCrop } from '../kind.ts';
import type { Match, Matcher, Measure, Pattern, Planes } from './matcher.ts';
import { scaleTemplate, softenTemplate } from './template.ts';
import type { Template } from './template.ts';

/** A name's template at one size, at full resolution and coarser ones. */
export interface Variant {
  readonly name: string;
  /** Full, half, quarter … resolution, down to about `COARSE` pixels. */
  readonly levels: readonly Pattern[];
}

/** The best match of one name. */
export interface Found extends Match {
  readonly name: string;
  /** Size of the template that matched. */
  readonly width: number;
  readonly height: number;
  /** How alike the colours themselves are, by `difference`; of the best name, where it was asked for. */
  readonly likeness?: number;
}

/** Around which middle to look, and how far from it; pixels of the crop. */
export interface SearchWindow {
  readonly x: number;
  readonly y: number;
  readonly reachX: number;
  readonly reachY: number;
  /** Distances between the places where icons may stand, counted from the middle; 0: anywhere. */
  readonly pitchX: number;
  readonly pitchY: number;
  /** How far an icon may be from its place. */
  readonly slack: number;
}

/** The smaller side of a template at the coarsest level. */
const COARSE = 10;
/** Coarse positions of a template that are followed to full resolution. */
const CANDIDATES = 3;
/** Candidates of all templates together that are followed to the next finer level. */
const BEAM = 5;

/**
 * Takes a template into the matcher in every relative scale, as it is to be matched on crops with so many pixels per
 * template pixel, softened by a Gaussian of `sigma` pixels (0: not at all).
 */
export function addVariants(
  matcher: Matcher,
  name: string,
  template: Template,
  scaleX: number,
  scaleY: number,
  scales: readonly number[],
  sigma: number,
): readonly Variant[] {
  return scales.map((scale) => {
    const width = Math.max(1, Math.round(template.width * scaleX * scale));
    const height = Math.max(1, Math.round(template.height * scaleY * scale));
    let sized = scaleTemplate(template, width, height);
    if (sigma > 0) sized = softenTemplate(sized, sigma);
    const levels = [matcher.add(sized)];
    while (Math.min(sized.width, sized.height) >= 2 * COARSE) {
      sized = scaleTemplate(sized, sized.width >> 1, sized.height >> 1);
      levels.push(matcher.add(sized));
    }
    return { name, levels };
  });
}

/** A template's position at one level of the pyramid. */
interface Candidate {
  readonly variant: Variant;
  readonly level: number;
  readonly at: Match;
}

/**
 * The best match of every name that fits into the crop, best first (ties by name). Coarse to fine: at each finer level only
 * the best `BEAM` candidates are followed; the others keep their coarse score, which counts for the margin only.
 * `alike`: the best one's likeness is measured as well.
 */
export function searchAll(
  matcher: Matcher,
  crop: PreparedCrop,
  variants: readonly Variant[],
  measure: Measure,
  window: SearchWindow | undefined,
  alike = false,
): readonly Found[] {
  matcher.clear();
  const coarsest = Math.max(0, ...variants.map((variant) => variant.levels.length - 1));
  const pyramid: Planes[] = [];
  for (let level = 0; level <= coarsest; level++)
    pyramid.push(level === 0 ? matcher.load(crop) : matcher.halve(pyramid[level - 1]!));
  const found: Candidate[] = [];
  for (const variant of variants) {
    const level = variant.levels.length - 1;
    for (const at of coarseMatches(matcher, pyramid[level]!, variant.levels[level]!, measure, window, level))
      found.push({ variant, level, at });
  }
  let candidates: readonly Candidate[] = found;
  for (let level = coarsest - 1; level >= 0; level--) {
    candidates = finer(matcher, candidates, leading(candidates), pyramid[level]!, measure, window, level);
  }
  const best = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = best.get(candidate.variant.name);
    if (!known || candidate.at.score > known.at.score) best.set(candidate.variant.name, candidate);
  }
  const sorted = [...best.values()].toSorted(
    (a, b) => b.at.score - a.at.score || (a.variant.name < b.variant.name ? -1 : 1),
  );
  return sorted.map((candidate, i) => ({
    ...foundOf(candidate),
    ...(alike && i === 0 ? { likeness: likenessOf(matcher, candidate, pyramid) } : {}),
  }));
}

function foundOf({ variant: { name, levels }, at: { score, x, y } }: Candidate): Found {
  const { width, height } = levels[0]!;
  return { score, x, y, name, width, height };
}

function likenessOf(matcher: Matcher, { variant, level, at }: Candidate, pyramid: readonly Planes[]): number {
  return matcher.best(pyramid[level]!, variant.levels[level]!, 'difference', [at.x, at.x], [at.y, at.y]).score;
}

/** Follows some candidates to a level. The others' scores shrink as those followed do: noise and detail cost everyone the same. */
function finer(
  matcher: Matcher,
  candidates: readonly Candidate[],
  followed: ReadonlySet<Candidate>,
  planes: Planes,
  measure: Measure,
  window: SearchWindow | undefined,
  level: number,
): readonly Candidate[] {
  let [before, after] = [0, 0];
  shareMoments(matcher, followed, planes, measure, level);
  const moved = candidates.map((candidate) => {
    const { variant, at } = candidate;
    if (candidate.level <= level || !followed.has(candidate)) return candidate;
    const pattern = variant.levels[level]!;
    const [right, bottom] = [planes.width - pattern.width, planes.height - pattern.height];
    const [xs, ys] = [near(at.x, right), near(at.y, bottom)];
    const match = window
      ? matcher.best(
          planes,
          pattern,
          measure,
          placed(xs, acrossOf(window, level, pattern.width)),
          placed(ys, downOf(window, level, pattern.height)),
        )
      : matcher.best(planes, pattern, measure, xs, ys);
    before = Math.max(before, at.score);
    after = Math.max(after, match.score);
    return { variant, level, at: match };
  });
  const shrink = before > 0 ? Math.min(1, after / before) : 1;
  if (shrink === 1) return moved;
  return moved.map((candidate) => {
    const { variant, at } = candidate;
    if (candidate.level <= level) return candidate;
    return { variant, level: candidate.level, at: { score: at.score * shrink, x: at.x, y: at.y } };
  });
}

/** Works out once what candidates of one outline have in common, where they lie near each other. */
function shareMoments(
  matcher: Matcher,
  followed: ReadonlySet<Candidate>,
  planes: Planes,
  measure: Measure,
  level: number,
): void {
  let first: Pattern | undefined;
  let [left, right, top, bottom] = [planes.width, 0, planes.height, 0];
  let positions = 0;
  for (const { variant, level: from, at } of followed) {
    const pattern = variant.levels[level];
    if (from <= level || !pattern || (first && pattern.weights !== first.weights)) continue;
    first ??= pattern;
    const xs = near(at.x, planes.width - pattern.width);
    const ys = near(at.y, planes.height - pattern.height);
    [left, right] = [Math.min(left, xs[0]), Math.max(right, xs[1])];
    [top, bottom] = [Math.min(top, ys[0]), Math.max(bottom, ys[1])];
    positions += (xs[1] - xs[0] + 1) * (ys[1] - ys[0] + 1);
  }
  if (first && (right - left + 1) * (bottom - top + 1) < positions)
    matcher.share(planes, first, measure, [left, right], [top, bottom]);
}

/** The score that so many candidates reach: that of the last of them, or the least of all where there are fewer. */
function greatest(candidates: readonly Candidate[], count: number): number {
  const scores = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (let n = 0; n < candidates.length; n++) {
    const { score } = candidates[n]!.at;
    if (!(score > scores[0]!)) continue;
    let i = 0;
    for (; i + 1 < count && scores[i + 1]! < score; i++) scores[i] = scores[i + 1]!;
    scores[i] = score;
  }
  return scores[0]!;
}

/** The best candidates, and the best one of the second-best name if it is not among them. */
function leading(candidates: readonly Candidate[]): ReadonlySet<Candidate> {
  // Of many candidates only those that can be among the best are put in order.
  const least = greatest(candidates, BEAM);
  const sorted = candidates
    .filter(({ at }) => at.score >= least)
    .toSorted((a, b) => b.at.score - a.at.score || (a.variant.name < b.variant.name ? -1 : 1));
  const chosen = new Set(sorted.slice(0, BEAM));
  const first = sorted[0]?.variant.name;
  let second: Candidate | undefined;
  for (const candidate of candidates) {
    const { name } = candidate.variant;
    if (name === first) continue;
    const ahead = second ? candidate.at.score - second.at.score : 1;
    if (ahead > 0 || (ahead === 0 && name < second!.variant.name)) second = candidate;
  }
  return second ? chosen.add(second) : chosen;
}

/** The best positions at the coarsest level, no two of them neighbours: a fine pattern may fit in several places there. */
function coarseMatches(
  matcher: Matcher,
  planes: Planes,
  pattern: Pattern,
  measure: Measure,
  window: SearchWindow | undefined,
  level: number,
): readonly Match[] {
  const [right, bottom] = [planes.width - pattern.width, planes.height - pattern.height];
  if (right < 0 || bottom < 0) return [];
  const unit = 2 ** level;
  const xs = window ? range(window.x, window.reachX, unit, pattern.width, right) : ([0, right] as const);
  const ys = window ? range(window.y, window.reachY, unit, pattern.height, bottom) : ([0, bottom] as const);
  const across = window && acrossOf(window, level, pattern.width);
  const down = window && downOf(window, level, pattern.height);
  const isAnywhere = !across?.pitch && !down?.pitch;
  if (level === 0 && isAnywhere) return [matcher.best(planes, pattern, measure, xs, ys)];
  const columns = xs[1] - xs[0] + 1;
  const scores = matcher.look(planes, pattern, measure, xs, ys);
  const count = columns * (ys[1] - ys[0] + 1);
  if (!isAnywhere)
    for (let n = 0; n < count; n++)
      if (!isPlace(xs[0] + (n % columns), across) || !isPlace(ys[0] + Math.floor(n / columns), down))
        scores[n] = NOWHERE;
  const kept: Match[] = [];
  while (kept.length < CANDIDATES) {
    let most = -1;
    for (let n = 0; n < count; n++) {
      if (most >= 0 && scores[n]! <= scores[most]!) continue;
      if (!isBeside(kept, xs[0] + (n % columns), ys[0] + Math.floor(n / columns))) most = n;
    }
    if (most < 0 || (kept.length > 0 && scores[most] === NOWHERE)) break;
    kept.push({ score: scores[most]!, x: xs[0] + (most % columns), y: ys[0] + Math.floor(most / columns) });
  }
  return kept;
}

function isBeside(kept: readonly Match[], x: number, y: number): boolean {
  for (const match of kept) if (Math.abs(match.x - x) <= 1 && Math.abs(match.y - y) <= 1) return true;
  return false;
}

/** The score of a position at which no icon can stand. */
const NOWHERE = -2;

/** Where along one side icons may stand, for the positions of a pattern's corner at one level. */
interface Places {
  readonly origin: number;
  /** 0: anywhere. */
  readonly pitch: number;
  readonly slack: number;
}

/** A coarse pixel more than the slack, as a coarse position may be off by so much. */
function placesOf(middle: number, pitch: number, slack: number, level: number, size: number): Places {
  const unit = 2 ** level;
  return { origin: middle / unit - size / 2, pitch: pitch / unit, slack: slack / unit + (level > 0 ? 1 : 0) };
}

const acrossOf = ({ x, pitchX, slack }: SearchWindow, level: number, width: number): Places =>
  placesOf(x, pitchX, slack, level, width);
const downOf = ({ y, pitchY, slack }: SearchWindow, level: number, height: number): Places =>
  placesOf(y, pitchY, slack, level, height);

/** The place nearest to a position. */
function nearest(at: number, { origin, pitch }: Places): number {
  return origin + Math.round((at - origin) / pitch) * pitch;
}

function isPlace(at: number, places: Places | undefined): boolean {
  return !places?.pitch || Math.abs(at - nearest(at, places)) <= places.slack;
}

/** The part of a range that is at the place nearest to its middle; its nearest end where none is. */
function placed([from, to]: readonly [number, number], places: Places): readonly [number, number] {
  if (!places.pitch) return [from, to];
  const place = nearest((from + to) / 2, places);
  const within = (at: number): number => Math.min(to, Math.max(from, at));
  const [first, last] = [within(Math.ceil(place - places.slack)), within(Math.floor(place + places.slack))];
  return first <= last ? [first, last] : [last, last];
}

/** Positions of a pattern's corner for which its middle is within reach, as far as it fits into the crop. */
function range(middle: number, reach: number, unit: number, size: number, end: number): readonly [number, number] {
  const from = Math.floor((middle - reach) / unit - size / 2);
  const to = Math.ceil((middle + reach) / unit - size / 2);
  return [Math.min(end, Math.max(0, from)), Math.min(end, Math.max(0, to))];
}

/** Where a coarse position may lie one level finer: a coarse pixel is two fine ones. */
function near(at: number, end: number): readonly [number, number] {
  return [Math.min(end, Math.max(0, 2 * at - 1)), Math.min(end, Math.max(0, 2 * at + 2))];
}
