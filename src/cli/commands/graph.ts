import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { curvePosition } from '../../compute/scheduler/curves.ts';
import { type Graph, parseGraph } from '../../compute/scheduler/description.ts';
import { findCall, getList, type Plan, type PlannedCall, planGraph } from '../../compute/scheduler/graph.ts';
import { toIndex } from '../../compute/scheduler/index-space.ts';
import { runGraph } from '../../compute/scheduler/run-graph.ts';
import { toFileName } from '../../files/file-name.ts';
import { writeOutput } from '../../files/output.ts';
import { Trace } from '../../threads/trace.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { readInputText } from '../../files/input.ts';
import type { RunCommand } from '../command.ts';
import type * as specs from '../specs.ts';

/** `playbyplay graph plan <graph.json>` */
export const planGraphFile: RunCommand<typeof specs.graphPlan> = async (io, { devices, json }, path) => {
  const graph = await readGraph(path);
  const plan = usable(path, () => planGraph(graph.calls, graph.resources, devices));
  const calls = plan.calls.map((call) => ({
    name: call.name,
    portions: call.count,
    devices: call.paths.map((_, device) => (call.allowed[device] ? pathOf(call, device) : [])),
    dependencies: dependenciesOf(plan, call),
  }));
  if (json)
    io.stdout.write(`${JSON.stringify({ portions: plan.portions, regions: plan.regions, calls }, undefined, 2)}\n`);
  else io.stdout.write(calls.map(formatCall).join('\n'));
  return 0;
};

/** `playbyplay graph run <graph.json>` */
export const runGraphFile: RunCommand<typeof specs.graphRun> = async (io, options, path) => {
  const { devices = availableParallelism(), kernels, trace: traceFile, out, overwrite } = options;
  const policy = { inputs: [path, kernels], overwrite };
  const graph = await readGraph(path);
  const trace = traceFile === undefined ? undefined : new Trace();
  usable(path, () => planGraph(graph.calls, graph.resources, devices));
  const result = await runGraph({
    ...graph,
    devices,
    kernels: pathToFileURL(resolve(kernels)),
    signal: io.signal,
    trace,
  });
  if (traceFile !== undefined) await trace!.write(traceFile, policy);
  if (out !== undefined) {
    for (const { name, regions } of graph.resources) {
      const count = regions.reduce((product, extent) => product * extent, 1);
      const bytes = Array.from({ length: count }, (_, region) => result.region(name, region));
      await writeOutput(join(out, `${toFileName(name)}.bin`), Buffer.concat(bytes), {
        kind: 'unknown',
        ...policy,
        overwrite: true,
      });
    }
  }
  const portions = Array.from({ length: devices }, () => 0);
  for (const device of result.devices) if (device >= 0) portions[device]! += 1;
  const { copied, retired } = result;
  if (options.json) io.stdout.write(`${JSON.stringify({ portions, copied, retired })}\n`);
  else io.stdout.write(`portions per device: ${portions.join(', ')}\nregions copied between devices: ${copied}\n`);
  return 0;
};

async function readGraph(path: string): Promise<Graph> {
  const text = readInputText(path, 'invalid-graph');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PlaybyplayError('invalid-graph', `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  return parseGraph(value, path);
}

/** Reports errors of the graph itself, such as circular dependencies, as errors of its file. */
function usable<T>(path: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PlaybyplayError('invalid-graph', `${path}: ${error.message}`, { cause: error });
  }
}

/** The portions of a call in the order in which a device would claim them if it were alone. */
function pathOf({ paths, curve, count, space }: PlannedCall, device: number): number[][] {
  return Array.from({ length: count }, (_, step) => toIndex(curve[curvePosition(paths[device]!, step, count)]!, space));
}

/** What each portion of a call waits for: other portions, or regions. */
function dependenciesOf(plan: Plan, call: PlannedCall) {
  return Array.from({ length: call.count }, (_, local) => ({
    portion: toIndex(local, call.space),
    needs: Array.from(getList(plan.needs, call.first + local), (need) => {
      if (need >= plan.portions) return `region ${need - plan.portions}`;
      const other = findCall(plan, need);
      return `${other.name} ${formatIndex(toIndex(need - other.first, other.space))}`;
    }),
  }));
}

type Calls = { name: string; portions: number; devices: number[][][]; dependencies: ReturnType<typeof dependenciesOf> };

function formatCall({ name, portions, devices, dependencies }: Calls): string {
  const lines = [`${name}: ${portions} portions`];
  for (const [device, path] of devices.entries())
    if (path.length > 0) lines.push(`  device ${device + 1} claims ${path.map(formatIndex).join(' ')}`);
  for (const { portion, needs } of dependencies)
    if (needs.length > 0) lines.push(`  ${formatIndex(portion)} waits for ${needs.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

function formatIndex(index: readonly number[]): string {
  return `(${index.join(',')})`;
}
