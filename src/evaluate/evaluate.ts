import { isPropertyStatement, type Statement } from '../events/statement.ts';
import {
  equalWithin,
  matchEqual,
  matchNearest,
  type Pair,
  sameButForWords,
  type Related,
  type Timed,
} from './match.ts';
import { share, timeError, type Share, type TimeError } from './statistics.ts';

/** A line of truth: what happened when (seconds). */
export interface TruthLine extends Timed {
  /** Nothing new was shown for it; found or not, it is counted apart. */
  readonly repeat?: boolean;
}

export interface EvaluateOptions {
  /** Seconds by which an event may lie before or after its truth. */
  readonly tolerance: number;
  /** By how much numbers (`from`, `to`, `amount`) may differ; default 0. For gauges, which show no figures. */
  readonly numbers?: number;
  /** Whether `a` is a `b` by the dictionary; without it words must be equal. */
  readonly isA?: Related;
  /**
   * Which kinds of events are judged: those that the truth speaks of (`truth`, the default), or every kind (`all`), so
   * that events of kinds that never happened are false.
   */
  readonly kinds?: 'truth' | 'all';
}

/** A truth without an event, or an event without a truth. */
export interface Miss extends Timed {
  /** Clip it belongs to, where several were pooled. */
  readonly clip?: string;
  /** What stands nearest on the other side: same kind, within the tolerance, other words or numbers. */
  readonly instead?: Statement;
}

/** How well one kind of event was found. */
export interface Score {
  /** `kill`, `health of player` …; `all` for the pool. */
  readonly kind: string;
  readonly truth: number;
  readonly events: number;
  /** Pairs with equal statements. */
  readonly hits: number;
  /** Further pairs, of which one word means the other (`stomp` for `kill`); neither hits nor exact. */
  readonly isA: number;
  readonly precision: Share;
  readonly recall: Share;
  /** Harmonic mean; undefined where neither is defined. */
  readonly f1: number | undefined;
  readonly time: TimeError | undefined;
  /** Truths that showed nothing new, and how many of them were found all the same. */
  readonly repeats: { readonly truth: number; readonly hits: number };
}

export interface Evaluation {
  readonly kinds: readonly Score[];
  readonly all: Score;
  readonly misses: readonly Miss[];
  readonly falseEvents: readonly Miss[];
  /** Events of kinds that were not judged, by kind. */
  readonly unjudged: Readonly<Record<string, number>>;
  readonly tolerance: number;
}

/** One clip's part in an evaluation. */
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

/** The kind of a statement: its action, or its property and whose. */
export function kindOf(statement: Statement): string {
  if (!isPropertyStatement(statement)) return statement.action;
  const { subject, property } = statement;
  return `${property} of ${typeof subject === 'string' ? subject : subject.word}`;
}

/**
 * Scores events against truth, clip by clip, and pools the counts. An event and a truth are one happening when their
 * statements are equal slot by slot and their times at most the tolerance apart; one to one, as many pairs as possible,
 * and of those the nearest in time. What is then left over is paired by is-a, nearest first, and counted apart.
 */
export function evaluate(clips: readonly Clip[], options: EvaluateOptions): Evaluation {
  const tallies = new Map<string, Tally>();
  const misses: Miss[] = [];
  const falseEvents: Miss[] = [];
  const unjudged: Record<string, number> = {};
  const kinds = new Set(clips.flatMap(({ truth }) => truth.map(({ statement }) => kindOf(statement))));
  for (const { name, events, truth } of clips) {
    const judged = events.filter(({ statement }) => {
      const kind = kindOf(statement);
      if (options.kinds === 'all' || kinds.has(kind) || meansOneOf(statement, truth, options.isA)) return true;
      unjudged[kind] = (unjudged[kind] ?? 0) + 1;
      return false;
    });
    const clip = name === undefined ? {} : { clip: name };
    const rest = tallyClip(judged, truth, options, tallies);
    misses.push(...rest.truth.map((one) => ({ ...one, ...clip })));
    falseEvents.push(...rest.events.map((one) => ({ ...one, ...clip })));
  }
  const scores = [...tallies].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([kind, tally]) => scoreOf(kind, tally));
  return {
    kinds: scores,
    all: scoreOf('all', pool([...tallies.values()])),
    misses,
    falseEvents,
    unjudged: Object.fromEntries(Object.entries(unjudged).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    tolerance: options.tolerance,
  };
}

