import { listOf, type Plan } from './graph.ts';
import type { Words } from './ledger.ts';

/**
 * Copies from device to device beside the work, by a thread of their own. In shared words stands for every device and
 * region how much of it has arrived: 0 nobody wants it, 1 it is wanted, 1 + n its first n blocks are there. Who wants a
 * region writes the 1, everything after that the copier, which rings when a block has arrived.
 */
export interface CopyLayout {
  /** Blocks of each region. */
  readonly blocks: Uint32Array;
  readonly regions: number;
  readonly length: number;
}

/** Moves whenever somebody wants something. */
const BELL = 0;
/** 1: the copier is to end. */
export const OVER = 1;
/** Regions that have been copied. */
export const COPIED = 2;
const CELLS = 3;

/** `bytes`: size of the regions of each resource. */
export function copyLayout(plan: Plan, bytes: readonly number[], block: number): CopyLayout {
  if (!(block >= 1)) throw new RangeError(`a block has at least one byte, not ${block}`);
  const blocks = new Uint32Array(plan.regions);
  for (const [i, { first, count }] of plan.resources.entries())
    blocks.fill(Math.max(1, Math.ceil(bytes[i]! / block)), first, first + count);
  return { blocks, regions: plan.regions, length: CELLS + plan.devices * plan.regions };
}

/** The word that says how much of a region has arrived at a device. */
export function cellOf({ regions }: CopyLayout, device: number, region: number): number {
  return CELLS + device * regions + region;
}

/** Asks for a region, which must be written; what is wanted already, or there, is left as it is. */
export function want(words: Words, layout: CopyLayout, device: number, region: number): void {
  if (words.exchange(cellOf(layout, device, region), 0, 1) !== 0) return;
  words.add(BELL, 1);
  words.notify(BELL);
}

/** How many blocks of a region have arrived. */
export function arrived(words: Words, layout: CopyLayout, device: number, region: number): number {
  return Math.max(0, words.load(cellOf(layout, device, region)) - 1);
}

/** Yields what to wait for until all of a region has arrived that was asked for. */
export function* whole(words: Words, layout: CopyLayout, device: number, region: number): Generator<Waiting, void> {
  const at = cellOf(layout, device, region);
  for (;;) {
    const value = words.load(at);
    if (value === layout.blocks[region]! + 1) return;
    yield { kind: 'wait', at, value };
  }
}

export interface Waiting {
  readonly kind: 'wait';
  readonly at: number;
  readonly value: number;
}

/** What the copier is to carry out: copy one block to a device from whoever holds the region. */
export type CopyEffect =
  | Waiting
  | { readonly kind: 'copy'; readonly device: number; readonly region: number; readonly block: number };

/** The copier: copies whatever is wanted, block by block, until it is told that it is over. */
export function* copier(words: Words, layout: CopyLayout): Generator<CopyEffect, void> {
  for (;;) {
    const bell = words.load(BELL);
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
    if (!found) yield { kind: 'wait', at: BELL, value: bell };
  }
}

/** Ends the copier. */
export function endCopies(words: Words): void {
  words.store(OVER, 1);
  words.add(BELL, 1);
  words.notify(BELL);
}

/** Regions that a portion reads and some portion writes: what may have to be copied. */
export function* copiedInputs(plan: Plan, portion: number): Iterable<number> {
  for (const region of listOf(plan.inputs, portion)) if (plan.writer[region]! >= 0) yield region;
}
