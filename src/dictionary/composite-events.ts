import type { Mention, Slot, Statement } from '../events/statement.ts';
import { isObject } from '../json.ts';
import { type EventEntry, type StepEntry, wordSlots } from './format.ts';

/** A slot of a step: a word, a variable, or both (`player`, `?who`, `opponent ?who`). */
export interface StepSlot {
  readonly word: string | undefined;
  readonly variable: string | undefined;
}

/** Parses a slot of a step. */
export function parseStepSlot(text: string): StepSlot {
  const match = /^(.*?)(?:(?:^|\s+)\?(\w+))?$/s.exec(text.trim());
  return { word: match?.[1] || undefined, variable: match?.[2] };
}

/** The variables that a step binds. */
export function variablesOf(step: StepEntry): readonly string[] {
  if (step.any) return step.any.flatMap((each) => variablesOf(each));
  return wordSlots.flatMap((slot) => (step[slot] === undefined ? [] : (parseStepSlot(step[slot]).variable ?? [])));
}

/** Fills the variables of an event's statement; slots whose variable has no value are omitted. */
export function fillStatement(
  template: EventEntry['statement'],
  valueOf: (variable: string) => Slot | undefined,
): Statement {
  const fillSlot = (slot: string): Slot | undefined => {
    const { variable } = parseStepSlot(slot);
    return slot.startsWith('?') && variable !== undefined ? valueOf(variable) : slot;
  };
  const fillMention = (mention: Readonly<Record<string, unknown>>): Mention => {
    const of = typeof mention['of'] === 'string' ? fillSlot(mention['of']) : undefined;
    return { ...(mention as unknown as Mention), ...(of !== undefined && { of }) };
  };
  const entries = Object.entries(template).flatMap(([key, part]) => {
    const filled = typeof part === 'string' ? fillSlot(part) : isObject(part) ? fillMention(part) : part;
    return filled === undefined ? [] : [[key, filled]];
  });
  return Object.fromEntries(entries) as unknown as Statement;
}
