/** A proper name of the logs. */
export interface KnownName {
  readonly name: string;
  /** How it may be written, in lower case. */
  readonly phrases: readonly string[];
}

const NONE: readonly KnownName[] = [];
const indexes = new WeakMap<readonly string[], KnownNames>();

/** Proper names of logs by their first words: a season mentions thousands, of which a question has few. */
export class KnownNames {
  /** The words of which the names consist, in lower case. */
  readonly words: ReadonlySet<string>;
  readonly #byFirstWord = new Map<string, KnownName[]>();

  private constructor(names: readonly string[]) {
    const words = new Set<string>();
    for (const name of names) {
      const lower = name.toLowerCase();
      for (const word of lower.split(' ')) words.add(word);
      // "final lap" where the screen shows "Final lap!"
      const phrases = [...new Set([lower, lower.replace(/[.!:?]+$/, '')])];
      for (const [first, own] of Map.groupBy(phrases, (phrase) => phrase.split(' ', 1)[0]!)) {
        const known = this.#byFirstWord.get(first);
        if (known) known.push({ name, phrases: own });
        else this.#byFirstWord.set(first, [{ name, phrases: own }]);
      }
    }
    this.words = words;
  }

  /** The index of a list, which is computed once. */
  static of(names: readonly string[]): KnownNames {
    let index = indexes.get(names);
    if (!index) indexes.set(names, (index = new KnownNames(names)));
    return index;
  }

  /** The names that begin with a word, in the order of the list. */
  startingWith(word: string): readonly KnownName[] {
    return this.#byFirstWord.get(word) ?? NONE;
  }
}
