import type { ActionClause } from '../../dictionary/sentences/action-clauses.ts';
import { patternSlots } from '../match/patterns.ts';
import type { ActionPattern, Condition, PatternSlot, SlotPattern } from '../query.ts';

// "player obtains armor or kills opponent": the second verb has the subject of the first.

/** What stood before the verb of a pattern, and what a verb without it would want it for. */
interface Clause {
  readonly subject: SlotPattern | undefined;
  readonly slot: 'subject' | 'object';
  readonly gerund: boolean;
}

const clauses = new WeakMap<Condition, Clause>();

/** Notes whether the clause of a pattern has a subject of its own, before its verb, and lacks one where it needs one. */
export function noteSubject(pattern: ActionPattern, { slots, verbs }: ActionClause): ActionPattern {
  const [verb] = verbs;
  if (verb!.voice === 'nominal') return pattern;
  const slot = verb!.voice === 'passive' ? 'object' : 'subject';
  const said = slots[slot] !== undefined && slots[slot].any[0]!.start < verb!.start;
  const lacks = slots[slot] === undefined && (verb!.voice === 'passive' || predicative.has(verb!.form));
  if (said || lacks)
    clauses.set(pattern, { subject: said ? pattern[slot] : undefined, slot, gerund: verb!.form === 'gerund' });
  return pattern;
}

/** Forms of a verb that want a subject; "kill" alone is as good as a noun. */
const predicative: ReadonlySet<string> = new Set(['third', 'past', 'gerund']);

/** Is it a clause whose subject is left out? */
export function lacksSubject(condition: Condition): boolean {
  const known = clauses.get(condition);
  return known ? known.subject === undefined : partsOf(condition).some((part) => lacksSubject(part));
}

/**
 * `right` with the subject of `left`, where it has none of its own. Behind "after" or "followed by" only "killing" wants
 * one; "kills" are the happenings there.
 */
export function shareSubject(left: Condition, right: Condition, gerundsOnly = false): Condition {
  const subject = subjectOf(left);
  return subject === undefined ? right : filled(right, subject, gerundsOnly);
}

function subjectOf(condition: Condition): SlotPattern | undefined {
  const known = clauses.get(condition);
  if (known) return known.subject;
  return partsOf(condition)
    .map((part) => subjectOf(part))
    .find((subject) => subject !== undefined);
}

function filled(condition: Condition, subject: SlotPattern, gerundsOnly: boolean): Condition {
  const open = clauses.get(condition);
  if (open) {
    if (open.subject !== undefined || (gerundsOnly && !open.gerund)) return condition;
    const pattern: ActionPattern = { ...(condition as ActionPattern), [open.slot]: subject };
    clauses.set(pattern, { ...open, subject });
    return pattern;
  }
  if (!lacksSubject(condition)) return condition;
  if ('all' in condition) return { all: condition.all.map((each) => filled(each, subject, gerundsOnly)) };
  if ('not' in condition) return { not: filled(condition.not, subject, gerundsOnly) };
  return { any: partsOf(condition).map((each) => filled(each, subject, gerundsOnly)) };
}

/** The parts of a condition in which a subject may stand for what follows. */
function partsOf(condition: Condition): readonly Condition[] {
  if ('all' in condition) return condition.all;
  if ('not' in condition) return [condition.not];
  return 'any' in condition && !('words' in condition) ? (condition.any as readonly Condition[]) : [];
}

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
