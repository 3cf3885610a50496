import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFrames, writeFlashClip } from '../fixtures/flash-clip.ts';
import { fixture } from '../paths.ts';

// What is left under a reel's name when others write it too, when its process dies, and when the disk is full.
const CHILD = fixture('reel-child.ts');
const folder = mkdtempSync(join(tmpdir(), 'reel-files-'));
const recording = join(folder, 'recording.mp4');
const FRAMES = 150;

beforeAll(() => writeFlashClip(recording, { seconds: 8, noise: 20 }));
afterAll(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly out: string;
  readonly signal: NodeJS.Signals | null;
}

/** Cuts 5 s of the recording into a reel in a process of its own, whose files may have so many KiB. */
function cut(reel: string, kibibytes?: number, onStart?: (kill: () => void) => void): Promise<Outcome> {
  const limit = kibibytes === undefined ? '' : `ulimit -f ${kibibytes * 2};`;
  const command = `${limit} exec "${process.execPath}" "${CHILD}" "${recording}" "${reel}"`;
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
    onStart?.(() => child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.on('error', reject);
    child.on('close', (_code, signal) => resolve({ out, signal }));
  });
}

function leftOf(name: string): string[] {
  return readdirSync(folder).filter((each) => each.startsWith(name));
}

it('is one complete reel when two processes write it at the same time', async () => {
  const reel = join(folder, 'both.mp4');
  const outcomes = await Promise.all([cut(reel), cut(reel)]);
  expect(outcomes.map(({ out }) => out.trim())).toEqual(['done', 'done']);
  expect(readFrames(reel)).toHaveLength(FRAMES);
  expect(leftOf('both')).toEqual(['both.mp4']);
});

it('does not exist when the process is killed while writing', async () => {
  const reel = join(folder, 'killed.mp4');
  let watching: ReturnType<typeof watch> | undefined;
  const { signal } = await cut(reel, undefined, (kill) => {
    watching = watch(folder, (_, name) => name?.startsWith('killed') && kill());
  });
  watching!.close();
  expect(signal).toBe('SIGKILL');
  expect(existsSync(reel)).toBe(false);
});

it('does not exist when the disk is full, and the error names the reel', async () => {
  const { out } = await cut(join(folder, 'full.mp4'), 20);
  expect(out).toMatch(/^unwritable: \S*full\.mp4 cannot be written: \S.*$/m);
  expect(leftOf('full')).toEqual([]);
});
