// Every interleaving of the scheduler's protocol on spaces larger than the tests explore. Takes minutes and gigabytes:
//   node --max-old-space-size=12000 bench/compute/interleavings.ts [millions of states, default 20]
import { radius } from '../../src/compute/scheduler/dependency.ts';
import type { KernelCall } from '../../src/compute/scheduler/graph.ts';
import { check, type Scenario } from '../../test/scheduler/protocol.ts';

const resources = [{ name: 'a', regions: [2] }];
const writer: KernelCall = { name: 'writer', space: [2], writes: [{ resource: 'a' }] };
const filter: KernelCall = { name: 'filter', space: [1], reads: [{ resource: 'a', regions: radius(1) }] };
const filters: KernelCall = { ...filter, space: [2] };
const early: KernelCall = { ...filter, reads: [{ resource: 'a', regions: radius(1), grain: 'region' }] };
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
