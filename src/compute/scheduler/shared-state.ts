import { getList, type Plan } from './graph.ts';

/** 32-bit words shared by all devices. Abstract, so that a model checker can stand in for memory. */
export interface Words {
  load(at: number): number;
  store(at: number, value: number): void;
  /** Compare-and-exchange: writes `value` if the word holds `expected`; returns the previous value. */
  exchange(at: number, expected: number, value: number): number;
  /** Adds; returns the previous value. */
  add(at: number, value: number): number;
  /** Wakes all devices that wait on the word. */
  notify(at: number): void;
}

/** Positions in the shared words. */
export interface Layout {
  /** One word per device: `ALIVE`, `RESERVED` or `RETIRED`. */
  readonly devices: number;
  /** One word per call and device: steps along the device's path before which no portion is free. A hint only. */
  readonly progress: number;
  /** One word per portion: status, device and attempts. */
  readonly portions: number;
  /** One word per region: 0 not written, device + 1 that holds it, or −1 never written because its portion is skipped. */
  readonly regions: number;
  readonly length: number;
}

/** Incremented by every change that may let a waiting device continue. */
export const EPOCH = 0;
/** 0 while work continues, else the reason for stopping. */
export const STOP = 1;
/** Only portions below this number may be claimed. */
export const HORIZON = 2;
/** The portion whose failure stopped the work, plus one. */
const CULPRIT = 3;

/** Value of `STOP`: the caller cancelled. */
export const CANCELLED = 1;
/** Value of `STOP`: a portion failed too often. */
export const FAILED = 2;
const FINISHED = 3;

/** Status of a device that takes portions. */
export const ALIVE = 0;
const RESERVED = 1;
/** Status of a device that takes no further portions. */
export const RETIRED = 2;

/** Status of a portion that can be claimed. */
export const FREE = 0;
/** Status of a portion that a device computes. */
export const CLAIMED = 1;
/** Status of a portion that is computed. */
export const DONE = 2;

/** Portion words: 2 bits status, 12 bits device + 1 (0: none yet), then the number of attempts. */
export const statusOf = (word: number): number => word & 3;
/** The device of a portion word; −1 if there is none. */
export const deviceOf = (word: number): number => ((word >>> 2) & 0xfff) - 1;
/** The number of attempts of a portion word. */
export const attemptOf = (word: number): number => word >>> 14;
const word = (status: number, device: number, attempt: number): number =>
  status | ((device + 1) << 2) | (attempt << 14);

const MAX_DEVICES = 4000;

/** Computes where the words of a plan lie in shared memory. */
export function stateLayout(plan: Plan): Layout {
  if (plan.devices < 1 || plan.devices > MAX_DEVICES)
    throw new RangeError(`The number of devices must be 1 to ${MAX_DEVICES}, not ${plan.devices}`);
  const devices = 4;
  const progress = devices + plan.devices;
  const portions = progress + plan.calls.length * plan.devices;
  const regions = portions + plan.portions;
  return { devices, progress, portions, regions, length: regions + plan.regions };
}

/** Creates the shared words of a plan. Skipped portions are done. */
export function createState(plan: Plan): Int32Array<SharedArrayBuffer> {
  const layout = stateLayout(plan);
  const words = new Int32Array(new SharedArrayBuffer(layout.length * Int32Array.BYTES_PER_ELEMENT));
  words[HORIZON] = plan.portions;
  for (let portion = 0; portion < plan.portions; portion++) {
    if (plan.skipped[portion] === 0) continue;
    words[layout.portions + portion] = word(DONE, -1, 0);
    for (const region of getList(plan.outputs, portion)) words[layout.regions + region] = -1;
  }
  return words;
}

/** Accesses shared memory with atomic operations. */
export function atomicWords(words: Int32Array<SharedArrayBuffer>): Words {
  return {
    load: (at) => Atomics.load(words, at),
    store: (at, value) => void Atomics.store(words, at, value),
    exchange: (at, expected, value) => Atomics.compareExchange(words, at, expected, value),
    add: (at, value) => Atomics.add(words, at, value),
    notify: (at) => void Atomics.notify(words, at),
  };
}

