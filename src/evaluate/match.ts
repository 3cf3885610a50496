import { countLeading } from '../binary-search.ts';
import {
  isPropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  type WordId,
} from '../events/statement.ts';

/** A statement at `t` seconds. */
export interface Timed {
  readonly t: number;
  readonly statement: Statement;
}

/** A matched truth and event, by their indices in the given lists. */
export interface Pair {
  readonly truth: number;
  readonly event: number;
}

/** Whether one word's meaning includes the other's. */
export type WordRelation = (a: WordId, b: WordId) => boolean;

/** Compensates rounding of times. */
const EPSILON = 1e-6;

/**
 * Matches equal statements at most `tolerance` seconds apart, one to one: as many pairs as possible and, among those pairings,
 * the one with the least sum of time differences. (Equal statements are points on a line and one of the best pairings preserves
 * their order, so dynamic programming finds it.)
 */
export function matchEqual(truth: readonly Timed[], events: readonly Timed[], tolerance: number): Pair[] {
  const byStatement = Map.groupBy(
    events.map((_, index) => index),
    (index) => canonical(events[index]!.statement),
  );
  const pairs: Pair[] = [];
  const truths = Map.groupBy(
    truth.map((_, index) => index),
    (index) => canonical(truth[index]!.statement),
  );
  for (const [statement, ours] of truths) {
    const theirs = byStatement.get(statement);
    if (theirs === undefined) continue;
    const left = ours.toSorted((a, b) => truth[a]!.t - truth[b]!.t);
    const right = theirs.toSorted((a, b) => events[a]!.t - events[b]!.t);
    for (const [i, j] of matchTimes(
      left.map((index) => truth[index]!.t),
      right.map((index) => events[index]!.t),
      tolerance,
    )) {
      pairs.push({ truth: left[i]!, event: right[j]! });
    }
  }
  return pairs.toSorted((a, b) => a.truth - b.truth);
}

/** Matches two ascending lists of times as `matchEqual` does; returns pairs of indices. */
export function matchTimes(a: readonly number[], b: readonly number[], tolerance: number): [number, number][] {
  const pairs: [number, number][] = [];
  // Clusters of times further apart than the tolerance are independent, which keeps the tables small.
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [firstA, firstB] = [i, j];
    let reach = Math.min(a[i]!, b[j]!) + tolerance + EPSILON;
    for (;;) {
      const next = Math.min(a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY);
      if (next > reach || next === Number.POSITIVE_INFINITY) break;
      reach = next + tolerance + EPSILON;
      if (a[i] === next) i++;
      else j++;
    }
    for (const [x, y] of matchCluster(a.slice(firstA, i), b.slice(firstB, j), tolerance))
      pairs.push([x + firstA, y + firstB]);
  }
  return pairs;
}

function matchCluster(a: readonly number[], b: readonly number[], tolerance: number): [number, number][] {
  const width = b.length + 1;
  const counts = new Int32Array((a.length + 1) * width);
  const costs = new Float64Array(counts.length);
  const better = (i: number, j: number): boolean => {
    const more = counts[i]! - counts[j]!;
    return more > 0 || (more === 0 && costs[i]! < costs[j]! - 1e-12);
  };
  const step = (i: number, j: number): 'pair' | 'skip a' | 'skip b' => {
    const [here, up, side] = [i * width + j, (i - 1) * width + j, i * width + j - 1];
    const skipped = better(up, side) ? up : side;
    counts[here] = counts[skipped]!;
    costs[here] = costs[skipped]!;
    const distance = Math.abs(a[i - 1]! - b[j - 1]!);
    if (distance > tolerance + EPSILON) return skipped === up ? 'skip a' : 'skip b';
    const diagonal = (i - 1) * width + j - 1;
    const [count, cost] = [counts[diagonal]! + 1, costs[diagonal]! + distance];
    if (count < counts[here]! || (count === counts[here]! && cost > costs[here]! + 1e-12)) {
      return skipped === up ? 'skip a' : 'skip b';
    }
    counts[here] = count;
    costs[here] = cost;
    return 'pair';
  };
  const moves: ('pair' | 'skip a' | 'skip b')[] = Array.from({ length: counts.length });
  for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) moves[i * width + j] = step(i, j);
  const pairs: [number, number][] = [];
  for (let i = a.length, j = b.length; i > 0 && j > 0; ) {
    const move = moves[i * width + j]!;
    if (move === 'pair') pairs.push([--i, --j]);
    else if (move === 'skip a') i--;
    else j--;
  }
  return pairs.toReversed();
}

/**
 * Greedily matches statements for which `fits` holds, at most `tolerance` seconds apart, nearest first; ties go to the earlier
 * truth, then the earlier event.
 */
export function matchNearest(
  truth: readonly Timed[],
  events: readonly Timed[],
  tolerance: number,
  fits: (truth: Statement, event: Statement) => boolean,
): Pair[] {
  const candidates: (Pair & { readonly distance: number })[] = [];
  const byTime = events.map((_, index) => index).toSorted((a, b) => events[a]!.t - events[b]!.t);
  for (const [index, one] of truth.entries()) {
    for (let k = lowerBound(byTime, events, one.t - tolerance - EPSILON); k < byTime.length; k++) {
      const event = byTime[k]!;
      if (events[event]!.t > one.t + tolerance + EPSILON) break;
      if (!fits(one.statement, events[event]!.statement)) continue;
      candidates.push({ truth: index, event, distance: Math.abs(events[event]!.t - one.t) });
    }
  }
  candidates.sort((a, b) => a.distance - b.distance || a.truth - b.truth || a.event - b.event);
  const [usedTruth, usedEvents] = [new Set<number>(), new Set<number>()];
  const pairs: Pair[] = [];
  for (const { truth: i, event: j } of candidates) {
    if (usedTruth.has(i) || usedEvents.has(j)) continue;
    usedTruth.add(i);
    usedEvents.add(j);
    pairs.push({ truth: i, event: j });
  }
  return pairs.toSorted((a, b) => a.truth - b.truth);
}

