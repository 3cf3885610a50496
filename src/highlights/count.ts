import type { Dictionary } from '../dictionary/dictionary.ts';
import type { WordKind } from '../dictionary/format.ts';
import { pluralOf } from '../dictionary/inflection.ts';
import { bareWord, lineage } from './settings/weights.ts';

/** How often a word, or what stands under it, occurs. */
export interface WordCount {
  readonly word: string;
  readonly count: number;
  /** All the words that occur are this word or stand under it. */
  readonly words: readonly string[];
}

/**
 * Counts of words at the level of the hierarchy where they say most in few groups: the words themselves if they are no
 * more than `groups`; otherwise the rarest are gathered under their nearest common ancestors until they are few enough,
 * and what shares no ancestor stays single. Most frequent first, then by name.
 */
export function countWords(words: readonly string[], dictionary: Dictionary, kind: WordKind, groups = 4): WordCount[] {
  const counts = new Map<string, { count: number; words: Set<string> }>();
  for (const word of words) {
    const entry = counts.get(word) ?? { count: 0, words: new Set([word]) };
    entry.count++;
    counts.set(word, entry);
  }
  while (counts.size > groups) {
    const merge = cheapestMerge(counts, dictionary, kind);
    if (!merge) break;
    const merged = { count: 0, words: new Set<string>() };
    for (const word of merge.words) {
      const entry = counts.get(word)!;
      merged.count += entry.count;
      for (const each of entry.words) merged.words.add(each);
      counts.delete(word);
    }
    counts.set(merge.ancestor, merged);
  }
  return [...counts]
    .map(([word, entry]) => ({ word, count: entry.count, words: [...entry.words].toSorted() }))
    .toSorted((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
}

/** The words to gather next: those under the ancestor that stands deepest, of these the ones that occur least. */
function cheapestMerge(
  counts: ReadonlyMap<string, { count: number }>,
  dictionary: Dictionary,
  kind: WordKind,
): { ancestor: string; words: string[] } | undefined {
  const under = new Map<string, { words: string[]; depth: number; count: number }>();
  for (const [word, { count }] of counts) {
    const ids = lineage(dictionary, word, kind);
    for (const [height, id] of ids.entries()) {
      const entry = under.get(id) ?? { words: [], depth: ids.length - height, count: 0 };
      entry.words.push(word);
      entry.count += count;
      under.set(id, entry);
    }
  }
  const best = [...under]
    .filter(([, { words }]) => words.length > 1)
    .toSorted(([a, x], [b, y]) => y.depth - x.depth || x.count - y.count || (a < b ? -1 : 1))[0];
  return best && { ancestor: best[0], words: best[1].words };
}

/** A word of the dictionary as people write it, for one or several. */
export function nameFor(word: string, count: number, dictionary: Dictionary): string {
  const found = dictionary.find(word, 'object') ?? dictionary.find(word);
  const name = found?.name ?? bareWord(word);
  return count === 1 ? name : (found?.plural ?? pluralOf(name));
}

/** `a`, `a and b`, `a, b and c`. */
export function series(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
