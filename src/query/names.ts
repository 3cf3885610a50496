import { findNearest } from '../spelling.ts';
import type { EventLine } from '../events/log.ts';
import type { Slot } from '../events/statement.ts';
import { slotsOf } from './match/predicate.ts';
import type { Query } from './query.ts';

/** A proper name of a query that stands in no event, and the one it may be a slip of. */
export interface UnmetName {
  readonly name: string;
  readonly near: string | undefined;
}

/** The names that a query asks for and no event has: mostly slips, or words taken for names. */
export function unmetNames({ find }: Query, events: Iterable<EventLine>): readonly UnmetName[] {
  const wanted = new Set<string>();
  collect(find, wanted);
  if (wanted.size === 0) return [];
  const known = new Map<string, string>();
  const add = (slot: Slot | undefined): void => {
    if (typeof slot !== 'object') return;
    if (slot.name !== undefined) known.set(slot.name.toLowerCase(), slot.name);
    add(slot.of);
  };
  for (const { statement } of events) for (const slot of slotsOf(statement)) add(slot);
  return [...wanted]
    .filter((name) => !known.has(name.toLowerCase()))
    .map((name) => ({ name, near: findNearest(name, known.values()) }));
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'name' && typeof inner === 'string') names.add(inner);
    else collect(inner, names);
  }
}
