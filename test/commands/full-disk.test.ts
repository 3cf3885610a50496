import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openJournal } from '../../src/events/journal.ts';
import { loadLog } from '../../src/events/reader.ts';
import { fixture } from '../paths.ts';

const CHILD = fixture('full-disk-child.ts');

describe('a full file system', () => {
  it('leaves complete records in log and journal and reports what was saved', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'playbyplay-full-'));
    // The limit on the size of a file (some KiB) stands for a full disk: the write fails half-way, as on one.
    const shell = `ulimit -f 24; exec "${process.execPath}" "${CHILD}" "${folder}"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', shell]);
    const [log, journal] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(log).toMatchObject({ code: 'disk-full', hint: expect.stringMatching(/--resume/) as string });
    expect(log!['message']).toMatch(
      /no space left to write .*events\.ndjson: \d+ events up to \d\d:\d\d\.0 are saved$/,
    );
    const { events } = await loadLog(folder);
    expect(events).toHaveLength(log!['written'] as number);
    expect(events.length).toBeGreaterThan(20);

    expect(journal).toMatchObject({ code: 'disk-full' });
    await using kept = await openJournal<string>(join(folder, 'journal'), {}, { resume: true });
    expect(kept.completed.size).toBe(journal!['kept']);
    expect(await kept.read('0')).toBe('0'.repeat(20));
  });
});
