import { isOpen, type Dictionary, type SlotRule, type Word } from '../../dictionary/dictionary.ts';
import { slotKind, wordSlots, type WordSlot } from '../../dictionary/format.ts';
import type { ActionClause, NounList } from '../../dictionary/sentences/action-clauses.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import type { SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import { childConditions, type ActionPattern, type Condition } from '../query.ts';

/** Does a clause fill a slot with nouns that can never be there? */
export function hasImpossibleSlot(dictionary: Dictionary, { slots, verbs }: ActionClause): boolean {
  return (Object.entries(slots) as [WordSlot, NounList][]).some(([slot, { any }]) => {
    const rule = verbs[0]!.word.slots[slot];
    const isImpossible = (words: NounList['any'][number]['words']): boolean =>
      words.length > 0 && !words.some(({ word }) => canAccept(dictionary, rule, word, slot));
    return !isOpen(rule) || any.some(({ words }) => isImpossible(words));
  });
}

/** Finds a slot for which a query can never match ("kills lava"). */
export function findImpossibleSlot(context: ParseContext, condition: Condition): SentenceIssue | undefined {
  if ('action' in condition) return explainImpossibleSlot(context, condition as ActionPattern);
  for (const child of childConditions(condition)) {
    const issue = findImpossibleSlot(context, child);
    if (issue) return issue;
  }
  return undefined;
}

function explainImpossibleSlot(
  { dictionary, sentence }: ParseContext,
  pattern: ActionPattern,
): SentenceIssue | undefined {
  const actions = pattern.action.flatMap((id) => dictionary.find(id, 'action') ?? []);
  if (actions.length === 0) return undefined;
  for (const slot of wordSlots) {
    if (pattern[slot]?.absent) continue;
    for (const { words: ids } of pattern[slot]?.any ?? []) {
      if (!ids) continue;
      const words = ids.flatMap((id) => dictionary.find(id, slotKind(slot)) ?? []);
      const isPossible = words.some((word) => actions.some((action) => canContain(dictionary, action, word, slot)));
      if (isPossible) continue;
      const { accepts, use } = actions[0]!.slots[slot];
      const name = words[0]?.name ?? ids[0]!;
      const start = Math.max(0, sentence.toLowerCase().lastIndexOf(name.toLowerCase()));
      const message =
        use === 'none'
          ? `"${actions[0]!.name}" takes no ${slot}`
          : `the ${slot} of "${actions[0]!.name}" must be ${accepts.join(' or ')}, not "${name}"`;
      return { code: 'slot-mismatch', message, start, end: start + name.length };
    }
  }
  return undefined;
}

/** Can a statement about the action have the word, or a descendant of it, in the slot? */
function canContain(dictionary: Dictionary, action: Word, word: Word, slot: WordSlot): boolean {
  const rule = action.slots[slot];
  if (rule.use === 'within' && rule.word !== undefined) return dictionary.isA(rule.word, word.id, slotKind(slot));
  return rule.use !== 'none' && canAccept(dictionary, rule, word, slot);
}

/** Is the word, an ancestor or a descendant of it accepted? Descendants of an action can narrow its rules. */
function canAccept(dictionary: Dictionary, { accepts }: SlotRule, { id }: Word, slot: WordSlot): boolean {
  const kind = slotKind(slot);
  return (
    accepts.length === 0 || accepts.some((each) => dictionary.isA(id, each, kind) || dictionary.isA(each, id, kind))
  );
}
