import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lockFolder } from './lock-folder.ts';

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'playbyplay-lock-'));

it('keeps a folder for one writer, and leaves nothing behind', async () => {
  const place = await folder();
  const first = await lockFolder(place);
  await expect(lockFolder(place)).rejects.toMatchObject({ code: 'folder-in-use' });
  const elsewhere = await lockFolder(await folder());
  await elsewhere[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  expect(await readdir(place)).toEqual([]);
  const next = await lockFolder(place);
  await next[Symbol.asyncDispose]();
});

it('is gone with the process that held it, however that ended', async () => {
  const place = await folder();
  const module = JSON.stringify(new URL('./lock-folder.ts', import.meta.url).href);
  const program = `const { lockFolder } = await import(${module}); globalThis.held = await lockFolder(${JSON.stringify(place)}); console.log('held'); setInterval(() => {}, 1e6)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await expect(lockFolder(place)).rejects.toMatchObject({ code: 'folder-in-use' });
  child.kill('SIGKILL');
  await once(child, 'close');
  const lock = await lockFolder(place);
  expect(await readdir(place)).toEqual(['detect.lock']);
  await lock[Symbol.asyncDispose]();
});

it('does not lock a folder that cannot hold a lock file', async () => {
  const lock = await lockFolder(join(await folder(), 'missing'));
  await expect(lock[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
