import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { clip, launcher } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-interrupt-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts `detect` on the first seconds of a recording. */
function detect(out: string, ...options: readonly string[]): ChildProcess {
  const args = [launcher, 'detect', clip, '--game', 'freedoom', '--out', join(folder, out), ...options];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Enough for several chunks, one after the other. */
const part = ['--to', '20', '--workers', '1'];

const linesOf = (out: string): readonly string[] =>
  readFileSync(join(folder, out, 'events.ndjson'), 'utf8').split('\n');

describe('a command', () => {
  it('ends by a signal although its thread never returns', async () => {
    const plugin = join(folder, 'endless.js');
    writeFileSync(plugin, "import { writeSync } from 'node:fs';\nwriteSync(1, 'endless');\nfor (;;);\n");
    const child = detect('endless', '--plugin', plugin);
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    const [code, signal] = await once(child, 'close');
    expect([code, signal]).toEqual([null, 'SIGTERM']);
  });

  it('completes its log although nobody reads its output any more', async () => {
    const child = detect('unread', ...part);
    await once(child.stdout!, 'data');
    child.stdout!.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(linesOf('unread').at(-2)).toContain('"type":"end"');
  });

  it('keeps what it wrote when it is interrupted, and goes on from there', async () => {
    const child = detect('interrupted', ...part);
    await once(child.stdout!, 'data');
    child.stdout!.resume();
    child.kill('SIGINT');
    // Ctrl-C in a terminal also reaches the process that passes it on.
    await sleep(20);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    const kept = linesOf('interrupted');
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.at(-2)).not.toContain('"type":"end"');
    await once(detect('interrupted', ...part, '--quiet', '--resume'), 'close');
    expect(linesOf('interrupted')).toEqual(linesOf('unread'));
  });
});
