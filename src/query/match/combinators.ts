import type { EventLine } from '../../events/log.ts';
import type { NearCondition, TimeCondition } from '../query.ts';
import { type Screen, screened, type SessionEvents } from './event-index.ts';
import type { Predicate } from './patterns.ts';

/** What was found: one event, or the steps of a sequence in their order. Times in seconds. */
export interface Match {
  readonly t: number;
  readonly end: number;
  readonly events: readonly EventLine[];
  /** Where its first and its last event stand in their session. */
  readonly first: number;
  readonly last: number;
}

/** Finds the matches of a condition in one session, in the order of their times. */
export type Finder = (session: SessionEvents) => Match[];

/** A condition made ready: a test of single events where it is one, else only a finder. */
export interface Compiled {
  readonly find: Finder;
  /** For conditions about single events; the session decides what "the last minute" is. */
  readonly test: ((session: SessionEvents) => Predicate) | undefined;
  /** What of it can be told from numbers alone. */
  readonly screen?: Screen | undefined;
}

/** Several matches as one. */
export function matchOf(parts: readonly Match[]): Match {
  const [first] = parts;
  return {
    t: first!.t,
    end: Math.max(...parts.map(({ end }) => end)),
    events: parts.flatMap(({ events }) => events),
    first: first!.first,
    last: parts.at(-1)!.last,
  };
}

function matchAt(events: readonly EventLine[], index: number): Match {
  const event = events[index]!;
  return { t: event.t, end: event.end, events: [event], first: index, last: index };
}

/** A condition about single events that does not depend on the session. */
export function single(predicate: Predicate, screen?: Screen): Compiled {
  return tested(() => predicate, screen);
}

/** A condition about single events that may depend on the session. */
export function tested(test: (session: SessionEvents) => Predicate, screen?: Screen): Compiled {
  return {
    test,
    screen,
    find: (session) => {
      const { events, columns } = session;
      if (screen && screen.tests.length > 0) {
        const passed = screened(columns, screen.tests);
        if (screen.exact) return passed.map((index) => matchAt(events, index));
        const matches = test(session);
        return passed.filter((index) => matches(events[index]!)).map((index) => matchAt(events, index));
      }
      const matches = test(session);
      const found: Match[] = [];
      for (let i = 0; i < events.length; i++) if (matches(events[i]!)) found.push(matchAt(events, i));
      return found;
    },
  };
}

export function finder(find: Finder): Compiled {
  return { find, test: undefined };
}

/** All hold of the same event; with sequences among them, of every event of the sequence. */
export function all(parts: readonly Compiled[]): Compiled {
  const tests = parts.flatMap(({ test }) => test ?? []);
  const others = parts.filter(({ test }) => !test);
  const together = (session: SessionEvents): Predicate => {
    const predicates = tests.map((test) => test(session));
    return (event) => predicates.every((predicate) => predicate(event));
  };
  const [first, ...rest] = others;
  if (!first) return tested(together, screenOf(parts));
  return finder((session) => {
    const fits = together(session);
    const sets = rest.map((other) => new Set(other.find(session).flatMap(({ events }) => events)));
    return first
      .find(session)
      .filter(({ events }) => events.every(fits) && sets.every((set) => events.some((event) => set.has(event))));
  });
}

export function any(parts: readonly Compiled[]): Compiled {
  const tests = parts.map(({ test }) => test);
  if (tests.every((test) => test !== undefined)) {
    return tested((session) => {
      const predicates = tests.map((test) => test(session));
      return (event) => predicates.some((predicate) => predicate(event));
    });
  }
  return finder((session) => {
    const order = new Map(session.events.map((event, index) => [event, index]));
    const once = new Map<string, Match>();
    for (const part of parts)
      for (const match of part.find(session)) once.set(match.events.map((event) => order.get(event)).join(' '), match);
    const place = (match: Match): number => order.get(match.events[0]!)!;
    return [...once.values()].toSorted((a, b) => place(a) - place(b));
  });
}

/** Events of which it does not hold; of a sequence: events that are no part of one. */
export function not(part: Compiled): Compiled {
  const { test } = part;
  if (test) {
    return tested((session) => {
      const predicate = test(session);
      return (event) => !predicate(event);
    });
  }
  return finder((session) => {
    const taken = new Set(part.find(session).flatMap(({ events }) => events));
    return session.events.flatMap((event, index) => (taken.has(event) ? [] : [matchAt(session.events, index)]));
  });
}

/** Events that begin in the stretch, its ends included. */
export function timed({
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
  first,
  last,
}: TimeCondition['time']): Compiled {
  return tested(({ duration }) => {
    const start = last === undefined ? from : Math.max(from, duration - last);
    const end = first === undefined ? to : Math.min(to, first);
    return ({ t }) => t >= start && t <= end;
  });
}

/** What of all conditions together can be told from numbers. */
function screenOf(parts: readonly Compiled[]): Screen | undefined {
  const screens = parts.flatMap(({ screen }) => screen ?? []);
  const tests = screens.flatMap((screen) => screen.tests);
  return tests.length === 0
    ? undefined
    : { tests, exact: screens.length === parts.length && screens.every(({ exact }) => exact) };
}

/** Keeps the matches that have one of `others` (in the order of time) near them, or with `absent` those that have none. */
export function near(matches: readonly Match[], others: readonly Match[], condition: NearCondition): Match[] {
  const { side, within = Number.POSITIVE_INFINITY, absent = false } = condition;
  const longest = others.reduce((most, { t, end }) => Math.max(most, end - t), 0);
  return matches.filter((match) => {
    // Only those that begin in reach can be near.
    const from = side === 'before' ? match.t : match.t - within - longest;
    const to = side === 'after' ? match.t : match.end + within;
    for (let i = firstAt(others, from); i < others.length && others[i]!.t <= to; i++) {
      if (isNear(match, others[i]!, side, within)) return !absent;
    }
    return absent;
  });
}

/** Is `other` near `match` on that side of it, no further than `within` seconds? Never the match itself. */
function isNear(match: Match, other: Match, side: NearCondition['side'], within: number): boolean {
  if (other.events.some((event) => match.events.includes(event))) return false;
  const since = match.t - other.end;
  const until = other.t - match.end;
  if (side === 'after') return other.t <= match.t && since <= within;
  if (side === 'before') return other.t >= match.t && until <= within;
  return Math.max(since, until) <= within;
}

/** Index of the first match that begins at `t` or later. */
export function firstAt(matches: readonly Match[], t: number): number {
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches[middle]!.t < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
