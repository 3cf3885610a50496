import { fillStatement } from '../dictionary/composite-events.ts';
import type { Dictionary, EventDefinition } from '../dictionary/dictionary.ts';
import { normalizeStatement, validateStatement } from '../dictionary/statements.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { ConditionCompiler, toSequence } from './match/compile.ts';
import { groupBySession } from './match/event-index.ts';
import type { BoundMatch } from './match/sequences.ts';

/** A composite event in a log. */
export interface DerivedEvent {
  readonly definition: EventDefinition;
  readonly session: string;
  readonly game: string;
  /** Start of the last step, in seconds. */
  readonly t: number;
  /** End of the last step, in seconds. */
  readonly end: number;
  readonly statement: Statement;
  /** The lowest confidence of the steps. */
  readonly confidence: number;
  readonly steps: readonly EventLine[];
}

/**
 * Derives composite events such as multikills, revenges and hat tricks from the definitions of the dictionary.
 *
 * @param ids Restricts the definitions; default all.
 * @returns The events session by session, each in order of time.
 * @example
 * const { events, dictionary } = await loadLogs(['match.playbyplay']);
 * for (const { t, statement } of deriveEvents(events, dictionary, ['double kill']))
 *   console.log(t, render(statement, dictionary));
 */
export function deriveEvents(
  events: Iterable<EventLine>,
  dictionary: Dictionary,
  ids?: readonly string[],
): DerivedEvent[] {
  const compiler = new ConditionCompiler(dictionary);
  const definitions = dictionary.events
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map((definition) => ({ definition, find: compiler.compileSequence(toSequence(definition)) }));
  return groupBySession(events, dictionary).flatMap((session) =>
    definitions
      .flatMap(({ definition, find }) => find(session).flatMap((match) => toEvent(definition, match, dictionary) ?? []))
      .toSorted((a, b) => a.t - b.t),
  );
}

function toEvent(
  definition: EventDefinition,
  { events: steps, bindings }: BoundMatch,
  dictionary: Dictionary,
): DerivedEvent | undefined {
  const statement = fillStatement(definition.statement, (variable) => bindings.get(variable)?.slot);
  // A variable can stand for a word that does not fit its slot, such as a rocket that "achieves".
  if (validateStatement(statement, dictionary).length > 0) return undefined;
  const { session, game, t, end } = steps.at(-1)!;
  const confidence = Math.min(...steps.map((step) => step.confidence));
  return { definition, session, game, t, end, statement: normalizeStatement(statement), confidence, steps };
}
