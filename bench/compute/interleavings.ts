// Explores every interleaving of the scheduler's protocol on larger spaces than the tests, in two ways:
// - the production code, up to a number of states:
//   node --max-old-space-size=12000 bench/compute/interleavings.ts [millions of states, default 20]
// - its Spin model (bench/compute/ledger.pml), completely; needs spin and gcc, about seven minutes and 3 GB:
//   node bench/compute/interleavings.ts --spin [name of a scenario …]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withinRadius } from '../../src/compute/scheduler/index-space.ts';
import type { KernelCall } from '../../src/compute/scheduler/graph.ts';
import { check, type Scenario } from '../../test/fixtures/scheduler/protocol.ts';

const resources = [{ name: 'a', regions: [2] }];
const writer: KernelCall = { name: 'writer', space: [2], writes: [{ resource: 'a' }] };
const filter: KernelCall = { name: 'filter', space: [1], reads: [{ resource: 'a', regions: withinRadius(1) }] };
const filters: KernelCall = { ...filter, space: [2] };
const early: KernelCall = { ...filter, reads: [{ resource: 'a', regions: withinRadius(1), grain: 'region' }] };
const one = [{ name: 'a', regions: [1] }];
const small: KernelCall[] = [
  { ...writer, space: [1] },
  { name: 'reader', space: [1], reads: [{ resource: 'a' }] },
];

const scenarios: Readonly<Record<string, Scenario>> = {
  'filter over two regions': { calls: [writer, filter], resources, devices: 2 },
  'two filter portions': { calls: [writer, filters], resources, devices: 2 },
  'regions published early': { calls: [writer, early], resources, devices: 2, early: true },
  'claimed ahead': { calls: small.toReversed(), resources: one, devices: 2, options: { hold: 1 } },
  'claimed two at once': { calls: small, resources: one, devices: 2, options: { batch: 2 } },
  cancellation: { calls: small, resources: one, devices: 2, cancelled: true },
  'a device dies': { calls: small, resources: one, devices: 2, fault: 'dies' },
  'a device dies with its memory': {
    calls: small,
    resources: one,
    devices: 2,
    fault: 'dies with its memory',
    options: { stay: true },
  },
  'a stuck device goes on': { calls: small, resources: one, devices: 2, fault: 'is retired alive' },
  'three devices': { calls: [small[0]!], resources: one, devices: 3 },
};

/** Parameters of ledger.pml; two devices, two regions and three portions, and filters over both regions by default. */
const models: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'filter over two regions': {},
  'two filter portions': { PORTIONS: 4 },
  'regions published early': { EARLY: 1 },
  'claimed ahead': { HOLD: 1 },
  'claimed two at once': { BATCH: 1 },
  cancellation: { CANCEL: 1 },
  'a device dies': { FAULT: 1 },
  'a device dies with its memory': { FAULT: 2, STAY: 1 },
  'a stuck device goes on': { FAULT: 3 },
  'three devices': { DEVICES: 3, PORTIONS: 2, REGIONS: 1, GRAPH: 2 },
};
/** What must be found. */
const broken: typeof models = {
  'a claim in two steps': { BROKEN: 1 },
  'a wake-up that is lost': { BROKEN: 2 },
  'a reader that does not wait': { BROKEN: 3 },
  'devices that leave before a later loss': { FAULT: 2 },
};

if (process.argv[2] === '--spin') checkModels(process.argv.slice(3));
else exploreCode();

function checkModels(names: readonly string[]): void {
  for (const [list, faulty] of [
    [models, false],
    [broken, true],
  ] as const) {
    for (const [name, parameters] of Object.entries(list)) {
      if (names.length > 0 && !names.includes(name)) continue;
      const { states, seconds, violation } = spin(parameters);
      const wanted = (violation !== undefined) === faulty;
      const verdict = violation === undefined ? 'holds' : `${faulty ? 'found' : 'VIOLATED'}: ${violation}`;
      console.log(`${name.padEnd(40)} ${String(states).padStart(9)} states ${seconds.padStart(6)} s  ${verdict}`);
      if (!wanted) process.exitCode = 1;
    }
  }
}

/** Has Spin go through every state of the model. */
function spin(parameters: Readonly<Record<string, number>>): { states: number; seconds: string; violation?: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  const defaults = { DEVICES: 2, PORTIONS: 3, REGIONS: 2, GRAPH: 1, EARLY: 0, BATCH: 0, HOLD: 0 };
  const all = { ...defaults, CANCEL: 0, FAULT: 0, STAY: 0, BROKEN: 0, ...parameters };
  const defines = Object.entries(all).map(([name, value]) => `-D${name}=${value}`);
  const begun = performance.now();
  const run = (program: string, ...args: readonly string[]): string => {
    const { stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (error) throw error;
    return stdout + stderr;
  };
  try {
    run('spin', '-a', ...defines, join(import.meta.dirname, 'ledger.pml'));
    run('gcc', '-O2', '-DSAFETY', '-DCOLLAPSE', '-DMEMLIM=8000', '-o', 'pan', 'pan.c');
    const output = run('./pan', '-E', '-m1000000');
    const errors = /errors: (\d+)/.exec(output)?.[1];
    const states = Number(/(\d+) states, stored/.exec(output)?.[1] ?? 0);
    if (errors === undefined || /max search depth too small|memory limit/.test(output)) throw new Error(output);
    const violation = /pan:\d+: (.*)/.exec(output)?.[1];
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    return { states, seconds, ...(errors === '0' ? {} : { violation: violation ?? 'an error' }) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function exploreCode(): void {
  const mostStates = Number(process.argv[2] ?? 20) * 1e6;
  let found = false;
  for (const [name, scenario] of Object.entries(scenarios)) {
    const begun = performance.now();
    const { states, ends, complete, counterexample } = check({ ...scenario, mostStates });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const verdict = counterexample ? `VIOLATED: ${counterexample.message}` : complete ? 'holds' : 'holds so far';
    console.log(
      `${name.padEnd(30)} ${String(states).padStart(9)} states ${String(ends).padStart(7)} ends ${seconds.padStart(6)} s  ${verdict}`,
    );
    if (counterexample) console.log(counterexample.steps.join('\n'));
    found ||= counterexample !== undefined;
  }
  process.exitCode = found ? 1 : 0;
}
