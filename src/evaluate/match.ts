import {
  isPropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  type WordId,
} from '../events/statement.ts';

/** Something said to have happened at `t` seconds. */
export interface Timed {
  readonly t: number;
  readonly statement: Statement;
}

/** A truth and an event that are the same happening, by their places in the lists given. */
export interface Pair {
  readonly truth: number;
  readonly event: number;
}

/** Whether one word's meaning includes the other's. */
export type Related = (a: WordId, b: WordId) => boolean;

/** Times that differ by rounding alone are within any tolerance. */
const EPSILON = 1e-6;

/**
 * One-to-one pairs of equal statements at most `tolerance` seconds apart: as many as possible, and among those the
 * pairing with the least sum of time differences. (Equal statements are points on a line: an order-preserving pairing
 * is among the best, so dynamic programming finds it.)
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

/** Pairs of places in two ascending lists of times, as `matchEqual` says. */
export function matchTimes(a: readonly number[], b: readonly number[], tolerance: number): [number, number][] {
  const pairs: [number, number][] = [];
  // Times further apart than the tolerance have nothing to do with each other: stretch by stretch the tables stay small.
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
    for (const [x, y] of matchStretch(a.slice(firstA, i), b.slice(firstB, j), tolerance))
      pairs.push([x + firstA, y + firstB]);
  }
  return pairs;
}

function matchStretch(a: readonly number[], b: readonly number[], tolerance: number): [number, number][] {
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
 * Pairs, one to one, of what `fits` at most `tolerance` seconds apart, nearest first (of equally near ones the earlier
 * truth, then the earlier event).
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
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[order[middle]!]!.t < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A statement as a text that is equal for equal statements, whatever the order of keys and the form of mentions. */
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

/** Whether two statements differ at most in words of which one means the other: names, numbers and texts are equal. */
export function sameButForWords(a: Statement, b: Statement, related: Related): boolean {
  if (isPropertyStatement(a) !== isPropertyStatement(b)) return false;
  const [left, right] = [a, b] as unknown as [Record<string, unknown>, Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => {
    const [x, y] = [left[key], right[key]];
    if (x === undefined || y === undefined) return x === y;
    if (key === 'action' || key === 'property' || key === 'unit') return alike(String(x), String(y), related);
    if (key === 'amount') return x === y;
    const isValue = isPropertyStatement(a) && (key === 'from' || key === 'to');
    return isValue
      ? sameValue(x as PropertyValue, y as PropertyValue, related)
      : sameSlot(x as Slot, y as Slot, related);
  });
}

function sameValue(a: PropertyValue, b: PropertyValue, related: Related): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return sameSlot(a, b, related);
}

function sameSlot(a: Slot, b: Slot, related: Related): boolean {
  const [x, y] = [a, b].map((slot) => (typeof slot === 'string' ? { word: slot } : slot));
  if (x!.name !== y!.name || x!.count !== y!.count || !alike(x!.word, y!.word, related)) return false;
  if (x!.of === undefined || y!.of === undefined) return x!.of === y!.of;
  return sameSlot(x!.of, y!.of, related);
}

function alike(a: WordId, b: WordId, related: Related): boolean {
  return a === b || related(a, b) || related(b, a);
}

/** Whether two statements are equal but for their numbers (`from`, `to`, `amount`), which differ by no more than `most`. */
export function equalWithin(a: Statement, b: Statement, most: number): boolean {
  const left: Readonly<Record<string, unknown>> = { ...a };
  const right: Readonly<Record<string, unknown>> = { ...b };
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => {
    const [x, y] = [left[key], right[key]];
    if (!NUMBERS.has(key) || typeof x !== 'number' || typeof y !== 'number')
      return JSON.stringify(plain(x)) === JSON.stringify(plain(y));
    return Math.abs(x - y) <= most + EPSILON;
  });
}

const NUMBERS: ReadonlySet<string> = new Set(['from', 'to', 'amount']);
