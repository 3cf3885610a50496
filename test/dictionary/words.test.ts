import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordId } from '../../src/dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadBuiltin } from '../../src/dictionary/files.ts';
import type { DictionaryFile, WordEntry } from '../../src/dictionary/format.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';

const names = await dictionaryNames();
const everything = await loadBuiltin(undefined, { definitions: false });
const namesWithoutExamples = ['common', 'freedoom', 'hedgewars', 'nethack', 'openarena', 'stream'];

function entriesOf(name: string): readonly WordEntry[] {
  const text = readFileSync(join(builtinFolder, `${name}.json`), 'utf8');
  const { objects = [], actions = [], properties = [] } = JSON.parse(text) as DictionaryFile;
  return [...objects, ...actions, ...properties];
}

describe.each(names.filter((name) => !namesWithoutExamples.includes(name)))('the words of %s', async (name) => {
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
    const wrong = entries.filter(({ name: word, sense, examples: [text = ''] = [] }) => {
      const { statement } = parse(text, dictionary);
      if (!statement || render(statement, dictionary) !== text) return true;
      if (!JSON.stringify(statement).includes(`"${wordId(name, word, sense)}"`)) return true;
      return JSON.stringify(parse(text, everything.dictionary).statement) !== JSON.stringify(statement);
    });
    expect(wrong.map((entry) => entry.examples)).toEqual([]);
  });
});
