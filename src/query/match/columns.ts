import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import { slotKind } from '../../dictionary/frames.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot, type WordId } from '../../events/statement.ts';
import type { PatternSlot } from '../query.ts';

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
        .flatMap(({ id, frame }) => (frame[slot].word === undefined ? [] : [[id, frame[slot].word] as const])),
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