/** Wakes all waiting devices after a change. */
function notifyAll(words: Words): void {
  words.add(EPOCH, 1);
  words.notify(EPOCH);
}

/** Whether all dependencies of a portion are met. */
export function isReady(words: Words, plan: Plan, layout: Layout, portion: number): boolean {
  for (const need of getList(plan.needs, portion)) {
    const held = words.load(layout.portions + need);
    // Region words follow portion words, so `portions + need` addresses both.
    if (need < plan.portions ? statusOf(held) !== DONE : held === 0) return false;
  }
  return true;
}

/** Claims a free portion for a device; false if another was faster. */
export function claimPortion(words: Words, layout: Layout, portion: number, device: number): boolean {
  const at = layout.portions + portion;
  const held = words.load(at);
  if (statusOf(held) !== FREE) return false;
  return words.exchange(at, held, word(CLAIMED, device, attemptOf(held) + 1)) === held;
}

/** Marks a region as written in the device's memory, before its portion is done. */
export function publishRegion(words: Words, layout: Layout, region: number, device: number): void {
  if (words.exchange(layout.regions + region, 0, device + 1) === 0) notifyAll(words);
}

/**
 * Marks a portion's regions as written, then the portion as done. Returns false if the portion has been taken away from the device:
 * then its result does not count.
 */
export function completePortion(words: Words, plan: Plan, layout: Layout, portion: number, device: number): boolean {
  const at = layout.portions + portion;
  const held = words.load(at);
  if (statusOf(held) !== CLAIMED || deviceOf(held) !== device) return false;
  for (const region of getList(plan.outputs, portion)) words.exchange(layout.regions + region, 0, device + 1);
  const done = words.exchange(at, held, word(DONE, device, attemptOf(held))) === held;
  if (done) notifyAll(words);
  return done;
}

/** Whether a portion is claimed by the device. */
export function isClaimedBy(words: Words, layout: Layout, portion: number, device: number): boolean {
  const held = words.load(layout.portions + portion);
  return statusOf(held) === CLAIMED && deviceOf(held) === device;
}

/** Releases a claimed portion for any device to claim. */
export function release(words: Words, layout: Layout, portion: number, device: number): void {
  const at = layout.portions + portion;
  const held = words.load(at);
  if (statusOf(held) !== CLAIMED || deviceOf(held) !== device) return;
  words.exchange(at, held, word(FREE, device, attemptOf(held)));
  notifyAll(words);
}

/** Stops the work: devices finish their current portion. The first reason is kept. */
export function stopWork(words: Words, reason: typeof CANCELLED | typeof FAILED | typeof FINISHED, culprit = -1): void {
  if (words.exchange(STOP, 0, reason) === 0) words.store(CULPRIT, culprit + 1);
  notifyAll(words);
}

/** Reserves a device for other work after its current portion, or returns it. */
export function reserveDevice(words: Words, layout: Layout, device: number, aside: boolean): void {
  words.exchange(layout.devices + device, aside ? ALIVE : RESERVED, aside ? RESERVED : ALIVE);
  notifyAll(words);
}

/**
 * Retires a failed device and releases its portions.
 *
 * @param memoryLost Whether its memory is gone: then finished portions whose regions only it holds are computed again, and the device must
 *   have ended before the call.
 * @returns The number of portions released.
 */
export function retireDevice(words: Words, plan: Plan, layout: Layout, device: number, memoryLost = false): number {
  words.store(layout.devices + device, RETIRED);
  let freed = 0;
  for (let portion = 0; portion < plan.portions; portion++) {
    const at = layout.portions + portion;
    const held = words.load(at);
    if (deviceOf(held) !== device || statusOf(held) === FREE) continue;
    const regions = memoryLost ? getList(plan.outputs, portion) : [];
    if (statusOf(held) === DONE && regions.length === 0) continue;
    for (const region of regions) words.exchange(layout.regions + region, device + 1, 0);
    if (words.exchange(at, held, word(FREE, device, attemptOf(held))) === held) freed++;
  }
  for (let at = layout.progress; at < layout.portions; at++) words.store(at, 0);
  notifyAll(words);
  return freed;
}
