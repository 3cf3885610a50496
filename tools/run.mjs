// Runs a TypeScript tool of this checkout with the pinned Node: `node tools/run.mjs tools/test.ts [args]`.
// Plain JavaScript for any Node that npm runs on; installs the dependencies first when package-lock.json has changed.
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
    // What `npm publish --dry-run` asks for is not asked of the commands that prepare it.
    env: { ...process.env, npm_config_dry_run: 'false', ...env },
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  return status ?? 1;
}

if (!existsSync(node) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  process.stderr.write('Installing dependencies (npm ci) …\n');
  // Install scripts stay off: those of node-av and onnxruntime-node would download native parts that their packages
  // already contain. Only `node` needs its script, which links the pinned Node into node_modules/.bin.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const failed = run('npm', ['ci', '--ignore-scripts', ...quiet]) || run('npm', ['rebuild', 'node', ...quiet]);
  if (failed) {
    process.stderr.write('npm ci failed, see above. Is the package registry reachable?\n');
    process.exit(failed);
  }
  writeFileSync(stamp, lock);
}

const path = `${join(root, 'node_modules', '.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}`;
process.exitCode = run(node, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)], { PATH: path });
