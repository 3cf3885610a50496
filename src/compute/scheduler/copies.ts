import { getList, type Plan } from './graph.ts';
import type { Words } from './shared-state.ts';

/**
 * Layout of the words that control copies between devices' memories by a thread of its own. One word per device and region: 0 not
 * requested, 1 requested, 1 + n the first n blocks have been copied. Devices write the 1, the copy thread the rest.
 */
export interface CopyLayout {
  /** Number of blocks by region. */
  readonly blocks: Uint32Array;
  readonly regions: number;
  readonly length: number;
}

/** Incremented by every request. */
const REQUESTS = 0;
/** 1: stop. */
const OVER = 1;
/** Number of regions copied. */
export const COPIED = 2;
const CELLS = 3;

/**
 * Creates the layout for a plan.
 *
 * @param bytes Size of a region, by resource.
 * @param block Bytes per block.
 */
export function createCopyLayout(plan: Plan, bytes: readonly number[], block: number): CopyLayout {
  if (!(block >= 1)) throw new RangeError(`A block must have at least 1 byte, not ${block}`);
  const blocks = new Uint32Array(plan.regions);
  for (const [i, { first, count }] of plan.resources.entries())
    blocks.fill(Math.max(1, Math.ceil(bytes[i]! / block)), first, first + count);
  return { blocks, regions: plan.regions, length: CELLS + plan.devices * plan.regions };
}

/** Returns the position of the word of a device and region. */
function cellIndex({ regions }: CopyLayout, device: number, region: number): number {
  return CELLS + device * regions + region;
}

/** Requests a copy of a written region, unless it is requested or copied already. */
export function requestCopy(words: Words, layout: CopyLayout, device: number, region: number): void {
  if (words.exchange(cellIndex(layout, device, region), 0, 1) !== 0) return;
  words.add(REQUESTS, 1);
  words.notify(REQUESTS);
}

/** Returns how many blocks of a region have been copied. */
export function copiedBlocks(words: Words, layout: CopyLayout, device: number, region: number): number {
  return Math.max(0, words.load(cellIndex(layout, device, region)) - 1);
}

/** Yields what to wait for until a requested region is copied. */
export function* waitForCopy(
  words: Words,
  layout: CopyLayout,
  device: number,
  region: number,
): Generator<WaitRequest, void> {
  const at = cellIndex(layout, device, region);
  for (;;) {
    const value = words.load(at);
    if (value === layout.blocks[region]! + 1) return;
    yield { kind: 'wait', at, value };
  }
}

/** A request to sleep until the word changes from the value. */
export interface WaitRequest {
  readonly kind: 'wait';
  readonly at: number;
  readonly value: number;
}

/** What the copy thread has to do: wait, or copy one block to a device from the device that holds the region. */
export type CopyEffect =
  | WaitRequest
  | { readonly kind: 'copy'; readonly device: number; readonly region: number; readonly block: number };

/** Copies requested regions, block by block, until stopped. */
export function* copyRegions(words: Words, layout: CopyLayout): Generator<CopyEffect, void> {
  for (;;) {
    const bell = words.load(REQUESTS);
    let found = false;
    for (let at = CELLS; at < layout.length; at++) {
      if (words.load(OVER) !== 0) return;
      if (words.load(at) !== 1) continue;
      found = true;
      const region = (at - CELLS) % layout.regions;
      const device = (at - CELLS - region) / layout.regions;
      for (let block = 0; block < layout.blocks[region]!; block++) {
        yield { kind: 'copy', device, region, block };
        words.store(at, block + 2);
        words.notify(at);
      }
      words.add(COPIED, 1);
    }
    if (words.load(OVER) !== 0) return;
    if (!found) yield { kind: 'wait', at: REQUESTS, value: bell };
  }
}

/** Stops the copy thread. */
export function stopCopying(words: Words): void {
  words.store(OVER, 1);
  words.add(REQUESTS, 1);
  words.notify(REQUESTS);
}

/** Yields the regions that a portion reads and another portion writes, which may have to be copied. */
export function* copiedInputs(plan: Plan, portion: number): Iterable<number> {
  for (const region of getList(plan.inputs, portion)) if (plan.writer[region]! >= 0) yield region;
}

/** Positions of the regions in a device's memory: all resources in a row. */
export class MemoryMap {
  private readonly plan: Plan;
  private readonly bytes: readonly number[];
  private readonly starts: readonly number[];
  /** Total bytes. */
  readonly size: number;

  constructor(plan: Plan, bytes: readonly number[]) {
    this.plan = plan;
    this.bytes = bytes;
    const starts: number[] = [];
    let at = 0;
    for (const [i, { count }] of plan.resources.entries()) {
      starts.push(at);
      at += bytes[i]! * count;
    }
    this.starts = starts;
    this.size = at;
  }

  /** Returns the number of the resource that a region belongs to, and the region's number in it. */
  resourceOf(region: number): { readonly which: number; readonly number: number } {
    const which = this.plan.resources.findLastIndex(({ first }) => first <= region);
    if (region < 0 || which < 0 || region >= this.plan.regions) throw new RangeError(`There is no region ${region}`);
    return { which, number: region - this.plan.resources[which]!.first };
  }

  /** Returns a region's bytes in a memory. */
  view(memory: SharedArrayBuffer, region: number): Uint8Array {
    const { which, number } = this.resourceOf(region);
    const bytes = this.bytes[which]!;
    return new Uint8Array(memory, this.starts[which]! + number * bytes, bytes);
  }
}
