/**
 * Runs the program on hostile input, with limits on time, memory and open files.
 *
 *   node bench/robustness/attack/run.ts [--only group] [--case text] [--from 0] [--seconds s] [--keep folder] [--verbose]
 *
 * Every other file in this folder exports `cases` of one group; see `AttackCase` in case.ts. Prints the cases that did not
 * hold and a table: per group, how many were tried and how many held, the longest run and the largest memory. Where
 * `--seconds` ended the run, it prints the number of the next case, for `--from`. Needs Linux and the command ffmpeg.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AttackCase, Outcome } from './case.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    case: { type: 'string', default: '' },
    from: { type: 'string', default: '0' },
    seconds: { type: 'string', default: 'Infinity' },
    keep: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const DEFAULT_SECONDS = 60;
const DEFAULT_MEGABYTES = 1500;
const DEFAULT_DESCRIPTORS = 256;
const INTERRUPTION_SECONDS = 2;
const MEMORY_INTERVAL_MS = 50;
/** Characters kept of each output stream. */
const MAX_OUTPUT = 1_000_000;
const launch = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'launch.js');

/** Reads the cases of all groups. */
async function loadCases(): Promise<readonly AttackCase[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => !['run.ts', 'case.ts'].includes(file));
  const groups = files
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map(async (file) => {
      const { cases } = (await import(`./${file}`)) as { cases?: readonly AttackCase[] };
      return cases ?? [];
    });
  const all = (await Promise.all(groups)).flat();
  return all.filter(({ group, name }) => (values.only ?? group) === group && name.includes(values.case));
}

/** Largest resident memory of a process so far, in MB; 0 when it has ended. */
function peakMegabytes(pid: number): number {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return peak ? Number(peak[1]) / 1024 : 0;
  } catch {
    return 0;
  }
}

interface Run extends Outcome {
  /** Which limit ended the run. */
  readonly exceeded?: string;
}

function run(argv: readonly string[], folder: string, { expect, env }: AttackCase): Promise<Run> {
  const { seconds = DEFAULT_SECONDS, megabytes = DEFAULT_MEGABYTES, descriptors = DEFAULT_DESCRIPTORS } = expect;
  const { interrupt } = expect;
  const start = performance.now();
  // The shell sets the limit and is replaced by the program, so that signals and memory are those of the program.
  const limited = ['-c', `ulimit -c 0; ulimit -n ${descriptors}; exec "$@"`, 'sh', process.execPath, launch, ...argv];
  const child = spawn('sh', limited, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, NO_COLOR: '1', ...env },
  });
  let peak = 0;
  let exceeded: string | undefined;
  const end = (reason: string): void => {
    exceeded ??= reason;
    child.kill('SIGKILL');
  };
  const memory = setInterval(() => {
    peak = Math.max(peak, peakMegabytes(child.pid ?? 0));
    if (peak > megabytes) end(`used more than ${megabytes} MB`);
  }, MEMORY_INTERVAL_MS);
  const timers = [memory, setTimeout(() => end(`ran longer than ${seconds} s`), 1000 * seconds)];
  if (interrupt)
    timers.push(
      setTimeout(() => child.kill(interrupt.signal), 1000 * interrupt.after),
      setTimeout(
        () => end(`ran on for ${INTERRUPTION_SECONDS} s after ${interrupt.signal}`),
        1000 * (interrupt.after + INTERRUPTION_SECONDS),
      ),
    );
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (data: Buffer) => {
      if (output[name].length < MAX_OUTPUT) output[name] += data.toString();
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => {
      for (const timer of timers) clearTimeout(timer);
      const took = (performance.now() - start) / 1000;
      resolve({ exit, ...output, seconds: took, megabytes: peak, ...(exceeded === undefined ? {} : { exceeded }) });
    });
  });
}

/** What a run did that it must not do. */
async function faultsOf({ expect }: AttackCase, outcome: Run, folder: string): Promise<readonly string[]> {
  const { exit = [1], says, check, interrupt } = expect;
  if (outcome.exceeded !== undefined) return [outcome.exceeded];
  const checked = await check?.(folder, outcome);
  return [
    ...(exit.includes(outcome.exit ?? Number.NaN) || (interrupt && [130, null].includes(outcome.exit))
      ? []
      : [`exit ${outcome.exit ?? 'by a signal'}, not ${exit.join(' or ')}`]),
    ...(/internal error|Unhandled|FATAL ERROR/i.test(outcome.stderr) ? ['reports an internal error'] : []),
    ...(says && !says.test(outcome.stderr) ? [`stderr does not match ${says}`] : []),
    ...(checked === undefined ? [] : [checked]),
  ];
}

interface Tally {
  tried: number;
  held: number;
  seconds: number;
  megabytes: number;
}

const base = values.keep ?? mkdtempSync(join(tmpdir(), 'attack-'));
const tallies = new Map<string, Tally>();
const all = await loadCases();
for (const [number, one] of all.entries()) {
  if (number < Number(values.from)) continue;
  if (performance.now() > 1000 * Number(values.seconds)) {
    console.log(`next: ${number} of ${all.length}`);
    break;
  }
  const folder = join(base, String(number));
  mkdirSync(folder, { recursive: true });
  const outcome = await run(await one.make(folder), folder, one);
  const faults = await faultsOf(one, outcome, folder);
  const tally = tallies.get(one.group) ?? { tried: 0, held: 0, seconds: 0, megabytes: 0 };
  tallies.set(one.group, tally);
  tally.tried++;
  if (faults.length === 0) tally.held++;
  tally.seconds = Math.max(tally.seconds, outcome.seconds);
  tally.megabytes = Math.max(tally.megabytes, outcome.megabytes);
  const figures = `${outcome.seconds.toFixed(1)} s, ${outcome.megabytes.toFixed(0)} MB`;
  if (faults.length > 0 || values.verbose)
    console.log(`${faults.length > 0 ? '!' : ' '} ${one.group}: ${one.name} (${figures}) ${faults.join('; ')}`);
  if (faults.length > 0 || values.verbose)
    for (const line of outcome.stderr.trim().split('\n').slice(-8)) console.log(`    ${line.slice(0, 300)}`);
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
if (values.keep === undefined) rmSync(base, { recursive: true, force: true });

console.log('| Group | Tried | Held | Longest run | Largest memory |\n|---|---|---|---|---|');
for (const [group, { tried, held, seconds, megabytes }] of tallies)
  console.log(`| ${group} | ${tried} | ${held} | ${seconds.toFixed(1)} s | ${megabytes.toFixed(0)} MB |`);
process.exitCode = [...tallies.values()].every(({ tried, held }) => tried === held) ? 0 : 1;
