import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeQueue, newJobs } from '../../test/fixtures/queue-suite.ts';
import type { NewJob } from './queue.ts';
import { SqliteQueue } from './sqlite-queue.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-queue-'));
afterAll(() => rmSync(folder, { recursive: true }));

describeQueue(async () => SqliteQueue.open(join(folder, 'shared.sqlite')));

describe('a queue in a file', () => {
  test('gives the job of a silent worker to another one, and the first one loses it', async () => {
    let now = 0;
    await using queue = SqliteQueue.open(join(folder, 'silent.sqlite'), { timeoutSeconds: 30, now: () => now });
    const [job] = newJobs(1) as [NewJob];
    await queue.add([job]);
    const first = (await queue.take())!;
    now = 29;
    expect(await queue.beat(first)).toBe(true);
    now = 58;
    expect(await queue.take()).toBeUndefined();
    now = 60;
    const second = (await queue.take())!;
    expect(second.attempt).toBe(2);
    expect(await queue.beat(first)).toBe(false);
    expect(await queue.complete(first, 'late')).toBe(false);
    await queue.fail(first, { code: 'late', message: 'late' });
    expect(await queue.complete(second, 'in time')).toBe(true);
    expect(await queue.list(job.batch)).toMatchObject([{ state: 'done', result: 'in time' }]);
  });

  test('sets a job aside that ends three workers', async () => {
    let now = 0;
    await using queue = SqliteQueue.open(join(folder, 'poison.sqlite'), { timeoutSeconds: 30, now: () => now });
    const [poison, other] = newJobs(2) as [NewJob, NewJob];
    await queue.add([poison, other]);
    for (const attempt of [1, 2, 3]) {
      expect(await queue.take()).toMatchObject({ job: { id: poison.id }, attempt });
      now += 31;
    }
    expect(await queue.take()).toMatchObject({ job: { id: other.id } });
    expect(await queue.list(poison.batch)).toMatchObject([
      { state: 'failed', failure: { code: 'worker-lost' } },
      { state: 'running' },
    ]);
  });

  test('refuses another file', () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'no database, but a text that is long enough to look like one. '.repeat(20));
    expect(() => SqliteQueue.open(path)).toThrow(expect.objectContaining({ code: 'queue-invalid' }));
  });
});
