import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot } from '../../events/statement.ts';
import type { GroupKey } from '../query.ts';
import type { Match } from './combinators.ts';
import { PatternCompiler, slotsOf } from './patterns.ts';

export interface Group {
  /** One text per key, in the order of the keys; `-` where the event says nothing about it. */
  readonly labels: readonly string[];
  readonly count: number;
}

/** Counts matches by what their first event says for each key; most first, then by label. */
export function groupsOf(matches: readonly Match[], keys: readonly GroupKey[], dictionary: Dictionary): Group[] {
  const labelers = keys.map((key) => labeler(key, dictionary));
  const groups = new Map<string, { labels: string[]; count: number }>();
  for (const { events } of matches) {
    const labels = labelers.map((label) => label(events[0]!));
    const key = JSON.stringify(labels);
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { labels, count: 1 });
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count || (a.labels.join() < b.labels.join() ? -1 : 1));
}

const nothing = '-';

function labeler(key: GroupKey, dictionary: Dictionary): (event: EventLine) => string {
  if ('word' in key) {
    const test = new PatternCompiler(dictionary).mention({ words: key.word }, 'object');
    return ({ statement }) => {
      const slot = slotsOf(statement).find((each) =>
        typeof each === 'string' ? test(each) : test({ word: each.word }),
      );
      return slot === undefined ? nothing : slotLabel(slot);
    };
  }
  if ('slot' in key) {
    return ({ statement }) => {
      if (key.slot === 'property') return isPropertyStatement(statement) ? statement.property : nothing;
      const slot = isPropertyStatement(statement)
        ? key.slot === 'subject'
          ? statement.subject
          : undefined
        : statement[key.slot];
      return slot === undefined ? nothing : slotLabel(slot);
    };
  }
  switch (key.key) {
    case 'action':
      return ({ statement }) => (isPropertyStatement(statement) ? nothing : statement.action);
    case 'game':
      return ({ game }) => game;
    case 'session':
      return ({ session }) => session;
    case 'minute':
      return ({ t }) => String(Math.floor(t / 60));
    case 'name':
      return ({ statement }) =>
        slotsOf(statement)
          .map((slot) => (typeof slot === 'string' ? undefined : slot.name))
          .find((name) => name !== undefined) ?? nothing;
  }
}

function slotLabel(slot: Slot): string {
  if (typeof slot === 'string') return slot;
  return slot.name === undefined ? slot.word : `${slot.word} ${slot.name}`;
}
