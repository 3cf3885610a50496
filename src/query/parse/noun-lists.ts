import {
  skipListSeparator,
  singleNoun,
  type NounList,
  type NounListParser,
} from '../../dictionary/sentences/action-clauses.ts';
import { parseNouns, type NounPhrase } from '../../dictionary/sentences/noun-phrases.ts';
import type { ParseContext } from '../../dictionary/sentences/parse-context.ts';

const exceptionPhrases = ['except for', 'except', 'but not', 'other than', 'excluding'];
const maxNouns = 60;

/** Parses noun lists ("railgun, shotgun or laser") with exceptions ("any weapon except railgun"). */
export const parseNounLists: NounListParser = (context, at, kind) =>
  context.memoize(`nouns ${kind} ${at}`, () =>
    parseAlternatives(context, at, kind).flatMap((list) => [list, ...parseExceptions(context, at, list, kind)]),
  );

function parseAlternatives(context: ParseContext, at: number, kind: 'object' | 'property'): NounList[] {
  const nouns = parseNouns(context, at, kind);
  const lists = [...nouns, ...(kind === 'object' ? parsePartialNames(context, at, nouns) : [])].map(singleNoun);
  let open: readonly NounList[] = lists.slice();
  while (open.length > 0) {
    const longer: NounList[] = [];
    for (const list of open) {
      if (!context.takeStep() || list.any.length >= maxNouns) return lists;
      const next = skipSeparator(context, list.end);
      if (next !== undefined)
        for (const noun of parseNouns(context, next, kind))
          longer.push(appendNoun(list, noun, context.wordAt(next - 1) === 'and' ? 1 : 0));
    }
    // The cheapest list of each length stands for all others.
    open = [...Map.groupBy(longer, (list) => list.end).values()].map((same) =>
      same.reduce((a, b) => (b.cost < a.cost ? b : a)),
    );
    lists.push(...open);
  }
  return lists;
}

const partialNameCost = 3;

/** Parses "bonuses" for what the logs call a health bonus, "snipers" for a sniper rifle, where no word fits as it is. */
function parsePartialNames(context: ParseContext, at: number, known: readonly NounPhrase[]): NounPhrase[] {
  const token = context.tokens[at];
  const isKnown = known.some(
    ({ words, name }) => name !== undefined || words.some(({ word }) => context.mentions(word)),
  );
  if (token?.kind !== 'word' || isKnown || token.lower.length < 4) return [];
  const forms = [token.lower, token.lower.replace(/s$/, ''), token.lower.replace(/es$/, '')];
  const words = context.compoundObjects().filter(({ name }) => {
    const parts = name.split(' ');
    return forms.includes(parts.at(-1)!) || forms.includes(parts[0]!);
  });
  if (words.length === 0) return [];
  const candidates = words.map((word) => ({ word, cost: 0 }));
  return [{ words: candidates, start: at, end: at + 1, cost: partialNameCost }];
}

function appendNoun(list: NounList, noun: NounPhrase, extraCost: number): NounList {
  return { any: [...list.any, noun], except: [], end: noun.end, cost: list.cost + noun.cost + extraCost };
}

/** Skips a separator and a repeated preposition ("with railgun or with laser"). */
function skipSeparator(context: ParseContext, at: number): number | undefined {
  const next = skipListSeparator(context, at) ?? context.skip(at, 'and');
  const isRepeated = next !== undefined && context.wordAt(next) === 'with' && context.wordAt(next - 1) === 'or';
  return isRepeated ? next + 1 : next;
}

function parseExceptions(context: ParseContext, at: number, list: NounList, kind: 'object' | 'property'): NounList[] {
  for (const phrase of exceptionPhrases) {
    const next = context.skip(list.end, phrase);
    if (next === undefined) continue;
    // "with any weapon except with railgun"; but "opponent except with railgun" excludes no opponent.
    const isRepeated = context.wordAt(next) === 'with' && context.wordAt(at - 1) === 'with';
    return (
      parseAlternatives(context, isRepeated ? next + 1 : next, kind)
        // "who crashed into the wall except me": somebody is no exception among things.
        .filter(
          (excluded) =>
            !list.any.some((noun) => isThing(context, noun)) ||
            !excluded.any.every((noun) => isSomebody(context, noun)),
        )
        .map((excluded) => ({
          any: list.any,
          except: excluded.any,
          end: excluded.end,
          cost: list.cost + excluded.cost,
        }))
    );
  }
  return [];
}

function isSomebody({ dictionary }: ParseContext, { words, name }: NounPhrase): boolean {
  if (words.length === 0) return name !== undefined;
  return words.every(({ word }) => dictionary.isA(word.id, 'character', 'object'));
}

function isThing({ dictionary }: ParseContext, { words }: NounPhrase): boolean {
  const isOf = (id: string, kind: string): boolean => dictionary.isA(id, kind, 'object');
  return words.length > 0 && words.every(({ word: { id } }) => !isOf(id, 'character') && !isOf(id, 'group'));
}
