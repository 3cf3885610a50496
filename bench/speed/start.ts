// Measures start-up: processor and wall time of short commands, alternating with another checkout; medians and ratios.
//   node bench/speed/start.ts <log> [--recording <file> --game <name>] [--other <checkout>] [--runs 9]
// Each side is a checkout, or the folder of an unpacked package (npm pack), which is what users start.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    recording: { type: 'string' },
    game: { type: 'string', default: 'freedoom' },
    runs: { type: 'string', default: '9' },
    own: { type: 'string', default: join(import.meta.dirname, '..', '..') },
    other: { type: 'string' },
  },
});
const [log] = positionals;
if (log === undefined)
  throw new Error('usage: node bench/speed/start.ts <log> [--recording <file> --game <name>] [--other <checkout>]');
const out = mkdtempSync(join(tmpdir(), 'start-'));
const { recording, game } = values;
const detect = ['--game', game, '--to', '0.3', '--workers', '1', '--quiet', '--out', out];
const commands = [
  ['--version'],
  ['--help'],
  ['query', 'player kills', log],
  ...(recording === undefined ? [] : [['detect', recording, ...detect]]),
];
const sides = [values.own, ...(values.other === undefined ? [] : [values.other])].map((side) => resolve(side));

/** Milliseconds of one run, as the shell measures them. */
function measure(side: string, args: readonly string[]): { readonly cpu: number; readonly wall: number } {
  const timed = `TIMEFORMAT='%U %S %R'; time "$0" "$@" > /dev/null 2>&1`;
  const launcher = join(side, 'src', 'cli', 'launch.js');
  const { stderr } = spawnSync('bash', ['-c', timed, process.execPath, launcher, ...args], { encoding: 'utf8' });
  const [user, system, wall] = stderr.trim().split(' ').map(Number);
  return { cpu: 1000 * (user! + system!), wall: 1000 * wall! };
}

process.stdout.write(
  `| command | checkout | CPU ms (median) | CPU ms (least) | wall ms (median) |\n|---|---|---|---|---|\n`,
);
for (const args of commands) {
  const costs = sides.map((): ReturnType<typeof measure>[] => []);
  // The first run fills the compile cache.
  for (let run = 0; run <= Number(values.runs); run++)
    for (const [i, side] of sides.entries()) {
      const cost = measure(side, args);
      if (run > 0) costs[i]!.push(cost);
    }
  for (const [i, cost] of costs.entries()) {
    const cpu = cost.map((one) => one.cpu);
    const figures = [median(cpu), Math.min(...cpu), median(cost.map(({ wall }) => wall))].map((ms) => ms.toFixed(0));
    process.stdout.write(`| ${args[0]} | ${i === 0 ? 'this' : 'other'} | ${figures.join(' | ')} |\n`);
  }
  const [own, other] = costs.map((cost) => median(cost.map(({ cpu }) => cpu)));
  if (other !== undefined) process.stdout.write(`| ${args[0]} | ratio | ${(own! / other).toFixed(2)} | | |\n`);
}
rmSync(out, { recursive: true });
