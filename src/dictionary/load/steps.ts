import { wordId } from '../dictionary.ts';
import type { StepEntry } from '../format.ts';

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
