import { covers, type Dictionary, type Word } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot, type Statement, type WordId } from '../../events/statement.ts';
import { childConditions, type ActionPattern, type Condition, type GroupKey } from '../query.ts';
import type { Match } from './combinators.ts';
import type { SessionEvents } from './event-index.ts';
import { findPeriods, isWithin } from './periods.ts';
import { PatternCompiler, slotsOf } from './patterns.ts';
import { collectLives } from './states.ts';

/** A group of matches. */
export interface Group {
  /** One label per key; `-` where the event has no value. */
  readonly labels: readonly string[];
  /** How many matches, or the number that the query computes of them. */
  readonly count: number;
}

/** What {@link groupMatches} needs to know of the query. */
export interface Grouping {
  readonly dictionary: Dictionary;
  /** The condition of the matches: of a kill found as a death, the subject is who died. */
  readonly find: Condition;
  /** The sessions, for groups by life. */
  readonly sessions: readonly SessionEvents[];
  /** How many events a match stands for. Default: one. */
  readonly weigh?: (match: Match) => number;
  /** Computes another number of the matches of a group than how many there are; `undefined`: no group. */
  readonly measure?: (matches: readonly Match[]) => number | undefined;
}

/** Counts matches by the values of their first event, the largest group first, equal ones by label. */
export function groupMatches(matches: readonly Match[], keys: readonly GroupKey[], grouping: Grouping): Group[] {
  const { weigh = (): number => 1, measure } = grouping;
  return partition(matches, keys, grouping)
    .flatMap(({ labels, members }) => {
      const count = measure ? measure(members) : members.reduce((sum, match) => sum + weigh(match), 0);
      return count === undefined ? [] : [{ labels, count }];
    })
    .toSorted((a, b) => b.count - a.count || (a.labels.join() < b.labels.join() ? -1 : 1));
}

function partition(
  matches: readonly Match[],
  keys: readonly GroupKey[],
  grouping: Grouping,
): readonly { readonly labels: readonly string[]; readonly members: readonly Match[] }[] {
  const labelers = keys.map((key) => createLabeler(key, grouping));
  const groups = new Map<string, { labels: string[]; members: Match[] }>();
  for (const match of matches) {
    const labels = labelers.map((label) => label(match.events[0]!) ?? '-');
    const key = JSON.stringify(labels);
    const group = groups.get(key);
    if (group) group.members.push(match);
    else groups.set(key, { labels, members: [match] });
  }
  return [...groups.values()];
}

type Labeler = (event: EventLine) => string | undefined;

function createLabeler(key: GroupKey, { dictionary, find, sessions }: Grouping): Labeler {
  if ('word' in key) {
    const isWord = new PatternCompiler(dictionary).mention({ words: key.word }, 'object');
    return ({ statement }) =>
      labelSlot(newestFirst(statement).find((slot) => isWord(typeof slot === 'string' ? slot : { word: slot.word })));
  }
  if ('period' in key) return createPeriodLabeler(sessions, key.period.word, dictionary);
  if ('key' in key) {
    const { key: part } = key;
    return part === 'life' ? createLifeLabeler(sessions, dictionary) : (event) => labelKey(part, event);
  }
  const { slot } = key;
  const isCause = createCauseTest(find, dictionary);
  return ({ statement }) => {
    if (!isPropertyStatement(statement)) {
      if (slot === 'property') return undefined;
      if (isCause(statement.action) && (slot === 'subject' || slot === 'object'))
        return slot === 'subject' ? labelSlot(statement.object) : undefined;
      return labelSlot(statement[slot]);
    }
    if (slot === 'property') return statement.property;
    return slot === 'subject' ? labelSlot(statement.subject) : undefined;
  };
}

/** Of a change the new value counts. */
function newestFirst(statement: Statement): readonly Slot[] {
  return isPropertyStatement(statement) ? slotsOf(statement).toReversed() : slotsOf(statement);
}

/** Is an action not what the condition asks for, but the cause of it? */
function createCauseTest(find: Condition, dictionary: Dictionary): (action: WordId) => boolean {
  const wanted = actionsOf(find).flatMap((id) => dictionary.find(id, 'action') ?? []);
  const isWanted = (word: Word | undefined): boolean => wanted.some((each) => covers(each, word));
  return (id) => {
    const action = dictionary.find(id, 'action');
    return !isWanted(action) && isWanted(action?.causes);
  };
}

function actionsOf(condition: Condition): readonly WordId[] {
  if ('action' in condition) return (condition as ActionPattern).action;
  return childConditions(condition).flatMap((child) => actionsOf(child));
}

function createPeriodLabeler(
  sessions: readonly SessionEvents[],
  words: readonly WordId[],
  dictionary: Dictionary,
): Labeler {
  const periods = new Map(sessions.map((each) => [each.session, findPeriods(each, words, dictionary)]));
  return ({ session, t }) => {
    const index = (periods.get(session) ?? []).findIndex((period) => isWithin(t, period));
    return index < 0 ? undefined : String(index + 1);
  };
}

function createLifeLabeler(sessions: readonly SessionEvents[], dictionary: Dictionary): Labeler {
  const player = { any: [{ words: ['player'] }] };
  const deaths = new Map(sessions.map((each) => [each.session, collectLives(each, player, dictionary).deaths]));
  return ({ session, t }) => String(1 + (deaths.get(session) ?? []).filter((death) => death < t).length);
}

function labelKey(
  key: Exclude<Extract<GroupKey, { key: string }>['key'], 'life'>,
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
