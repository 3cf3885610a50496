import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordId } from '../../src/dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadBuiltin } from '../../src/dictionary/files.ts';
import { listOf, wordKinds, type DictionaryFile, type WordEntry, type WordKind } from '../../src/dictionary/format.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';

const names = await dictionaryNames();
const everything = await loadBuiltin(undefined, { definitions: false });
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

describe.each(names)('the words of %s', async (name) => {
  const { dictionary, issues } = await loadBuiltin([name], { definitions: false });
  const entries = entriesOf(name);

  it('have no issues with the common dictionary alone', () => {
    expect(issues).toEqual([]);
  });

  it('are defined by a phrase of 8 to 20 words with a capital and a full stop', () => {
    const wrong = entries.filter(({ definition }) => {
      const { length } = definition.split(/\s+/);
      return length < 8 || length > 20 || !/^\p{Lu}.*\.$/u.test(definition);
    });
    expect(wrong.map((entry) => entry.name)).toEqual([]);
  });

  it('have examples that parse, render back and keep their meaning with every dictionary loaded', () => {
    const options = games.has(name) ? { game: name } : {};
    const wrong = entries.filter(({ kind, name: word, sense, examples: [text = ''] = [] }) => {
      const { statement } = parse(text, dictionary);
      if (!statement || render(statement, dictionary) !== text) return true;
      // A general word such as "posture" occurs in sentences as one of its kinds.
      const id = wordId(name, word, sense);
      if (!textsOf(statement).some((each) => dictionary.isA(each, id, kind))) return true;
      return JSON.stringify(parse(text, everything.dictionary, options).statement) !== JSON.stringify(statement);
    });
    expect(wrong.map((entry) => entry.examples)).toEqual([]);
  });
});
