// Builds the documentation site into docs/.vitepress/dist. Its generator has a package of its own (docs/package.json), which is
// installed on first use, so that an install of the program stays small. It uses Rollup as WebAssembly, which needs no package per
// platform in the lockfile.
//   npm run docs             builds
//   npm run docs -- dev      serves the pages and follows changes
//   npm run docs -- preview  serves the built site
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '..', 'docs');
const vitepress = join(docs, 'node_modules', 'vitepress', 'bin', 'vitepress.js');

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, {
    cwd: docs,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(vitepress)) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
const [command = 'build', ...args] = process.argv.slice(2);
run(process.execPath, [vitepress, command, '.', ...args]);
