import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileHistory, versionOf } from './history.ts';

let folder: string;
const open = (): FileHistory => new FileHistory(folder, join(folder, '.playbyplay', 'history'));
const read = (name: string): Promise<string | undefined> => readFile(join(folder, name), 'utf8').catch(() => undefined);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('a history of files', () => {
  it('undoes and redoes steps of several files, also in a later process', async () => {
    await writeFile(join(folder, 'a.txt'), 'one');
    await open().change('first', [
      { file: 'a.txt', content: 'two', version: versionOf('one') },
      { file: 'sub/b.bin', content: new Uint8Array([0, 255]) },
    ]);
    await open().change('second', [{ file: 'a.txt', content: null }]);
    expect(await read('a.txt')).toBeUndefined();
    const history = open();
    expect(await history.state()).toEqual({ undo: 'second', redo: undefined });
    expect(await history.undo()).toEqual(['a.txt']);
    expect(await read('a.txt')).toBe('two');
    expect([...(await readFile(join(folder, 'sub/b.bin')))]).toEqual([0, 255]);
    await history.undo();
    expect(await read('a.txt')).toBe('one');
    await expect(stat(join(folder, 'sub/b.bin'))).rejects.toThrow('ENOENT');
    expect(await history.undo()).toEqual([]);
    expect(await open().state()).toEqual({ undo: undefined, redo: 'first' });
    await open().redo();
    await open().redo();
    expect(await read('a.txt')).toBeUndefined();
    expect(await open().redo()).toEqual([]);
  });

  it('forgets what was undone when something else is done', async () => {
    const history = open();
    await history.change('first', [{ file: 'a.txt', content: '1' }]);
    await history.undo();
    await history.change('other', [{ file: 'a.txt', content: '2' }]);
    expect(await history.state()).toEqual({ undo: 'other', redo: undefined });
    await history.undo();
    expect(await history.state()).toEqual({ undo: undefined, redo: 'other' });
  });

  it('overwrites nothing that another program has changed', async () => {
    const history = open();
    const [version] = await history.change('first', [{ file: 'a.txt', content: 'mine' }]);
    await writeFile(join(folder, 'a.txt'), 'theirs');
    await expect(history.change('second', [{ file: 'a.txt', content: 'mine again', version }])).rejects.toMatchObject({
      code: 'file-changed',
    });
    await expect(history.undo()).rejects.toMatchObject({ code: 'file-changed' });
    expect(await read('a.txt')).toBe('theirs');
    expect(await history.state()).toEqual({ undo: 'first', redo: undefined });
  });

  it('records what somebody else writes, and nothing of what fails', async () => {
    const history = open();
    await history.record('append', 'log.ndjson', () => writeFile(join(folder, 'log.ndjson'), '{}\n'));
    await expect(history.record('fail', 'log.ndjson', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await history.state()).toEqual({ undo: 'append', redo: undefined });
    await history.undo();
    expect(await read('log.ndjson')).toBeUndefined();
  });

  it('makes changes one after the other', async () => {
    const history = open();
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => history.change(`${i}`, [{ file: 'a.txt', content: `${i}` }])),
    );
    for (let i = 7; i > 0; i--) {
      expect(await read('a.txt')).toBe(`${i}`);
      await history.undo();
    }
    expect(await read('a.txt')).toBe('0');
  });
});
