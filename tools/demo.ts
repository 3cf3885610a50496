// The main job on a real recording, start to end, with the program's own commands: what a newcomer runs first.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const out = join(root, 'out', 'demo');
/** Half a minute of an OpenArena match; test/footage/README.md says how it was recorded, and under which licence it is. */
const clip = join(root, 'test', 'footage', 'openarena-match.mp4');
const results = ['reel.mp4', 'highlights.json', 'sheet.png', 'match.playbyplay/events.ndjson'];

/** Runs a command line in the demo's folder, as it would be typed there. */
function playbyplay(...args: string[]): void {
  const shown = args.map((arg) => (/[\s"?]/.test(arg) ? `"${arg}"` : arg)).join(' ');
  process.stderr.write(`\n$ playbyplay ${shown}\n`);
  const { status } = spawnSync(process.execPath, [join(root, 'src', 'cli', 'launch.js'), ...args], {
    stdio: 'inherit',
    cwd: out,
  });
  if (status !== 0) {
    process.stderr.write(`The demo stopped: the command above ended with ${status}.\n`);
    process.exit(status ?? 1);
  }
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
copyFileSync(clip, join(out, 'match.mp4'));
playbyplay('detect', 'match.mp4');
playbyplay('query', 'count my kills by weapon', 'match.playbyplay');
playbyplay('query', 'player kills with shotgun followed by player kills with launcher within 10 s', 'match.playbyplay');
playbyplay('query', 'what is my longest kill streak?', 'match.playbyplay');
playbyplay('quality', 'match.mp4');
const made = results.slice(0, 3).flatMap((name) => ['-o', name]);
playbyplay('highlights', 'match.playbyplay', '--duration', '20s', '--effects', 'short', ...made);
playbyplay('summary', 'match.playbyplay', '--format', 'post');

process.stdout.write('\nWhat the demo made:\n');
for (const name of results) {
  if (!existsSync(join(out, name))) throw new Error(`${name} is missing`);
  process.stdout.write(`  ${relative(process.cwd(), join(out, name))}\n`);
}
