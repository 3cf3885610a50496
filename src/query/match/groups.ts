import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot } from '../../events/statement.ts';
import type { GroupKey } from '../query.ts';
import type { Match } from './combinators.ts';
import { PatternCompiler, slotsOf } from './patterns.ts';

/** A group of matches. */
export interface Group {
  /** One label per key; `-` where the event has no value. */
  readonly labels: readonly string[];
  readonly count: number;
}

/** Counts matches by the values of their first event, the largest group first, equal ones by label. */
export function groupMatches(matches: readonly Match[], keys: readonly GroupKey[], dictionary: Dictionary): Group[] {
  const labelers = keys.map((key) => createLabeler(key, dictionary));
  const groups = new Map<string, { labels: string[]; count: number }>();
  for (const { events } of matches) {
    const labels = labelers.map((label) => label(events[0]!) ?? '-');
    const key = JSON.stringify(labels);
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { labels, count: 1 });
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count || (a.labels.join() < b.labels.join() ? -1 : 1));
}

function createLabeler(key: GroupKey, dictionary: Dictionary): (event: EventLine) => string | undefined {
  if ('word' in key) {
    const isWord = new PatternCompiler(dictionary).mention({ words: key.word }, 'object');
    return ({ statement }) =>
      labelSlot(slotsOf(statement).find((slot) => isWord(typeof slot === 'string' ? slot : { word: slot.word })));
  }
  if ('key' in key) return (event) => labelKey(key.key, event);
  const { slot } = key;
  return ({ statement }) => {
    if (!isPropertyStatement(statement)) return slot === 'property' ? undefined : labelSlot(statement[slot]);
    if (slot === 'property') return statement.property;
    return slot === 'subject' ? labelSlot(statement.subject) : undefined;
  };
}

function labelKey(
  key: Extract<GroupKey, { key: string }>['key'],
  { statement, game, session, t }: EventLine,
): string | undefined {
  switch (key) {
    case 'action':
      return isPropertyStatement(statement) ? undefined : statement.action;
    case 'game':
      return game;
    case 'session':
      return session;
    case 'minute':
      return String(Math.floor(t / 60));
    case 'name':
      return slotsOf(statement)
        .map((slot) => (typeof slot === 'string' ? undefined : slot.name))
        .find((name) => name !== undefined);
  }
}

function labelSlot(slot: Slot | undefined): string | undefined {
  if (slot === undefined || typeof slot === 'string') return slot;
  return slot.name === undefined ? slot.word : `${slot.word} ${slot.name}`;
}
