import { slotKind } from '../../dictionary/format.ts';
import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot, type WordId } from '../../events/statement.ts';
import type { PatternSlot } from '../query.ts';

export interface MatchOptions {
  /** Seconds of each session, for "in the last minute"; default: until the end of its last event. */
  readonly durations?: ReadonlyMap<string, number>;
}

interface Known {
  readonly length: number;
  readonly last: EventLine | undefined;
  readonly sessions: readonly SessionEvents[];
}

/** The events of one session in the order of their times. */
export interface SessionEvents {
  readonly session: string;
  /** Seconds. */
  readonly duration: number;
  readonly events: readonly EventLine[];
  /** The words of the events as numbers. */
  readonly columns: Columns;
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

/** `head`: the action or the property. */
export type ColumnName = 'head' | PatternSlot;

/** Words as numbers: a column's value must lie in one of the intervals (pairs of first and last). */
export interface ColumnTest {
  readonly column: ColumnName;
  readonly intervals: readonly number[];
}

/**
 * What can be told from the numbers of words alone. `exact`: all that the condition asks; else what passes must still be
 * tested.
 */
export interface Screen {
  readonly tests: readonly ColumnTest[];
  readonly exact: boolean;
}

const none = -1;

/** The words of events as their numbers in the dictionary's preorder, each column made when it is first asked for. */
export class Columns {
  private readonly events: readonly EventLine[];
  private readonly dictionary: Dictionary;
  private readonly made = new Map<ColumnName, Int32Array>();

  constructor(events: readonly EventLine[], dictionary: Dictionary) {
    this.events = events;
    this.dictionary = dictionary;
  }

  get(name: ColumnName): Int32Array {
    let column = this.made.get(name);
    if (!column) {
      column = name === 'head' ? this.heads() : this.slots(name);
      this.made.set(name, column);
    }
    return column;
  }

  private heads(): Int32Array {
    const { events } = this;
    const actions = this.orders('action');
    const properties = this.orders('property');
    const column = new Int32Array(events.length);
    for (let i = 0; i < events.length; i++) {
      const { statement } = events[i]!;
      column[i] = isPropertyStatement(statement) ? properties(statement.property) : actions(statement.action);
    }
    return column;
  }

  private slots(slot: PatternSlot): Int32Array {
    const { events, dictionary } = this;
    const orders = this.orders(slotKind(slot));
    // What the action's own word puts into the slot ("drive golf ball").
    const implied = new Map(
      dictionary
        .words('action')
        .flatMap(({ id, slots }) => (slots[slot].word === undefined ? [] : [[id, slots[slot].word] as const])),
    );
    const column = new Int32Array(events.length);
    for (let i = 0; i < events.length; i++) {
      const { statement } = events[i]!;
      let said: Slot | undefined;
      if (!isPropertyStatement(statement))
        said = statement[slot] ?? (implied.size > 0 ? implied.get(statement.action) : undefined);
      else if (slot === 'subject') said = statement.subject;
      column[i] = said === undefined ? none : orders(typeof said === 'string' ? said : said.word);
    }
    return column;
  }

  /** Numbers of ids; each id is looked up once. */
  private orders(kind: WordKind): (id: WordId) => number {
    const seen = new Map<WordId, number>();
    return (id) => {
      let order = seen.get(id);
      if (order === undefined) {
        order = this.dictionary.find(id, kind)?.order ?? none;
        seen.set(id, order);
      }
      return order;
    };
  }
}

/** Indices of the events that pass all tests. */
export function screened(columns: Columns, tests: readonly ColumnTest[]): readonly number[] {
  const [first, ...rest] = tests;
  if (!first) throw new RangeError('a screen has at least one test');
  let passed = passing(columns.get(first.column), first.intervals);
  for (const { column, intervals } of rest) {
    const values = columns.get(column);
    passed = passed.filter((index) => inside(values[index]!, intervals));
  }
  return passed;
}

function passing(values: Int32Array, intervals: readonly number[]): number[] {
  const passed: number[] = [];
  if (intervals.length === 2) {
    const [low, high] = intervals as [number, number];
    for (let i = 0; i < values.length; i++) if (values[i]! >= low && values[i]! <= high) passed.push(i);
    return passed;
  }
  for (let i = 0; i < values.length; i++) if (inside(values[i]!, intervals)) passed.push(i);
  return passed;
}

function inside(value: number, intervals: readonly number[]): boolean {
  for (let i = 0; i < intervals.length; i += 2) if (value >= intervals[i]! && value <= intervals[i + 1]!) return true;
  return false;
}
