import { closedCurve, sequentialPaths, type Path, devicePaths } from './curves.ts';
import { type Allowance, type Dependency, resolveDependency, sameIndex } from './index-space.ts';
import { countPoints, type Extents, type Index, toIndex, type Outside } from './index-space.ts';

/** Data that kernels read and write, split into regions. Each region is written by one portion of one kernel call. */
export interface Resource {
  readonly name: string;
  readonly regions: Extents;
}

/** The regions of a resource that each portion reads. */
export interface Read {
  readonly resource: string;
  /** Default: the region with the portion's own index. */
  readonly regions?: Dependency;
  /** Default `clamp`. */
  readonly outside?: Outside;
  /** Wait until the portion that writes a region is done (default), or only until it has published the region. */
  readonly grain?: 'portion' | 'region';
}

/** The regions of a resource that each portion writes. */
export interface Write {
  readonly resource: string;
  /** Default: the region with the portion's own index. Regions outside the resource are errors. */
  readonly regions?: Dependency;
}

/** A dependency on portions of another call without data. */
export interface After {
  readonly call: string;
  readonly portions?: Dependency;
  readonly outside?: Outside;
}

/** One call of a kernel over an index space, which is split into one portion per point. */
export interface KernelCall {
  readonly name: string;
  readonly space: Extents;
  readonly reads?: readonly Read[];
  readonly writes?: readonly Write[];
  readonly after?: readonly After[];
  /** Run a portion of which a dependency is ignored (default), or skip it. */
  readonly ignored?: 'run' | 'skip';
  /** Numbers of the devices that can run it; default all. */
  readonly devices?: readonly number[];
  /** `dynamic` (default): free devices claim what is left along their paths. `static`: equal shares of the curve, fixed in advance. */
  readonly allocation?: 'dynamic' | 'static';
  /** `curve` (default): devices follow the space-filling curve. `in order`: the earliest portion that is left comes first. */
  readonly order?: 'curve' | 'in order';
  /** Estimated cost of a portion in any unit. In the last call, costly portions then start first. */
  readonly cost?: (index: Index) => number;
}

/** Many lists in two arrays: list i is items[start[i]] … items[start[i + 1] − 1]. */
export interface Lists {
  readonly start: Uint32Array;
  readonly items: Uint32Array;
}

/** A kernel call as planned for a number of devices. */
export interface PlannedCall {
  readonly name: string;
  readonly space: Extents;
  /** Number of its first portion among all portions of the graph; the others follow in row-major order. */
  readonly first: number;
  readonly count: number;
  /** Its portions along the closed curve, counted from `first`, and every device's path on it. */
  readonly curve: Uint32Array;
  readonly paths: readonly Path[];
  readonly allowed: readonly boolean[];
  /** Device of each portion under static allocation. */
  readonly owner?: Uint16Array;
  /** Estimated cost of each portion. */
  readonly weights?: Float64Array;
}

/** A graph of kernel calls with all dependencies resolved. Plain data that can be sent to other threads. */
export interface Plan {
  readonly devices: number;
  readonly calls: readonly PlannedCall[];
  readonly portions: number;
  readonly regions: number;
  readonly resources: readonly { readonly name: string; readonly first: number; readonly count: number }[];
  /** What each portion waits for: portion p as p, region r as portions + r. */
  readonly needs: Lists;
  /** Regions that each portion reads. */
  readonly inputs: Lists;
  /** Regions that each portion writes. */
  readonly outputs: Lists;
  /** By region: the portion that writes it, or −1 for input data. */
  readonly writer: Int32Array;
  /** By portion: 1 if it is skipped. */
  readonly skipped: Uint8Array;
}

/** Limits of a graph: portions, regions, and the regions and portions that all portions together depend on. */
const MAX_PORTIONS = 1 << 18;
const MAX_DEPENDENCIES = 1 << 22;

