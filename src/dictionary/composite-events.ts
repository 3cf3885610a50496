import type { Mention, Slot, Statement } from '../events/statement.ts';
import { wordId } from './dictionary.ts';
import type { EventEntry, StepEntry } from './format.ts';
import { isRecord } from './shape.ts';

/** What stands in a slot of a step: `player`, `?who`, or `opponent ?who`. */
export interface StepSlot {
  readonly word: string | undefined;
  readonly variable: string | undefined;
}

export function stepSlot(text: string): StepSlot {
  const match = /^(.*?)(?:(?:^|\s+)\?(\w+))?$/s.exec(text.trim());
  return { word: match?.[1] || undefined, variable: match?.[2] };
}

export const stepSlots = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;

/** The variables that a step binds. */
export function variablesOf(step: StepEntry): readonly string[] {
  if (step.any) return step.any.flatMap((each) => variablesOf(each));
  return stepSlots.flatMap((slot) => (step[slot] === undefined ? [] : (stepSlot(step[slot]).variable ?? [])));
}

/** Ids of composite events are made like those of words. */
export const eventId = wordId;

/** The statement of an event with its variables filled in; what a variable has nothing for is left out. */
export function fill(template: EventEntry['statement'], valueOf: (variable: string) => Slot | undefined): Statement {
  const entries = Object.entries(template).flatMap(([key, said]) => {
    const filled =
      typeof said === 'string' ? fillSlot(said, valueOf) : isRecord(said) ? fillMention(said, valueOf) : said;
    return filled === undefined ? [] : [[key, filled]];
  });
  return Object.fromEntries(entries) as unknown as Statement;
}

function fillSlot(said: string, valueOf: (variable: string) => Slot | undefined): Slot | undefined {
  const { variable } = stepSlot(said);
  return said.startsWith('?') && variable !== undefined ? valueOf(variable) : said;
}

function fillMention(
  said: Readonly<Record<string, unknown>>,
  valueOf: (variable: string) => Slot | undefined,
): Mention {
  const of = typeof said['of'] === 'string' ? fillSlot(said['of'], valueOf) : undefined;
  return { ...(said as unknown as Mention), ...(of !== undefined && { of }) };
}
