import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readFileKind } from './file-kind.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-kind-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.skipIf(process.platform === 'win32')('does not wait for a pipe, and reads no device', async () => {
  const [pipe, text] = [join(folder, 'pipe'), join(folder, 'notes.txt')];
  execFileSync('mkfifo', [pipe]);
  writeFileSync(text, 'notes\n');
  expect(await Promise.all([pipe, '/dev/zero', text].map(readFileKind))).toEqual(['unknown', 'unknown', 'text']);
});
