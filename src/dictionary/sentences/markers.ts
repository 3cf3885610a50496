import type { Dictionary, Word } from '../dictionary.ts';
import { commonName } from '../format.ts';
import { canonicalForms } from '../names.ts';

/** For each word what is written after its name to tell it from others of that name; '' mostly. */
export interface Markers {
  /** Among words of its kind. */
  readonly inKind: ReadonlyMap<Word, string>;
  /** Among all words, for places that take any kind (values). */
  readonly anywhere: ReadonlyMap<Word, string>;
}

const cache = new WeakMap<Dictionary, Markers>();

/** Only words that share a form with another get a marker, and the plain word of the common dictionary never does. */
export function markersOf(dictionary: Dictionary): Markers {
  let markers = cache.get(dictionary);
  if (!markers) {
    markers = { inKind: shared(dictionary, (word) => `${word.kind} `), anywhere: shared(dictionary, () => '') };
    cache.set(dictionary, markers);
  }
  return markers;
}

function shared(dictionary: Dictionary, groupOf: (word: Word) => string): Map<Word, string> {
  const first = new Map<string, Word>();
  const clashes = new Map<string, Set<Word>>();
  for (const word of dictionary.ordered) {
    const group = groupOf(word);
    for (const form of canonicalForms(word)) {
      const key = group + form.toLowerCase();
      const other = first.get(key);
      if (other === undefined) first.set(key, word);
      else if (other !== word) {
        const set = clashes.get(key) ?? new Set([other]);
        clashes.set(key, set.add(word));
      }
    }
  }
  const marked = new Map<Word, string>();
  for (const set of clashes.values()) {
    // Words of different kinds may have the very same id; those need no telling apart.
    if (new Set([...set].map((word) => word.id)).size > 1) for (const word of set) marked.set(word, label(word));
  }
  return marked;
}

/** `golf` for `drive#golf`, `openarena` for `openarena:chaingun`, `golfer drive` for `golfer:swing#drive`. */
export function label(word: Word): string {
  return [word.namespace === commonName ? undefined : word.namespace, word.sense]
    .filter((part) => part !== undefined)
    .join(' ');
}
