import { READING } from '../../../dictionary/sentences/function-words.ts';
import type { Mention } from '../../../events/statement.ts';
import { wordSlots } from '../../../dictionary/format.ts';
import {
  type ActionPattern,
  childConditions,
  type Condition,
  type GroupKey,
  type MentionPattern,
  type PropertyPattern,
  type SlotPattern,
} from '../../query.ts';
import type { Body } from './readings.ts';

/** Is the condition about a property? */
export function isProperty(condition: Condition): condition is PropertyPattern {
  return 'property' in condition;
}

/** Is it a property without a change or value: "my health"? */
export function isBareProperty(condition: Condition): condition is PropertyPattern {
  if (!isProperty(condition)) return false;
  const { change, from, to, by } = condition;
  return change === undefined && from === undefined && to === undefined && by === undefined;
}

/** Is it about values that need not change, whatever else it says? */
export function isOfValue(condition: Condition): boolean {
  return 'all' in condition ? condition.all.some((each) => isOfValue(each)) : isBareProperty(condition);
}

/** Can it restrict when a value changes? What an action is done with or where says nothing of values. */
export function restrictsValue(condition: Condition): boolean {
  return !isEvent(condition) && !('action' in condition);
}

/** Is it a value, of which it does not say that it changes: "my first weapon"? */
export function isValue(condition: Condition): boolean {
  return isBareProperty('nth' in condition ? condition.of : condition);
}

/** Is it about what a display shows? */
export function isReading(condition: Condition): boolean {
  return isProperty(condition) && condition.property.includes(READING);
}

/**
 * A property without a named subject is the player's, if the logs state it of the player: a score can be that of teams.
 *
 * @param owners Of whom the logs state it.
 */
export function ofPlayer(pattern: PropertyPattern, owners: readonly Mention[] = []): PropertyPattern {
  if (pattern.subject) return pattern;
  const isOfOthers = owners.length > 0 && !owners.some(({ word }) => word === 'player');
  return isOfOthers ? pattern : { property: pattern.property, subject: playerPattern };
}

/** The slot of the player. */
export const playerPattern: SlotPattern = { any: [{ words: ['player'] }] };

/** Does the condition describe an action, rather than a thing alone? */
export function isEvent(condition: Condition): boolean {
  if ('action' in condition) return (condition as ActionPattern).action.length > 0;
  if ('property' in condition || 'event' in condition) return true;
  if ('period' in condition) return false;
  return childConditions(condition).some((child) => isEvent(child));
}

/** Gives a condition without a subject that of another, or the player. */
export function sameSubject(condition: Condition, other?: Condition): Condition {
  return fillSubject(condition, (other && findSubject(other)) ?? playerPattern);
}

/** Whom the condition is about, if it says so. */
export function findSubject(condition: Condition): SlotPattern | undefined {
  if ('action' in condition) {
    const { subject, object } = condition as ActionPattern;
    return subject?.any ? subject : object?.any && subject === undefined ? undefined : undefined;
  }
  if ('property' in condition) return (condition as PropertyPattern).subject;
  return childConditions(condition)
    .map((child) => findSubject(child))
    .find((each) => each !== undefined);
}

/** Names whom the condition is about where it does not say. */
export function fillSubject(condition: Condition, subject: SlotPattern): Condition {
  if ('action' in condition) {
    const pattern = condition as ActionPattern;
    // "Sarge is killed" is about Sarge already.
    return pattern.subject || pattern.object || pattern.action.length === 0 ? condition : { ...pattern, subject };
  }
  if ('property' in condition || 'event' in condition)
    return condition.subject ? condition : ({ ...condition, subject } as Condition);
  if ('all' in condition) return { all: condition.all.map((child) => fillSubject(child, subject)) };
  if ('any' in condition && Array.isArray(condition.any))
    return { any: (condition.any as readonly Condition[]).map((child) => fillSubject(child, subject)) };
  if ('nth' in condition) return { nth: condition.nth, of: fillSubject(condition.of, subject) };
  if ('sequence' in condition)
    return { ...condition, sequence: condition.sequence.map((step) => fillSubject(step, subject)) };
  return condition;
}

/** The slot that a question word stands in: it accepts anything. */
export function askedSlot(condition: Condition): GroupKey | undefined {
  if ('action' in condition) {
    const slot = wordSlots.find((name) => {
      const pattern = (condition as ActionPattern)[name];
      return pattern !== undefined && Object.keys(pattern).length === 0;
    });
    return slot && { slot };
  }
  for (const child of childConditions(condition)) {
    const key = askedSlot(child);
    if (key) return key;
  }
  return undefined;
}

/** The groups that a noun names: "weapon", "minute". */
export function groupOf({ condition, isPeriod }: Body): GroupKey | undefined {
  if (!('mentions' in condition)) return undefined;
  const { any } = condition.mentions as SlotPattern;
  const words = any?.length === 1 ? any[0]!.words : undefined;
  if (!words) return undefined;
  return isPeriod ? { period: { word: words } } : { word: words };
}

/**
 * The group that a noun names where the condition says that something is done to it: "which opponent got killed the most" is about
 * those who are killed, although opponents kill as well.
 */
export function groupWithin(key: GroupKey, condition: Condition): GroupKey {
  if (!('word' in key)) return key;
  const patterns = ('all' in condition ? condition.all : [condition]).filter(
    (each): each is ActionPattern => 'action' in each,
  );
  const isNoun = ({ words, name, of }: MentionPattern): boolean =>
    name === undefined && of === undefined && words?.join() === key.word.join();
  const isDoneTo = patterns.some(({ object }) => object?.any?.length === 1 && isNoun(object.any[0]!));
  return isDoneTo && !patterns.some(({ subject }) => subject?.any) ? { slot: 'object' } : key;
}
