import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine as run } from '../fixtures/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'dictionary-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

function word(name: string, parent?: string): object {
  const definition = `What one calls so: ${[...name].toReversed().join('')}.`;
  return { name, definition, ...(parent && { parent }) };
}

function file(name: string, objects: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ format: 'playbyplay/dictionary/1', name: 'common', version: '1.0.0', objects }));
  return path;
}

describe('playbyplay dictionary', () => {
  it('check accepts the built-in dictionaries', async () => {
    const { code, out } = await run('dictionary', 'check', '--json');
    const report = JSON.parse(out) as {
      issues: unknown[];
      words: Record<string, number>;
      depth: Record<string, number>;
    };
    expect(code).toBe(0);
    expect(report.issues).toEqual([]);
    expect(Object.values(report.words).reduce((a, b) => a + b)).toBeGreaterThan(800);
    expect(
      Object.keys(report.depth)
        .map(Number)
        .toSorted((a, b) => b - a)[0],
    ).toBe(8);
  });

  it('check reports every issue of a file and exits with 3', async () => {
    const path = join(folder, 'broken.json');
    const objects = [
      { name: 'spoon', parent: 'weapn', definition: 'A weapon for soup.' },
      { name: 'fork', parent: 'weapon', definition: '' },
    ];
    writeFileSync(
      path,
      JSON.stringify({
        format: 'playbyplay/dictionary/1',
        name: 'kitchen',
        version: '1.0.0',
        extends: { common: '^1.0.0' },
        objects,
      }),
    );
    const { code, out } = await run('dictionary', 'check', path);
    expect(code).toBe(3);
    expect(out).toContain('Did you mean "weapon"?');
    expect(out).toContain('"definition" must say in one sentence what it means');
  });

  it('parse and render are inverse', async () => {
    const parsed = await run('dictionary', 'parse', 'the enemy is killed by the player');
    expect(parsed.code).toBe(0);
    expect(await run('dictionary', 'render', parsed.out)).toMatchObject({ code: 0, out: 'player kills enemy\n' });
  });

  it('parse reports the position of an unknown word and exits with 2', async () => {
    const { code, err } = await run('dictionary', 'parse', 'player kils opponent');
    expect(code).toBe(2);
    expect(err.split('\n').slice(0, 3)).toEqual([
      '  player kils opponent',
      '         ^^^^',
      '"kils" is not a word of the dictionary — Did you mean "kill"?',
    ]);
  });

  it('diff distinguishes changes that break old logs from compatible ones', async () => {
    const old = file('old.json', [word('thing'), word('gun', 'thing')]);
    const inserted = file('inserted.json', [word('thing'), word('weapon', 'thing'), word('gun', 'weapon')]);
    const moved = file('moved.json', [word('thing'), word('other'), word('gun', 'other')]);
    expect(await run('dictionary', 'diff', old, inserted)).toMatchObject({
      code: 0,
      err: 'the version needs a minor increment\n',
    });
    expect((await run('dictionary', 'diff', old, moved)).code).toBe(3);
  });

  it('html writes a page', async () => {
    const path = join(folder, 'words.html');
    expect(await run('dictionary', 'html', '-o', path)).toMatchObject({ code: 0, out: `${path}\n` });
    expect(readFileSync(path, 'utf8')).toContain('<!doctype html>');
  });

  it('tree shows the words below a word, to the given depth', async () => {
    const { out } = await run('dictionary', 'tree', 'gun', '--depth', '2');
    expect(out.split('\n')[0]).toMatch(/^gun — /);
    expect(out).toMatch(/^ {2}shotgun — /m);
    expect(out).not.toMatch(/^ {4}/m);
  });
});
