import type { EventLine } from '../events/log.ts';
import type { Slot } from '../events/statement.ts';
import { slotsOf } from './match/patterns.ts';

/**
 * Collects the proper names that events mention.
 *
 * @example
 * const { events, dictionary } = await loadLogs(['match.playbyplay']);
 * compileQuery('how many kills did I get', dictionary, { names: collectNames(events) });
 */
export function collectNames(events: Iterable<EventLine>): readonly string[] {
  const known = new Map<string, string>();
  const addName = (slot: Slot | undefined): void => {
    if (typeof slot !== 'object') return;
    if (slot.name !== undefined) known.set(slot.name.toLowerCase(), slot.name);
    addName(slot.of);
  };
  for (const { statement } of events) slotsOf(statement).forEach(addName);
  return [...known.values()];
}
