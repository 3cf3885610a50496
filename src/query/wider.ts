import type { Word } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { explainQuery } from './describe.ts';
import type { Condition, Query } from './query.ts';
import { runQuery, type CompiledQuery, type MatchOptions } from './run.ts';
import { compileCondition } from './match/match.ts';

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
