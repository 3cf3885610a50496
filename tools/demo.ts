// The main job on a real recording, start to end, with the program's own commands: what a newcomer runs first.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const clip = join('test', 'footage', 'freedoom-demo1.mp4');
const out = join('out', 'demo');
const results = ['reel.mp4', 'highlights.json', 'sheet.png', 'events.ndjson'].map((name) => join(out, name));

function playbyplay(...args: string[]): void {
  const shown = args.map((arg) => (/[\s"]/.test(arg) ? `"${arg}"` : arg)).join(' ');
  process.stderr.write(`\n$ playbyplay ${shown}\n`);
  const { status } = spawnSync(process.execPath, [join(root, 'src', 'cli', 'launch.js'), ...args], {
    stdio: 'inherit',
    cwd: root,
  });
  if (status !== 0) {
    process.stderr.write(`The demo stopped: the command above ended with ${status}.\n`);
    process.exit(status ?? 1);
  }
}

rmSync(join(root, out), { recursive: true, force: true });
playbyplay('detect', clip, '--game', 'freedoom', '--out', out);
playbyplay('query', 'player obtains weapon', out);
playbyplay('query', "player's health drops below 40", out);
playbyplay(
  'highlights',
  out,
  '--media',
  clip,
  '--duration',
  '20s',
  ...results.slice(0, 3).flatMap((path) => ['-o', path]),
);
playbyplay('summary', out, '--format', 'post');

process.stdout.write('\nWhat the demo made:\n');
for (const path of results) {
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing`);
  process.stdout.write(`  ${relative(process.cwd(), join(root, path))}\n`);
}
