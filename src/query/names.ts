import type { EventLine } from '../events/log.ts';
import { READING } from '../dictionary/sentences/function-words.ts';
import type { Display } from '../dictionary/sentences/parse-context.ts';
import { isPropertyStatement, type Slot, type Statement } from '../events/statement.ts';
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
  for (const { statement } of events) for (const name of namesOf(statement)) known.set(name.toLowerCase(), name);
  return [...known.values()];
}

/** The proper names that a statement mentions. */
export function namesOf(statement: Statement): readonly string[] {
  const names: string[] = [];
  const add = (slot: Slot | undefined): void => {
    if (typeof slot !== 'object') return;
    if (slot.name !== undefined) names.push(slot.name);
    add(slot.of);
  };
  slotsOf(statement).forEach(add);
  return names;
}

/**
 * Collects the displays that events state readings of, as `detect` writes them for games that it does not know. One that is
 * named like a property that other events state is left out.
 */
export function collectDisplays(events: Iterable<EventLine>): readonly Display[] {
  const known = new Map<string, Display>();
  const properties = new Set<string>();
  for (const { statement } of events) {
    if (!isPropertyStatement(statement)) continue;
    const { property, subject } = statement;
    if (property !== READING) properties.add(property.replace(/^.*:|#.*$/g, ''));
    else if (typeof subject === 'object' && subject.name !== undefined)
      known.set(`${subject.word} ${subject.name}`, { word: subject.word, name: subject.name });
  }
  return [...known.values()].filter(({ name }) => !properties.has(name.toLowerCase()));
}