/** An event of another word may still be meant by the truth (`stomp` where it speaks of `kill`). */
function meansOneOf(statement: Statement, truth: readonly TruthLine[], isA: Related | undefined): boolean {
  return isA !== undefined && truth.some((one) => sameButForWords(one.statement, statement, isA));
}

function tallyClip(
  events: readonly Timed[],
  truth: readonly TruthLine[],
  { tolerance, numbers = 0, isA }: EvaluateOptions,
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

  const hits = matchWithin(plain, events, tolerance, numbers);
  for (const pair of hits) {
    const [was, is] = [plain[pair.truth]!, events[pair.event]!];
    const tally = tallyOf(was.statement);
    tally.hits += 1;
    tally.differences.push(is.t - was.t);
  }
  const leftTruth = without(
    plain,
    hits.map((pair) => pair.truth),
  );
  let leftEvents = without(
    events,
    hits.map((pair) => pair.event),
  );

  const again = matchEqual(repeats, leftEvents, tolerance);
  for (const { statement } of repeats) tallyOf(statement).repeats.truth += 1;
  for (const { truth: index } of again) tallyOf(repeats[index]!.statement).repeats.hits += 1;
  leftEvents = without(
    leftEvents,
    again.map((pair) => pair.event),
  );

  const meant =
    isA === undefined ? [] : matchNearest(leftTruth, leftEvents, tolerance, (a, b) => sameButForWords(a, b, isA));
  for (const pair of meant) tallyOf(leftTruth[pair.truth]!.statement).isA += 1;

  const missed = without(
    leftTruth,
    meant.map((pair) => pair.truth),
  );
  const wrong = without(
    leftEvents,
    meant.map((pair) => pair.event),
  );
  for (const { statement } of events) tallyOf(statement).events += 1;
  for (const { truth: index } of again) tallyOf(repeats[index]!.statement).events -= 1;
  const beside = matchNearest(missed, wrong, tolerance, (a, b) => kindOf(a) === kindOf(b));
  return {
    truth: missed.map((one, index) => besides(one, wrong[beside.find((pair) => pair.truth === index)?.event ?? -1])),
    events: wrong.map((one, index) => besides(one, missed[beside.find((pair) => pair.event === index)?.truth ?? -1])),
  };
}

/** Pairs of equal statements, then, of what is left, of those whose numbers differ by no more than `numbers`. */
function matchWithin(truth: readonly Timed[], events: readonly Timed[], tolerance: number, numbers: number): Pair[] {
  const pairs = matchEqual(truth, events, tolerance);
  if (numbers === 0) return pairs;
  const [ours, theirs] = [new Set(pairs.map((pair) => pair.truth)), new Set(pairs.map((pair) => pair.event))];
  const left = truth.map((_, i) => i).filter((i) => !ours.has(i));
  const right = events.map((_, i) => i).filter((i) => !theirs.has(i));
  const more = matchNearest(
    left.map((i) => truth[i]!),
    right.map((i) => events[i]!),
    tolerance,
    (a, b) => equalWithin(a, b, numbers),
  );
  return [...pairs, ...more.map((pair) => ({ truth: left[pair.truth]!, event: right[pair.event]! }))];
}

function besides({ t, statement }: Timed, other: Timed | undefined): Miss {
  return { t, statement, ...(other === undefined ? {} : { instead: other.statement }) };
}

function without<T>(list: readonly T[], places: readonly number[]): T[] {
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
  const precision = share(hits, events);
  const recall = share(hits, truth);
  const f1 = truth + events === 0 ? undefined : (2 * hits) / (truth + events);
  return { kind, truth, events, hits, isA, precision, recall, f1, time: timeError(differences), repeats };
}
