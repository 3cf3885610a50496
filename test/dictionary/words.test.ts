import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordId, type Dictionary } from '../../src/dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadBuiltin } from '../../src/dictionary/files.ts';
import { listOf, wordKinds, type DictionaryFile, type WordEntry, type WordKind } from '../../src/dictionary/format.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';

const names = await dictionaryNames();
const everything = await loadBuiltin(undefined, { meaning: false });
/** Dictionaries of games, which may give the same name to different things (both Freedoom and OpenArena have a BFG). */
const games = new Set(['freedoom', 'hedgewars', 'nethack', 'openarena']);

interface KindedEntry extends WordEntry {
  readonly kind: WordKind;
}

function entriesOf(name: string): readonly KindedEntry[] {
  const file = JSON.parse(readFileSync(join(builtinFolder, `${name}.json`), 'utf8')) as DictionaryFile;
  return wordKinds.flatMap((kind) => (file[listOf[kind]] ?? []).map((entry) => ({ ...entry, kind })));
}

/** Every text of a statement, ids of words among them. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The built-in dictionary of a word. */
function namespaceOf(id: string, words: Dictionary): string | undefined {
  return words.find(id)?.id === id ? words.find(id)?.namespace : undefined;
}

describe.each(names)('the words of %s', async (name) => {
  // Without the check of names, which is that of all dictionaries together.
  const { dictionary: alone, issues } = await loadBuiltin([name], { meaning: false });
  const dictionary = games.has(name) ? alone : everything.dictionary;
  const entries = entriesOf(name);

  it('need no dictionary but the common one', () => {
    expect(issues).toEqual([]);
  });

  it('are defined by a phrase of 8 to 20 words with a capital and a full stop', () => {
    const wrong = entries.filter(({ definition }) => {
      const { length } = definition.split(/\s+/);
      return length < 8 || length > 20 || !/^\p{Lu}.*\.$/u.test(definition);
    });
    expect(wrong.map((entry) => entry.name)).toEqual([]);
  });

  it('have examples of their own and common words that parse and render back, with every other genre loaded, too', () => {
    const wrong = entries.filter(({ kind, name: word, sense, examples: [text = ''] = [] }) => {
      const { statement } = parse(text, dictionary);
      if (!statement || render(statement, dictionary) !== text) return true;
      const used = textsOf(statement);
      if (used.some((each) => !['common', name, undefined].includes(namespaceOf(each, dictionary)))) return true;
      // A general word such as "posture" occurs in sentences as one of its kinds.
      const id = wordId(name, word, sense);
      return !used.some((each) => dictionary.isA(each, id, kind));
    });
    expect(wrong.map((entry) => entry.examples)).toEqual([]);
  });
});
