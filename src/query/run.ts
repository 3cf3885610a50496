import type { Dictionary } from '../dictionary/dictionary.ts';
import type { Display } from '../dictionary/sentences/parse-context.ts';
import { PlaybyplayError, type Issue } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { AnswerComputer, type Answer, type TimedValue } from './answers.ts';
import type { CompiledCondition, Match } from './match/combinators.ts';
import { ConditionCompiler } from './match/compile.ts';
import { groupBySession, WordColumns, type MatchOptions, type SessionEvents } from './match/event-index.ts';
import { groupMatches, type Group } from './match/groups.ts';
import type { Correction } from './parse/normalize.ts';
import { parseQuery } from './parse/parse-query.ts';
import type { Query } from './query.ts';
import type { LoadedLogs } from './logs.ts';
import { collectDisplays, collectNames } from './names.ts';
import { collectSessionNames, resolveSessionNames, type SessionNames } from './session-names.ts';
import { Vocabulary } from './vocabulary.ts';
import { explainRefusal } from './working-questions.ts';
import { validateQuery } from './validate.ts';

/** A query compiled for a dictionary. */
export interface CompiledQuery {
  /** The sentence, unless the query was structured. */
  readonly sentence: string | undefined;
  /** The structured form. */
  readonly query: Query;
  readonly dictionary: Dictionary;
  readonly condition: CompiledCondition;
  /** Misspelt words of the sentence and what they were read as. */
  readonly corrections: readonly Correction[];
}

/** Options of {@link compileQuery}. */
export interface QueryOptions {
  /** The logs that the query is about: their games, names and sessions, which it may then mention as the command line does. */
  readonly logs?: Pick<LoadedLogs, 'events' | 'games' | 'logs'>;
  /** Refuses misspelt words instead of correcting them, where nobody would read the corrections. Default false. */
  readonly exactSpelling?: boolean;
  /** Refuses without saying why and what would work, where nobody would read it: finding that out takes longer. Default false. */
  readonly withoutReason?: boolean;
  /** Reads a sentence as it stands only, not in other words or with its parts in another order, where many are tried. Default false. */
  readonly asItStands?: boolean;
  /** The game whose words are preferred where several words share a name. */
  readonly game?: string;
  /** Names of sessions that the query may use ("in final"); session ids always work. */
  readonly sessions?: SessionNames;
  /** Proper names in the logs, see {@link collectNames}; the query may write them in lower case. */
  readonly names?: readonly string[];
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
  const { logs, withoutReason = false } = options;
  const {
    game = logs?.games.length === 1 ? logs.games[0] : undefined,
    names = logs && collectNames(logs.events),
    sessions = logs && collectSessionNames(logs.logs),
  } = options;
  const {
    query: parsed,
    issues,
    corrections,
  } = typeof query === 'string'
    ? parseQuery(query, dictionary, {
        game,
        names,
        sessions,
        exactSpelling: options.exactSpelling,
        withoutReason,
        asItStands: options.asItStands,
        ...(logs && factsOf(logs.events, dictionary)),
      })
    : { query, issues: validateQuery(query, dictionary), corrections: [] };
  if (!parsed || issues.length > 0) {
    if (sentence === undefined) throw badQuery('the structured query', issues);
    const helpful =
      logs && logs.events.length > 0 && !withoutReason
        ? explainRefusal(sentence, issues, logs, { dictionary, works: (each) => hasAnswer(each, dictionary, options) })
        : issues;
    throw badQuery(`"${sentence}"`, helpful);
  }
  const resolved = sessions ? resolveSessionNames(parsed, sessions) : parsed;
  const condition = new ConditionCompiler(dictionary).compile(resolved.find);
  return { sentence, query: resolved, dictionary, condition, corrections };
}

interface EventFacts {
  readonly length: number;
  readonly displays: readonly Display[];
  readonly vocabulary: Vocabulary | undefined;
}

/** What reading a question takes from the events of logs, which many questions are about. */
const eventFacts = new WeakMap<Dictionary, WeakMap<readonly EventLine[], EventFacts>>();

function factsOf(events: readonly EventLine[], dictionary: Dictionary): Omit<EventFacts, 'length'> {
  const ofDictionary = eventFacts.get(dictionary) ?? new WeakMap<readonly EventLine[], EventFacts>();
  eventFacts.set(dictionary, ofDictionary);
  const known = ofDictionary.get(events);
  // The caller may have appended events since.
  if (known?.length === events.length) return known;
  const facts = {
    length: events.length,
    displays: collectDisplays(events),
    vocabulary: events.length > 0 ? new Vocabulary(events, dictionary) : undefined,
  };
  ofDictionary.set(events, facts);
  return facts;
}

