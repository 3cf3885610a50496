// Attributes the processor time of a run to stages with Linux's `perf` (997 samples a second of all threads, with stacks):
//   node bench/speed/account.ts <recording> <game> [--plan adaptive]
// Uses its own compile cache, which a short first run fills.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { plan: { type: 'string', default: 'adaptive' } },
});
const [media, game] = positionals;
if (media === undefined || game === undefined)
  throw new Error('usage: node bench/speed/account.ts <recording> <game> [--plan adaptive]');
const RATE = 997;

/** The work that a function on a stack belongs to; the first match counts. */
const WORK: readonly (readonly [what: string, functions: RegExp])[] = [
  ['looking after the placement', /surveyLayouts|isSeen|checkDefault|placement\//],
  ['scanning the file', /scanPacketsAsync|scanning|scanPackets/],
  ['loading modules', /internal\/modules|InnerModuleEvaluation|LoadEnvironment/],
  ['handing pictures over', /picture-transfer/],
  ['cues, script and log', /interpret\.ts|src\/cues|src\/script|chunk-readings|src\/events/],
  ['dictionaries', /src\/dictionary|words\.ts/],
  ['reading', /src\/pipeline\/reading|src\/detectors|src\/regions/],
  ['opening profile and detectors', /src\/profile|game\.ts/],
  ['around the decoder', /src\/media|^decoder/],
];

const folder = mkdtempSync(join(tmpdir(), 'account-'));
try {
  const flags = ['--perf-basic-prof', '--interpreted-frames-native-stack'];
  const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');
  const args = ['detect', resolve(media), '--game', game, '--plan', values.plan, '--quiet', '--out', folder];
  const env = { ...process.env, XDG_CACHE_HOME: folder };
  const run = [process.execPath, ...flags, launch, ...args];
  execFileSync(run[0]!, [...run.slice(1), '--to', '0.3'], { env, stdio: 'ignore', cwd: folder });
  const data = join(folder, 'perf.data');
  execFileSync('perf', ['record', '-q', '-F', String(RATE), '-e', 'cpu-clock', '-g', '-o', data, ...run], {
    env,
    stdio: 'ignore',
    cwd: folder,
  });
  const { stdout } = spawnSync('perf', ['script', '-i', data, '-F', 'comm,ip,sym,dso'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const stacks = stdout.split('\n\n').filter((stack) => stack.trim() !== '');
  const counts = Map.groupBy(stacks, workOf);
  console.log(`${(stacks.length / RATE).toFixed(1)} s of processor time`);
  for (const [what, { length }] of [...counts].toSorted(([, a], [, b]) => b.length - a.length))
    console.log(`  ${(length / RATE).toFixed(2).padStart(6)} s  ${what}`);
} finally {
  rmSync(folder, { recursive: true });
}

function workOf(stack: string): string {
  const thread = stack.trimStart();
  if (stack.includes('node-av.node')) return 'decoding and reading the file (FFmpeg)';
  if (/CollectGarbage|Scaveng|Marking|Sweep/.test(stack)) return 'collecting garbage';
  if (/OptimizingCompile|OptimizedCompilationJob|maglev::|baseline::|wasm::.*Compil|turboshaft::/.test(stack))
    return 'compiling (V8)';
  if (/^(?:V8Worker|libuv-worker|DelayedTask)/.test(thread)) return 'threads of V8 and libuv';
  return WORK.find(([, functions]) => functions.test(thread))?.[0] ?? 'the rest: starting, event loop';
}
