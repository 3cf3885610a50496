import type { Dictionary, Word } from '../dictionary/dictionary.ts';
import { commonName } from '../dictionary/format.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type PropertyValue, type Slot } from '../events/statement.ts';

/** What somebody does, or what a game is about, by words of the dictionary and how much each counts. */
export type WordCounts = ReadonlyMap<string, number>;

/** A game or genre that can be recommended. */
export interface CatalogEntry {
  readonly id: string;
  readonly title: string;
  readonly words: WordCounts;
}

/** A recommendation, explained by the words that both share. */
export interface Recommendation {
  readonly id: string;
  readonly title: string;
  /** Cosine of the two profiles, 0 to 1. */
  readonly similarity: number;
  /** The words that count most, by id. */
  readonly because: readonly string[];
}

/** What a word gives its parent: a railgun is a gun, but less so than a gun is. */
const PARENT_SHARE = 0.5;
const MAX_REASONS = 5;
/** People and general words, which are in every game. */
const MIN_DEPTH = 2;

/** Counts the words of events. */
export function countWords(events: Iterable<EventLine>): WordCounts {
  const counts = new Map<string, number>();
  const add = (word: string | undefined): void => {
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
  };
  const addSlot = (slot: Slot | PropertyValue | undefined): void => {
    if (typeof slot === 'string') add(slot);
    else if (typeof slot === 'object') add(slot.word);
  };
  for (const { statement } of events) {
    if (isPropertyStatement(statement)) {
      add(statement.property);
      if (typeof statement.to === 'object') addSlot(statement.to);
    } else {
      add(statement.action);
      for (const slot of [statement.object, statement.with, statement.at] as const) addSlot(slot);
    }
  }
  return counts;
}

/** The genres and games of a dictionary: each extension with its words. */
export function catalogOf(dictionary: Dictionary): readonly CatalogEntry[] {
  const byNamespace = Map.groupBy(dictionary.ordered, ({ namespace }) => namespace);
  return dictionary.sources
    .filter(({ name }) => name !== commonName)
    .map(({ name, title = name }) => ({
      id: name,
      title,
      words: new Map((byNamespace.get(name) ?? []).map(({ id }) => [id, 1])),
    }));
}

/**
 * Recommends entries of a catalog to somebody by what he or she does: the cosine of two profiles of words, each with its
 * ancestors in the hierarchy (a railgun is half a gun, a quarter of a weapon), weighted by how few entries have a word (TF-IDF).
 *
 * @param player What somebody does, by `countWords`.
 * @returns The nearest first; those that share nothing are left out.
 * @example
 * const { dictionary } = await loadBuiltin();
 * recommend(countWords(events), catalogOf(dictionary), dictionary)[0]?.title;
 */
export function recommend(
  player: WordCounts,
  catalog: readonly CatalogEntry[],
  dictionary: Dictionary,
): readonly Recommendation[] {
  const spread = catalog.map(({ words }) => withAncestors(words, dictionary));
  const documents = new Map<string, number>();
  for (const words of spread) for (const word of words.keys()) documents.set(word, (documents.get(word) ?? 0) + 1);
  const weigh = (words: WordCounts): ReadonlyMap<string, number> =>
    new Map(
      [...words].map(([word, count]) => [
        word,
        Math.log1p(count) * Math.log((1 + catalog.length) / (1 + (documents.get(word) ?? 0))),
      ]),
    );
  const own = weigh(withAncestors(player, dictionary));
  const length = norm(own);
  return catalog
    .map(({ id, title }, i) => {
      const other = weigh(spread[i]!);
      const parts = [...own].flatMap(([word, weight]) => {
        const part = weight * (other.get(word) ?? 0);
        return part > 0 ? [[word, part] as const] : [];
      });
      const scale = length * norm(other);
      const because = parts
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, MAX_REASONS)
        .map(([word]) => word);
      return {
        id,
        title,
        similarity: scale === 0 ? 0 : parts.reduce((sum, [, part]) => sum + part, 0) / scale,
        because,
      };
    })
    .filter(({ similarity }) => similarity > 0)
    .toSorted((a, b) => b.similarity - a.similarity);
}

/** Adds to each word's ancestors what they get of it. */
function withAncestors(words: WordCounts, dictionary: Dictionary): WordCounts {
  const counts = new Map<string, number>();
  for (const [id, count] of words) {
    let share = count;
    for (let word: Word | undefined = dictionary.find(id); word; word = word.parent) {
      if (word.depth < MIN_DEPTH) break;
      counts.set(word.id, (counts.get(word.id) ?? 0) + share);
      share *= PARENT_SHARE;
    }
  }
  return counts;
}

function norm(weights: ReadonlyMap<string, number>): number {
  return Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight ** 2, 0));
}
