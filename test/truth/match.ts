import { matchEqual } from '../../src/evaluate/match.ts';
import { type Statement, isPropertyStatement } from '../../src/events/statement.ts';

/** Something said at a time (seconds): a line of truth, or an event of a log. */
export interface Said {
  readonly t: number;
  readonly statement: Statement;
}

export interface Matching<T extends Said, E extends Said> {
  readonly pairs: readonly { readonly truth: T; readonly event: E }[];
  readonly missed: readonly T[];
  readonly extra: readonly E[];
}

/** What figures are pooled by: the property that changed, or the family of the action. */
export function kindOf(statement: Statement): string {
  if (isPropertyStatement(statement)) return statement.property;
  return FAMILIES[statement.action] ?? statement.action;
}

const FAMILIES: Readonly<Record<string, string>> = {
  'openarena:telefrag': 'kill',
  'openarena:crush': 'kill',
  'fall to death': 'die',
  'kill oneself': 'die',
  drown: 'die',
  'openarena:tie for lead': 'lead',
  trail: 'lead',
  obtain: 'message',
  require: 'message',
};

/** Pairs equal statements one to one, as `evaluate` does, none further apart than `tolerance` seconds. */
export function matchSaid<T extends Said, E extends Said>(
  truth: readonly T[],
  events: readonly E[],
  tolerance: number,
): Matching<T, E> {
  const pairs = matchEqual(truth, events, tolerance);
  const [ofTruth, ofEvents] = [new Set(pairs.map((pair) => pair.truth)), new Set(pairs.map((pair) => pair.event))];
  return {
    pairs: pairs.map((pair) => ({ truth: truth[pair.truth]!, event: events[pair.event]! })),
    missed: truth.filter((_, i) => !ofTruth.has(i)),
    extra: events.filter((_, j) => !ofEvents.has(j)),
  };
}
