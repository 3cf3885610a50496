// Compares wall and processor time of `detect` with decoding every frame by the ffmpeg command; alternating runs, medians, ratio:
//   node bench/speed/detect.ts <recording> <game> [--runs 5] [--threads 1] [--cores 2] [--adaptive]
// Both sides use the same number of threads: workers here, decoder threads there (a single worker additionally has a decoder thread if
// there is a second core). --cores pins both sides to that many cores.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    threads: { type: 'string', default: '1' },
    cores: { type: 'string' },
    adaptive: { type: 'boolean' },
  },
});
const [media, game] = positionals;
if (media === undefined || game === undefined)
  throw new Error(
    'usage: node bench/speed/detect.ts <recording> <game> [--runs 5] [--threads 1] [--cores n] [--adaptive]',
  );
const out = mkdtempSync(join(tmpdir(), 'speed-'));
const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

/** Puts a command on the first so many processors. */
const held = values.cores === undefined ? [] : ['taskset', '-c', `0-${Number(values.cores) - 1}`];

function timed(...command: readonly string[]): Cost {
  const script =
    'import resource,subprocess,sys,time;t=time.time();r=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL);u=resource.getrusage(resource.RUSAGE_CHILDREN);print(time.time()-t,u.ru_utime+u.ru_stime,r.returncode)';
  const { stdout, stderr } = spawnSync('python3', ['-c', script, ...held, ...command], { encoding: 'utf8' });
  const [wall, cpu, status] = stdout.trim().split(' ').map(Number);
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}: ${stderr}`);
  return { wall: wall!, cpu: cpu! };
}

const detect = (plan: string): Cost =>
  timed(
    process.execPath,
    launch,
    'detect',
    media,
    '--game',
    game,
    '--workers',
    values.threads,
    '--plan',
    plan,
    '--out',
    out,
    '--quiet',
  );
const decode = (): Cost => timed('ffmpeg', '-v', 'error', '-threads', values.threads, '-i', media, '-f', 'null', '-');

const sides = values.adaptive
  ? ([
      ['adaptive', () => detect('adaptive')],
      ['full', () => detect('full')],
    ] as const)
  : ([
      ['detect', () => detect('full')],
      ['ffmpeg', decode],
    ] as const);
const costs = sides.map((): Cost[] => []);
for (let run = 0; run <= Number(values.runs); run++)
  for (const [side, [, measure]] of sides.entries()) {
    const cost = measure();
    if (run > 0) costs[side]!.push(cost);
  }
rmSync(out, { recursive: true });
for (const [side, [name]] of sides.entries()) {
  const own = costs[side]!;
  console.log(
    `${name.padEnd(9)} wall ${median(own.map((c) => c.wall)).toFixed(2)} s  CPU ${median(own.map((c) => c.cpu)).toFixed(2)} s`,
  );
}
for (const key of ['wall', 'cpu'] as const)
  console.log(`ratio ${key} ${median(costs[0]!.map((cost, i) => cost[key] / costs[1]![i]![key])).toFixed(2)}`);
