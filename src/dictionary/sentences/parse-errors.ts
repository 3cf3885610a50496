import { didYouMean, editDistance, findNearest } from '../../spelling.ts';
import type { DictionaryIssue } from '../issues.ts';
import { functionWords } from './function-words.ts';
import type { ParseContext } from './parse-context.ts';

/** An issue with the part of the sentence that it is about: `start` and `end` are offsets, `end` exclusive. */
export interface SentenceIssue extends DictionaryIssue {
  readonly start: number;
  readonly end: number;
}

const maxExpectations = 6;

/**
 * Explains why a sentence has no reading: an unknown word, or the position where parsing stopped.
 *
 * @param isKnown Further words that are known, in lower case.
 */
export function explainParseFailure(
  context: ParseContext,
  isKnown: (word: string) => boolean = () => false,
): SentenceIssue {
  const { tokens, lexicon } = context;
  const unknownAt = tokens.findIndex(
    ({ kind, text, lower }) => kind === 'word' && !lexicon.knows(text) && !isKnown(lower) && !/^[\p{Lu}\d]/u.test(text),
  );
  if (unknownAt >= 0) return explainUnknownWord(context, unknownAt);
  const token = tokens[Math.min(context.furthest, tokens.length - 1)]!;
  const span = { start: token.start, end: token.end };
  const expected = [...context.expected].slice(0, maxExpectations).join(', ');
  if (context.furthest >= tokens.length)
    return {
      code: 'incomplete-sentence',
      message: 'the sentence is incomplete',
      ...(expected && { hint: `Expected next: ${expected}.` }),
      start: token.end,
      end: token.end,
    };
  if (/^\p{Lu}/u.test(token.text) && !lexicon.knows(token.text))
    return {
      code: 'unknown-word',
      message: `"${token.text}" is not a word of the dictionary`,
      hint: `Put a word before a name: "opponent ${token.text}".`,
      ...span,
    };
  return {
    code: 'unexpected-word',
    message: `unexpected "${token.text}"`,
    ...(expected && { hint: `Expected: ${expected}.` }),
    ...span,
  };
}

function explainUnknownWord(context: ParseContext, at: number): SentenceIssue {
  const { text, start, end } = context.tokens[at]!;
  const suggestion = suggestSentenceWord(context, at);
  const mayBeName = suggestion === undefined || at === 0 || context.wordAt(at - 1) === 'by';
  const hints = [
    ...(suggestion === undefined ? [] : [didYouMean(suggestion)]),
    ...(context.isQuery && mayBeName ? ['Capitalize a name or put it in quotes.'] : []),
  ];
  return {
    code: 'unknown-word',
    message: `"${text}" is not a word of the dictionary`,
    ...(hints.length > 0 && { hint: hints.join(' ') }),
    start,
    end,
  };
}

function suggestSentenceWord(context: ParseContext, at: number): string | undefined {
  const { tokens, lexicon } = context;
  const { text } = tokens[at]!;
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  // A name of two words ("roket launcher") is more specific than the single word.
  const next = tokens[at + 1];
  if (next?.kind === 'word') {
    const pair = `${text} ${next.text}`;
    const nearest = findNearest(
      pair,
      lexicon.names().filter((name) => name.includes(' ')),
    );
    if (nearest !== undefined && editDistance(pair, nearest) <= Math.max(1, pair.length / 6)) return nearest;
  }
  // After "player's" a property is expected: "healt" is "health" there, not "heal".
  const isOwned = tokens[at - 1]?.kind === 'possessive';
  return (
    (isOwned ? findNearest(text, lexicon.names('property')) : undefined) ??
    findNearest(text, [...functionWords, ...lexicon.names()]) ??
    findNearest(text, lexicon.parts)
  );
}
