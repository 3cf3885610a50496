// Random task graphs on devices with memories of their own, stepped in random order with random delays and faults:
// the result must equal that of one device after the other, whatever happens.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as copies from '../../src/compute/scheduler/copies.ts';
import * as depend from '../../src/compute/scheduler/index-space.ts';
import { type DeviceOptions, type Effect, deviceLoop } from '../../src/compute/scheduler/device.ts';
import {
  type KernelCall,
  getList,
  type Plan,
  planGraph,
  type Resource,
  topologicalOrder,
} from '../../src/compute/scheduler/graph.ts';
import * as protocol from '../../src/compute/scheduler/shared-state.ts';

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
        after:
          spec.after === undefined || i === 0 ? [] : [{ call: `k${spec.after % i}`, portions: depend.withinRadius(1) }],
        ignored: spec.ignored,
        allocation: spec.allocation,
        order: spec.order,
      })),
    })),
);

function dependencies(space: readonly number[]): fc.Arbitrary<depend.Dependency> {
  const offsets = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: space.length, maxLength: space.length });
  return fc.oneof(
    fc.constant(depend.sameIndex),
    fc.integer({ min: 1, max: 2 }).map((reach) => depend.withinRadius(reach)),
    offsets.map((by) => depend.atOffset(by)),
    fc.constantFrom(depend.scaledBy(2), depend.scaledBy(0.5), depend.allIndices(space)),
    offsets.map((by) => depend.anyOf(depend.sameIndex, depend.atOffset(by))),
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
          const planned = planGraph(calls, resources, devices);
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

  it('give it with concurrent copies, block by block, and portions that start while blocks arrive', () => {
    fc.assert(
      fc.property(
        graphs,
        fc.integer({ min: 2, max: 4 }),
        options,
        fc.constantFrom<Fault>('none', 'dies', 'goes on'),
        fc.record({ meanwhile: fc.boolean(), push: fc.boolean() }),
        fc.array(fc.nat(997), { minLength: 8, maxLength: 40 }),
        ({ calls, resources }, devices, settings, fault, copying, choices) => {
          const planned = planGraph(calls, resources, devices);
          const run = new Rehearsal(planned, settings, fault, choices, copying);
          expect(run.toEnd()).toEqual(sequential(planned));
          expect(run.uncounted()).toBe(0);
          expect(run.mostOften()).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('reject cycles, double writers and unknown names', () => {
    const resources = [{ name: 'a', regions: [2] }];
    const writer: KernelCall = { name: 'w', space: [2], writes: [{ resource: 'a' }] };
    expect(() =>
      planGraph([{ ...writer, reads: [{ resource: 'a', regions: depend.withinRadius(1) }] }], resources, 1),
    ).toThrow(/circle/);
    expect(() => planGraph([writer, { ...writer, name: 'v' }], resources, 1)).toThrow(/already written/);
    expect(() => planGraph([{ name: 'r', space: [2], reads: [{ resource: 'b' }] }], resources, 1)).toThrow(
      /no resource named "b"/,
    );
    expect(() => planGraph([{ name: 'r', space: [3], writes: [{ resource: 'a' }] }], resources, 1)).toThrow(/outside/);
    expect(() => planGraph([{ ...writer, devices: [] }], resources, 1)).toThrow(/No device/);
  });
});

/** What a portion writes: mixes its number with everything it reads, in order. */
function kernel(portion: number, inputs: readonly number[]): number {
  return inputs.reduce((mix, input) => (Math.imul(mix, 31) + input) | 0, portion + 1);
}

function sequential(planned: Plan): number[] {
  const values = Array.from({ length: planned.regions }, () => 0);
  for (const portion of topologicalOrder(planned)) {
    if (planned.skipped[portion]) continue;
    const inputs = Array.from(getList(planned.inputs, portion), (region) => values[region]!);
    for (const region of getList(planned.outputs, portion)) values[region] = kernel(portion, inputs);
  }
  return values;
}

interface Copying {
  /** Portions start while their inputs are being copied. */
  readonly meanwhile: boolean;
  readonly push: boolean;
}

/** A region's value in this many blocks: the value itself, and numbers made of it. */
const BLOCKS = 3;
const blockOf = (value: number, block: number): number => value ^ (7919 * block);

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
  private readonly copying: Copying | undefined;
  /** The copier's words and layout, and the blocks that have arrived at each device. */
  private readonly copyLayout;
  private readonly cells;
  private readonly arrived: Map<number, number[]>[];
  private readonly copier: Generator<copies.CopyEffect, void> | undefined;
  private copierAt: copies.CopyEffect | undefined;
  private turn = 0;
  private faulted = false;

  constructor(planned: Plan, settings: DeviceOptions, fault: Fault, choices: readonly number[], copying?: Copying) {
    this.plan = planned;
    this.layout = protocol.stateLayout(planned);
    this.words = protocol.atomicWords(protocol.createState(planned));
    const devices = Array.from({ length: planned.devices }, (_, device) => device);
    this.loops = devices.map((device) => deviceLoop(this.words, planned, this.layout, device, settings));
    this.memories = devices.map(() => new Map());
    this.pending = devices.map(() => undefined);
    this.counted = Array.from({ length: planned.portions }, () => 0);
    this.fault = fault;
    this.choices = choices;
    this.copying = copying;
    this.arrived = devices.map(() => new Map());
    const sizes = planned.resources.map(() => BLOCKS);
    this.copyLayout = copies.createCopyLayout(planned, sizes, 1);
    this.cells = protocol.atomicWords(new Int32Array(new SharedArrayBuffer(4 * this.copyLayout.length)));
    if (!copying) return;
    this.copier = copies.copyRegions(this.cells, this.copyLayout);
  }

  toEnd(): number[] {
    const faultAt = 3 + (this.choice() % 25);
    for (let steps = 0; ; steps++) {
      if (steps === faultAt && this.fault !== 'none') this.strike();
      if (this.allDone() && (this.fault !== 'dies with its memory' || this.faulted)) break;
      const able = this.loops.flatMap((_, device) => (this.canMove(device) ? [device] : []));
      if (this.copier && this.canCopy()) able.push(this.loops.length);
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
    protocol.retireDevice(this.words, this.plan, this.layout, 0, this.fault === 'dies with its memory');
  }

  private canMove(device: number): boolean {
    const effect = this.pending[device];
    if (effect === 'over') return false;
    if (effect?.kind === 'run' && this.copying && !this.copying.meanwhile && !this.hasArrived(device, effect.portion))
      return false;
    return effect?.kind !== 'wait' || this.words.load(effect.at) !== effect.value;
  }

  private canCopy(): boolean {
    const { copierAt } = this;
    return copierAt?.kind !== 'wait' || this.cells.load(copierAt.at) !== copierAt.value;
  }

  /** Carries out what the copier was at: one block. */
  private copy(): void {
    const { copierAt } = this;
    if (copierAt?.kind === 'copy') {
      const { device, region, block } = copierAt;
      const value = this.memories[this.words.load(this.layout.regions + region) - 1]!.get(region)!;
      const blocks = this.arrived[device]!.get(region) ?? [];
      blocks[block] = blockOf(value, block);
      this.arrived[device]!.set(region, blocks);
    }
    this.copierAt = this.copier!.next().value ?? undefined;
  }

  /** Regions that a device reads for a portion and has not made itself. */
  private foreign(device: number, portion: number): number[] {
    return [...copies.copiedInputs(this.plan, portion)].filter(
      (region) => this.words.load(this.layout.regions + region) > 0 && !this.memories[device]!.has(region),
    );
  }

  private order(device: number, portion: number): void {
    for (const region of this.foreign(device, portion)) copies.requestCopy(this.cells, this.copyLayout, device, region);
  }

  private hasArrived(device: number, portion: number): boolean {
    return this.foreign(device, portion).every(
      (region) => copies.waitForCopy(this.cells, this.copyLayout, device, region).next().done,
    );
  }

  /** A region as a portion sees it: blocks that have arrived from here, the others from where they were written. */
  private seen(device: number, region: number, there: number | undefined): number | undefined {
    if (there === undefined) return undefined;
    const count = copies.copiedBlocks(this.cells, this.copyLayout, device, region);
    for (let block = 0; block < BLOCKS; block++) {
      const found = block < count ? this.arrived[device]!.get(region)![block] : blockOf(there, block);
      if (found !== blockOf(there, block)) throw new Error(`block ${block} of region ${region} has not arrived`);
    }
    return there;
  }

  private step(device: number): void {
    if (device === this.loops.length) return this.copy();
    const effect = this.pending[device];
    if (typeof effect === 'object' && effect.kind === 'run') this.finish(device, effect.portion);
    const { value, done } = this.loops[device]!.next();
    this.pending[device] = done ? 'over' : value!;
    if (this.copying && !done && value.kind !== 'wait') this.order(device, value.portion);
  }

  private finish(device: number, portion: number): void {
    const inputs: number[] = [];
    for (const region of getList(this.plan.inputs, portion)) {
      const holder = this.words.load(this.layout.regions + region) - 1;
      const value =
        this.plan.writer[region]! < 0 || holder === -2
          ? 0
          : (this.memories[device]!.get(region) ?? this.seen(device, region, this.memories[holder]?.get(region)));
      if (value === undefined) return protocol.release(this.words, this.layout, portion, device);
      if (holder >= 0 && !this.copying) this.memories[device]!.set(region, value);
      inputs.push(value);
    }
    for (const region of getList(this.plan.outputs, portion)) {
      this.memories[device]!.set(region, kernel(portion, inputs));
      if (this.choice() % 2 === 0) protocol.publishRegion(this.words, this.layout, region, device);
    }
    if (protocol.completePortion(this.words, this.plan, this.layout, portion, device)) this.counted[portion]!++;
    if (!this.copying?.push) return;
    for (const region of getList(this.plan.outputs, portion))
      for (const [other] of this.loops.entries())
        if (other !== device && this.words.load(this.layout.regions + region) === device + 1)
          copies.requestCopy(this.cells, this.copyLayout, other, region);
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