/**
 * Resolves the dependencies of kernel calls and plans them for a number of devices.
 *
 * @param calls In any order; a call may read what any call writes, itself included.
 * @throws RangeError for unknown or duplicate names, regions written twice or outside a resource, circular dependencies, and
 * graphs of more than 262,144 portions or 4,194,304 dependencies.
 * @example
 * const plan = planGraph(
 *   [
 *     { name: 'blur', space: [6, 4], writes: [{ resource: 'blurred' }] },
 *     { name: 'edges', space: [6, 4], reads: [{ resource: 'blurred', regions: withinRadius(1) }] },
 *   ],
 *   [{ name: 'blurred', regions: [6, 4] }],
 *   4,
 * );
 */
export function planGraph(calls: readonly KernelCall[], resources: readonly Resource[], devices: number): Plan {
  const callAt = new Map<string, { call: KernelCall; first: number }>();
  const work: Allowance = { left: MAX_DEPENDENCIES };
  let portions = 0;
  for (const call of calls) {
    if (callAt.has(call.name)) throw new RangeError(`Two kernel calls are named "${call.name}"`);
    callAt.set(call.name, { call, first: portions });
    portions += countPoints(call.space);
  }
  const resourceAt = new Map<string, { resource: Resource; first: number }>();
  let regions = 0;
  for (const resource of resources) {
    if (resourceAt.has(resource.name)) throw new RangeError(`Two resources are named "${resource.name}"`);
    resourceAt.set(resource.name, { resource, first: regions });
    regions += countPoints(resource.regions);
  }
  if (portions > MAX_PORTIONS || regions > MAX_PORTIONS)
    throw new RangeError(
      `The graph has ${portions} portions and ${regions} regions; the limit of each is ${MAX_PORTIONS}: make them larger`,
    );
  const find = (name: string) => known(resourceAt, name, 'resource');
  const outputs: number[][] = [];
  const writer = new Int32Array(regions).fill(-1);
  for (const call of calls) {
    for (const index of indices(call.space)) {
      const written = (call.writes ?? []).flatMap((write) => writtenBy(call, index, write, find(write.resource), work));
      for (const region of written) {
        if (writer[region]! >= 0) throw new RangeError(`Call "${call.name}" writes a region that is already written`);
        writer[region] = outputs.length;
      }
      outputs.push(written);
    }
  }
  const needs: number[][] = [];
  const inputs: number[][] = [];
  const skipped = new Uint8Array(portions);
  for (const call of calls) {
    for (const index of indices(call.space)) {
      const needed = new Set<number>();
      const read = new Set<number>();
      let ignored = false;
      for (const access of call.reads ?? []) {
        const { resource, first } = find(access.resource);
        const found = resolveDependency(
          access.regions ?? sameIndex,
          index,
          resource.regions,
          access.outside ?? 'clamp',
          work,
        );
        ignored ||= found.ignored;
        for (const number of found.numbers) {
          const region = first + number;
          read.add(region);
          if (writer[region]! >= 0) needed.add(access.grain === 'region' ? portions + region : writer[region]!);
        }
      }
      for (const after of call.after ?? []) {
        const other = known(callAt, after.call, 'kernel call');
        const found = resolveDependency(
          after.portions ?? sameIndex,
          index,
          other.call.space,
          after.outside ?? 'clamp',
          work,
        );
        ignored ||= found.ignored;
        for (const number of found.numbers) needed.add(other.first + number);
      }
      if (ignored && call.ignored === 'skip') skipped[needs.length] = 1;
      needs.push([...needed]);
      inputs.push([...read]);
    }
  }
  const result: Plan = {
    devices,
    calls: calls.map((call) => plannedCall(call, callAt.get(call.name)!.first, devices)),
    portions,
    regions,
    resources: resources.map(({ name, regions: extents }) => ({
      name,
      first: resourceAt.get(name)!.first,
      count: countPoints(extents),
    })),
    needs: lists(needs),
    inputs: lists(inputs),
    outputs: lists(outputs),
    writer,
    skipped,
  };
  // Throws for circular dependencies.
  topologicalOrder(result);
  return result;
}

/** Returns one of many lists. */
export function getList(of: Lists, owner: number): Uint32Array {
  return of.items.subarray(of.start[owner]!, of.start[owner + 1]!);
}

