// The dependency protocol as actors for the explorer: devices at work, one of which may die or be taken for stuck.
import { type DeviceOptions, deviceLoop } from '../../src/compute/scheduler/device.ts';
import { type KernelCall, getList, planGraph, type Plan, type Resource } from '../../src/compute/scheduler/graph.ts';
import * as protocol from '../../src/compute/scheduler/shared-state.ts';
import type { Layout, Words } from '../../src/compute/scheduler/shared-state.ts';
import { type Actor, explore, type Exploration, type Step, Violation } from './explore.ts';

export interface Scenario {
  readonly calls: readonly KernelCall[];
  readonly resources?: readonly Resource[];
  readonly devices: number;
  readonly options?: DeviceOptions;
  /** Regions are published one by one before the portion is done. */
  readonly early?: boolean;
  /** Device 0 may die at any step, keeping its memory or not; or be retired at any step while it goes on. */
  readonly fault?: 'dies' | 'dies with its memory' | 'is retired alive';
  /** The work may be cancelled at any step. */
  readonly cancelled?: boolean;
  /** Stands between the devices and the words: to break the protocol on purpose. */
  readonly sabotage?: (words: Words) => Words;
  /** Devices do not wait for what they read. */
  readonly unguarded?: boolean;
  readonly mostStates?: number;
}

/** Explores every interleaving of a scenario, checking that each portion runs when it may, once, and that all end. */
export function check(scenario: Scenario): Exploration {
  const whole = planGraph(scenario.calls, scenario.resources ?? [], scenario.devices);
  const nothing = { start: new Uint32Array(whole.portions + 1), items: new Uint32Array() };
  const planned = scenario.unguarded ? { ...whole, needs: nothing } : whole;
  const layout = protocol.stateLayout(planned);
  const actors: Actor[] = Array.from({ length: scenario.devices }, (_, device) => ({
    name: `device ${device}`,
    mortal: device === 0 && (scenario.fault?.startsWith('dies') ?? false),
    run: (words) => deviceActor(scenario.sabotage?.(words) ?? words, planned, layout, device, scenario),
  }));
  if (scenario.fault) {
    const memoryLost = scenario.fault === 'dies with its memory';
    const run = (words: Words) => void protocol.retireDevice(words, planned, layout, 0, memoryLost);
    actors.push({ name: 'coordinator', run, ...(scenario.fault === 'is retired alive' ? {} : { after: 'device 0' }) });
  }
  if (scenario.cancelled) {
    actors.push({ name: 'canceller', run: cancel });
  }
  const atEnd = (memory: Int32Array, notes: Int32Array, ended: readonly boolean[]) => {
    for (const [i, done] of ended.entries()) {
      const restful = scenario.options?.stay && allDone(memory, layout);
      if (!done && !restful && actors[i]!.name.startsWith('device') && !(i === 0 && actors[0]!.mortal)) {
        throw new Violation(`${actors[i]!.name} waits for ever`);
      }
    }
    if (memory[protocol.STOP] !== 0) return;
    for (let portion = 0; portion < planned.portions; portion++) {
      const status = protocol.statusOf(memory[layout.portions + portion]!);
      if (status !== protocol.DONE) throw new Violation(`portion ${portion} is lost`);
      const most = scenario.fault === 'dies with its memory' ? 2 : 1;
      // A device that dies between its "done" and our note leaves 0.
      const least = scenario.fault?.startsWith('dies') ? 0 : 1;
      const accepted = notes[portion]!;
      if (accepted > most || accepted < least) throw new Violation(`portion ${portion} counted ${accepted} times`);
    }
  };
  return explore(actors, new Int32Array(protocol.createState(planned)), atEnd, {
    notes: planned.portions,
    mostStates: scenario.mostStates ?? Number.POSITIVE_INFINITY,
    settled: (at, memory, actor) => isSettled(at, memory, actor, scenario, layout),
  });
}

function allDone(memory: Int32Array, layout: Layout): boolean {
  return memory.subarray(layout.portions, layout.regions).every((held) => protocol.statusOf(held) === protocol.DONE);
}

function cancel(words: Words): undefined {
  protocol.stopWork(words, protocol.CANCELLED);
}

/** Words that nobody else writes (any more) in this scenario. */
function isSettled(at: number, memory: Int32Array, actor: number, scenario: Scenario, layout: Layout): boolean {
  const { fault, cancelled, devices } = scenario;
  if (at === protocol.HORIZON) return true;
  if (at === protocol.STOP) return !cancelled;
  if (at >= layout.devices && at < layout.progress) return fault === undefined;
  if (fault === undefined && at >= layout.progress && at < layout.portions)
    return (at - layout.progress) % devices === actor;
  if (fault === 'dies with its memory' || at < layout.portions) return false;
  if (at >= layout.regions) return memory[at] !== 0;
  const held = memory[at]!;
  return (
    protocol.statusOf(held) === protocol.DONE ||
    (!fault && protocol.statusOf(held) === protocol.CLAIMED && protocol.deviceOf(held) === actor)
  );
}

function* deviceActor(
  words: Words,
  planned: Plan,
  layout: Layout,
  device: number,
  { options, early }: Scenario,
): Generator<Step, void, number> {
  // Between two portions a device remembers nothing, unless it holds more claims than the one it runs.
  const forgetful = (options?.hold ?? 0) === 0 && (options?.batch ?? 1) === 1;
  for (const effect of deviceLoop(words, planned, layout, device, options)) {
    if (effect.kind === 'prefetch') continue;
    if (effect.kind === 'wait') {
      yield effect;
      if (forgetful) yield { kind: 'forget' };
      continue;
    }
    const { portion } = effect;
    const readable = yield { kind: 'look', see: (memory) => begin(memory, planned, layout, portion, device) };
    if (readable === 0) {
      protocol.release(words, layout, portion, device);
      if (forgetful) yield { kind: 'forget' };
      continue;
    }
    if (early)
      for (const region of getList(planned.outputs, portion)) protocol.publishRegion(words, layout, region, device);
    if (protocol.completePortion(words, planned, layout, portion, device)) {
      yield { kind: 'look', see: (_, notes) => ++notes[portion]! };
    }
    if (forgetful) yield { kind: 'forget' };
  }
}

/** At the moment a portion starts: it must be this device's, and what it reads must be written; 0 where a fetch would fail. */
function begin(memory: Int32Array, planned: Plan, layout: Layout, portion: number, device: number): number {
  const retired = (other: number) => memory[layout.devices + other] === protocol.RETIRED;
  const held = memory[layout.portions + portion]!;
  if (!retired(device) && (protocol.statusOf(held) !== protocol.CLAIMED || protocol.deviceOf(held) !== device)) {
    throw new Violation(`device ${device} runs portion ${portion}, which is not its own`);
  }
  for (const region of getList(planned.inputs, portion)) {
    if (planned.writer[region]! < 0 || memory[layout.regions + region] !== 0) continue;
    // Only what went down with a device may be missing after it was seen.
    if (Array.from({ length: planned.devices }, (_, other) => retired(other)).includes(true)) return 0;
    throw new Violation(`portion ${portion} reads region ${region} before it is written`);
  }
  for (const need of getList(planned.needs, portion)) {
    if (need >= planned.portions || protocol.statusOf(memory[layout.portions + need]!) === protocol.DONE) continue;
    if (Array.from({ length: planned.devices }, (_, other) => retired(other)).includes(true)) return 0;
    throw new Violation(`portion ${portion} starts before portion ${need} is done`);
  }
  return 1;
}
