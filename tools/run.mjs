// Runs a TypeScript tool of this checkout: `node tools/run.mjs tools/test.ts [args]`, from any Node that npm runs on.
// Installs what is missing first (npm packages only; the pinned Node itself is one of them), so that a fresh clone works.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const stamp = join(root, 'node_modules', '.playbyplay-lock');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');

function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  return status ?? 1;
}

if (!existsSync(node) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  process.stderr.write('Installing what is missing (once) …\n');
  // `install`, not `ci`: the latter refuses a lockfile that was made where some platforms' packages were not to be had.
  // No install script runs except that of `node`, which fetches its own binary package: two others would try to
  // download native parts from outside the registry, parts that their packages already contain.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const failed =
    run('npm', ['install', '--no-save', '--ignore-scripts', ...quiet], { SKIP_FFMPEG: 'true' }) ||
    run('npm', ['rebuild', 'node', ...quiet]);
  if (failed) {
    process.stderr.write('The installation failed; see the lines above. Is the package registry reachable?\n');
    process.exit(failed);
  }
  writeFileSync(stamp, lock);
}

const path = `${join(root, 'node_modules', '.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}`;
process.exitCode = run(node, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)], { PATH: path });
