import type { Word } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { findNearest } from '../spelling.ts';
import { explainQuery } from './explain.ts';
import { ConditionCompiler } from './match/compile.ts';
import type { MatchOptions } from './match/event-index.ts';
import type { Condition, Query } from './query.ts';
import { matchEvents, type CompiledQuery } from './run.ts';
import { collectNames } from './names.ts';
import type { UnknownName } from './session-names.ts';

/**
 * Finds proper names in a query that no event mentions: usually misspellings, or words mistaken for names.
 *
 * @param among The events, or the names that they mention.
 */
export function findUnknownNames(
  { find }: Query,
  among: readonly EventLine[] | readonly string[],
): readonly UnknownName[] {
  const names = [...new Set(findNames(find))];
  if (names.length === 0) return [];
  const mentioned = isNames(among) ? among : collectNames(among);
  const known = new Map(mentioned.map((name) => [name.toLowerCase(), name]));
  return names
    .filter((name) => !known.has(name.toLowerCase()))
    .map((name) => ({ name, nearest: findNearest(name, known.values()) }));
}

function isNames(among: readonly EventLine[] | readonly string[]): among is readonly string[] {
  return typeof among[0] === 'string';
}

function findNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'name' && typeof inner === 'string' ? [inner] : findNames(inner),
  );
}

/** A broader word for a query without matches. */
export interface BroaderWord {
  /** The name of the word in the query. */
  readonly word: string;
  /** The name of its parent. */
  readonly instead: string;
  /** The matches of the query with the parent. */
  readonly count: number;
}

/** Finds words of a query whose parent would have matches. Roots are too general to suggest. */
export function suggestBroaderWords(
  compiled: CompiledQuery,
  events: readonly EventLine[],
  options: MatchOptions = {},
): BroaderWord[] {
  const { query, dictionary } = compiled;
  return explainQuery(query, dictionary).words.flatMap(({ id, kind }): BroaderWord[] => {
    const word = dictionary.find(id, kind);
    const parent = word?.parent;
    if (!word || !parent?.parent) return [];
    const find = replaceWord(query.find, word, parent) as Condition;
    const condition = new ConditionCompiler(dictionary).compile(find);
    const count = matchEvents({ ...compiled, query: { ...query, find }, condition }, events, options).length;
    return count === 0 ? [] : [{ word: word.name, instead: parent.name, count }];
  });
}

/** The keys under which a query has ids of a kind. */
const keysOfKind: Readonly<Record<Word['kind'], readonly string[]>> = {
  action: ['action'],
  object: ['words', 'unit'],
  property: ['property'],
};

function replaceWord(value: unknown, word: Word, replacement: Word, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceWord(each, word, replacement, key));
  if (value === word.id && keysOfKind[word.kind].includes(key)) return replacement.id;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([each, inner]) => [each, replaceWord(inner, word, replacement, each)]),
  );
}