function lowerBound(order: readonly number[], events: readonly Timed[], t: number): number {
  return countLeading(order.length, (i) => events[order[i]!]!.t < t);
}

/** Serializes a statement so that equal statements give equal strings, whatever the order of keys and form of mentions. */
export function canonical(statement: Statement): string {
  const entries = Object.entries(statement).filter(([, value]) => value !== undefined);
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { word, name, count, of } = value as { word?: string; name?: string; count?: number; of?: unknown };
  if (name === undefined && count === undefined && of === undefined) return word;
  return [word, name ?? null, count ?? null, ...(of === undefined ? [] : [plain(of)])];
}

/** Whether two statements differ at most in words that are related; names, numbers and texts must be equal. */
export function equalUpToWords(a: Statement, b: Statement, related: WordRelation): boolean {
  if (isPropertyStatement(a) !== isPropertyStatement(b)) return false;
  const [left, right] = [a, b] as unknown as [Record<string, unknown>, Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => {
    const [x, y] = [left[key], right[key]];
    if (x === undefined || y === undefined) return x === y;
    if (key === 'action' || key === 'property' || key === 'unit') return areRelated(String(x), String(y), related);
    if (key === 'amount') return x === y;
    const isValue = isPropertyStatement(a) && (key === 'from' || key === 'to');
    return isValue
      ? equalValues(x as PropertyValue, y as PropertyValue, related)
      : equalSlots(x as Slot, y as Slot, related);
  });
}

function equalValues(a: PropertyValue, b: PropertyValue, related: WordRelation): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return equalSlots(a, b, related);
}

function equalSlots(a: Slot, b: Slot, related: WordRelation): boolean {
  const [x, y] = [a, b].map((slot) => (typeof slot === 'string' ? { word: slot } : slot));
  if (x!.name !== y!.name || x!.count !== y!.count || !areRelated(x!.word, y!.word, related)) return false;
  if (x!.of === undefined || y!.of === undefined) return x!.of === y!.of;
  return equalSlots(x!.of, y!.of, related);
}

function areRelated(a: WordId, b: WordId, related: WordRelation): boolean {
  return a === b || related(a, b) || related(b, a);
}

/**
 * Whether two statements can be about the same event: neither contradicts the other. Words are related; what only one of them
 * says (a name, an instrument, the value before) is no contradiction. For truth of other programs, which say more and less than
 * a screen shows, in other words.
 */
export function agree(a: Statement, b: Statement, related: WordRelation): boolean {
  const areWords = (x: WordId, y: WordId): boolean => areRelated(x, y, related);
  if (isPropertyStatement(a))
    return (
      isPropertyStatement(b) &&
      areWords(a.property, b.property) &&
      agreeSlots(a.subject, b.subject, related) &&
      agreeValues(a.to, b.to, related) &&
      (a.from === undefined || b.from === undefined || agreeValues(a.from, b.from, related))
    );
  if (isPropertyStatement(b) || !areWords(a.action, b.action)) return false;
  if (a.amount !== undefined && b.amount !== undefined && a.amount !== b.amount) return false;
  return SLOTS.every((slot) => {
    const [x, y] = [a[slot], b[slot]];
    // Who did it must be said by both: "opponent dies" is not "player dies".
    if (slot === 'subject' && (x === undefined) !== (y === undefined)) return false;
    return x === undefined || y === undefined || agreeSlots(x, y, related);
  });
}

const SLOTS = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;

function agreeSlots(a: Slot, b: Slot, related: WordRelation): boolean {
  const [x, y] = [a, b].map((slot) => (typeof slot === 'string' ? { word: slot } : slot));
  if (!areRelated(x!.word, y!.word, related)) return false;
  if (x!.name !== undefined && y!.name !== undefined && x!.name.toLowerCase() !== y!.name.toLowerCase()) return false;
  return x!.count === undefined || y!.count === undefined || x!.count === y!.count;
}

function agreeValues(a: PropertyValue, b: PropertyValue, related: WordRelation): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return agreeSlots(a, b, related);
}

/** The kind of a statement: its action, or its property and owner. */
export function kindOf(statement: Statement): string {
  if (!isPropertyStatement(statement)) return statement.action;
  const { subject, property } = statement;
  return `${property} of ${typeof subject === 'string' ? subject : subject.word}`;
}

/** Whether two statements are equal except for numbers (`from`, `to`, `amount`), which differ by at most `limit`. */
export function equalWithin(a: Statement, b: Statement, limit: number): boolean {
  const left: Readonly<Record<string, unknown>> = { ...a };
  const right: Readonly<Record<string, unknown>> = { ...b };
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => {
    const [x, y] = [left[key], right[key]];
    if (!NUMBERS.has(key) || typeof x !== 'number' || typeof y !== 'number')
      return JSON.stringify(plain(x)) === JSON.stringify(plain(y));
    return Math.abs(x - y) <= limit + EPSILON;
  });
}

const NUMBERS: ReadonlySet<string> = new Set(['from', 'to', 'amount']);
