import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';

interface PlayedGame {
  /** What much played games of this kind are about, without a name. */
  readonly game: string;
  readonly dictionaries: readonly string[];
  readonly lines: readonly string[];
}

const games = JSON.parse(
  readFileSync(join(import.meta.dirname, '../cases/played-games.json'), 'utf8'),
) as readonly PlayedGame[];

const { dictionary } = await loadBuiltin(undefined, { meaning: false });

it.each(games)('lines of $game are read and written in the words of its genres', ({ dictionaries, lines }) => {
  const namespaces = new Set<string | undefined>();
  for (const text of lines) {
    const { statement } = parse(text, dictionary);
    expect([text, statement && render(statement, dictionary)]).toEqual([text, text]);
    for (const [, namespace] of JSON.stringify(statement).matchAll(/"([a-z-]+):[^"]+"/g)) namespaces.add(namespace);
  }
  expect(namespaces.size).toBeGreaterThan(0);
  expect([...namespaces].filter((each) => !dictionaries.includes(each!))).toEqual([]);
});
