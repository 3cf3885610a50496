import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';

interface Line {
  readonly text: string;
  readonly statement: unknown;
}

const lines = JSON.parse(readFileSync(join(import.meta.dirname, '../cases/genres.json'), 'utf8')) as Readonly<
  Record<string, readonly Line[]>
>;

it.each(Object.keys(lines))('the words of %s write 25 lines of a log, which are read back', async (genre) => {
  const { dictionary } = await loadBuiltin(genre.split('+'), { definitions: false });
  expect(lines[genre]).toHaveLength(25);
  for (const { text, statement } of lines[genre]!) {
    expect(parse(text, dictionary)).toMatchObject({ statement, issues: [] });
    expect(render(statement as never, dictionary)).toBe(text);
  }
});