/** Returns the call that a portion belongs to. */
export function findCall(of: Plan, portion: number): PlannedCall {
  return of.calls.findLast(({ first }) => first <= portion)!;
}

/** Orders portions so that each follows all that it depends on. @throws RangeError for circular dependencies. */
export function topologicalOrder(of: Plan): Uint32Array {
  const waiting = new Uint32Array(of.portions);
  const dependents: number[][] = Array.from({ length: of.portions }, () => []);
  for (let portion = 0; portion < of.portions; portion++) {
    for (const need of getList(of.needs, portion)) {
      const producer = need < of.portions ? need : of.writer[need - of.portions]!;
      dependents[producer]!.push(portion);
      waiting[portion]!++;
    }
  }
  const order = new Uint32Array(of.portions);
  let end = 0;
  for (let portion = 0; portion < of.portions; portion++) if (waiting[portion] === 0) order[end++] = portion;
  for (let at = 0; at < end; at++) {
    for (const portion of dependents[order[at]!]!) if (--waiting[portion]! === 0) order[end++] = portion;
  }
  if (end < of.portions) throw new RangeError(`${of.portions - end} portions depend on each other in a circle`);
  return order;
}

function writtenBy(
  call: KernelCall,
  index: number[],
  write: Write,
  to: { resource: Resource; first: number },
  work: Allowance,
): number[] {
  const found = resolveDependency(write.regions ?? sameIndex, index, to.resource.regions, 'ignore', work);
  if (found.ignored) {
    throw new RangeError(`Portion (${index}) of "${call.name}" writes outside of "${write.resource}"`);
  }
  return found.numbers.map((number) => to.first + number);
}

function plannedCall(call: KernelCall, first: number, devices: number): PlannedCall {
  const count = countPoints(call.space);
  const sequential = call.order === 'in order';
  const curve = sequential ? Uint32Array.from({ length: count }, (_, i) => i) : closedCurve(call.space);
  const allowed = Array.from({ length: devices }, (_, device) => call.devices?.includes(device) ?? true);
  const able = allowed.flatMap((yes, device) => (yes ? [device] : []));
  if (able.length === 0) throw new RangeError(`No device can run "${call.name}"`);
  const walked = sequential ? sequentialPaths(able.length) : devicePaths(able.length, count);
  const path = (device: number) => walked[able.indexOf(device)] ?? { start: 0, step: 1 as const };
  const planned = { name: call.name, space: call.space, first, count, curve, allowed };
  const { cost } = call;
  const weights = cost ? { weights: Float64Array.from(indices(call.space), (index) => cost(index)) } : {};
  const every = { ...planned, ...weights, paths: allowed.map((_, device) => path(device)) };
  return call.allocation === 'static' ? { ...every, owner: shares(curve, able, walked) } : every;
}

/** Cuts the closed curve into one equal arc per device, in the order of the devices' starting points. */
function shares(curve: Uint32Array, able: readonly number[], walked: readonly Path[]): Uint16Array {
  const along = able
    .map((device, i) => ({ device, middle: walked[i]!.start + (walked[i]!.step > 0 ? 0.5 : -0.5), i }))
    .toSorted((a, b) => a.middle - b.middle || a.i - b.i);
  const owner = new Uint16Array(curve.length);
  for (const [position, portion] of curve.entries()) {
    owner[portion] = along[Math.floor((position * along.length) / curve.length)]!.device;
  }
  return owner;
}

function* indices(space: Extents): Iterable<number[]> {
  const count = countPoints(space);
  for (let number = 0; number < count; number++) yield toIndex(number, space);
}

function known<T>(among: ReadonlyMap<string, T>, name: string, what: string): T {
  const found = among.get(name);
  if (!found) throw new RangeError(`There is no ${what} named "${name}"`);
  return found;
}

function lists(of: readonly (readonly number[])[]): Lists {
  const start = new Uint32Array(of.length + 1);
  for (const [i, list] of of.entries()) start[i + 1] = start[i]! + list.length;
  return { start, items: Uint32Array.from(of.flat()) };
}
