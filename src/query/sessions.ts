import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { Columns } from './match/columns.ts';
import type { SessionEvents } from './match/combine.ts';

export interface MatchOptions {
  /** Seconds of each session, for "in the last minute"; default: until the end of its last event. */
  readonly durations?: ReadonlyMap<string, number>;
}

interface Known {
  readonly length: number;
  readonly last: EventLine | undefined;
  readonly sessions: readonly SessionEvents[];
}

/** Sessions of lists that were asked before: a second query over the same events finds its numbers ready. */
const known = new WeakMap<Dictionary, WeakMap<object, Known>>();

/** Events by session, in the order in which the sessions first appear, each in the order of time. */
export function sessionsOf(
  events: Iterable<EventLine>,
  dictionary: Dictionary,
  options: MatchOptions = {},
): readonly SessionEvents[] {
  const sessions = Array.isArray(events)
    ? remembered(events as readonly EventLine[], dictionary)
    : split(events, dictionary);
  const { durations } = options;
  if (!durations) return sessions;
  return sessions.map((session) => ({ ...session, duration: durations.get(session.session) ?? session.duration }));
}

function remembered(events: readonly EventLine[], dictionary: Dictionary): readonly SessionEvents[] {
  const table = known.get(dictionary) ?? new WeakMap<object, Known>();
  known.set(dictionary, table);
  const found = table.get(events);
  // A list that has grown since is another.
  if (found && found.length === events.length && found.last === events.at(-1)) return found.sessions;
  const sessions = split(events, dictionary);
  table.set(events, { length: events.length, last: events.at(-1), sessions });
  return sessions;
}

function split(events: Iterable<EventLine>, dictionary: Dictionary): readonly SessionEvents[] {
  const bySession = new Map<string, EventLine[]>();
  for (const event of events) {
    const list = bySession.get(event.session);
    if (list) list.push(event);
    else bySession.set(event.session, [event]);
  }
  return [...bySession].map(([session, list]) => {
    let sorted = true;
    let end = 0;
    for (let i = 0; i < list.length; i++) {
      if (i > 0 && list[i]!.t < list[i - 1]!.t) sorted = false;
      if (list[i]!.end > end) end = list[i]!.end;
    }
    const ordered = sorted ? list : list.toSorted((a, b) => a.t - b.t);
    return { session, duration: end, events: ordered, columns: new Columns(ordered, dictionary) };
  });
}
