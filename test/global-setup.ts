// What the tests of a project share: a folder for everything that they and the commands that they run write, removed at the end, also
// after tests that kill processes; and the browser, which is unpacked once instead of by two processes at the same time.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** In a process of its own, because the package changes the environment. */
const unpackBrowser = "import chromium from '@sparticuz/chromium'; console.log(await chromium.executablePath());";

export default function setup({ name }: TestProject): () => void {
  if (name === 'browser')
    process.env['TEST_BROWSER'] = execFileSync(process.execPath, ['--input-type=module', '-e', unpackBrowser], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'playbyplay-tests-'));
  for (const variable of ['TMPDIR', 'TEMP', 'TMP']) process.env[variable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
