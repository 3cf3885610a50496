import { spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clip, fixture } from '../paths.ts';

const CHILD = fixture('detect-child.ts');
const SECONDS = '10';

interface Run {
  readonly code: number | null;
  /** Ids of the events that were reported as final. */
  readonly events: readonly string[];
}

/** Detects until so many parts were reported, then is killed at once; undefined: to the end. */
function detectUntil(out: string, workers: number, parts?: number): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, clip, out, `${workers}`, SECONDS], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (parts !== undefined && output.split('part').length > parts) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, events: [...output.matchAll(/^event (\w+)$/gm)].map(([, id]) => id!) }),
    );
  });
}

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'playbyplay-detect-'));
}

async function logOf(out: string): Promise<string> {
  return readFile(join(out, 'events.ndjson'), 'utf8');
}

describe('detect', () => {
  it('produces the same log for any number of workers and however often it was killed', async () => {
    const [whole, killed] = [await folder(), await folder()];
    expect((await detectUntil(whole, 1)).code).toBe(0);
    const expected = await logOf(whole);
    expect(expected.split('\n').filter((line) => line.includes('"type":"event"')).length).toBeGreaterThan(10);

    for (const [workers, parts] of [
      [2, 1],
      [3, 3],
    ] as const) {
      const { events } = await detectUntil(killed, workers, parts);
      const log = await logOf(killed);
      expect(expected.startsWith(log.slice(0, log.lastIndexOf('\n') + 1))).toBe(true);
      for (const id of events) expect(log).toContain(`"id":"${id}"`);
    }
    expect((await detectUntil(killed, 2)).code).toBe(0);
    expect(await logOf(killed)).toBe(expected);
  });
});
