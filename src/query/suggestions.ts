import type { Word } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import type { Slot } from '../events/statement.ts';
import { findNearest } from '../spelling.ts';
import { explainQuery } from './explain.ts';
import { compileCondition } from './match/compile.ts';
import { slotsOf } from './match/patterns.ts';
import type { Condition, Query } from './query.ts';
import { type CompiledQuery, type MatchOptions, runQuery } from './run.ts';

/** A proper name of a query that stands in no event, and the one it may be a slip of. */
export interface UnmetName {
  readonly name: string;
  readonly near: string | undefined;
}

/** The names that a query asks for and no event has: mostly slips, or words taken for names. */
export function unmetNames({ find }: Query, events: Iterable<EventLine>): readonly UnmetName[] {
  const wanted = new Set<string>();
  collect(find, wanted);
  if (wanted.size === 0) return [];
  const known = new Map<string, string>();
  const add = (slot: Slot | undefined): void => {
    if (typeof slot !== 'object') return;
    if (slot.name !== undefined) known.set(slot.name.toLowerCase(), slot.name);
    add(slot.of);
  };
  for (const { statement } of events) for (const slot of slotsOf(statement)) add(slot);
  return [...wanted]
    .filter((name) => !known.has(name.toLowerCase()))
    .map((name) => ({ name, near: findNearest(name, known.values()) }));
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'name' && typeof inner === 'string') names.add(inner);
    else collect(inner, names);
  }
}

/** A query that found nothing, with one word taken wider: what it finds then. */
export interface Wider {
  /** The names of the word and of the one above it. */
  readonly word: string;
  readonly instead: string;
  readonly count: number;
}

/** What a query without matches finds when one of its words gives way to the word above it; words above which nothing stands are left. */
export function widerMatches(
  { query, dictionary, sentence }: CompiledQuery,
  events: readonly EventLine[],
  options: MatchOptions = {},
): Wider[] {
  const words = explainQuery(query, dictionary).words;
  return words.flatMap(({ id, kind }): Wider[] => {
    const word = dictionary.find(id, kind);
    const above = word?.parent;
    if (!word || !above?.parent) return [];
    const find = replaced(query.find, word, above) as Condition;
    const wider: Query = { ...query, find };
    const condition = compileCondition(find, dictionary);
    const { count } = runQuery({ query: wider, dictionary, sentence, condition }, events, options);
    return count === 0 ? [] : [{ word: word.name, instead: above.name, count }];
  });
}

/** The keys under which ids of a kind of word stand in a query. */
const keys: Readonly<Record<Word['kind'], readonly string[]>> = {
  action: ['action'],
  object: ['words', 'unit'],
  property: ['property'],
};

function replaced(value: unknown, word: Word, above: Word, under = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => replaced(one, word, above, under));
  if (value === word.id && keys[word.kind].includes(under)) return above.id;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, word, above, key)]));
}
