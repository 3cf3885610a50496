// What all tests share: a folder for everything that they and the commands that they run write, removed at the end, also
// after tests that kill processes; and the browser, which is unpacked once instead of by two processes at the same time.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** In a process of its own, because the package changes the environment. */
const unpackBrowser =
  "import chromium from '@sparticuz/chromium'; chromium.setGraphicsMode = false; console.log(await chromium.executablePath());";

const PREFIX = 'playbyplay-tests-';

export default function setup({ name }: TestProject): (() => void) | undefined {
  if (name === 'browser')
    process.env['TEST_BROWSER'] = execFileSync(process.execPath, ['--input-type=module', '-e', unpackBrowser], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }).trim();
  // Another project has made it. One within the other would be too deep for the path of a socket.
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // PostgreSQL, as a user of its own, must get to its data in it.
  chmodSync(folder, 0o755);
  for (const variable of ['TMPDIR', 'TEMP', 'TMP']) process.env[variable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
