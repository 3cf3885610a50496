import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findRecordings, selectShard } from '../../src/batch/find-recordings.ts';
import { mergeShares, recordLog, recordShare } from '../../src/pipeline/record-log.ts';
import { runCommandLine } from '../fixtures/command-line.ts';
import { clip, footage } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('shares of a recording', () => {
  test('make the log of one run, byte for byte', async () => {
    const options = { media: clip, game: 'freedoom', place: 'default' as const, to: 18, workers: 1 };
    const whole = await recordLog({ ...options, out: join(folder, 'whole') });
    const out = join(folder, 'shares');
    for (const index of [1, 0]) await recordShare({ ...options, out }, { index, count: 2 });
    await mergeShares(out, 2);
    // Merging again, after an interruption, changes nothing.
    await mergeShares(out, 2);
    const shared = await recordLog({ ...options, out, resume: true });
    expect(shared.events).toBeGreaterThan(5);
    expect(readFileSync(shared.log, 'utf8')).toBe(readFileSync(whole.log, 'utf8'));
  });
});

describe('process', () => {
  test('sets recordings aside that cannot be read, and does not read them again', async () => {
    const season = join(folder, 'season');
    mkdirSync(join(season, 'cup'), { recursive: true });
    writeFileSync(join(season, 'cup', 'torn.mp4'), readFileSync(clip).subarray(0, 4096));
    writeFileSync(join(season, 'notes.txt'), 'no recording');
    const first = await runCommandLine('process', season, '--game', 'freedoom', '--workers', '1', '--json');
    expect(first.code).toBe(3);
    const lines = first.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { type: 'failed', name: join(season, 'cup', 'torn.mp4') },
      { type: 'summary', failed: 1 },
    ]);
    expect(first.err).toContain(`retry: playbyplay detect ${join(season, 'cup', 'torn.mp4')} --game freedoom`);
    const second = await runCommandLine('process', season, '--game', 'freedoom', '--workers', '1', '--json');
    expect(second.out.trim().split('\n')).toHaveLength(1);
  });

  test('divides recordings among machines: each falls to one', async () => {
    const season = join(folder, 'many');
    mkdirSync(season);
    for (let i = 0; i < 20; i++) copyFileSync(join(footage, 'test-pattern.mp4'), join(season, `${i}.mp4`));
    writeFileSync(join(season, 'list.txt'), '# first\n3.mp4\n\n3.mp4\n4.mp4\n');
    const all = await findRecordings(season);
    expect(all).toHaveLength(20);
    const parts = [1, 2, 3].map((index) => selectShard(all, season, { index, count: 3 }));
    expect(parts.flat().toSorted()).toEqual(all);
    expect(parts.every(({ length }) => length > 0)).toBe(true);
    expect(await findRecordings(join(season, 'list.txt'))).toEqual([join(season, '3.mp4'), join(season, '4.mp4')]);
    await expect(findRecordings(join(folder, 'none'))).rejects.toMatchObject({ code: 'no-such-file' });
  });
});
