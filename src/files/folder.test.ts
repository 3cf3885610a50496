import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder and all above it are made, once', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await makeFolder(path);
  await makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test.each(['file', 'file/below'])('a file in the place of the folder (%s) is reported', async (name) => {
  writeFileSync(join(folder, 'file'), '');
  await expect(makeFolder(join(folder, name))).rejects.toMatchObject({ code: 'no-folder' });
});

// Node's recursive mkdir never ends here.
test.runIf(process.platform === 'linux')('where no folder can be made the error says so', async () => {
  await expect(makeFolder('/proc/none/below')).rejects.toMatchObject({ code: 'no-folder' });
});
