import { covers, type Dictionary } from '../dictionary/dictionary.ts';
import type { WordKind } from '../dictionary/format.ts';
import {
  type ActionStatement,
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  toMention,
} from '../events/statement.ts';

const SLOTS = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;

/**
 * Whether one statement entails another: it says the same or more, in the same words or more specific ones. An action also
 * entails what it causes: that somebody kills a soldier entails that a soldier dies.
 */
export function entails(specific: Statement, general: Statement, dictionary: Dictionary): boolean {
  const [a, b] = [isPropertyStatement(specific), isPropertyStatement(general)];
  if (a !== b) return false;
  return isPropertyStatement(specific)
    ? entailsProperty(specific, general as PropertyStatement, dictionary)
    : entailsAction(specific, general as ActionStatement, dictionary);
}

/** Counts what a statement says: its word and each slot, and each name, count and owner within a slot. */
export function countFacts(statement: Statement): number {
  return Object.values(statement).reduce<number>((sum, slot) => {
    if (slot === undefined) return sum;
    if (typeof slot !== 'object') return sum + 1;
    const { name, count, of } = slot as Mention;
    return sum + 1 + Number(name !== undefined) + Number(count !== undefined) + Number(of !== undefined);
  }, 0);
}

function entailsProperty(specific: PropertyStatement, general: PropertyStatement, dictionary: Dictionary): boolean {
  return (
    dictionary.isA(specific.property, general.property, 'property') &&
    entailsSlot(specific.subject, general.subject, 'object', dictionary) &&
    entailsValue(specific.to, general.to, dictionary) &&
    (general.from === undefined || entailsValue(specific.from, general.from, dictionary))
  );
}

function entailsAction(specific: ActionStatement, general: ActionStatement, dictionary: Dictionary): boolean {
  if (dictionary.isA(specific.action, general.action, 'action')) return entailsSlots(specific, general, dictionary);
  const caused = dictionary.find(specific.action, 'action')?.causes;
  if (!covers(dictionary.find(general.action, 'action'), caused)) return false;
  // The object performs what the action causes; the subject takes no part in it.
  const { object, subject: _, ...rest } = specific;
  return entailsSlots({ ...rest, ...(object === undefined ? {} : { subject: object }) }, general, dictionary);
}

function entailsSlots(specific: ActionStatement, general: ActionStatement, dictionary: Dictionary): boolean {
  if (general.amount !== undefined && general.amount !== specific.amount) return false;
  if (general.unit !== undefined && general.unit !== specific.unit) return false;
  return SLOTS.every((slot) => {
    const wanted = general[slot];
    if (wanted === undefined) return true;
    return entailsSlot(specific[slot], wanted, slot === 'manner' ? 'property' : 'object', dictionary);
  });
}

function entailsSlot(specific: Slot | undefined, general: Slot, kind: WordKind, dictionary: Dictionary): boolean {
  if (specific === undefined) return false;
  const [a, b] = [toMention(specific), toMention(general)];
  return (
    (a.word === b.word || dictionary.isA(a.word, b.word, kind)) &&
    (b.name === undefined || b.name === a.name) &&
    (b.count === undefined || b.count === a.count) &&
    (b.of === undefined || entailsSlot(a.of, b.of, 'object', dictionary))
  );
}

function entailsValue(specific: PropertyValue | undefined, general: PropertyValue, dictionary: Dictionary): boolean {
  if (typeof general !== 'object' || typeof specific !== 'object') return specific === general;
  return entailsSlot(specific, general, 'object', dictionary);
}
