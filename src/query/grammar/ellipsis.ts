import type { ActionClause } from '../../dictionary/sentences/clauses.ts';
import type { ActionPattern, Condition, SlotPattern } from '../query.ts';

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
