import type { Statement } from '../events/statement.ts';
import {
  agree,
  equalWithin,
  kindOf,
  matchEqual,
  matchNearest,
  type Pair,
  equalUpToWords,
  type WordRelation,
  type Timed,
} from './match.ts';
import { proportion, timeError, type Proportion, type TimeError } from './statistics.ts';

export { kindOf } from './match.ts';

/** An event of the ground truth. */
export interface TruthLine extends Timed {
  /** The screen showed nothing new for it; counted separately, detected or not. */
  readonly repeat?: boolean;
}

/** Options of `evaluate`. */
export interface EvaluateOptions {
  /** Greatest time difference of an event from its truth, in seconds. */
  readonly tolerance: number;
  /** Greatest difference of numbers (`from`, `to`, `amount`), for gauges without digits; default 0. */
  readonly numbers?: number;
  /** Whether word `a` is a `b` by the dictionary; without it, words must be equal. */
  readonly isA?: WordRelation;
  /**
   * Which kinds of events are evaluated: those in the ground truth (default), or `all`, so that events of other kinds are false
   * positives.
   */
  readonly kinds?: 'truth' | 'all';
  /**
   * Counts an event as a hit where its statement agrees with the truth's: words may be related, and what only one of them says is
   * no difference. For truth of other programs. It is counted as of the truth's kind.
   */
  readonly agreeing?: boolean;
  /** Only what happens from this second on, and before `to`. An event belongs where its truth lies. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A missed event or a false positive. */
export interface Miss extends Timed {
  /** The clip it belongs to, if several were pooled. */
  readonly clip?: string;
  /** The nearest unmatched statement of the other side of the same kind, within the tolerance. */
  readonly instead?: Statement;
}

/** The accuracy of one kind of event. */
export interface Score {
  /** `kill`, `health of player` …; `all` for the pool. */
  readonly kind: string;
  readonly truth: number;
  readonly events: number;
  /** Pairs with equal statements. */
  readonly hits: number;
  /** Further pairs whose words are related by the dictionary (`stomp` for `kill`); not counted as hits. */
  readonly isA: number;
  readonly precision: Proportion;
  readonly recall: Proportion;
  /** Harmonic mean of precision and recall; undefined if neither is defined. */
  readonly f1: number | undefined;
  readonly time: TimeError | undefined;
  /** Truths for which the screen showed nothing new, and how many were detected. */
  readonly repeats: { readonly truth: number; readonly hits: number };
}

/** The result of an evaluation: scores, misses and false positives. */
export interface Evaluation {
  readonly kinds: readonly Score[];
  readonly all: Score;
  readonly misses: readonly Miss[];
  readonly falseEvents: readonly Miss[];
  /** Number of events that were not evaluated, by kind. */
  readonly unevaluated: Readonly<Record<string, number>>;
  readonly tolerance: number;
}

/** The events and ground truth of one clip. */
export interface Clip {
  readonly name?: string;
  readonly events: readonly Timed[];
  readonly truth: readonly TruthLine[];
}

interface Tally {
  truth: number;
  events: number;
  hits: number;
  isA: number;
  differences: number[];
  repeats: { truth: number; hits: number };
}

/**
 * Scores events against ground truth, clip by clip, and pools the counts. An event matches a truth when their statements are
 * equal slot by slot and their times differ by at most the tolerance. Matching is one to one, with as many pairs as possible
 * and the least total time difference. The rest is paired by is-a relations, nearest first, and counted separately.
 */
export function evaluate(all: readonly Clip[], options: EvaluateOptions): Evaluation {
  const clips = all.map((clip) => cutClip(clip, options));
  const tallies = new Map<string, Tally>();
  const misses: Miss[] = [];
  const falseEvents: Miss[] = [];
  const unevaluated: Record<string, number> = {};
  const kinds = new Set(clips.flatMap(({ truth }) => truth.map(({ statement }) => kindOf(statement))));
  for (const { name, events, truth } of clips) {
    const evaluated = events.filter(({ statement }) => {
      const kind = kindOf(statement);
      if (options.kinds === 'all' || kinds.has(kind) || isRelatedToTruth(statement, truth, options)) return true;
      unevaluated[kind] = (unevaluated[kind] ?? 0) + 1;
      return false;
    });
    const clip = name === undefined ? {} : { clip: name };
    const rest = tallyClip(evaluated, truth, options, tallies);
    misses.push(...rest.truth.map((one) => ({ ...one, ...clip })));
    falseEvents.push(...rest.events.map((one) => ({ ...one, ...clip })));
  }
  const scores = [...tallies].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([kind, tally]) => scoreOf(kind, tally));
  return {
    kinds: scores,
    all: scoreOf('all', pool([...tallies.values()])),
    misses,
    falseEvents,
    unevaluated: Object.fromEntries(Object.entries(unevaluated).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    tolerance: options.tolerance,
  };
}

/** The part of a clip from one time to another. An event near the edge that matches a truth on the other side is not part of it. */
function cutClip(clip: Clip, { from, to, tolerance, numbers = 0 }: EvaluateOptions): Clip {
  if (from === undefined && to === undefined) return clip;
  const isInside = ({ t }: Timed): boolean =>
    t >= (from ?? Number.NEGATIVE_INFINITY) && t < (to ?? Number.POSITIVE_INFINITY);
  const pairs = matchWithin(clip.truth, clip.events, tolerance, numbers);
  const partners = new Map(pairs.map(({ truth, event }) => [event, clip.truth[truth]!]));
  return {
    ...clip,
    truth: clip.truth.filter(isInside),
    events: clip.events.filter((event, i) => isInside(partners.get(i) ?? event)),
  };
}

/** Whether an event with another word matches a truth (`stomp` where it says `kill`). */
function isRelatedToTruth(
  statement: Statement,
  truth: readonly TruthLine[],
  { isA, agreeing = false }: EvaluateOptions,
): boolean {
  const related = agreeing ? agree : equalUpToWords;
  return isA !== undefined && truth.some((one) => related(one.statement, statement, isA));
}

function tallyClip(
  events: readonly Timed[],
  truth: readonly TruthLine[],
  { tolerance, numbers = 0, isA, agreeing = false }: EvaluateOptions,
  tallies: Map<string, Tally>,
): { truth: Miss[]; events: Miss[] } {
  const tallyOf = (statement: Statement): Tally => {
    const kind = kindOf(statement);
    const tally = tallies.get(kind) ?? pool([]);
    tallies.set(kind, tally);
    return tally;
  };
  const plain = truth.filter((one) => one.repeat !== true);
  const repeats = truth.filter((one) => one.repeat === true);
  for (const { statement } of plain) tallyOf(statement).truth += 1;

  const equal = matchWithin(plain, events, tolerance, numbers);
  const hits = agreeing && isA ? matchMore(equal, plain, events, tolerance, (a, b) => agree(a, b, isA)) : equal;
  for (const pair of hits) {
    const [was, is] = [plain[pair.truth]!, events[pair.event]!];
    const tally = tallyOf(was.statement);
    tally.hits += 1;
    tally.differences.push(is.t - was.t);
  }
  const leftTruth = removeIndices(
    plain,
    hits.map((pair) => pair.truth),
  );
  let leftEvents = removeIndices(
    events,
    hits.map((pair) => pair.event),
  );

  const again = matchEqual(repeats, leftEvents, tolerance);
  for (const { statement } of repeats) tallyOf(statement).repeats.truth += 1;
  for (const { truth: index } of again) tallyOf(repeats[index]!.statement).repeats.hits += 1;
  leftEvents = removeIndices(
    leftEvents,
    again.map((pair) => pair.event),
  );

  const meant =
    isA === undefined ? [] : matchNearest(leftTruth, leftEvents, tolerance, (a, b) => equalUpToWords(a, b, isA));
  for (const pair of meant) tallyOf(leftTruth[pair.truth]!.statement).isA += 1;

  const missed = removeIndices(
    leftTruth,
    meant.map((pair) => pair.truth),
  );
  const wrong = removeIndices(
    leftEvents,
    meant.map((pair) => pair.event),
  );
  const kinds = new Map(hits.map((pair) => [pair.event, plain[pair.truth]!.statement]));
  for (const [i, { statement }] of events.entries()) tallyOf(kinds.get(i) ?? statement).events += 1;
  for (const { truth: index } of again) tallyOf(repeats[index]!.statement).events -= 1;
  const alternatives = matchNearest(missed, wrong, tolerance, (a, b) => kindOf(a) === kindOf(b));
  return {
    truth: missed.map((one, index) =>
      withAlternative(one, wrong[alternatives.find((pair) => pair.truth === index)?.event ?? -1]),
    ),
    events: wrong.map((one, index) =>
      withAlternative(one, missed[alternatives.find((pair) => pair.event === index)?.truth ?? -1]),
    ),
  };
}

/** Matches equal statements, then statements whose numbers differ by at most `numbers`. */
function matchWithin(truth: readonly Timed[], events: readonly Timed[], tolerance: number, numbers: number): Pair[] {
  const pairs = matchEqual(truth, events, tolerance);
  return numbers === 0 ? pairs : matchMore(pairs, truth, events, tolerance, (a, b) => equalWithin(a, b, numbers));
}

/** Matches what earlier pairs left, where `fits` holds. */
function matchMore(
  pairs: readonly Pair[],
  truth: readonly Timed[],
  events: readonly Timed[],
  tolerance: number,
  fits: (truth: Statement, event: Statement) => boolean,
): Pair[] {
  const [ours, theirs] = [new Set(pairs.map((pair) => pair.truth)), new Set(pairs.map((pair) => pair.event))];
  const left = truth.map((_, i) => i).filter((i) => !ours.has(i));
  const right = events.map((_, i) => i).filter((i) => !theirs.has(i));
  const more = matchNearest(
    left.map((i) => truth[i]!),
    right.map((i) => events[i]!),
    tolerance,
    fits,
  );
  return [...pairs, ...more.map((pair) => ({ truth: left[pair.truth]!, event: right[pair.event]! }))];
}

function withAlternative({ t, statement }: Timed, other: Timed | undefined): Miss {
  return { t, statement, ...(other === undefined ? {} : { instead: other.statement }) };
}

function removeIndices<T>(list: readonly T[], places: readonly number[]): T[] {
  const gone = new Set(places);
  return list.filter((_, index) => !gone.has(index));
}

function pool(tallies: readonly Tally[]): Tally {
  const sum = (of: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0);
  return {
    truth: sum((tally) => tally.truth),
    events: sum((tally) => tally.events),
    hits: sum((tally) => tally.hits),
    isA: sum((tally) => tally.isA),
    differences: tallies.flatMap((tally) => tally.differences),
    repeats: { truth: sum((tally) => tally.repeats.truth), hits: sum((tally) => tally.repeats.hits) },
  };
}

function scoreOf(kind: string, tally: Tally): Score {
  const { truth, events, hits, isA, differences, repeats } = tally;
  const precision = proportion(hits, events);
  const recall = proportion(hits, truth);
  const f1 = truth + events === 0 ? undefined : (2 * hits) / (truth + events);
  return { kind, truth, events, hits, isA, precision, recall, f1, time: timeError(differences), repeats };
}
