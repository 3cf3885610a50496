import { slotKind } from '../../dictionary/format.ts';
import type { Word } from '../../dictionary/dictionary.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';
import type { SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import { patternSlots } from '../match/patterns.ts';
import type { ActionPattern, Condition } from '../query.ts';

/** The first slot of a query that could never match, with the rule: "kills lava" asks for what no statement can say. */
export function misfitIn(context: ParseContext, condition: Condition): SentenceIssue | undefined {
  for (const pattern of actionPatterns(condition)) {
    const misfit = patternMisfit(context, pattern);
    if (misfit) return misfit;
  }
  return undefined;
}

function actionPatterns(condition: Condition): readonly ActionPattern[] {
  if ('action' in condition) return [condition as ActionPattern];
  if ('all' in condition) return condition.all.flatMap((each) => actionPatterns(each));
  if ('not' in condition) return actionPatterns(condition.not);
  if ('sequence' in condition) return condition.sequence.flatMap((each) => actionPatterns(each));
  if ('near' in condition) return [condition.find, condition.near].flatMap((each) => actionPatterns(each));
  return 'any' in condition && !('words' in condition)
    ? (condition.any as readonly Condition[]).flatMap((each) => actionPatterns(each))
    : [];
}

function patternMisfit({ dictionary, sentence }: ParseContext, pattern: ActionPattern): SentenceIssue | undefined {
  const actions = pattern.action.flatMap((id) => dictionary.find(id, 'action') ?? []);
  if (actions.length === 0) return undefined;
  for (const slot of patternSlots) {
    const wanted = pattern[slot];
    if (!wanted || wanted.absent) continue;
    const kind = slotKind(slot);
    const possible = (action: Word, word: Word): boolean => {
      // A word below the action may narrow but never widen what the slot takes.
      const { use, accepts, word: implied } = action.slots[slot];
      if (use === 'within' && implied !== undefined) return dictionary.isA(implied, word.id, kind);
      return (
        use !== 'none' &&
        (accepts.length === 0 ||
          accepts.some((id) => dictionary.isA(word.id, id, kind) || dictionary.isA(id, word.id, kind)))
      );
    };
    for (const { words } of wanted.any ?? []) {
      if (!words) continue;
      const found = words.flatMap((id) => dictionary.find(id, kind) ?? []);
      if (found.some((word) => actions.some((action) => possible(action, word)))) continue;
      const { accepts, use } = actions[0]!.slots[slot];
      const name = found[0]?.name ?? words[0]!;
      const start = Math.max(0, sentence.toLowerCase().lastIndexOf(name.toLowerCase()));
      const message =
        use === 'none'
          ? `"${actions[0]!.name}" takes no ${slot}`
          : `the ${slot} of "${actions[0]!.name}" is ${accepts.join(' or ')}, and "${name}" is none`;
      return { code: 'slot-mismatch', message, start, end: start + name.length };
    }
  }
  return undefined;
}
