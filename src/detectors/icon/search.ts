import type { PreparedCrop } from '../kind.ts';
import type { Match, Matcher, Measure, Pattern, Planes } from './matcher.ts';
import { focusOnDifferences, type NamedTemplate, scaleTemplate, softenTemplate } from './template.ts';

/** A name's template at one size, at full resolution and coarser ones. */
export interface Variant {
  readonly name: string;
  /** Full, half, quarter … resolution, down to `MIN_COARSE_SIDE` pixels. */
  readonly levels: readonly Pattern[];
}

/** The best match of one name. */
export interface IconMatch extends Match {
  readonly name: string;
  /** Size of the template that matched. */
  readonly width: number;
  readonly height: number;
  /** Score by `difference` of the best name, if requested. */
  readonly likeness?: number;
}

/** Centre and extent of the search, in pixels of the crop. */
export interface SearchWindow {
  readonly x: number;
  readonly y: number;
  readonly reachX: number;
  readonly reachY: number;
  /** Distance between possible positions, counted from the centre; 0: anywhere. */
  readonly pitchX: number;
  readonly pitchY: number;
  /** Tolerance of these positions. */
  readonly slack: number;
}

/** Minimum of the smaller side of a template at the coarsest level, in pixels. */
const MIN_COARSE_SIDE = 10;
/** Coarse positions per template that are refined. */
const MAX_CANDIDATES = 3;
/** Candidates of all templates together that are refined at the next level. */
const BEAM_WIDTH = 5;

/** How templates are scaled for a search. */
export interface ScaleOptions {
  /** Pixels of the crop per pixel of the templates. */
  readonly scaleX: number;
  readonly scaleY: number;
  /** Relative sizes that are searched for. */
  readonly scales: readonly number[];
  /** Standard deviation of the blur, in pixels of the crop; 0 for none. */
  readonly sigma: number;
  /** Whether what distinguishes icons of one size counts more. */
  readonly isFocused: boolean;
}

/** Adds templates to the matcher in every relative scale. */
export function addVariants(
  matcher: Matcher,
  icons: readonly NamedTemplate[],
  { scaleX, scaleY, scales, sigma, isFocused }: ScaleOptions,
): readonly Variant[] {
  return scales.flatMap((scale) => {
    const levels = icons.map((): Pattern[] => []);
    let sized = icons.map(({ name, template }, index) => {
      const width = Math.max(1, Math.round(template.width * scaleX * scale));
      const height = Math.max(1, Math.round(template.height * scaleY * scale));
      const scaled = scaleTemplate(template, width, height);
      return { index, name, template: sigma > 0 ? softenTemplate(scaled, sigma) : scaled };
    });
    while (sized.length > 0) {
      // Weights come last: in a mean of pixels, what distinguishes icons must not count more than what surrounds it.
      const weighted = isFocused ? focusOnDifferences(sized) : sized;
      for (const [i, { template }] of weighted.entries()) levels[sized[i]!.index]!.push(matcher.add(template));
      sized = sized
        .filter(({ template: { width, height } }) => Math.min(width, height) >= 2 * MIN_COARSE_SIDE)
        .map((icon) => {
          const { width, height } = icon.template;
          return { ...icon, template: scaleTemplate(icon.template, width >> 1, height >> 1) };
        });
    }
    return icons.map(({ name }, i): Variant => ({ name, levels: levels[i]! }));
  });
}

/** What a search compares by which measure, and where it may find a template. */
interface Search {
  readonly matcher: Matcher;
  readonly measure: Measure;
  readonly window: SearchWindow | undefined;
}

/** A position of a template at one level of the pyramid. */
interface Candidate {
  readonly variant: Variant;
  readonly level: number;
  readonly at: Match;
}

/**
 * Finds the best match of every name that fits into the crop, best first (ties by name). The search goes from coarse to fine: each level
 * refines the best `BEAM_WIDTH` candidates; the others keep their coarse score, which counts only for the margin.
 *
 * @param withLikeness Whether to compute the likeness of the best match.
 */
export function searchAll(
  matcher: Matcher,
  crop: PreparedCrop,
  variants: readonly Variant[],
  measure: Measure,
  window: SearchWindow | undefined,
  withLikeness = false,
): readonly IconMatch[] {
  matcher.clear();
  const search: Search = { matcher, measure, window };
  const coarsest = Math.max(0, ...variants.map((variant) => variant.levels.length - 1));
  const pyramid: Planes[] = [];
  for (let level = 0; level <= coarsest; level++)
    pyramid.push(level === 0 ? matcher.load(crop) : matcher.halve(pyramid[level - 1]!));
  const found: Candidate[] = [];
  for (const variant of variants) {
    const level = variant.levels.length - 1;
    for (const at of coarseMatches(search, pyramid[level]!, variant.levels[level]!, level))
      found.push({ variant, level, at });
  }
  let candidates: readonly Candidate[] = found;
  for (let level = coarsest - 1; level >= 0; level--)
    candidates = refine(search, candidates, selectBest(candidates), pyramid[level]!, level);
  const best = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = best.get(candidate.variant.name);
    if (!known || candidate.at.score > known.at.score) best.set(candidate.variant.name, candidate);
  }
  const sorted = [...best.values()].toSorted(
    (a, b) => b.at.score - a.at.score || (a.variant.name < b.variant.name ? -1 : 1),
  );
  return sorted.map((candidate, i) => ({
    ...toIconMatch(candidate),
    ...(withLikeness && i === 0 ? { likeness: measureLikeness(matcher, candidate, pyramid) } : {}),
  }));
}

