import { listOf, type Plan } from './graph.ts';

/** 32-bit words that all devices share. The protocol is written against this, so that a checker can stand in for memory. */
export interface Words {
  load(at: number): number;
  store(at: number, value: number): void;
  /** Writes `value` if the word holds `expected`; returns what it held. */
  exchange(at: number, expected: number, value: number): number;
  /** Adds, and returns what the word held before. */
  add(at: number, value: number): number;
  /** Wakes every device that waits on the word. */
  notify(at: number): void;
}

/** Where in the shared words everything stands. */
export interface Layout {
  /** One word a device: `ALIVE`, `RESERVED` or `RETIRED`. */
  readonly devices: number;
  /** Per call and device: steps along the device's path before which nothing is left. Hints: always verified by a full look. */
  readonly progress: number;
  /** One word a portion: see `stateOf`. */
  readonly portions: number;
  /** One word a region: 0 not written, else the device that holds it plus one; −1 never will be (its portion is left out). */
  readonly regions: number;
  readonly length: number;
}

/** Counts everything that could make waiting work ready; devices wait for it to move. */
export const EPOCH = 0;
/** 0 while the work goes on, else why it ended early. */
export const STOP = 1;
/** Portions from this number on may not be claimed yet. */
export const HORIZON = 2;
/** Portion whose failure ended the work, plus one. */
const CULPRIT = 3;

export const CANCELLED = 1;
export const FAILED = 2;
const FINISHED = 3;

export const ALIVE = 0;
const RESERVED = 1;
export const RETIRED = 2;

export const FREE = 0;
export const CLAIMED = 1;
export const DONE = 2;

/** Portion words: status in two bits, device + 1 in twelve (0: nobody yet), number of attempts in the rest. */
export const statusOf = (word: number): number => word & 3;
export const deviceOf = (word: number): number => ((word >>> 2) & 0xfff) - 1;
export const attemptOf = (word: number): number => word >>> 14;
const word = (status: number, device: number, attempt: number): number =>
  status | ((device + 1) << 2) | (attempt << 14);

const MOST_DEVICES = 4000;

export function layoutOf(plan: Plan): Layout {
  if (plan.devices < 1 || plan.devices > MOST_DEVICES)
    throw new RangeError(`1 to ${MOST_DEVICES} devices, not ${plan.devices}`);
  const devices = 4;
  const progress = devices + plan.devices;
  const portions = progress + plan.calls.length * plan.devices;
  const regions = portions + plan.portions;
  return { devices, progress, portions, regions, length: regions + plan.regions };
}

/** Shared words for a plan, with portions that are left out already settled and regions given from outside present. */
export function ledger(plan: Plan): Int32Array<SharedArrayBuffer> {
  const layout = layoutOf(plan);
  const words = new Int32Array(new SharedArrayBuffer(layout.length * Int32Array.BYTES_PER_ELEMENT));
  words[HORIZON] = plan.portions;
  for (let portion = 0; portion < plan.portions; portion++) {
    if (plan.skipped[portion] === 0) continue;
    words[layout.portions + portion] = word(DONE, -1, 0);
    for (const region of listOf(plan.outputs, portion)) words[layout.regions + region] = -1;
  }
  return words;
}

/** Shared memory of this process as `Words`. */
export function atomics(words: Int32Array<SharedArrayBuffer>): Words {
  return {
    load: (at) => Atomics.load(words, at),
    store: (at, value) => void Atomics.store(words, at, value),
    exchange: (at, expected, value) => Atomics.compareExchange(words, at, expected, value),
    add: (at, value) => Atomics.add(words, at, value),
    notify: (at) => void Atomics.notify(words, at),
  };
}

/** Says that something has changed that others may wait for. */
export function signal(words: Words): void {
  words.add(EPOCH, 1);
  words.notify(EPOCH);
}

