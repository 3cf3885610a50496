/**
 * `playbyplay/query`: questions about event logs.
 *
 * Read logs with {@link loadLogs}, compile a question with {@link compileQuery} and answer it with {@link runQuery}. A question that
 * is not understood throws a `PlaybyplayError` with the code `bad-query`, whose issues name the words by position.
 *
 * @example
 * ```ts
 * import { compileQuery, loadLogs, runQuery } from 'playbyplay/query';
 *
 * const logs = await loadLogs(['match.playbyplay']);
 * const { events, dictionary, durations } = logs;
 * const question = compileQuery('count kills by weapon', dictionary, { logs });
 * const { groups = [] } = runQuery(question, events, { durations });
 * for (const { labels, count } of groups) console.log(labels.join(), count);
 * ```
 *
 * @module
 */
export type { EventLine } from '../events/log.ts';
export { describeQuery } from './describe.ts';
export { deriveEvents, type DerivedEvent } from './composite-events.ts';
export { explainQuery, type ExplainedWord, type Explanation } from './explain.ts';
export { loadLogs, type LoadedLogs, type LoadLogsOptions } from './logs.ts';
export type { CompiledCondition, Match } from './match/combinators.ts';
export type { MatchOptions } from './match/event-index.ts';
export type { Group } from './match/groups.ts';
export type {
  ActionPattern,
  Condition,
  ConfidenceCondition,
  EventCondition,
  GroupKey,
  MentionCondition,
  MentionPattern,
  NearCondition,
  NthCondition,
  PeriodCondition,
  PropertyPattern,
  Query,
  Range,
  ScopeCondition,
  SequenceCondition,
  SlotPattern,
  TimeCondition,
  ValuePattern,
  WhileCondition,
} from './query.ts';
export {
  compileQuery,
  createEventTest,
  matchEvents,
  runQuery,
  type CompiledQuery,
  type QueryOptions,
  type QueryResult,
} from './run.ts';
export { collectNames } from './names.ts';
export type { Answer, TimedValue } from './answers.ts';
export type { Correction } from './parse/normalize.ts';
export { collectSessionNames, type SessionNames } from './session-names.ts';
