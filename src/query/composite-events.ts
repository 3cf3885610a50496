import { fillStatement } from '../dictionary/composite-events.ts';
import type { Dictionary, EventDefinition } from '../dictionary/dictionary.ts';
import { normalizeStatement, validateStatement } from '../dictionary/statements.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { ConditionCompiler, definitionCondition } from './match/compile.ts';
import { sessionsOf } from './match/event-index.ts';

/** A composite event that was found: "player achieves double kill", from the kill of one moment to that of the other. */
export interface DerivedEvent {
  readonly definition: EventDefinition;
  readonly session: string;
  readonly game: string;
  /** Seconds: when the last step happened, and when it was over. */
  readonly t: number;
  readonly end: number;
  readonly statement: Statement;
  /** The lowest of its steps. */
  readonly confidence: number;
  readonly steps: readonly EventLine[];
}

/**
 * The composite events of the dictionary (all, or the named ones) in a log: multikills, revenges, hat tricks, as their
 * definitions say, without code. In the order of sessions and time.
 */
export function deriveEvents(
  events: Iterable<EventLine>,
  dictionary: Dictionary,
  ids?: readonly string[],
): DerivedEvent[] {
  const compiler = new ConditionCompiler(dictionary);
  const definitions = dictionary.events
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map((definition) => ({ definition, find: compiler.sequence(definitionCondition(definition)) }));
  return sessionsOf(events, dictionary).flatMap((session) =>
    definitions
      .flatMap(({ definition, find }) =>
        find(session).flatMap((match): DerivedEvent[] => {
          const filled = fillStatement(definition.statement, (variable) => match.bindings.get(variable)?.slot);
          // What a variable stood for may not suit the statement ("achieves" by a rocket): then nothing is said.
          if (validateStatement(filled, dictionary).length > 0) return [];
          const last = match.events.at(-1)!;
          const confidence = Math.min(...match.events.map((event) => event.confidence));
          const { t, end, game } = last;
          return [
            {
              definition,
              session: session.session,
              game,
              t,
              end,
              statement: normalizeStatement(filled),
              confidence,
              steps: match.events,
            },
          ];
        }),
      )
      .toSorted((a, b) => a.t - b.t),
  );
}
