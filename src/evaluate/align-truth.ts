import { median } from '../statistics.ts';
import { agree, kindOf, matchNearest, type Pair, type Timed, type WordRelation } from './match.ts';

/** How the clock of a ground truth runs in a recording: time in the recording = offset + rate · time of the truth. */
export interface TruthClock {
  /** Seconds. */
  readonly offset: number;
  readonly rate: number;
  /** Statements of the truth that an event agrees with at this clock. */
  readonly matched: number;
  /** As many as agree at the next best clock, that is by chance. */
  readonly byChance: number;
}

/** Options of {@link alignTruth}. */
export interface AlignTruthOptions {
  /** Greatest time difference of an event from its truth, in seconds. */
  readonly tolerance: number;
  /** Whether word `a` is a `b` by the dictionary. */
  readonly isA: WordRelation;
}

/** Kinds with more events are left out if there are others: they agree everywhere. */
const MAX_EVENTS_OF_KIND = 400;
/** Offsets at which statements are matched one to one. */
const MAX_CANDIDATES = 24;
/** An alignment needs so many statements, and this many times as many as agree by chance. */
const MIN_MATCHED = 3;
const MIN_LEAD = 1.4;
/** A drift is estimated from so many statements over so many seconds. */
const MIN_DRIFT_MATCHED = 8;
const MIN_DRIFT_SECONDS = 60;
/** Drifts below, or that move the ends by less than half the tolerance, are errors of times; those above are not drifts. */
const MIN_DRIFT = 5e-5;
const MAX_DRIFT = 0.02;

/**
 * Finds the clock of a ground truth by the events that agree with it: another program counts from another moment, and may count
 * at another rate.
 *
 * @returns `undefined` where no clock makes clearly more statements agree than chance does.
 */
export function alignTruth(
  events: readonly Timed[],
  truth: readonly Timed[],
  { tolerance, isA }: AlignTruthOptions,
): TruthClock | undefined {
  const [ours, theirs] = withoutCommonKinds(events, truth);
  const candidates = findOffsets(ours, theirs, tolerance, isA);
  const tried = candidates.map((offset) => tryOffset(offset, ours, theirs, tolerance, isA));
  const best = tried.reduce<Trial | undefined>((a, b) => (a && a.score >= b.score ? a : b), undefined);
  if (!best) return undefined;
  const others = tried.filter(({ offset }) => Math.abs(offset - best.offset) > 3 * tolerance);
  const byChance = Math.max(0, ...others.map(({ pairs }) => pairs.length));
  if (best.pairs.length < MIN_MATCHED || best.pairs.length < MIN_LEAD * byChance) return undefined;
  const points = best.pairs.map((pair) => [theirs[pair.truth]!.t, ours[pair.event]!.t] as const);
  const rate = findRate(points, tolerance);
  const offset = median(points.map(([a, b]) => b - rate * a));
  return { offset, rate, matched: best.pairs.length, byChance };
}

/** Moves a truth to the clock of the recording. */
export function applyClock<T extends Timed>(truth: readonly T[], { offset, rate }: TruthClock): readonly T[] {
  return truth.map((one) => ({ ...one, t: offset + rate * one.t }));
}

/**
 * The resolution of the times of a truth in seconds: 1 for a log of whole seconds; 0 where it is fine.
 */
export function resolutionOf(truth: readonly Timed[]): number {
  const isWhole = truth.every(({ t }) => Math.abs(((t - truth[0]!.t + 0.5) % 1) - 0.5) < 1e-6);
  return truth.length >= MIN_MATCHED && isWhole ? 1 : 0;
}

interface Trial {
  readonly offset: number;
  readonly pairs: readonly Pair[];
  /** Pairs, less what their distances are of the tolerance. */
  readonly score: number;
}

function withoutCommonKinds(
  events: readonly Timed[],
  truth: readonly Timed[],
): readonly [readonly Timed[], readonly Timed[]] {
  const rare = (all: readonly Timed[]): ReadonlySet<string> =>
    new Set(
      [...Map.groupBy(all, ({ statement }) => kindOf(statement))].flatMap(([kind, { length }]) =>
        length <= MAX_EVENTS_OF_KIND ? [kind] : [],
      ),
    );
  const [ours, theirs] = [rare(events), rare(truth)];
  const left = events.filter(({ statement }) => ours.has(kindOf(statement)));
  const right = truth.filter(({ statement }) => theirs.has(kindOf(statement)));
  return left.length > 0 && right.length > 0
    ? [left, right]
    : [events.slice(0, MAX_EVENTS_OF_KIND), truth.slice(0, MAX_EVENTS_OF_KIND)];
}

/** The offsets at which the most pairs of statements agree, the best first. */
function findOffsets(
  events: readonly Timed[],
  truth: readonly Timed[],
  tolerance: number,
  isA: WordRelation,
): readonly number[] {
  const width = Math.max(tolerance, 0.05);
  const bins = new Map<number, number>();
  for (const one of truth) {
    const agreeing = events.filter((event) => agree(one.statement, event.statement, isA));
    // What agrees with few events says more about the clock.
    for (const event of agreeing) {
      const bin = Math.round((event.t - one.t) / width);
      bins.set(bin, (bins.get(bin) ?? 0) + 1 / agreeing.length);
    }
  }
  const around = (bin: number): number => (bins.get(bin - 1) ?? 0) + (bins.get(bin) ?? 0) + (bins.get(bin + 1) ?? 0);
  return [...bins.keys()]
    .map((bin) => [bin * width, around(bin)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_CANDIDATES)
    .map(([offset]) => offset);
}

/** Matches at an offset, twice: the second time at the median of the first. */
function tryOffset(
  offset: number,
  events: readonly Timed[],
  truth: readonly Timed[],
  tolerance: number,
  isA: WordRelation,
): Trial {
  let at = offset;
  let pairs: readonly Pair[] = [];
  for (const reach of [2 * tolerance, tolerance]) {
    const moved = truth.map((one) => ({ ...one, t: one.t + at }));
    pairs = matchNearest(moved, events, reach, (a, b) => agree(a, b, isA));
    if (pairs.length > 0) at = median(pairs.map((pair) => events[pair.event]!.t - truth[pair.truth]!.t));
  }
  const distances = pairs.map((pair) => Math.abs(events[pair.event]!.t - truth[pair.truth]!.t - at));
  const score = distances.reduce((sum, distance) => sum + 1 - Math.min(0.5, distance / (4 * tolerance)), 0);
  return { offset: at, pairs, score };
}

/** The rate of the truth's clock by the median of slopes (Theil and Sen); 1 where no drift shows. */
function findRate(points: readonly (readonly [number, number])[], tolerance: number): number {
  const times = points.map(([t]) => t);
  const span = Math.max(...times) - Math.min(...times);
  if (points.length < MIN_DRIFT_MATCHED || span < MIN_DRIFT_SECONDS) return 1;
  const slopes = points.flatMap(([a, b], i) =>
    points.slice(i + 1).flatMap(([c, d]) => (Math.abs(c - a) < span / 4 ? [] : [(d - b) / (c - a)])),
  );
  const rate = median(slopes);
  const drift = Math.abs(rate - 1);
  return drift > Math.max(MIN_DRIFT, tolerance / 2 / span) && drift < MAX_DRIFT ? rate : 1;
}
