import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zipPack } from '../../profile/zip.ts';
import { diffLines } from './pack-store.ts';
import { formatTestCase, parseTestCase, type TestCase } from './test-case.ts';
import { zipArchive } from './zip-archive.ts';

describe('diffLines', () => {
  it('shows changed lines with the lines around them', () => {
    const before = Array.from({ length: 12 }, (_, i) => `line ${i}`);
    const after = before.toSpliced(6, 1, 'line six', 'and more');
    const lines = diffLines(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
    // As `diff -U3` prints them.
    expect(
      lines.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', skipped: '~' }[kind]}${text}`),
    ).toEqual([
      '~…',
      ' line 3',
      ' line 4',
      ' line 5',
      '-line 6',
      '+line six',
      '+and more',
      ' line 7',
      ' line 8',
      ' line 9',
      '~…',
    ]);
  });

  it('shows nothing for equal texts, and everything of a new file', () => {
    expect(diffLines('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(diffLines('', 'a\n')).toEqual([{ kind: 'added', text: 'a' }]);
  });
});

describe('zipArchive', () => {
  it('writes what a reader of ZIP files reads, with equal bytes each time', async () => {
    const files = new Map([
      ['configs/räce/profile.json', Buffer.from('{"game":"räce"}')],
      ['configs/räce/empty.txt', Buffer.alloc(0)],
    ]);
    const archive = zipArchive(files);
    expect(zipArchive(files).equals(archive)).toBe(true);
    const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-zip-')), 'pack.zip');
    await writeFile(path, archive);
    const pack = await zipPack(path);
    expect(await pack.list('configs/räce')).toEqual(['empty.txt', 'profile.json']);
    expect(Buffer.from(await pack.read('configs/räce/profile.json')).toString()).toBe('{"game":"räce"}');
  });
});

describe('test cases', () => {
  const test: TestCase = {
    name: 'final lap',
    media: '/games/videos/race.mp4',
    from: 10,
    to: 40.5,
    isComplete: true,
    marks: [
      { t: 12.5, statement: { subject: 'player', action: 'die' } },
      { t: 30, statement: { subject: 'player', property: 'rank', from: 2, to: 1 } },
    ],
  };

  it('are ground truth with a line about the recording', () => {
    const text = formatTestCase(test, '/games/pack');
    expect(text.split('\n')[0]).toBe(
      '{"type":"case","format":"playbyplay/case/1","media":"../../videos/race.mp4","from":10,"to":40.5,"complete":true}',
    );
    expect(parseTestCase(text, 'tests/final lap.ndjson', '/games/pack')).toEqual(test);
  });

  it('say which line is wrong', () => {
    expect(() => parseTestCase('{"t":1}\n', 'tests/a.ndjson', '/games/pack')).toThrow(
      'tests/a.ndjson:1: names no recording',
    );
    const text = '{"type":"case","media":"a.mp4"}\n{"t":"x","statement":{"subject":"player","action":"die"}}\n';
    expect(() => parseTestCase(text, 'tests/a.ndjson', '/games/pack')).toThrow(
      'tests/a.ndjson:2: "t" must be a number of seconds',
    );
  });
});
