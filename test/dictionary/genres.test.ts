import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordId } from '../../src/dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadBuiltin } from '../../src/dictionary/files.ts';
import type { DictionaryFile } from '../../src/dictionary/format.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';

interface Line {
  readonly text: string;
  readonly statement: unknown;
}

const lines = JSON.parse(readFileSync(join(import.meta.dirname, '../cases/genres.json'), 'utf8')) as Readonly<
  Record<string, readonly Line[]>
>;
const genres = Object.keys(lines);
const root = join(builtinFolder, '..');
const games = ['freedoom', 'hedgewars', 'nethack', 'openarena'];
const everything = await loadBuiltin();

function fileOf(name: string): DictionaryFile {
  return JSON.parse(readFileSync(join(builtinFolder, `${name}.json`), 'utf8')) as DictionaryFile;
}

function entriesOf(name: string) {
  const { objects = [], actions = [], properties = [] } = fileOf(name);
  return [...objects, ...actions, ...properties];
}

it('every built-in dictionary is that of a game or of a genre with lines of its logs', async () => {
  expect(await dictionaryNames()).toEqual(['common', ...[...games, ...genres, 'stream'].toSorted()]);
});

it('the documentation counts the words of each built-in dictionary, and all of them', async () => {
  const reference = readFileSync(join(root, 'docs/reference/dictionary.md'), 'utf8');
  const names = await dictionaryNames();
  const counts = names.map((name) => {
    const { title, objects = [], actions = [], properties = [] } = fileOf(name);
    return `| \`${name}\` | ${title} | ${objects.length} | ${actions.length} | ${properties.length} |`;
  });
  expect(reference).toContain(counts.join('\n'));
  const total = names.reduce((sum, name) => sum + entriesOf(name).length, 0);
  expect(reference).toContain(`${total.toLocaleString('en')} words`);
  const rounded = (Math.floor(total / 100) * 100).toLocaleString('en');
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`[${rounded} words]`);
});

describe.each(genres)('the words of %s', async (genre) => {
  const { dictionary, issues } = await loadBuiltin([genre]);
  const entries = entriesOf(genre);

  it('have no issues with the common dictionary alone', () => {
    expect(issues).toEqual([]);
  });

  it('are defined in 8 to 20 words', () => {
    const lengths = entries.map(({ name, definition }) => ({ name, length: definition.split(/\s+/).length }));
    expect(lengths.filter(({ length }) => length < 8 || length > 20)).toEqual([]);
  });

  it('have examples that parse, render back and keep their meaning with every dictionary loaded', () => {
    const examples = entries.map(({ name, sense, examples: [text = ''] = [] }) => ({
      id: wordId(genre, name, sense),
      text,
    }));
    const wrong = examples.filter(({ id, text }) => {
      const { statement } = parse(text, dictionary);
      if (!statement || render(statement, dictionary) !== text) return true;
      if (!JSON.stringify(statement).includes(`"${id}"`)) return true;
      return JSON.stringify(parse(text, everything.dictionary).statement) !== JSON.stringify(statement);
    });
    expect(wrong).toEqual([]);
  });

  it('write 25 lines of a log, which are read back', () => {
    expect(lines[genre]).toHaveLength(25);
    for (const { text, statement } of lines[genre]!) {
      expect(parse(text, dictionary)).toMatchObject({ statement, issues: [] });
      expect(render(statement as never, dictionary)).toBe(text);
    }
  });
});
