// Random task graphs on devices with memories of their own, stepped in random order with random delays and faults:
// the result must equal that of one device after the other, whatever happens.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as depend from '../../src/compute/scheduler/dependency.ts';
import { type DeviceOptions, type Effect, work } from '../../src/compute/scheduler/device.ts';
import {
  type KernelCall,
  listOf,
  type Plan,
  plan,
  type Resource,
  sequence,
} from '../../src/compute/scheduler/graph.ts';
import * as protocol from '../../src/compute/scheduler/ledger.ts';

interface Graph {
  readonly calls: KernelCall[];
  readonly resources: Resource[];
}

const extents = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
const outside = fc.constantFrom('clamp', 'wrap', 'ignore');

/** Calls that each write a resource of their own and read those of earlier calls, by all kinds of dependency. */
const graphs: fc.Arbitrary<Graph> = extents.chain((space) =>
  fc
    .array(
      fc.record({
        reads: fc.array(fc.record({ from: fc.nat(), by: dependencies(space), outside, early: fc.boolean() }), {
          maxLength: 3,
        }),
        after: fc.option(fc.nat(), { nil: undefined }),
        ignored: fc.constantFrom('run', 'skip'),
        allocation: fc.constantFrom('dynamic', 'static'),
        order: fc.constantFrom('curve', 'in order'),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((specs) => ({
      resources: specs.map((_, i) => ({ name: `r${i}`, regions: space })),
      calls: specs.map((spec, i) => ({
        name: `k${i}`,
        space,
        writes: [{ resource: `r${i}` }],
        reads: (i === 0 ? [] : spec.reads).map((read) => ({
          resource: `r${read.from % i}`,
          regions: read.by,
          outside: read.outside,
          grain: read.early ? ('region' as const) : ('portion' as const),
        })),
        after: spec.after === undefined || i === 0 ? [] : [{ call: `k${spec.after % i}`, portions: depend.radius(1) }],
        ignored: spec.ignored,
        allocation: spec.allocation,
        order: spec.order,
      })),
    })),
);

function dependencies(space: readonly number[]): fc.Arbitrary<depend.Dependency> {
  const offsets = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: space.length, maxLength: space.length });
  return fc.oneof(
    fc.constant(depend.same),
    fc.integer({ min: 1, max: 2 }).map((reach) => depend.radius(reach)),
    offsets.map((by) => depend.offset(by)),
    fc.constantFrom(depend.scaled(2), depend.scaled(0.5), depend.everything(space)),
    offsets.map((by) => depend.union(depend.same, depend.offset(by))),
  );
}

const options: fc.Arbitrary<DeviceOptions> = fc.record({
  batch: fc.integer({ min: 1, max: 3 }),
  hold: fc.integer({ min: 0, max: 2 }),
  ahead: fc.integer({ min: 0, max: 2 }),
  lookahead: fc.integer({ min: 1, max: 6 }),
  prefetch: fc.integer({ min: 0, max: 2 }),
});

type Fault = 'none' | 'dies' | 'dies with its memory' | 'goes on';

describe('random task graphs', () => {
  it('give the result of a sequential run on any devices, in any order, with any delays and faults', () => {
    fc.assert(
      fc.property(
        graphs,
        fc.integer({ min: 1, max: 5 }),
        options,
        fc.constantFrom<Fault>('none', 'dies', 'dies with its memory', 'goes on'),
        fc.array(fc.nat(997), { minLength: 8, maxLength: 40 }),
        ({ calls, resources }, devices, settings, fault, choices) => {
          const planned = plan(calls, resources, devices);
          const stay = fault === 'dies with its memory';
          const run = new Rehearsal(planned, { ...settings, stay }, devices > 1 ? fault : 'none', choices);
          expect(run.toEnd()).toEqual(sequential(planned));
          expect(run.uncounted()).toBe(0);
          expect(run.mostOften()).toBeLessThanOrEqual(stay ? 9 : 1);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('refuse circles, double writers and unknown names', () => {
    const resources = [{ name: 'a', regions: [2] }];
    const writer: KernelCall = { name: 'w', space: [2], writes: [{ resource: 'a' }] };
    expect(() => plan([{ ...writer, reads: [{ resource: 'a', regions: depend.radius(1) }] }], resources, 1)).toThrow(
      /circle/,
    );
    expect(() => plan([writer, { ...writer, name: 'v' }], resources, 1)).toThrow(/already written/);
    expect(() => plan([{ name: 'r', space: [2], reads: [{ resource: 'b' }] }], resources, 1)).toThrow(
      /no resource named "b"/,
    );
    expect(() => plan([{ name: 'r', space: [3], writes: [{ resource: 'a' }] }], resources, 1)).toThrow(/outside/);
    expect(() => plan([{ ...writer, devices: [] }], resources, 1)).toThrow(/no device/);
  });
});

/** What a portion writes: mixes its number with everything it reads, in order. */
function kernel(portion: number, inputs: readonly number[]): number {
  return inputs.reduce((mix, input) => (Math.imul(mix, 31) + input) | 0, portion + 1);
}

function sequential(planned: Plan): number[] {
  const values = Array.from({ length: planned.regions }, () => 0);
  for (const portion of sequence(planned)) {
    if (planned.skipped[portion]) continue;
    const inputs = Array.from(listOf(planned.inputs, portion), (region) => values[region]!);
    for (const region of listOf(planned.outputs, portion)) values[region] = kernel(portion, inputs);
  }
  return values;
}

/** Steps the devices' loops one effect at a time in an order given by `choices`; a run takes several steps. */
class Rehearsal {
  private readonly plan: Plan;
  private readonly layout;
  private readonly words;
  private readonly loops: Generator<Effect, void>[];
  private readonly memories: Map<number, number>[];
  private readonly pending: (Effect | 'over' | undefined)[];
  private readonly counted: number[];
  private readonly fault: Fault;
  private readonly choices: readonly number[];
  private turn = 0;
  private faulted = false;

  constructor(planned: Plan, settings: DeviceOptions, fault: Fault, choices: readonly number[]) {
    this.plan = planned;
    this.layout = protocol.layoutOf(planned);
    this.words = protocol.atomics(protocol.ledger(planned));
    const devices = Array.from({ length: planned.devices }, (_, device) => device);
    this.loops = devices.map((device) => work(this.words, planned, this.layout, device, settings));
    this.memories = devices.map(() => new Map());
    this.pending = devices.map(() => undefined);
    this.counted = Array.from({ length: planned.portions }, () => 0);
    this.fault = fault;
    this.choices = choices;
  }

  toEnd(): number[] {
    const faultAt = 3 + (this.choice() % 25);
    for (let steps = 0; ; steps++) {
      if (steps === faultAt && this.fault !== 'none') this.strike();
      if (this.allDone() && (this.fault !== 'dies with its memory' || this.faulted)) break;
      const able = this.loops.flatMap((_, device) => (this.canMove(device) ? [device] : []));
      if (able.length === 0 && !this.faulted && this.fault !== 'none') this.strike();
      else if (able.length === 0) throw new Error('deadlock');
      else this.step(able[this.choice() % able.length]!);
    }
    return Array.from({ length: this.plan.regions }, (_, region) => {
      const holder = this.words.load(this.layout.regions + region) - 1;
      return holder < 0 ? 0 : this.memories[holder]!.get(region)!;
    });
  }

  /** Portions whose result has not counted, and how often the most frequent has. */
  uncounted(): number {
    return this.counted.filter((times, portion) => this.plan.skipped[portion] === 0 && times === 0).length;
  }

  mostOften(): number {
    return Math.max(...this.counted);
  }

  private strike(): void {
    this.faulted = true;
    if (this.fault !== 'goes on') this.pending[0] = 'over';
    if (this.fault === 'dies with its memory') this.memories[0]!.clear();
    protocol.retire(this.words, this.plan, this.layout, 0, this.fault === 'dies with its memory');
  }

  private canMove(device: number): boolean {
    const effect = this.pending[device];
    if (effect === 'over') return false;
    return effect?.kind !== 'wait' || this.words.load(effect.at) !== effect.value;
  }

  private step(device: number): void {
    const effect = this.pending[device];
    if (typeof effect === 'object' && effect.kind === 'run') this.finish(device, effect.portion);
    const { value, done } = this.loops[device]!.next();
    this.pending[device] = done ? 'over' : value!;
  }

  private finish(device: number, portion: number): void {
    const inputs: number[] = [];
    for (const region of listOf(this.plan.inputs, portion)) {
      const holder = this.words.load(this.layout.regions + region) - 1;
      const value =
        this.plan.writer[region]! < 0 || holder === -2
          ? 0
          : (this.memories[device]!.get(region) ?? this.memories[holder]?.get(region));
      if (value === undefined) return protocol.giveBack(this.words, this.layout, portion, device);
      if (holder >= 0) this.memories[device]!.set(region, value);
      inputs.push(value);
    }
    for (const region of listOf(this.plan.outputs, portion)) {
      this.memories[device]!.set(region, kernel(portion, inputs));
      if (this.choice() % 2 === 0) protocol.publish(this.words, this.layout, region, device);
    }
    if (protocol.complete(this.words, this.plan, this.layout, portion, device)) this.counted[portion]!++;
  }

  private allDone(): boolean {
    for (let portion = 0; portion < this.plan.portions; portion++) {
      if (protocol.statusOf(this.words.load(this.layout.portions + portion)) !== protocol.DONE) return false;
    }
    return true;
  }

  private choice(): number {
    this.turn++;
    return Math.abs(Math.imul(this.choices[this.turn % this.choices.length]! + this.turn, 0x9e3779b1) >> 8);
  }
}
