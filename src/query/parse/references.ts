import type { ActionClause } from '../../dictionary/sentences/action-clauses.ts';
import { wordSlots, type WordSlot } from '../../dictionary/format.ts';
import { alternativesOf, type ActionPattern, type Condition, type SlotPattern } from '../query.ts';

/** What the clause of a pattern says about its subject. */
interface ClauseSubject {
  /** The subject before the verb; `undefined` if it is omitted. */
  readonly subject: SlotPattern | undefined;
  /** The slot of the grammatical subject. */
  readonly slot: 'subject' | 'object';
  readonly isGerund: boolean;
}

const clauseSubjects = new WeakMap<Condition, ClauseSubject>();

/** Verb forms that require a subject; "kill" alone can be a noun. */
const finiteForms: ReadonlySet<string> = new Set(['third', 'past', 'gerund']);

/** Records the subject of a pattern's clause, or that the clause omits it. */
export function recordSubject(pattern: ActionPattern, { slots, verbs }: ActionClause): ActionPattern {
  const verb = verbs[0]!;
  if (verb.voice === 'nominal') return pattern;
  const isPassive = verb.voice === 'passive';
  const slot = isPassive ? 'object' : 'subject';
  const list = slots[slot];
  const precedesVerb = list !== undefined && list.any[0]!.start < verb.start;
  if (precedesVerb || (list === undefined && (isPassive || finiteForms.has(verb.form))))
    clauseSubjects.set(pattern, {
      subject: precedesVerb ? pattern[slot] : undefined,
      slot,
      isGerund: verb.form === 'gerund',
    });
  return pattern;
}

/** Does the clause omit its subject? */
export function lacksSubject(condition: Condition): boolean {
  const clause = clauseSubjects.get(condition);
  return clause ? clause.subject === undefined : partsOf(condition).some((part) => lacksSubject(part));
}

/**
 * Gives `right` the subject of `left` where it has none: "player obtains armor or kills opponent".
 *
 * @param gerundsOnly After "after" and "followed by" only a gerund ("killing") shares the subject; "kills" is a noun there.
 */
export function shareSubject(left: Condition, right: Condition, gerundsOnly = false): Condition {
  const subject = findSubject(left);
  return subject === undefined ? right : fillSubject(right, subject, gerundsOnly);
}

function findSubject(condition: Condition): SlotPattern | undefined {
  const clause = clauseSubjects.get(condition);
  if (clause) return clause.subject;
  return partsOf(condition)
    .map((part) => findSubject(part))
    .find((subject) => subject !== undefined);
}

function fillSubject(condition: Condition, subject: SlotPattern, gerundsOnly: boolean): Condition {
  const clause = clauseSubjects.get(condition);
  if (clause) {
    if (clause.subject !== undefined || (gerundsOnly && !clause.isGerund)) return condition;
    const pattern: ActionPattern = { ...(condition as ActionPattern), [clause.slot]: subject };
    clauseSubjects.set(pattern, { ...clause, subject });
    return pattern;
  }
  if (!lacksSubject(condition)) return condition;
  const fill = (part: Condition): Condition => fillSubject(part, subject, gerundsOnly);
  if ('all' in condition) return { all: condition.all.map(fill) };
  if ('not' in condition) return { not: fill(condition.not) };
  return { any: partsOf(condition).map(fill) };
}

/** The parts that can share a subject. */
function partsOf(condition: Condition): readonly Condition[] {
  if ('all' in condition) return condition.all;
  if ('not' in condition) return [condition.not];
  return alternativesOf(condition) ?? [];
}

/**
 * Resolves "the same opponent" in a sequence. The slot and its antecedent get the same variable, so that they must match the
 * same thing. The antecedent is the nearest slot with the same words, else the slot of the same name.
 */
export function bindSame(steps: readonly Condition[]): readonly Condition[] {
  const bound = steps.slice();
  for (let index = 0; index < bound.length; index++) {
    for (const slot of wordSlots) {
      const pattern = getSlot(bound[index]!, slot);
      // A variable of an earlier step contains "#"; an unresolved one is the name of the slot.
      if (pattern?.same === undefined || pattern.same.includes('#')) continue;
      const antecedent = findAntecedent(bound.slice(0, index), slot, pattern);
      if (!antecedent) continue;
      const earlier = bound[antecedent.step]!;
      const variable = getSlot(earlier, antecedent.slot)?.same ?? `${antecedent.slot}#${antecedent.step + 1}`;
      bound[antecedent.step] = setVariable(earlier, antecedent.slot, variable);
      bound[index] = setVariable(bound[index]!, slot, variable);
    }
  }
  return bound;
}

function findAntecedent(
  earlier: readonly Condition[],
  slot: WordSlot,
  { any }: SlotPattern,
): { step: number; slot: WordSlot } | undefined {
  const words = JSON.stringify(any);
  for (let step = earlier.length - 1; step >= 0; step--) {
    const equal = wordSlots.find((each) => {
      const candidate = getSlot(earlier[step]!, each);
      return candidate?.any !== undefined && JSON.stringify(candidate.any) === words;
    });
    if (equal) return { step, slot: equal };
  }
  const step = earlier.findLastIndex((condition) => findPattern(condition) !== undefined);
  return step < 0 ? undefined : { step, slot };
}

/** The pattern of a step without its filters. */
function findPattern(condition: Condition): ActionPattern | undefined {
  if ('all' in condition) return condition.all.map((each) => findPattern(each)).find((each) => each !== undefined);
  return 'action' in condition || 'property' in condition ? (condition as ActionPattern) : undefined;
}

function getSlot(condition: Condition, slot: WordSlot): SlotPattern | undefined {
  return findPattern(condition)?.[slot];
}

function setVariable(condition: Condition, slot: WordSlot, variable: string): Condition {
  if ('all' in condition)
    return { all: condition.all.map((each) => (findPattern(each) ? setVariable(each, slot, variable) : each)) };
  const pattern = condition as ActionPattern;
  return { ...pattern, [slot]: { ...pattern[slot], same: variable } } as Condition;
}