/** Whether all dependency data that the portion needs has been written. */
export function ready(words: Words, plan: Plan, layout: Layout, portion: number): boolean {
  for (const need of listOf(plan.needs, portion)) {
    const held = words.load(layout.portions + need);
    // Regions follow portions in the words, so that `portions + need` addresses either.
    if (need < plan.portions ? statusOf(held) !== DONE : held === 0) return false;
  }
  return true;
}

/** Takes a free portion for a device; false where another was faster. */
export function claim(words: Words, layout: Layout, portion: number, device: number): boolean {
  const at = layout.portions + portion;
  const held = words.load(at);
  if (statusOf(held) !== FREE) return false;
  return words.exchange(at, held, word(CLAIMED, device, attemptOf(held) + 1)) === held;
}

/** Writes that a region is complete in the device's memory, before its portion is. */
export function publish(words: Words, layout: Layout, region: number, device: number): void {
  if (words.exchange(layout.regions + region, 0, device + 1) === 0) signal(words);
}

/**
 * Writes a finished portion's dependency data: its regions, then "done". False where the portion had been given to
 * another device in the meantime: then this device's result does not count.
 */
export function complete(words: Words, plan: Plan, layout: Layout, portion: number, device: number): boolean {
  const at = layout.portions + portion;
  const held = words.load(at);
  if (statusOf(held) !== CLAIMED || deviceOf(held) !== device) return false;
  for (const region of listOf(plan.outputs, portion)) words.exchange(layout.regions + region, 0, device + 1);
  const done = words.exchange(at, held, word(DONE, device, attemptOf(held))) === held;
  if (done) signal(words);
  return done;
}

/** Whether the portion is claimed by the device. */
export function holds(words: Words, layout: Layout, portion: number, device: number): boolean {
  const held = words.load(layout.portions + portion);
  return statusOf(held) === CLAIMED && deviceOf(held) === device;
}

/** Gives a claimed portion back, for any device to take. */
export function giveBack(words: Words, layout: Layout, portion: number, device: number): void {
  const at = layout.portions + portion;
  const held = words.load(at);
  if (statusOf(held) !== CLAIMED || deviceOf(held) !== device) return;
  words.exchange(at, held, word(FREE, device, attemptOf(held)));
  signal(words);
}

/** Ends the work early: devices stop after the portion they are at. The first reason stays. */
export function stop(words: Words, reason: typeof CANCELLED | typeof FAILED | typeof FINISHED, culprit = -1): void {
  if (words.exchange(STOP, 0, reason) === 0) words.store(CULPRIT, culprit + 1);
  signal(words);
}

/** Sets a device aside for other work (it finishes the portion it is at), or takes it back. */
export function reserve(words: Words, layout: Layout, device: number, aside: boolean): void {
  words.exchange(layout.devices + device, aside ? ALIVE : RESERVED, aside ? RESERVED : ALIVE);
  signal(words);
}

/**
 * Takes a failed device out and gives its portions to the others. With `memoryLost` also those it had finished and whose
 * regions only it holds are computed again; then the device must have ended for good before the call. Without, its memory
 * must stay readable. Returns how many portions were freed.
 */
export function retire(words: Words, plan: Plan, layout: Layout, device: number, memoryLost = false): number {
  words.store(layout.devices + device, RETIRED);
  let freed = 0;
  for (let portion = 0; portion < plan.portions; portion++) {
    const at = layout.portions + portion;
    const held = words.load(at);
    if (deviceOf(held) !== device || statusOf(held) === FREE) continue;
    const regions = memoryLost ? listOf(plan.outputs, portion) : [];
    if (statusOf(held) === DONE && regions.length === 0) continue;
    for (const region of regions) words.exchange(layout.regions + region, device + 1, 0);
    if (words.exchange(at, held, word(FREE, device, attemptOf(held))) === held) freed++;
  }
  for (let at = layout.progress; at < layout.portions; at++) words.store(at, 0);
  signal(words);
  return freed;
}
