import { PlaybyplayError, type Issue } from '../errors.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { Columns, sessionsOf, type MatchOptions } from './match/event-index.ts';
import type { Compiled, Match } from './match/combinators.ts';
import { checkQuery } from './validate.ts';
import { readQuery } from './parse/conditions.ts';
import { groupsOf, type Group } from './match/groups.ts';
import { compileCondition } from './match/compile.ts';
import type { Query } from './query.ts';
import { withSessions, type SessionNames } from './session-names.ts';

export type { MatchOptions };

/** A query made ready for a dictionary. */
export interface CompiledQuery {
  /** The sentence, where it was one. */
  readonly sentence: string | undefined;
  /** The structured form of the same. */
  readonly query: Query;
  readonly dictionary: Dictionary;
  readonly condition: Compiled;
}

export interface QueryOptions {
  /** The game whose words come first where a name has several. */
  readonly game?: string;
  /** What sessions are called by those who ask ("in session final"); else only by their ids. */
  readonly sessions?: SessionNames;
}

/**
 * Makes a query ready: a sentence ("player defeats enemy with gun") or its structured form. Throws PlaybyplayError
 * `bad-query` whose issues point at the words (`start` and `end` are offsets into the sentence).
 */
export function compileQuery(query: string | Query, dictionary: Dictionary, options: QueryOptions = {}): CompiledQuery {
  if (typeof query !== 'string') {
    const issues = checkQuery(query, dictionary);
    if (issues.length > 0) throw badQuery('the structured query', issues);
    return ready(undefined, query, dictionary, options);
  }
  const read = readQuery(query, dictionary, options.game);
  if (!read.query) throw badQuery(`"${query}"`, read.issues);
  return ready(query, read.query, dictionary, options);
}

function ready(
  sentence: string | undefined,
  asked: Query,
  dictionary: Dictionary,
  { sessions }: QueryOptions,
): CompiledQuery {
  const query = sessions ? withSessions(asked, sessions) : asked;
  return { sentence, query, dictionary, condition: compileCondition(query.find, dictionary) };
}

function badQuery(what: string, issues: readonly Issue[]): PlaybyplayError {
  const [first] = issues;
  return new PlaybyplayError('bad-query', `cannot understand ${what}: ${first?.message ?? 'no reading'}`, {
    hint: first?.hint,
    issues,
  });
}

/**
 * The matches of a query, session by session in the order in which they appear, within each in the order of time.
 * A match of a pattern is one event; of "kill followed by kill" the two.
 */
export function matchEvents(compiled: CompiledQuery, events: Iterable<EventLine>, options: MatchOptions = {}): Match[] {
  const { first, last } = compiled.query;
  const matches = sessionsOf(events, compiled.dictionary, options).flatMap((session) =>
    compiled.condition.find(session),
  );
  if (first !== undefined) return matches.slice(0, first);
  return last === undefined ? matches : matches.slice(Math.max(0, matches.length - last));
}

/** What a query answers: its matches, or with "count" and "by" how many. */
export interface QueryResult {
  readonly matches: readonly Match[];
  readonly count: number;
  readonly groups: readonly Group[] | undefined;
}

export function runQuery(
  compiled: CompiledQuery,
  events: Iterable<EventLine>,
  options: MatchOptions = {},
): QueryResult {
  const matches = matchEvents(compiled, events, options);
  const { by } = compiled.query;
  return { matches, count: matches.length, groups: by && groupsOf(matches, by, compiled.dictionary) };
}

/** A test of single events, for streams; undefined where the query is about several events or the session's length. */
export function eventTest(compiled: CompiledQuery): ((event: EventLine) => boolean) | undefined {
  return compiled.condition.test?.({
    session: '',
    duration: Number.POSITIVE_INFINITY,
    events: [],
    columns: new Columns([], compiled.dictionary),
  });
}
