import type { Word } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { findNearest } from '../spelling.ts';
import { wordSlots } from '../dictionary/format.ts';
import { explainCondition, explainQuery } from './explain.ts';
import { ConditionCompiler } from './match/compile.ts';
import type { MatchOptions } from './match/event-index.ts';
import type { ActionPattern, Condition, Query } from './query.ts';
import { matchEvents, type CompiledQuery } from './run.ts';
import { collectNames } from './names.ts';
import { Vocabulary } from './vocabulary.ts';
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

/** The actions and properties of a query that no event mentions: another word may be meant. */
export function findAbsentWords({ query, dictionary }: CompiledQuery, events: Iterable<EventLine>): readonly string[] {
  const vocabulary = new Vocabulary(events, dictionary);
  const absent = explainQuery(query, dictionary).words.flatMap(({ id, kind }) => {
    const word = kind === 'object' ? undefined : dictionary.find(id, kind);
    return word && !vocabulary.has(word) ? [word.name] : [];
  });
  return [...new Set(absent)];
}

/** A part of a query without matches. */
export interface ExcludingPart {
  /** The part as `explainQuery` writes it. */
  readonly part: string;
  /** The matches of the query without the part. */
  readonly count: number;
}

/** Finds the single parts of a query that exclude every match: slots of an action, and conditions that must hold together. */
export function findExcludingParts(
  compiled: CompiledQuery,
  events: readonly EventLine[],
  options: MatchOptions = {},
): ExcludingPart[] {
  const { query, dictionary } = compiled;
  return withoutParts(query.find).flatMap(({ find, removed }) => {
    const condition = new ConditionCompiler(dictionary).compile(find);
    const count = matchEvents({ ...compiled, query: { ...query, find }, condition }, events, options).length;
    return count === 0 ? [] : [{ part: explainCondition(removed, dictionary), count }];
  });
}

/** The condition without each of its parts in turn. */
function withoutParts(condition: Condition): { readonly find: Condition; readonly removed: Condition }[] {
  if ('all' in condition && condition.all.length > 1)
    return condition.all.map((removed, index) => {
      const rest = condition.all.toSpliced(index, 1);
      return { find: rest.length === 1 ? rest[0]! : { all: rest }, removed };
    });
  if (!('action' in condition)) return [];
  const pattern = condition as ActionPattern;
  return wordSlots.flatMap((slot) => {
    const { [slot]: removed, ...rest } = pattern;
    return removed?.any ? [{ find: rest, removed: { action: [], [slot]: removed } }] : [];
  });
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
