import { didYouMean, findNearest } from '../spelling.ts';
import type { Dictionary, Word } from './dictionary.ts';

/**
 * Searches the words of a dictionary.
 *
 * @returns The matches, best first: equal name or synonym, other form of the name, name that starts with the text, name that
 * contains it, definition that contains it.
 * @example
 * const { dictionary } = await loadBuiltin();
 * searchWords(dictionary, 'drive')[0]?.definition;
 */
export function searchWords(dictionary: Dictionary, text: string): readonly Word[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  return dictionary.ordered
    .map((word) => ({ word, rank: rankMatch(word, wanted) }))
    .filter(({ rank }) => rank < noMatch)
    .toSorted((a, b) => a.rank - b.rank || a.word.order - b.word.order)
    .map(({ word }) => word);
}

/** Finds the words whose id, name, synonym or other form is `text`. */
export function findWordsByName(dictionary: Dictionary, text: string): readonly Word[] {
  const wanted = text.trim().toLowerCase();
  return dictionary.ordered.filter((word) => rankMatch(word, wanted) <= 1);
}

const noMatch = 5;

function rankMatch(word: Word, wanted: string): number {
  const names = [word.id, word.name, ...word.synonyms].map((name) => name.toLowerCase());
  if (names.includes(wanted)) return 0;
  const forms =
    word.kind === 'object'
      ? [word.plural]
      : word.kind === 'action'
        ? [...(Object.values(word.forms) as string[]), ...word.nouns]
        : [];
  if (forms.some((form) => form.toLowerCase() === wanted)) return 1;
  if (names.some((name) => name.startsWith(wanted))) return 2;
  if (names.some((name) => name.includes(wanted))) return 3;
  return ` ${word.definition.toLowerCase()}`.includes(` ${wanted}`) ? 4 : noMatch;
}

/** Finds the name or synonym nearest to `text`, for suggestions. */
export function findNearestName(dictionary: Dictionary, text: string): string | undefined {
  return findNearest(
    text,
    dictionary.ordered.flatMap((word) => [word.name, ...word.synonyms]),
  );
}

/** Writes a spelling hint for an unknown word id; an id that differs only in its namespace or sense is preferred. */
export function suggestWord(wanted: string, ids: Iterable<string>): string | undefined {
  const candidates = [...ids];
  const name = withoutNamespace(wanted);
  const nearest =
    candidates.find((id) => withoutNamespace(id).replace(/#.*$/, '') === name) ?? findNearest(wanted, candidates);
  return nearest === undefined ? undefined : didYouMean(nearest);
}

/** A hint at the common words that an unknown one is another name of, else at the word nearest to it. */
export function suggestSynonym(wanted: string, words: readonly Pick<Word, 'id' | 'synonyms'>[]): string | undefined {
  const name = wanted.toLowerCase();
  const meant = words.filter(
    ({ id, synonyms }) => !id.includes(':') && synonyms.some((synonym) => synonym.toLowerCase() === name),
  );
  if (meant.length === 0)
    return suggestWord(
      wanted,
      words.map(({ id }) => id),
    );
  return `“${wanted}” is another name of ${meant.map(({ id }) => `"${id}"`).join(', ')}: write ${meant.length === 1 ? 'that' : 'the one that you mean'}.`;
}

function withoutNamespace(id: string): string {
  return id.slice(id.indexOf(':') + 1).toLowerCase();
}
