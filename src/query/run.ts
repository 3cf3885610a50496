import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError, type Issue } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import type { CompiledCondition, Match } from './match/combinators.ts';
import { ConditionCompiler } from './match/compile.ts';
import { groupBySession, WordColumns, type MatchOptions } from './match/event-index.ts';
import { groupMatches, type Group } from './match/groups.ts';
import { parseQuery } from './parse/parse-query.ts';
import type { Query } from './query.ts';
import { resolveSessionNames, type SessionNames } from './session-names.ts';
import { validateQuery } from './validate.ts';

/** A query compiled for a dictionary. */
export interface CompiledQuery {
  /** The sentence, unless the query was structured. */
  readonly sentence: string | undefined;
  /** The structured form. */
  readonly query: Query;
  readonly dictionary: Dictionary;
  readonly condition: CompiledCondition;
}

/** Options of {@link compileQuery}. */
export interface QueryOptions {
  /** The game whose words are preferred where several words share a name. */
  readonly game?: string;
  /** Names of sessions that the query may use ("in session final"); session ids always work. */
  readonly sessions?: SessionNames;
}

/**
 * Compiles a query: a sentence or its structured form.
 *
 * @throws PlaybyplayError `bad-query` with all issues; those about a sentence have the offsets `start` and `end`.
 * @example
 * const { dictionary } = await loadBuiltin();
 * compileQuery('kills with railgun', dictionary).query.find;
 * // { action: ['kill'], with: { any: [{ words: ['railgun'] }] } }
 */
export function compileQuery(query: string | Query, dictionary: Dictionary, options: QueryOptions = {}): CompiledQuery {
  const sentence = typeof query === 'string' ? query : undefined;
  const { query: parsed, issues } =
    typeof query === 'string'
      ? parseQuery(query, dictionary, options.game)
      : { query, issues: validateQuery(query, dictionary) };
  if (!parsed || issues.length > 0)
    throw badQuery(sentence === undefined ? 'the structured query' : `"${sentence}"`, issues);
  const resolved = options.sessions ? resolveSessionNames(parsed, options.sessions) : parsed;
  const condition = new ConditionCompiler(dictionary).compile(resolved.find);
  return { sentence, query: resolved, dictionary, condition };
}

function badQuery(what: string, issues: readonly Issue[]): PlaybyplayError {
  const [first] = issues;
  return new PlaybyplayError('bad-query', `cannot understand ${what}: ${first?.message}`, {
    hint: first?.hint,
    issues,
  });
}

/**
 * Finds the events that match a query, session by session in order of first appearance, each in order of time.
 *
 * @returns One match per event; for a sequence, one match per series of events.
 * @example
 * const { events, dictionary } = await loadLogs(['match.playbyplay']);
 * for (const { t, events: [event] } of matchEvents(compileQuery('kills by player', dictionary), events))
 *   console.log(t, event?.text);
 */
export function matchEvents(compiled: CompiledQuery, events: Iterable<EventLine>, options: MatchOptions = {}): Match[] {
  const { first, last } = compiled.query;
  const matches = groupBySession(events, compiled.dictionary, options).flatMap((session) =>
    compiled.condition.find(session),
  );
  if (first !== undefined) return matches.slice(0, first);
  return last === undefined ? matches : matches.slice(Math.max(0, matches.length - last));
}

/** The answer to a query. */
export interface QueryResult {
  readonly matches: readonly Match[];
  readonly count: number;
  /** For queries with groups ("by weapon"). */
  readonly groups: readonly Group[] | undefined;
}

/**
 * Answers a query: its matches, their number, and their groups.
 *
 * @example
 * const { events, dictionary } = await loadLogs(['match.playbyplay']);
 * const { groups } = runQuery(compileQuery('count kills by weapon', dictionary), events);
 * for (const { labels, count } of groups ?? []) console.log(labels.join(), count);
 */
export function runQuery(
  compiled: CompiledQuery,
  events: Iterable<EventLine>,
  options: MatchOptions = {},
): QueryResult {
  const matches = matchEvents(compiled, events, options);
  const { by } = compiled.query;
  return { matches, count: matches.length, groups: by && groupMatches(matches, by, compiled.dictionary) };
}

/**
 * Creates a test of single events, for streams.
 *
 * @returns `undefined` if the query is about several events.
 * @example
 * const { events, dictionary } = await loadLogs(['match.playbyplay']);
 * const isKill = createEventTest(compileQuery('kills by player', dictionary));
 * events.filter((event) => isKill?.(event)).length;
 */
export function createEventTest(compiled: CompiledQuery): ((event: EventLine) => boolean) | undefined {
  return compiled.condition.test?.({
    session: '',
    duration: Number.POSITIVE_INFINITY,
    events: [],
    columns: new WordColumns([], compiled.dictionary),
  });
}
