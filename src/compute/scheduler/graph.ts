import { closedCurve, inOrder, type Path, paths } from './curve.ts';
import { type Dependency, resolve, same } from './dependency.ts';
import { countOf, type Extents, type Index, indexOf, type Outside } from './space.ts';

/** Something kernels read and write, split into regions; each region is written by one portion of one kernel call. */
export interface Resource {
  readonly name: string;
  readonly regions: Extents;
}

/** What each portion reads of a resource. */
export interface Read {
  readonly resource: string;
  /** Default: the region with the portion's own index. */
  readonly regions?: Dependency;
  /** Default `clamp`. */
  readonly outside?: Outside;
  /** Wait for the portion that writes a region (default), or only for the region, which it may publish earlier. */
  readonly grain?: 'portion' | 'region';
}

export interface Write {
  readonly resource: string;
  /** Default: the region with the portion's own index. Regions outside the resource are an error. */
  readonly regions?: Dependency;
}

/** A dependency on the completion of another call's portions, without data: any sort of work may wait for any other. */
export interface After {
  readonly call: string;
  readonly portions?: Dependency;
  readonly outside?: Outside;
}

/** One call of a kernel over an index space. */
export interface KernelCall {
  readonly name: string;
  readonly space: Extents;
  readonly reads?: readonly Read[];
  readonly writes?: readonly Write[];
  readonly after?: readonly After[];
  /** A portion with an ignored dependency: run without waiting for it (default), or leave it out. */
  readonly ignored?: 'run' | 'skip';
  /** Devices that can run it, by number; default all. */
  readonly devices?: readonly number[];
  /** `dynamic`: free devices take what is left along their curves. `static`: equal shares of the curve, decided before. */
  readonly allocation?: 'dynamic' | 'static';
  /** `curve`: devices keep to neighbourhoods. `in order`: the earliest portion that is left comes first. */
  readonly order?: 'curve' | 'in order';
  /** Estimated cost of a portion, in any unit: in the last call the costliest are then begun first. */
  readonly cost?: (index: Index) => number;
}

/** Lists of numbers of many owners in two arrays: the list of owner i is items[start[i]] … items[start[i + 1] − 1]. */
export interface Lists {
  readonly start: Uint32Array;
  readonly items: Uint32Array;
}

export interface PlannedCall {
  readonly name: string;
  readonly space: Extents;
  /** Number of its first portion among all portions; its portions follow in row-major order. */
  readonly first: number;
  readonly count: number;
  /** Local portion numbers along the closed curve, and every device's path on it. */
  readonly curve: Uint32Array;
  readonly paths: readonly Path[];
  readonly allowed: readonly boolean[];
  /** Device of each local portion under static allocation. */
  readonly owner?: Uint16Array;
  /** Estimated cost of each local portion. */
  readonly weights?: Float64Array;
}

/**
 * A graph of kernel calls with every dependency worked out: plain data that can be sent to devices.
 * Portions and regions are numbered through; `needs` holds portion numbers, and region numbers plus `portions`.
 */
export interface Plan {
  readonly devices: number;
  readonly calls: readonly PlannedCall[];
  readonly portions: number;
  readonly regions: number;
  readonly resources: readonly { readonly name: string; readonly first: number; readonly count: number }[];
  /** Dependency data that a portion waits for: portion p as p, region r as portions + r. */
  readonly needs: Lists;
  /** Regions that a portion reads, and writes. */
  readonly inputs: Lists;
  readonly outputs: Lists;
  /** Portion that writes a region, or −1 where it is given from outside. */
  readonly writer: Int32Array;
  /** 1 for portions that are left out. */
  readonly skipped: Uint8Array;
}

/**
 * Works out the plan of `calls` on `devices` devices. A call may read what itself or any call writes.
 * Throws RangeError for unknown names, doubly written regions, writes outside, and circular dependencies.
 */