function toIconMatch({ variant: { name, levels }, at: { score, x, y } }: Candidate): IconMatch {
  const { width, height } = levels[0]!;
  return { score, x, y, name, width, height };
}

function measureLikeness(matcher: Matcher, { variant, level, at }: Candidate, pyramid: readonly Planes[]): number {
  return matcher.best(pyramid[level]!, variant.levels[level]!, 'difference', [at.x, at.x], [at.y, at.y]).score;
}

/** Refines some candidates to a level. The scores of the others shrink by the same factor, as detail and noise affect all of them. */
function refine(
  search: Search,
  candidates: readonly Candidate[],
  refined: ReadonlySet<Candidate>,
  planes: Planes,
  level: number,
): readonly Candidate[] {
  const { matcher, measure, window } = search;
  let [before, after] = [0, 0];
  shareMoments(search, refined, planes, level);
  const moved = candidates.map((candidate) => {
    const { variant, at } = candidate;
    if (candidate.level <= level || !refined.has(candidate)) return candidate;
    const pattern = variant.levels[level]!;
    const [right, bottom] = [planes.width - pattern.width, planes.height - pattern.height];
    let [xs, ys] = [refinedRange(at.x, right), refinedRange(at.y, bottom)];
    if (window) {
      xs = snapRange(xs, gridX(window, level, pattern.width));
      ys = snapRange(ys, gridY(window, level, pattern.height));
    }
    const match = matcher.best(planes, pattern, measure, xs, ys);
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

/** Precomputes the moments of candidates with the same weights if they are close to each other. */
function shareMoments(
  { matcher, measure }: Search,
  refined: ReadonlySet<Candidate>,
  planes: Planes,
  level: number,
): void {
  let first: Pattern | undefined;
  let [left, right, top, bottom] = [planes.width, 0, planes.height, 0];
  let positions = 0;
  for (const { variant, level: from, at } of refined) {
    const pattern = variant.levels[level];
    if (from <= level || !pattern || (first && pattern.weights !== first.weights)) continue;
    first ??= pattern;
    const xs = refinedRange(at.x, planes.width - pattern.width);
    const ys = refinedRange(at.y, planes.height - pattern.height);
    [left, right] = [Math.min(left, xs[0]), Math.max(right, xs[1])];
    [top, bottom] = [Math.min(top, ys[0]), Math.max(bottom, ys[1])];
    positions += (xs[1] - xs[0] + 1) * (ys[1] - ys[0] + 1);
  }
  if (first && (right - left + 1) * (bottom - top + 1) < positions)
    matcher.precomputeMoments(planes, first, measure, [left, right], [top, bottom]);
}

/** The score of the candidate of rank `count`; −∞ if there are fewer. */
function scoreOfRank(candidates: readonly Candidate[], count: number): number {
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

/** Selects the best candidates, and the best one of the second-best name if it is not among them. */
function selectBest(candidates: readonly Candidate[]): ReadonlySet<Candidate> {
  // Sorts only those that can be among the best.
  const threshold = scoreOfRank(candidates, BEAM_WIDTH);
  const sorted = candidates
    .filter(({ at }) => at.score >= threshold)
    .toSorted((a, b) => b.at.score - a.at.score || (a.variant.name < b.variant.name ? -1 : 1));
  const chosen = new Set(sorted.slice(0, BEAM_WIDTH));
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

/** Finds the best positions at the coarsest level, no two of them adjacent: a fine pattern may match in several places there. */
function coarseMatches(search: Search, planes: Planes, pattern: Pattern, level: number): readonly Match[] {
  const { matcher, measure, window } = search;
  const [right, bottom] = [planes.width - pattern.width, planes.height - pattern.height];
  if (right < 0 || bottom < 0) return [];
  const unit = 2 ** level;
  const xs = window ? windowRange(window.x, window.reachX, unit, pattern.width, right) : ([0, right] as const);
  const ys = window ? windowRange(window.y, window.reachY, unit, pattern.height, bottom) : ([0, bottom] as const);
  const across = window && gridX(window, level, pattern.width);
  const down = window && gridY(window, level, pattern.height);
  const isAnywhere = !across?.pitch && !down?.pitch;
  if (level === 0 && isAnywhere) return [matcher.best(planes, pattern, measure, xs, ys)];
  const columns = xs[1] - xs[0] + 1;
  const count = columns * (ys[1] - ys[0] + 1);
  const scores = isAnywhere
    ? matcher.scanReused(planes, pattern, measure, xs, ys)
    : scanGrid(search, planes, pattern, { range: xs, grid: across }, { range: ys, grid: down });
  const chosen: Match[] = [];
  while (chosen.length < MAX_CANDIDATES) {
    let best = -1;
    for (let n = 0; n < count; n++) {
      if (best >= 0 && scores[n]! <= scores[best]!) continue;
      if (!isAdjacent(chosen, xs[0] + (n % columns), ys[0] + Math.floor(n / columns))) best = n;
    }
    if (best < 0 || (chosen.length > 0 && scores[best] === EXCLUDED_SCORE)) break;
    chosen.push({ score: scores[best]!, x: xs[0] + (best % columns), y: ys[0] + Math.floor(best / columns) });
  }
  return chosen;
}

/** Computes the scores of the positions on a grid; the others have `EXCLUDED_SCORE`. */
function scanGrid(
  { matcher, measure }: Search,
  planes: Planes,
  pattern: Pattern,
  across: GridRange,
  down: GridRange,
): Float64Array {
  const [xs, ys] = [across.range, down.range];
  const columns = xs[1] - xs[0] + 1;
  const scores = new Float64Array(columns * (ys[1] - ys[0] + 1)).fill(EXCLUDED_SCORE);
  const runsDown = gridRuns(down);
  for (const [left, right] of gridRuns(across))
    for (const [top, bottom] of runsDown) {
      const width = right - left + 1;
      const part = matcher.scanReused(planes, pattern, measure, [left, right], [top, bottom]);
      for (let y = top, from = 0; y <= bottom; y++, from += width)
        scores.set(part.subarray(from, from + width), (y - ys[0]) * columns + left - xs[0]);
    }
  return scores;
}

/** First and last position in one direction, and the grid on which they must lie. */
interface GridRange {
  readonly range: readonly [number, number];
  readonly grid: PositionGrid | undefined;
}

/** The stretches of a range that are on its grid. */
function gridRuns({ range: [from, to], grid }: GridRange): [number, number][] {
  const runs: [number, number][] = [];
  for (let at = from; at <= to; at++) {
    if (!isOnGrid(at, grid)) continue;
    const last = runs.at(-1);
    if (last?.[1] === at - 1) last[1] = at;
    else runs.push([at, at]);
  }
  return runs;
}

function isAdjacent(chosen: readonly Match[], x: number, y: number): boolean {
  for (const match of chosen) if (Math.abs(match.x - x) <= 1 && Math.abs(match.y - y) <= 1) return true;
  return false;
}

/** Score of a position at which no icon can be. */
const EXCLUDED_SCORE = -2;

/** Possible positions of a pattern's corner along one axis at one level. */
interface PositionGrid {
  readonly origin: number;
  /** 0: anywhere. */
  readonly pitch: number;
  readonly slack: number;
}

/** Adds a coarse pixel to the tolerance, as coarse positions are rounded. */
function gridAt(middle: number, pitch: number, slack: number, level: number, size: number): PositionGrid {
  const unit = 2 ** level;
  return { origin: middle / unit - size / 2, pitch: pitch / unit, slack: slack / unit + (level > 0 ? 1 : 0) };
}

const gridX = ({ x, pitchX, slack }: SearchWindow, level: number, width: number): PositionGrid =>
  gridAt(x, pitchX, slack, level, width);
const gridY = ({ y, pitchY, slack }: SearchWindow, level: number, height: number): PositionGrid =>
  gridAt(y, pitchY, slack, level, height);

/** The possible position nearest to a given one. */
function nearestPosition(at: number, { origin, pitch }: PositionGrid): number {
  return origin + Math.round((at - origin) / pitch) * pitch;
}

function isOnGrid(at: number, grid: PositionGrid | undefined): boolean {
  return !grid?.pitch || Math.abs(at - nearestPosition(at, grid)) <= grid.slack;
}

/** The part of a range within tolerance of the position nearest to its centre; the nearest end if there is none. */
function snapRange([from, to]: readonly [number, number], grid: PositionGrid): readonly [number, number] {
  if (!grid.pitch) return [from, to];
  const place = nearestPosition((from + to) / 2, grid);
  const within = (at: number): number => Math.min(to, Math.max(from, at));
  const [first, last] = [within(Math.ceil(place - grid.slack)), within(Math.floor(place + grid.slack))];
  return first <= last ? [first, last] : [last, last];
}

/** Positions of a pattern's corner for which its centre is within reach and it fits into the crop. */
function windowRange(
  middle: number,
  reach: number,
  unit: number,
  size: number,
  end: number,
): readonly [number, number] {
  const from = Math.floor((middle - reach) / unit - size / 2);
  const to = Math.ceil((middle + reach) / unit - size / 2);
  return [Math.min(end, Math.max(0, from)), Math.min(end, Math.max(0, to))];
}

/** The positions one level finer that a coarse position covers: a coarse pixel is two fine ones. */
function refinedRange(at: number, end: number): readonly [number, number] {
  return [Math.min(end, Math.max(0, 2 * at - 1)), Math.min(end, Math.max(0, 2 * at + 2))];
}
