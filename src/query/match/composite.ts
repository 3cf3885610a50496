import type { EventDefinition } from '../../dictionary/dictionary.ts';
import type { StepEntry } from '../../dictionary/format.ts';
import { stepSlot } from '../../dictionary/load/steps.ts';
import { patternSlots } from './predicate.ts';
import type { Condition, SequenceCondition, SlotPattern } from '../query.ts';

/** The condition that finds a composite event of the dictionary; each event takes part in one of them. */
export function definitionCondition(definition: EventDefinition): SequenceCondition {
  const steps = definition.steps.flatMap((step) => Array.from({ length: step.times ?? 1 }, () => stepCondition(step)));
  return {
    sequence: steps,
    ...(definition.within !== undefined && { within: definition.within }),
    ...(definition.span !== undefined && { span: definition.span }),
    ...(definition.without && { without: definition.without.map((step) => stepCondition(step)) }),
    apart: true,
    ...(definition.first && { first: true as const }),
  };
}

function stepCondition(step: StepEntry): Condition {
  if (step.any) return { any: step.any.map((each) => stepCondition(each)) };
  const subject = step.subject === undefined ? {} : { subject: slotOf(step.subject) };
  if (step.property !== undefined) {
    const to = {
      ...(step.below !== undefined && { below: step.below }),
      ...(step.above !== undefined && { above: step.above }),
    };
    return {
      property: [step.property],
      ...subject,
      ...(step.change && { change: step.change }),
      ...(Object.keys(to).length > 0 && { to }),
    };
  }
  const slots = patternSlots.flatMap((slot) => (step[slot] === undefined ? [] : [[slot, slotOf(step[slot])] as const]));
  return { action: step.action === undefined ? [] : [step.action], ...Object.fromEntries(slots) };
}

function slotOf(text: string): SlotPattern {
  const { word, variable } = stepSlot(text);
  return { ...(word !== undefined && { any: [{ words: [word] }] }), ...(variable !== undefined && { same: variable }) };
}
