import { patternSlots } from '../match/predicate.ts';
import type { ActionPattern, Condition, PatternSlot, SlotPattern } from '../query.ts';

/**
 * Ties "the same opponent" of a step to what it means of the steps before: the nearest slot with the same words, else the
 * slot of the same name. Both get one variable, so that they hold the same thing.
 */
export function tieSame(steps: readonly Condition[]): readonly Condition[] {
  const tied = steps.slice();
  for (let i = 0; i < tied.length; i++) {
    for (const slot of patternSlots) {
      const wanted = slotOf(tied[i]!, slot);
      if (wanted?.same === undefined || wanted.same.includes('#')) continue;
      const earlier = antecedent(tied.slice(0, i), slot, wanted);
      if (!earlier) continue;
      const variable = slotOf(tied[earlier.step]!, earlier.slot)?.same ?? `${earlier.slot}#${earlier.step + 1}`;
      tied[earlier.step] = withVariable(tied[earlier.step]!, earlier.slot, variable);
      tied[i] = withVariable(tied[i]!, slot, variable);
    }
  }
  return tied;
}

function antecedent(
  before: readonly Condition[],
  slot: PatternSlot,
  wanted: SlotPattern,
): { step: number; slot: PatternSlot } | undefined {
  const words = JSON.stringify(wanted.any);
  for (let step = before.length - 1; step >= 0; step--) {
    const alike = patternSlots.find((each) => {
      const found = slotOf(before[step]!, each);
      return found?.any !== undefined && JSON.stringify(found.any) === words;
    });
    if (alike) return { step, slot: alike };
  }
  const step = before.findLastIndex((condition) => patternOf(condition) !== undefined);
  return step < 0 ? undefined : { step, slot };
}

/** The one pattern that a step is about, filters aside. */
function patternOf(condition: Condition): ActionPattern | undefined {
  if ('all' in condition) return condition.all.map((each) => patternOf(each)).find((each) => each !== undefined);
  return 'action' in condition || 'property' in condition ? (condition as ActionPattern) : undefined;
}

function slotOf(condition: Condition, slot: PatternSlot): SlotPattern | undefined {
  return patternOf(condition)?.[slot];
}

function withVariable(condition: Condition, slot: PatternSlot, variable: string): Condition {
  if ('all' in condition)
    return { all: condition.all.map((each) => (patternOf(each) ? withVariable(each, slot, variable) : each)) };
  const pattern = condition as ActionPattern;
  return { ...pattern, [slot]: { ...pattern[slot], same: variable } } as Condition;
}
