import type { Dictionary } from '../../dictionary/dictionary.ts';
import { wordKinds } from '../../dictionary/format.ts';
import { getLexicon } from '../../dictionary/sentences/lexicon.ts';
import { numberValue, tokenize, type Token } from '../../dictionary/sentences/tokenize.ts';
import { expressionOf, grammarWords } from '../accounting/expressions.ts';
import type { Correction } from './normalize.ts';

/** A sentence without the parts that say nothing of the events; they are blanked, so that all offsets stay as they are. */
export interface WithoutAsides {
  readonly sentence: string;
  /** The parts left out, read as nothing. */
  readonly leftOut: readonly Correction[];
}

/** What ends a part of a sentence: a mark, or a verb after which the question follows ("my coach wants to know …"). */
const boundaries =
  /[,:;.?!()–—]+(?=\s|$)|\s-+(?=\s)|(?<=\s)(?:knows?|wonder(?:s|ing)?)(?:\s+(?:about|if|whether))?(?=\s)/giu;

/** An adjunct restricts what is asked, whatever its words: "on foot", "playing as a medic". */
const adjunct = /^(?:in|on|at|with|by|from|to|of|per|under|over|via|(?!wondering|asking)\p{L}+ing)$/u;
const speakers = /^(?:i|me|my|we|us|our)$/;

/**
 * Leaves out the parts of a sentence that only say who asks or why: "as a coach: …", "…, I need them for the montage". A part with
 * a number, a name, a word that questions are made of or a word of the dictionary is never left out.
 *
 * @param isName Is a word in lower case a name of the logs?
 */
export function leaveOutAsides(
  sentence: string,
  dictionary: Dictionary,
  isName: (word: string) => boolean,
): WithoutAsides | undefined {
  const ends = [...sentence.matchAll(boundaries)].map(({ index, 0: text }) => index + text.length);
  const starts = [0, ...ends];
  const parts = starts.map((start, i) => ({ start, end: starts[i + 1] ?? sentence.length }));
  const asides = parts.filter(({ start, end }) => isAside(tokenize(sentence.slice(start, end)), dictionary, isName));
  if (asides.length === 0 || asides.length === parts.length) return undefined;
  const leftOut = asides.map(({ start, end }): Correction => {
    const written = sentence.slice(start, end).trim();
    const at = sentence.indexOf(written, start);
    return { start: at, end: at + written.length, written, read: '' };
  });
  const rest = leftOut.reduce(
    (text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end),
    sentence,
  );
  return rest.trim() === '' ? undefined : { sentence: rest, leftOut };
}

function isAside(given: readonly Token[], dictionary: Dictionary, isName: (word: string) => boolean): boolean {
  const lexicon = getLexicon(dictionary);
  const tokens = given.filter(({ kind }) => kind !== 'mark');
  if (tokens.length === 0 || adjunct.test(tokens[0]!.lower)) return false;
  return tokens.every((token, at) => {
    if (token.kind !== 'word' || numberValue(token) !== undefined || isName(token.lower)) return false;
    if (speakers.test(token.lower) || grammarWords.has(token.lower)) return true;
    if (expressionOf(token.lower) !== undefined) return /^knows?$|^wonder/.test(token.lower);
    return wordKinds.every((kind) =>
      lexicon.find(kind, tokens, at).every(({ entry: { word } }) => dictionary.isA(word.id, 'character', 'object')),
    );
  });
}
