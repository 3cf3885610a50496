import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openJournal } from '../../src/events/journal.ts';
import { recordOf, type TestRecord } from '../fixtures/journal-record.ts';
import { fixture } from '../paths.ts';

const CHILD = fixture('journal-child.ts');
const COUNT = 60;
const KEY = { media: 'm', profile: 'p' };

/** Runs the child until it has printed `lines` lines (undefined: to its end), then kills it with SIGKILL. */
function runChild(path: string, lines?: number): Promise<{ reported: string[]; killed: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, path, String(COUNT)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (lines !== undefined && output.split('\n').length > lines) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      const reported = output.split('\n').filter((line) => /^\d+$/.test(line));
      resolve({ reported, killed: signal === 'SIGKILL' });
    });
  });
}

describe('the journal of a killed process', () => {
  it('contains every reported chunk, and is complete after several kills', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-kill-')), 'journal');
    const reported = new Set<string>();
    for (const lines of [4, 1, 17, 9]) {
      const run = await runChild(path, lines);
      for (const chunk of run.reported) reported.add(chunk);
      await using journal = await openJournal<TestRecord>(path, KEY, { resume: true });
      expect([...reported].filter((chunk) => !journal.completed.has(chunk))).toEqual([]);
    }
    const last = await runChild(path);
    expect(last.killed).toBe(false);
    await using journal = await openJournal<TestRecord>(path, KEY, { resume: true });
    expect(journal.completed.size).toBe(COUNT);
    for (let chunk = 0; chunk < COUNT; chunk++) expect(await journal.read(`${chunk}`)).toEqual(recordOf(chunk));
  });

  it('drops a record truncated at any byte and continues from there', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'playbyplay-torn-'));
    const path = join(dir, 'journal');
    const sizes: number[] = [];
    {
      await using journal = await openJournal<TestRecord>(path, KEY);
      for (const chunk of [2, 3, 4]) {
        await journal.append(`${chunk}`, recordOf(chunk % 2));
        sizes.push((await readFile(path)).length);
      }
    }
    const bytes = await readFile(path);
    for (let size = sizes[1]!; size < bytes.length; size++) {
      await writeFile(path, bytes.subarray(0, size));
      await using journal = await openJournal<TestRecord>(path, KEY, { resume: true });
      expect([...journal.completed]).toEqual(['2', '3']);
    }
    const flipped = Buffer.from(bytes);
    flipped[sizes[1]! + 12]! ^= 1;
    await writeFile(path, flipped);
    await using journal = await openJournal<TestRecord>(path, KEY, { resume: true });
    expect([...journal.completed]).toEqual(['2', '3']);
    await journal.append('9', recordOf(9));
    expect(await journal.read('9')).toEqual(recordOf(9));
  });

  it('names the changed input that prevents resuming', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-key-')), 'journal');
    {
      await using journal = await openJournal<TestRecord>(path, { media: 'a', plan: 'full', profile: '1' });
      await journal.append('0', recordOf(0));
    }
    const changed = { media: 'a', plan: 'adaptive', profile: '2' };
    await expect(openJournal(path, changed, { resume: true })).rejects.toMatchObject({
      code: 'resume-mismatch',
      message: `cannot resume from ${path}: the plan and profile changed since then`,
    });
    await using fresh = await openJournal(path, changed);
    expect(fresh.completed.size).toBe(0);
  });
});
