import { covers, type Dictionary } from '../../dictionary/dictionary.ts';
import type { WordKind } from '../../dictionary/format.ts';
import {
  type ActionStatement,
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
} from '../../events/statement.ts';

const SLOTS = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;

/**
 * Whether `specific` says all that `general` says: the same, or more of it, in the same words or ones that stand under them.
 * An action also says what it causes: who kills a soldier says that a soldier dies.
 */
export function says(specific: Statement, general: Statement, dictionary: Dictionary): boolean {
  const [a, b] = [isPropertyStatement(specific), isPropertyStatement(general)];
  if (a !== b) return false;
  return isPropertyStatement(specific)
    ? saysProperty(specific, general as PropertyStatement, dictionary)
    : saysAction(specific, general as ActionStatement, dictionary);
}

/** How many things a statement says: its word and each filled slot, a name or number within one counting once more. */
export function weightOf(statement: Statement): number {
  return Object.values(statement).reduce<number>((sum, slot) => {
    if (slot === undefined) return sum;
    if (typeof slot !== 'object') return sum + 1;
    const { name, count, of } = slot as Mention;
    return sum + 1 + Number(name !== undefined) + Number(count !== undefined) + Number(of !== undefined);
  }, 0);
}

function saysProperty(specific: PropertyStatement, general: PropertyStatement, dictionary: Dictionary): boolean {
  return (
    dictionary.isA(specific.property, general.property, 'property') &&
    saysSlot(specific.subject, general.subject, 'object', dictionary) &&
    saysValue(specific.to, general.to, dictionary) &&
    (general.from === undefined || saysValue(specific.from, general.from, dictionary))
  );
}

function saysAction(specific: ActionStatement, general: ActionStatement, dictionary: Dictionary): boolean {
  if (dictionary.isA(specific.action, general.action, 'action')) return saysSlots(specific, general, dictionary);
  const caused = dictionary.find(specific.action, 'action')?.causes;
  if (!covers(dictionary.find(general.action, 'action'), caused)) return false;
  // What it causes is done by its object; who caused it is not part of that.
  const { object, subject: _, ...rest } = specific;
  return saysSlots({ ...rest, ...(object === undefined ? {} : { subject: object }) }, general, dictionary);
}

function saysSlots(specific: ActionStatement, general: ActionStatement, dictionary: Dictionary): boolean {
  if (general.amount !== undefined && general.amount !== specific.amount) return false;
  if (general.unit !== undefined && general.unit !== specific.unit) return false;
  return SLOTS.every((slot) => {
    const wanted = general[slot];
    if (wanted === undefined) return true;
    return saysSlot(specific[slot], wanted, slot === 'manner' ? 'property' : 'object', dictionary);
  });
}

function saysSlot(specific: Slot | undefined, general: Slot, kind: WordKind, dictionary: Dictionary): boolean {
  if (specific === undefined) return false;
  const [a, b] = [mentionOf(specific), mentionOf(general)];
  return (
    (a.word === b.word || dictionary.isA(a.word, b.word, kind)) &&
    (b.name === undefined || b.name === a.name) &&
    (b.count === undefined || b.count === a.count) &&
    (b.of === undefined || saysSlot(a.of, b.of, 'object', dictionary))
  );
}

function saysValue(specific: PropertyValue | undefined, general: PropertyValue, dictionary: Dictionary): boolean {
  if (typeof general !== 'object' || typeof specific !== 'object') return specific === general;
  return saysSlot(specific, general, 'object', dictionary);
}

function mentionOf(slot: Slot): Mention {
  return typeof slot === 'string' ? { word: slot } : slot;
}