export function plan(calls: readonly KernelCall[], resources: readonly Resource[], devices: number): Plan {
  const callAt = new Map<string, { call: KernelCall; first: number }>();
  let portions = 0;
  for (const call of calls) {
    if (callAt.has(call.name)) throw new RangeError(`two kernel calls are named "${call.name}"`);
    callAt.set(call.name, { call, first: portions });
    portions += countOf(call.space);
  }
  const resourceAt = new Map<string, { resource: Resource; first: number }>();
  let regions = 0;
  for (const resource of resources) {
    if (resourceAt.has(resource.name)) throw new RangeError(`two resources are named "${resource.name}"`);
    resourceAt.set(resource.name, { resource, first: regions });
    regions += countOf(resource.regions);
  }
  const find = (name: string) => known(resourceAt, name, 'resource');
  const outputs: number[][] = [];
  const writer = new Int32Array(regions).fill(-1);
  for (const call of calls) {
    for (const index of indices(call.space)) {
      const written = (call.writes ?? []).flatMap((write) => writtenBy(call, index, write, find(write.resource)));
      for (const region of written) {
        if (writer[region]! >= 0) throw new RangeError(`call "${call.name}" writes a region that is already written`);
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
        const found = resolve(access.regions ?? same, index, resource.regions, access.outside ?? 'clamp');
        ignored ||= found.ignored;
        for (const number of found.numbers) {
          const region = first + number;
          read.add(region);
          if (writer[region]! >= 0) needed.add(access.grain === 'region' ? portions + region : writer[region]!);
        }
      }
      for (const after of call.after ?? []) {
        const other = known(callAt, after.call, 'kernel call');
        const found = resolve(after.portions ?? same, index, other.call.space, after.outside ?? 'clamp');
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
      count: countOf(extents),
    })),
    needs: lists(needs),
    inputs: lists(inputs),
    outputs: lists(outputs),
    writer,
    skipped,
  };
  refuseCycles(result);
  return result;
}

/** The numbers in the list of one owner. */
export function listOf(of: Lists, owner: number): Uint32Array {
  return of.items.subarray(of.start[owner]!, of.start[owner + 1]!);
}

/** The call that a portion belongs to. */
export function callOf(of: Plan, portion: number): PlannedCall {
  return of.calls.findLast(({ first }) => first <= portion)!;
}

/** Portions in an order that respects every dependency: what a single device would run. Throws RangeError on a circle. */
export function sequence(of: Plan): Uint32Array {
  const waiting = new Uint32Array(of.portions);
  const dependents: number[][] = Array.from({ length: of.portions }, () => []);
  for (let portion = 0; portion < of.portions; portion++) {
    for (const need of listOf(of.needs, portion)) {
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
  if (end < of.portions) throw new RangeError(`${of.portions - end} portions wait for each other in a circle`);
  return order;
}

function refuseCycles(of: Plan): void {
  sequence(of);
}

function writtenBy(
  call: KernelCall,
  index: number[],
  write: Write,
  to: { resource: Resource; first: number },
): number[] {
  const found = resolve(write.regions ?? same, index, to.resource.regions, 'ignore');
  if (found.ignored) {
    throw new RangeError(`portion (${index}) of "${call.name}" writes outside of "${write.resource}"`);
  }
  return found.numbers.map((number) => to.first + number);
}

function plannedCall(call: KernelCall, first: number, devices: number): PlannedCall {
  const count = countOf(call.space);
  const sequential = call.order === 'in order';
  const curve = sequential ? Uint32Array.from({ length: count }, (_, i) => i) : closedCurve(call.space);
  const allowed = Array.from({ length: devices }, (_, device) => call.devices?.includes(device) ?? true);
  const able = allowed.flatMap((yes, device) => (yes ? [device] : []));
  if (able.length === 0) throw new RangeError(`no device can run "${call.name}"`);
  const walked = sequential ? inOrder(able.length) : paths(able.length, count);
  const path = (device: number) => walked[able.indexOf(device)] ?? { start: 0, step: 1 as const };
  const planned = { name: call.name, space: call.space, first, count, curve, allowed };
  const { cost } = call;
  const weights = cost ? { weights: Float64Array.from(indices(call.space), (index) => cost(index)) } : {};
  const every = { ...planned, ...weights, paths: allowed.map((_, device) => path(device)) };
  return call.allocation === 'static' ? { ...every, owner: shares(curve, able, walked) } : every;
}

/** Cuts the closed curve into equal arcs, one a device, in the order in which the devices' starts lie on it. */
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
  const count = countOf(space);
  for (let number = 0; number < count; number++) yield indexOf(number, space);
}

function known<T>(among: ReadonlyMap<string, T>, name: string, what: string): T {
  const found = among.get(name);
  if (!found) throw new RangeError(`there is no ${what} named "${name}"`);
  return found;
}

function lists(of: readonly (readonly number[])[]): Lists {
  const start = new Uint32Array(of.length + 1);
  for (const [i, list] of of.entries()) start[i + 1] = start[i]! + list.length;
  return { start, items: Uint32Array.from(of.flat()) };
}
