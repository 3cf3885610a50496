import type { Dictionary } from '../../dictionary/dictionary.ts';
import { slotKind, type WordKind, type WordSlot } from '../../dictionary/format.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot, type Statement, type WordId } from '../../events/statement.ts';

/** The events of one session in order of time. */
export interface SessionEvents {
  readonly session: string;
  /** Seconds. */
  readonly duration: number;
  readonly events: readonly EventLine[];
  readonly columns: WordColumns;
}

/** Options of `matchEvents` and `runQuery`. */
export interface MatchOptions {
  /** Duration of each session in seconds, for "in the last minute". Default: the end of its last event. */
  readonly durations?: ReadonlyMap<string, number>;
}

interface CachedSessions {
  readonly length: number;
  readonly lastEvent: EventLine | undefined;
  readonly sessions: readonly SessionEvents[];
}

/** The sessions of event lists, so that further queries over a list reuse its columns. */
const cache = new WeakMap<Dictionary, WeakMap<object, CachedSessions>>();

/** Groups events by session, in order of first appearance, each in order of time. */
export function groupBySession(
  events: Iterable<EventLine>,
  dictionary: Dictionary,
  { durations }: MatchOptions = {},
): readonly SessionEvents[] {
  const sessions = Array.isArray(events)
    ? groupCached(events as readonly EventLine[], dictionary)
    : group(events, dictionary);
  if (!durations) return sessions;
  return sessions.map((session) => ({ ...session, duration: durations.get(session.session) ?? session.duration }));
}

function groupCached(events: readonly EventLine[], dictionary: Dictionary): readonly SessionEvents[] {
  const ofDictionary = cache.get(dictionary) ?? new WeakMap<object, CachedSessions>();
  cache.set(dictionary, ofDictionary);
  const cached = ofDictionary.get(events);
  // The caller may have appended events since.
  if (cached && cached.length === events.length && cached.lastEvent === events.at(-1)) return cached.sessions;
  const sessions = group(events, dictionary);
  ofDictionary.set(events, { length: events.length, lastEvent: events.at(-1), sessions });
  return sessions;
}

function group(events: Iterable<EventLine>, dictionary: Dictionary): readonly SessionEvents[] {
  return [...Map.groupBy(events, (event) => event.session)].map(([session, list]) => {
    let duration = 0;
    let isSorted = true;
    for (let i = 0; i < list.length; i++) {
      if (i > 0 && list[i]!.t < list[i - 1]!.t) isSorted = false;
      if (list[i]!.end > duration) duration = list[i]!.end;
    }
    const ordered = isSorted ? list : list.toSorted((a, b) => a.t - b.t);
    return { session, duration, events: ordered, columns: new WordColumns(ordered, dictionary) };
  });
}

/** A word of a statement: `head` is its action or property. */
export type ColumnName = 'head' | WordSlot;

/** Tests whether the word of a column lies in one of the intervals of preorder numbers (pairs of first and last). */
export interface ColumnTest {
  readonly column: ColumnName;
  readonly intervals: readonly number[];
}

/** The part of a condition that can be tested on word columns. */
export interface Prefilter {
  readonly tests: readonly ColumnTest[];
  /** Whether the tests are the whole condition; else events that pass must be tested further. */
  readonly isExact: boolean;
}

const noWord = -1;

/**
 * The words of events as preorder numbers of the dictionary, so that "is a kind of" is a comparison of integers. A column is
 * computed on first use.
 */
export class WordColumns {
  private readonly events: readonly EventLine[];
  private readonly dictionary: Dictionary;
  private readonly columns = new Map<ColumnName, Int32Array>();

  constructor(events: readonly EventLine[], dictionary: Dictionary) {
    this.events = events;
    this.dictionary = dictionary;
  }

  /** The indexes of the events that pass all tests. */
  select([first, ...rest]: readonly ColumnTest[]): readonly number[] {
    if (!first) throw new RangeError('select needs at least one test');
    let selected = selectFromColumn(this.column(first.column), first.intervals);
    for (const { column, intervals } of rest) {
      const values = this.column(column);
      selected = selected.filter((index) => isInside(values[index]!, intervals));
    }
    return selected;
  }

  private column(name: ColumnName): Int32Array {
    let column = this.columns.get(name);
    if (!column) {
      column = name === 'head' ? this.computeHeads() : this.computeSlots(name);
      this.columns.set(name, column);
    }
    return column;
  }

  private computeHeads(): Int32Array {
    const actionOrder = this.orderLookup('action');
    const propertyOrder = this.orderLookup('property');
    return this.fill((statement) =>
      isPropertyStatement(statement) ? propertyOrder(statement.property) : actionOrder(statement.action),
    );
  }

  private computeSlots(slot: WordSlot): Int32Array {
    const order = this.orderLookup(slotKind(slot));
    // The words that actions themselves put into the slot ("drive golf ball").
    const implied = new Map<WordId, WordId>();
    for (const { id, slots } of this.dictionary.words('action'))
      if (slots[slot].word !== undefined) implied.set(id, slots[slot].word);
    return this.fill((statement) => {
      let filler: Slot | undefined;
      if (!isPropertyStatement(statement)) filler = statement[slot] ?? implied.get(statement.action);
      else if (slot === 'subject') filler = statement.subject;
      return filler === undefined ? noWord : order(typeof filler === 'string' ? filler : filler.word);
    });
  }

  private fill(orderOf: (statement: Statement) => number): Int32Array {
    // A loop: Int32Array.from takes twice as long.
    const column = new Int32Array(this.events.length);
    for (let i = 0; i < column.length; i++) column[i] = orderOf(this.events[i]!.statement);
    return column;
  }

  /** Logs use few words often, so each id is looked up once. */
  private orderLookup(kind: WordKind): (id: WordId) => number {
    const orders = new Map<WordId, number>();
    return (id) => {
      let order = orders.get(id);
      if (order === undefined) orders.set(id, (order = this.dictionary.find(id, kind)?.order ?? noWord));
      return order;
    };
  }
}

function selectFromColumn(values: Int32Array, intervals: readonly number[]): number[] {
  const selected: number[] = [];
  if (intervals.length === 2) {
    const [first, last] = intervals as [number, number];
    for (let i = 0; i < values.length; i++) if (values[i]! >= first && values[i]! <= last) selected.push(i);
  } else for (let i = 0; i < values.length; i++) if (isInside(values[i]!, intervals)) selected.push(i);
  return selected;
}

function isInside(value: number, intervals: readonly number[]): boolean {
  for (let i = 0; i < intervals.length; i += 2) if (value >= intervals[i]! && value <= intervals[i + 1]!) return true;
  return false;
}
