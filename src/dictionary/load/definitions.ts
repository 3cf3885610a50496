import { wordKinds, type WordKind } from '../format.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import { lexiconOf } from '../sentences/lexicon.ts';
import { tokenize } from '../sentences/tokens.ts';
import type { Located } from '../located.ts';
import { canonicalForms } from '../names.ts';

/**
 * A definition says what a word means by words that do not need it again: it does not use the word itself, nor words
 * whose own definitions lead back to it. Only words of the same kind count, so "armor", the property, may be explained
 * by "armor", the object.
 */
export function checkDefinitions(dictionary: Dictionary, located: readonly Located[]): void {
  const byWord = new Map<Word, Located>();
  for (const each of located) byWord.set(dictionary.find(each.seed.id, each.seed.kind)!, each);
  for (const [word, { path, report }] of byWord) {
    const own = ownForm(dictionary, word);
    if (own === undefined) continue;
    report.add(
      'circular-definition',
      `${path}/definition`,
      `the definition of "${word.id}" uses "${own}" itself`,
      'say it in more general words',
    );
  }
  const uses = new Map([...byWord.keys()].map((word) => [word, usedWords(dictionary, word)]));
  for (const circle of circlesIn(uses)) {
    const [word] = circle;
    const { path, report } = byWord.get(word!)!;
    const names = [...circle, word!].map(({ id }) => `"${id}"`).join(' by ');
    report.add(
      'definition-cycle',
      `${path}/definition`,
      `definitions run in a circle: ${names}`,
      'explain one of them by other words',
    );
  }
}

function ownForm(dictionary: Dictionary, word: Word): string | undefined {
  const text = ` ${word.definition.toLowerCase().replaceAll(/[^\p{L}\p{N}'-]+/gu, ' ')} `;
  const own = canonicalForms(word).find((form) => text.includes(` ${form.toLowerCase()} `));
  const elsewhere = word.kind === 'property' && own !== undefined && dictionary.find(own, 'object');
  return elsewhere ? undefined : own;
}

/** Words of the same kind that the definition uses, the longest names first; property words are explained by objects. */
function usedWords(dictionary: Dictionary, word: Word): readonly Word[] {
  if (word.kind === 'property') return [];
  const lexicon = lexiconOf(dictionary);
  const tokens = tokenize(word.definition);
  const used = new Set<Word>();
  for (let i = 0; i < tokens.length; ) {
    const found = wordKinds
      .filter((kind) => kind !== 'property')
      .flatMap((kind: WordKind) => lexicon.find(kind, tokens, i))
      .filter(({ entry, pending }) => !entry.synonym && pending === undefined);
    const end = Math.max(i + 1, ...found.map((each) => each.end));
    // Where a noun and a verb are written alike ("fall"), the definition most likely means the noun.
    const longest = found.filter((each) => each.end === end);
    const nouns = longest.filter(({ entry }) => entry.word.kind === 'object');
    for (const { entry } of nouns.length > 0 ? nouns : longest)
      if (entry.word.kind === word.kind && entry.word !== word) used.add(entry.word);
    i = end;
  }
  return [...used];
}

/** The circles that a walk in depth meets: every group of words that lead to each other has at least one. */
function circlesIn(uses: ReadonlyMap<Word, readonly Word[]>): Word[][] {
  const state = new Map<Word, 'open' | 'done'>();
  const circles: Word[][] = [];
  for (const root of uses.keys()) {
    if (state.has(root)) continue;
    const path: { word: Word; next: number }[] = [{ word: root, next: 0 }];
    state.set(root, 'open');
    while (path.length > 0) {
      const top = path.at(-1)!;
      const next = uses.get(top.word)?.[top.next++];
      if (!next) {
        state.set(top.word, 'done');
        path.pop();
      } else if (state.get(next) === 'open')
        circles.push(path.slice(path.findIndex(({ word }) => word === next)).map(({ word }) => word));
      else if (!state.has(next)) {
        state.set(next, 'open');
        path.push({ word: next, next: 0 });
      }
    }
  }
  return circles;
}
