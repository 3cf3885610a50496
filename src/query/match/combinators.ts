import { countLeading } from '../../binary-search.ts';
import type { EventLine } from '../../events/log.ts';
import type { NearCondition, TimeCondition } from '../query.ts';
import type { Prefilter, SessionEvents } from './event-index.ts';
import type { EventTest } from './patterns.ts';
import type { Span } from './states.ts';

/** A match: one event, or the steps of a sequence in order. Times in seconds. */
export interface Match {
  readonly t: number;
  readonly end: number;
  readonly events: readonly EventLine[];
  /** Indexes of the first and the last event in their session. */
  readonly first: number;
  readonly last: number;
}

/** Finds the matches in a session, in order of time. */
export type Finder = (session: SessionEvents) => Match[];

/** A compiled condition. */
export interface CompiledCondition {
  readonly find: Finder;
  /** For conditions about single events; it depends on the session only for times relative to its end. */
  readonly test: ((session: SessionEvents) => EventTest) | undefined;
  readonly prefilter?: Prefilter | undefined;
}

/** Joins matches to one that spans them all. */
export function joinMatches(parts: readonly Match[]): Match {
  return {
    t: parts[0]!.t,
    end: Math.max(...parts.map(({ end }) => end)),
    events: parts.flatMap(({ events }) => events),
    first: parts[0]!.first,
    last: parts.at(-1)!.last,
  };
}

function matchAt(events: readonly EventLine[], index: number): Match {
  const event = events[index]!;
  return { t: event.t, end: event.end, events: [event], first: index, last: index };
}

/** A condition about single events. */
export function eventCondition(test: (session: SessionEvents) => EventTest, prefilter?: Prefilter): CompiledCondition {
  return {
    test,
    prefilter,
    find: (session) => {
      const { events, columns } = session;
      const isSelective = prefilter !== undefined && prefilter.tests.length > 0;
      const candidates = isSelective ? columns.select(prefilter.tests) : events.keys();
      const matches = prefilter?.isExact ? undefined : test(session);
      const found: Match[] = [];
      for (const index of candidates) if (!matches || matches(events[index]!)) found.push(matchAt(events, index));
      return found;
    },
  };
}

/** A condition about single events that does not depend on the session. */
export function simpleCondition(test: EventTest, prefilter?: Prefilter): CompiledCondition {
  return eventCondition(() => test, prefilter);
}

/** A condition about several events. */
export function finderCondition(find: Finder): CompiledCondition {
  return { find, test: undefined };
}

/** All parts hold of the same event. Of a sequence every event must satisfy the parts about single events. */
export function allOf(parts: readonly CompiledCondition[]): CompiledCondition {
  const tests = parts.flatMap(({ test }) => test ?? []);
  const joinedTest = (session: SessionEvents): EventTest => {
    const ready = tests.map((test) => test(session));
    return (event) => ready.every((test) => test(event));
  };
  const [first, ...rest] = parts.filter(({ test }) => !test);
  if (!first) return eventCondition(joinedTest, joinPrefilters(parts));
  return finderCondition((session) => {
    const test = joinedTest(session);
    const others = rest.map(({ find }) => eventsOf(find(session)));
    return first
      .find(session)
      .filter(({ events }) => events.every(test) && others.every((other) => events.some((event) => other.has(event))));
  });
}

function eventsOf(matches: readonly Match[]): ReadonlySet<EventLine> {
  return new Set(matches.flatMap(({ events }) => events));
}

function joinPrefilters(parts: readonly CompiledCondition[]): Prefilter | undefined {
  const prefilters = parts.flatMap(({ prefilter }) => prefilter ?? []);
  const tests = prefilters.flatMap((prefilter) => prefilter.tests);
  if (tests.length === 0) return undefined;
  return { tests, isExact: prefilters.length === parts.length && prefilters.every(({ isExact }) => isExact) };
}

/** Any part holds. Equal matches of several parts are one. */
export function anyOf(parts: readonly CompiledCondition[]): CompiledCondition {
  const tests = parts.map(({ test }) => test);
  if (tests.every((test) => test !== undefined))
    return eventCondition((session) => {
      const ready = tests.map((test) => test(session));
      return (event) => ready.some((test) => test(event));
    });
  return finderCondition((session) => {
    const indexes = new Map(session.events.map((event, index) => [event, index]));
    const distinct = new Map<string, Match>();
    for (const { find } of parts)
      for (const match of find(session)) distinct.set(match.events.map((event) => indexes.get(event)).join(' '), match);
    return [...distinct.values()].toSorted((a, b) => indexes.get(a.events[0]!)! - indexes.get(b.events[0]!)!);
  });
}

/** Events for which a part does not hold; for a sequence, events that belong to none of its matches. */
export function not({ test, find }: CompiledCondition): CompiledCondition {
  if (test)
    return eventCondition((session) => {
      const ready = test(session);
      return (event) => !ready(event);
    });
  return finderCondition((session) => {
    const matched = eventsOf(find(session));
    return session.events.flatMap((event, index) => (matched.has(event) ? [] : [matchAt(session.events, index)]));
  });
}

/** The stretch of a session that a time condition means, bounds included, in seconds. */
export function timeBounds({ from, to, first, last, part }: TimeCondition['time'], duration: number): Span {
  const starts = [from, last === undefined ? undefined : duration - last, part && part.from * duration];
  const ends = [to, first, part && part.to * duration];
  return {
    t: Math.max(...starts.map((each) => each ?? Number.NEGATIVE_INFINITY)),
    end: Math.min(...ends.map((each) => each ?? Number.POSITIVE_INFINITY)),
  };
}

/** Events that start in the interval, bounds included. */
export function inTime(time: TimeCondition['time']): CompiledCondition {
  return eventCondition(({ duration }) => {
    const bounds = timeBounds(time, duration);
    return ({ t }) => t >= bounds.t && t <= bounds.end;
  });
}

/**
 * Keeps the matches that have one of `others` near them or, with `absent`, none. Both lists are in order of time.
 *
 * @param areRelated Whether the variables of the two agree.
 */
export function filterNear(
  matches: readonly Match[],
  others: readonly Match[],
  condition: NearCondition,
  areRelated: (match: Match, other: Match) => boolean,
): Match[] {
  const { side, within = Number.POSITIVE_INFINITY, absent = false } = condition;
  const longest = others.reduce((most, { t, end }) => Math.max(most, end - t), 0);
  return matches.filter((match) => {
    const earliest = side === 'before' ? match.t : match.t - within - longest;
    const latest = side === 'after' ? match.t : match.end + within;
    for (let i = findFirstAt(others, earliest); i < others.length && others[i]!.t <= latest; i++)
      if (isNear(match, others[i]!, side, within) && areRelated(match, others[i]!)) return !absent;
    return absent;
  });
}

function isNear(match: Match, other: Match, side: NearCondition['side'], within: number): boolean {
  if (other.events.some((event) => match.events.includes(event))) return false;
  const secondsSince = match.t - other.end;
  const secondsUntil = other.t - match.end;
  if (side === 'after') return other.t <= match.t && secondsSince <= within;
  if (side === 'before') return other.t >= match.t && secondsUntil <= within;
  return Math.max(secondsSince, secondsUntil) <= within;
}

/** The index of the first match that starts at `t` or later, by binary search. */
export function findFirstAt(matches: readonly Match[], t: number): number {
  return countLeading(matches.length, (i) => matches[i]!.t < t);
}
