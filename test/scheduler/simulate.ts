// Discrete-event simulation of devices with memories of their own and slow links between them. The devices run the
// production loop on production words; only time, kernels and copies are simulated.
import { type DeviceOptions, type Effect, deviceLoop } from '../../src/compute/scheduler/device.ts';
import {
  findCall,
  type KernelCall,
  getList,
  type Plan,
  planGraph,
  type Resource,
} from '../../src/compute/scheduler/graph.ts';
import * as protocol from '../../src/compute/scheduler/shared-state.ts';

export interface Machine {
  /** Work units a second, one entry a device. */
  readonly speeds: readonly number[];
  /** Seconds before the first byte arrives, and bytes a second, from any device to any other; a device receives one copy at a time. */
  readonly latency: number;
  readonly bandwidth: number;
}

export interface Workload {
  readonly calls: readonly KernelCall[];
  readonly resources: readonly Resource[];
  /** Work units of a portion, by call and number within the call. */
  readonly cost: (call: string, portion: number) => number;
  /** Bytes of a region. */
  readonly bytes: number;
}

export interface Policy {
  /** A barrier between the calls, or dependencies by region. */
  readonly barrier: boolean;
  readonly allocation: 'static' | 'dynamic';
  readonly options?: DeviceOptions;
  /** A portion may start while its inputs are still being copied, reading the rest remotely. */
  readonly readWhileCopying?: boolean;
}

export interface Outcome {
  readonly makespan: number;
  /** The makespan cannot be less: all work shared evenly, or the longest chain of dependent portions. */
  readonly bound: number;
  /** Seconds that devices spent running, copying (before a run could start) and waiting, summed. */
  readonly running: number;
  readonly copying: number;
  readonly waiting: number;
  readonly bytesCopied: number;
}

/** Runs a workload. Throws when a portion reads what is not written, runs twice, or never runs. */
export function simulate(workload: Workload, machine: Machine, policy: Policy): Outcome {
  return new Simulation(workload, machine, policy).run();
}

class Simulation {
  private readonly machine: Machine;
  private readonly workload: Workload;
  private readonly policy: Policy;
  private readonly plan: Plan;
  private readonly layout;
  private readonly words;
  private readonly events = new Heap();
  private readonly loops: Generator<Effect, void>[];
  private asleep = new Map<number, number>();
  /** When each device has (or will have) its copy of a region. */
  private readonly copies: Map<number, number>[];
  private readonly linkFree: number[];
  private readonly ran: Uint8Array;
  private clock = 0;
  private last = 0;
  private totals = { running: 0, copying: 0, waiting: 0, bytesCopied: 0 };

  constructor(workload: Workload, machine: Machine, policy: Policy) {
    this.machine = machine;
    this.workload = workload;
    this.policy = policy;
    const devices = machine.speeds.length;
    this.plan = planGraph(
      allocated(policy.barrier ? withBarriers(workload.calls) : workload.calls, policy),
      workload.resources,
      devices,
    );
    this.layout = protocol.stateLayout(this.plan);
    const memory = protocol.createState(this.plan);
    this.words = {
      load: (at: number) => memory[at]!,
      store: (at: number, value: number) => void (memory[at] = value),
      exchange: (at: number, expected: number, value: number) => {
        const held = memory[at]!;
        if (held === expected) memory[at] = value;
        return held;
      },
      add: (at: number, value: number) => (memory[at]! += value) - value,
      notify: () => this.wake(),
    };
    this.loops = machine.speeds.map((_, device) =>
      deviceLoop(this.words, this.plan, this.layout, device, policy.options),
    );
    this.copies = machine.speeds.map(() => new Map());
    this.linkFree = machine.speeds.map(() => 0);
    this.ran = new Uint8Array(this.plan.portions);
  }

  run(): Outcome {
    for (const [device] of this.loops.entries()) this.events.push(0, () => this.advance(device));
    for (let event = this.events.pop(); event; event = this.events.pop()) {
      this.clock = event.time;
      event.action();
    }
    if (this.ran.includes(0)) throw new Error(`${this.ran.filter((times) => times === 0).length} portions never ran`);
    return { makespan: this.last, bound: this.bound(), ...this.totals };
  }

  private advance(device: number): void {
    for (;;) {
      const { value: effect, done } = this.loops[device]!.next();
      if (done || !effect) return;
      if (effect.kind === 'prefetch') this.fetch(device, effect.portion);
      else if (effect.kind === 'wait') {
        if (this.words.load(effect.at) !== effect.value) continue;
        this.asleep.set(device, this.clock);
        return;
      } else {
        this.execute(device, effect.portion);
        return;
      }
    }
  }