/** Does a question find something in the logs, in words that they mention? */
function hasAnswer(question: string, dictionary: Dictionary, options: QueryOptions): boolean {
  const { logs } = options;
  if (!logs) return false;
  try {
    const compiled = compileQuery(question, dictionary, {
      ...options,
      withoutReason: true,
      asItStands: true,
      exactSpelling: true,
    });
    return matchEvents(compiled, logs.events).length > 0;
  } catch (error) {
    if (error instanceof PlaybyplayError) return false;
    throw error;
  }
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
  return findMatches(compiled, groupBySession(events, compiled.dictionary, options));
}

function findMatches({ query, condition, dictionary }: CompiledQuery, sessions: readonly SessionEvents[]): Match[] {
  const { first, last, nth, sort } = query;
  const found = sessions.flatMap((session) => condition.find(session));
  const matches = sort ? new AnswerComputer(query, dictionary, sessions).sort(found, sort) : found;
  if (nth !== undefined) return matches.slice(nth > 0 ? nth - 1 : nth).slice(0, 1);
  if (first !== undefined) return matches.slice(0, first);
  return last === undefined ? matches : matches.slice(Math.max(0, matches.length - last));
}

/** The answer to a query. */
export interface QueryResult {
  readonly matches: readonly Match[];
  readonly count: number;
  /** For queries with groups ("by weapon"). */
  readonly groups: readonly Group[] | undefined;
  /** For questions whose answer is one number, word or truth value ("kills per minute"); plain counts included. */
  readonly answer: Answer | undefined;
  /** For questions about values, one per match or session ("health when I died"). */
  readonly values: readonly TimedValue[] | undefined;
}

/**
 * Answers a query: its matches, their number, their groups, and what it asks about them.
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
  const { query, dictionary } = compiled;
  const sessions = groupBySession(events, dictionary, options);
  const matches = findMatches(compiled, sessions);
  const computer = new AnswerComputer(query, dictionary, sessions);
  const isMeasured = (query.measure !== undefined && query.measure.take !== 'each') || query.per !== undefined;
  const measure = (members: readonly Match[]): number | undefined => {
    const value = computer.answer(members)?.value;
    return typeof value === 'number' ? value : undefined;
  };
  const grouping = { dictionary, find: query.find, sessions, ...(isMeasured && { measure }) };
  const counted = query.by && groupMatches(matches, query.by, grouping);
  const groups =
    counted && selectGroups(query.ratio ? divideGroups(counted, groupRatio(compiled, sessions)) : counted, query);
  const answer = query.distinct && groups ? { value: groups.length, unit: undefined } : computer.answer(matches);
  return { matches, count: matches.length, groups, answer, values: computer.timedValues(matches) };
}

/** The groups of what a query divides by. */
export function groupRatio(
  { query: { by = [], ratio }, dictionary }: CompiledQuery,
  sessions: readonly SessionEvents[],
): readonly Group[] {
  const { find } = new ConditionCompiler(dictionary).compile(ratio!);
  const matches = sessions.flatMap((session) => find(session));
  return groupMatches(matches, by, { dictionary, find: ratio!, sessions });
}

/** Divides the count of each group by that of the condition after it; none counts as one, as of those who never died. */
export function divideGroups(groups: readonly Group[], divisors: readonly Group[]): readonly Group[] {
  const counts = new Map(divisors.map((group) => [keyOf(group), group.count]));
  return groups
    .map((group) => ({ labels: group.labels, count: group.count / (counts.get(keyOf(group)) ?? 1) }))
    .toSorted((a, b) => b.count - a.count || (a.labels.join() < b.labels.join() ? -1 : 1));
}

function keyOf({ labels }: Group): string {
  return JSON.stringify(labels);
}

/** Keeps the largest or smallest groups. Events without a value belong to no group that could be asked for by rank. */
export function selectGroups(all: readonly Group[], { top, bottom, distinct }: Query): readonly Group[] {
  if (top === undefined && bottom === undefined && !distinct) return all;
  const groups = all.filter(({ labels }) => !labels.includes('-'));
  if (top !== undefined) return groups.filter(({ count }) => count >= (groups[top - 1]?.count ?? 0));
  if (bottom === undefined) return groups;
  return groups.filter(({ count }) => count <= (groups.at(-bottom)?.count ?? Number.POSITIVE_INFINITY)).toReversed();
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
