import { didYouMean, findNearest } from '../spelling.ts';
import type { Dictionary, Word } from './dictionary.ts';

/** Words for a text, the best first: the same name or synonym, one that begins so, that contains it, whose definition does. */
export function searchWords(dictionary: Dictionary, text: string): readonly Word[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const ranked = dictionary.ordered.flatMap((word) => {
    const rank = rankOf(word, wanted);
    return rank === undefined ? [] : [{ word, rank }];
  });
  // Equally good ones in the order of the dictionary, general before special.
  return ranked.toSorted((a, b) => a.rank - b.rank || a.word.order - b.word.order).map(({ word }) => word);
}

function rankOf(word: Word, wanted: string): number | undefined {
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
  return ` ${word.definition.toLowerCase()}`.includes(` ${wanted}`) ? 4 : undefined;
}

/** All words that a person may mean by `text`: an id, a name, a synonym or a form of either. */
export function wordsNamed(dictionary: Dictionary, text: string): readonly Word[] {
  const wanted = text.trim().toLowerCase();
  return dictionary.ordered.filter((word) => (rankOf(word, wanted) ?? 9) <= 1);
}

/** The name nearest to what was typed, if it may be a slip. */
export function nearestName(dictionary: Dictionary, text: string): string | undefined {
  return findNearest(
    text,
    dictionary.ordered.flatMap((word) => [word.name, ...word.synonyms]),
  );
}

/** A spelling hint with the nearest of the candidates; an id that ends like the wanted one comes first. */
export function hintFor(wanted: string, known: Iterable<string>): string | undefined {
  const list = [...known];
  const bare = wanted.slice(wanted.indexOf(':') + 1).toLowerCase();
  const near =
    list.find(
      (id) =>
        id
          .slice(id.indexOf(':') + 1)
          .replace(/#.*$/, '')
          .toLowerCase() === bare,
    ) ?? findNearest(wanted, list);
  return near === undefined ? undefined : didYouMean(near);
}