  private execute(device: number, portion: number): void {
    const { plan: planned, clock } = this;
    if (!protocol.isReady(this.words, planned, this.layout, portion))
      throw new Error(`portion ${portion} is not ready`);
    if (this.ran[portion] !== 0) throw new Error(`portion ${portion} runs twice`);
    this.ran[portion] = 1;
    const arrived = Math.max(clock, this.fetch(device, portion));
    const cost = this.costOf(portion) / this.machine.speeds[device]!;
    const end = this.policy.readWhileCopying
      ? Math.max(clock + this.latencyIf(arrived > clock) + cost, arrived)
      : arrived + cost;
    this.totals.running += cost;
    this.totals.copying += end - clock - cost;
    this.events.push(end, () => {
      this.last = Math.max(this.last, this.clock);
      for (const region of getList(planned.outputs, portion)) this.copies[device]!.set(region, this.clock);
      if (!protocol.completePortion(this.words, planned, this.layout, portion, device))
        throw new Error(`portion ${portion} was lost`);
      this.advance(device);
    });
  }

  private latencyIf(copying: boolean): number {
    return copying ? this.machine.latency : 0;
  }

  /** Starts copying whatever is written and missing; returns when the last input will be there. */
  private fetch(device: number, portion: number): number {
    let there = 0;
    for (const region of getList(this.plan.inputs, portion)) {
      const holder = this.words.load(this.layout.regions + region) - 1;
      // What no portion writes is at hand everywhere; what is not written yet cannot be copied yet.
      if (this.plan.writer[region]! < 0 || holder < 0) continue;
      let arrives = this.copies[device]!.get(region);
      if (arrives === undefined) {
        const start = Math.max(this.clock, this.linkFree[device]!);
        arrives = start + this.machine.latency + this.workload.bytes / this.machine.bandwidth;
        this.linkFree[device] = start + this.workload.bytes / this.machine.bandwidth;
        this.copies[device]!.set(region, arrives);
        this.totals.bytesCopied += this.workload.bytes;
      }
      there = Math.max(there, arrives);
    }
    return there;
  }

  private wake(): void {
    const sleepers = this.asleep;
    this.asleep = new Map();
    for (const [device, since] of sleepers) {
      this.totals.waiting += this.clock - since;
      this.events.push(this.clock, () => this.advance(device));
    }
  }

  private costOf(portion: number): number {
    const { name, first } = findCall(this.plan, portion);
    return name.startsWith('barrier ') ? 0 : this.workload.cost(name, portion - first);
  }

  private bound(): number {
    const { speeds } = this.machine;
    const fastest = Math.max(...speeds);
    const free = planGraph(this.workload.calls, this.workload.resources, 1);
    const ends = new Float64Array(free.portions);
    let total = 0;
    // Calls come after what they read here, so that portions in order see their needs finished.
    for (let portion = 0; portion < free.portions; portion++) {
      const { name, first } = findCall(free, portion);
      const cost = this.workload.cost(name, portion - first);
      total += cost;
      const needs = Array.from(getList(free.needs, portion), (need) =>
        need < free.portions ? need : free.writer[need - free.portions]!,
      );
      ends[portion] = Math.max(0, ...needs.map((need) => ends[need]!)) + cost / fastest;
    }
    return Math.max(total / speeds.reduce((a, b) => a + b, 0), ...ends);
  }
}

function allocated(calls: readonly KernelCall[], { allocation }: Policy): KernelCall[] {
  return calls.map((call) => ({ ...call, allocation }));
}

/** Between two calls a portion that waits for all of the first, and for which all of the second waits. */
function withBarriers(calls: readonly KernelCall[]): KernelCall[] {
  return calls.flatMap((call, i) => {
    const previous = calls[i - 1];
    if (!previous) return [call];
    const count = previous.space.reduce((a, b) => a * b, 1);
    const all = function* () {
      for (let number = 0; number < count; number++) yield pointOf(number, previous.space);
    };
    const barrier: KernelCall = { name: `barrier ${i}`, space: [1], after: [{ call: previous.name, portions: all }] };
    const after = [...(call.after ?? []), { call: barrier.name, portions: () => [[0]] }];
    return [barrier, { ...call, after }];
  });
}

function pointOf(number: number, extents: readonly number[]): number[] {
  let rest = number;
  return extents.map((extent) => {
    const at = rest % extent;
    rest = Math.floor(rest / extent);
    return at;
  });
}

/** Events in order of time, first come first among equals. */
class Heap {
  private readonly items: { time: number; order: number; action: () => void }[] = [];
  private count = 0;

  push(time: number, action: () => void): void {
    const { items } = this;
    const item = { time, order: this.count++, action };
    let at = items.push(item) - 1;
    while (at > 0 && before(item, items[(at - 1) >> 1]!)) {
      items[at] = items[(at - 1) >> 1]!;
      at = (at - 1) >> 1;
    }
    items[at] = item;
  }

  pop(): { time: number; action: () => void } | undefined {
    const { items } = this;
    const [top] = items;
    const moved = items.pop();
    if (!moved || items.length === 0) return top;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++;
      if (!before(items[child]!, moved)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = moved;
    return top;
  }
}

function before(a: { time: number; order: number }, b: { time: number; order: number }): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
