import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { issueCodes } from '../../src/dictionary/issues.ts';
import { loadBuiltin, readSources } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { loadDictionary } from '../../src/dictionary/load.ts';
import type { Statement } from '../../src/events/statement.ts';
import type { Query } from '../../src/query/query.ts';
import { compileQuery } from '../../src/query/run.ts';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const guide = await read('docs/reference/dictionary.md');
const queries = await read('docs/reference/query-language.md');
const codes = await read('docs/reference/issue-codes.md');
const { dictionary } = await loadBuiltin();

const block = (text: string, language: string): string =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text)![1]!;

describe('the guide to dictionaries', () => {
  it('lists every issue code with its message, and no other', () => {
    const listed = [...codes.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, code, text]) => [code, text]);
    expect(Object.fromEntries(listed)).toEqual(issueCodes);
  });

  it('lists no unused code', async () => {
    const root = new URL('../../src/', import.meta.url);
    const files = (await readdir(root, { recursive: true })).filter(
      (file) => /^(?:dictionary|query)[\\/].*\.ts$/.test(file) && !/(?:\.test|issues)\.ts$/.test(file),
    );
    const source = (await Promise.all(files.map((file) => readFile(new URL(file, root), 'utf8')))).join('\n');
    const unused = Object.keys(issueCodes).filter((code) => !source.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });

  it('shows a valid extension', async () => {
    const common = await readSources(['dictionary/common.json']);
    expect(loadDictionary([...common, { file: 'mine', data: block(guide, 'json') }]).issues).toEqual([]);
  });

  it('shows matching pairs of sentences and statements', () => {
    const rows = [...guide.matchAll(/^\| (.+?) +\| `(\{.+\})` +\|$/gm)].map(
      ([, text, json]) => [text!, JSON.parse(json!) as Statement] as const,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const [text, statement] of rows) {
      expect(render(statement, dictionary)).toBe(text);
      expect(parse(text, dictionary).statement).toEqual(statement);
    }
  });
});

function refused(query: string): boolean {
  try {
    compileQuery(query, dictionary);
    return false;
  } catch {
    return true;
  }
}

describe('the guide to queries', () => {
  it('shows valid queries', () => {
    const table = queries.slice(queries.indexOf('## What can be asked'), queries.indexOf('Groups:'));
    const cells = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell!).join();
    const shown = [...cells.matchAll(/`([^`]+)`/g)].map(([, query]) => query!).filter((query) => !query.includes('…'));
    expect(shown.length).toBeGreaterThan(50);
    expect(shown.filter((query) => refused(query))).toEqual([]);
  });

  it('shows a valid structured query', () => {
    const form = JSON.parse(block(queries, 'json')) as Query;
    expect(compileQuery('player defeats enemy with gun except railgun', dictionary).query).toEqual(form);
    expect(() => compileQuery(form, dictionary)).not.toThrow();
  });
});
