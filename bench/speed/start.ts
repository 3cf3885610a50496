// What a start costs: `node bench/speed/start.ts <recording> <game> [--seconds 0.3] [--workers 1] [--runs 9] [--other <checkout>]`. Processor and wall
// time of `detect` on the recording's first moments, in turns with the same program of another checkout, if one is given, and how
// many of the modules that Node keeps compiled it refuses: all of them should be taken from the second run on.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '0.3' },
    workers: { type: 'string', default: '1' },
    runs: { type: 'string', default: '9' },
    other: { type: 'string' },
  },
});
const [media, game] = positionals;
if (media === undefined || game === undefined)
  throw new Error(
    'usage: node bench/speed/start.ts <recording> <game> [--seconds 0.3] [--workers 1] [--runs 9] [--other <checkout>]',
  );
const folder = mkdtempSync(join(tmpdir(), 'start-'));
const checkouts = [
  join(import.meta.dirname, '..', '..'),
  ...(values.other === undefined ? [] : [resolve(values.other)]),
];
const script =
  'import resource,subprocess,sys,time;t=time.time();r=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL);u=resource.getrusage(resource.RUSAGE_CHILDREN);print(time.time()-t,u.ru_utime+u.ru_stime,r.returncode)';

function command(checkout: string): readonly string[] {
  const out = ['--to', values.seconds, '--workers', values.workers, '--out', join(folder, 'log'), '--quiet'];
  return [join(checkout, 'src', 'cli', 'launch.js'), 'detect', media!, '--game', game!, ...out];
}

function timed(checkout: string): { readonly wall: number; readonly cpu: number } {
  const { stdout } = spawnSync('python3', ['-c', script, process.execPath, ...command(checkout)], { encoding: 'utf8' });
  const [wall, cpu, status] = stdout.trim().split(' ').map(Number);
  if (status !== 0) throw new Error(`detect of ${checkout} ended with ${status}`);
  return { wall: wall!, cpu: cpu! };
}

/** Modules that were kept compiled, taken and refused. */
function modules(checkout: string): string {
  const env = { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const options = { encoding: 'utf8', maxBuffer: 1 << 28, env } as const;
  const { stdout, stderr } = spawnSync(process.execPath, command(checkout), options);
  const count = (word: string): number => (stdout + stderr).split(`was ${word}`).length - 1;
  return `${count('accepted')} taken, ${count('rejected')} refused`;
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
const costs = checkouts.map((): ReturnType<typeof timed>[] => []);
for (let run = 0; run <= Number(values.runs); run++)
  for (const [side, checkout] of checkouts.entries()) {
    const cost = timed(checkout);
    if (run > 0) costs[side]!.push(cost);
  }
for (const [side, checkout] of checkouts.entries()) {
  const [cpu, wall] = [costs[side]!.map((cost) => cost.cpu), costs[side]!.map((cost) => cost.wall)];
  console.log(
    `${side === 0 ? 'this' : 'other'}: CPU ${median(cpu).toFixed(2)} s (least ${Math.min(...cpu).toFixed(2)}), wall ${median(wall).toFixed(2)} s; modules kept compiled: ${modules(checkout)}`,
  );
}
if (costs[1])
  console.log(`this over other, CPU: ${median(costs[0]!.map(({ cpu }, i) => cpu / costs[1]![i]!.cpu)).toFixed(2)}`);
rmSync(folder, { recursive: true });
