// Thread that is a device of a graph run: claims portions and keeps what they write in its own memory.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { copiedBlocks, copiedInputs, type CopyLayout, MemoryMap, requestCopy, waitForCopy } from './copies.ts';
import { type DeviceOptions, deviceLoop } from './device.ts';
import { findCall, getList, type Plan } from './graph.ts';
import * as state from './shared-state.ts';
import { toIndex } from './index-space.ts';
import { now, type Span } from '../../threads/trace.ts';

/** Data that a device starts with. */
export interface GraphSetup {
  readonly device: number;
  readonly plan: Plan;
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Memory of each device. A device writes to its own and copies from the others'. */
  readonly memories: readonly SharedArrayBuffer[];
  readonly resources: readonly { readonly bytes: number; readonly data: SharedArrayBuffer | undefined }[];
  readonly kernels: string;
  readonly settings: unknown;
  readonly options: DeviceOptions;
  readonly attempts: number;
  /** By device: when it started its current portion, in milliseconds of `now()`; 0 if it has none. */
  readonly since: Float64Array;
  readonly traced: boolean;
  /** If set, a separate thread copies; with `push`, as soon as a region is written. */
  readonly copying?: {
    readonly cells: Int32Array<SharedArrayBuffer>;
    readonly layout: CopyLayout;
    readonly block: number;
    readonly push: boolean;
  };
}

/** What a device reports. */
export type ThreadMessage =
  | { readonly kind: 'span'; readonly span: Omit<Span, 'device'> }
  | { readonly kind: 'failed'; readonly portion: number; readonly attempt: number; readonly reason: string }
  | { readonly kind: 'over'; readonly copied: number };

/**
 * Executes one portion: reads the regions that it depends on and fills those that it writes.
 *
 * @example
 * export const kernels: Record<string, GraphKernel> = {
 *   invert: ({ inputs: [from], outputs: [to] }) => from!.forEach((value, i) => (to![i] = 255 - value)),
 * };
 */
export interface GraphKernel {
  (portion: {
    readonly index: readonly number[];
    readonly inputs: readonly Uint8Array[];
    readonly outputs: readonly Uint8Array[];
    readonly settings: unknown;
    readonly device: number;
    /** Returns bytes `from` to `to` of an input: from this device's memory if they have been copied, else from where they were written. */
    readonly read: (input: number, from: number, to: number) => Uint8Array;
  }): void | Promise<void>;
  /** Whether it may start while its inputs are being copied. `inputs` are then the memory in which they were written. */
  readonly whileCopying?: boolean;
}

const setup = workerData as GraphSetup;
const { plan, device, memories } = setup;
const words = state.atomicWords(setup.words);
const layout = state.stateLayout(plan);
const module = (await import(setup.kernels)) as { readonly kernels: Readonly<Record<string, GraphKernel>> };
const map = new MemoryMap(
  plan,
  setup.resources.map(({ bytes }) => bytes),
);
const { copying } = setup;
const cells = copying && state.atomicWords(copying.cells);
const have = new Uint8Array(plan.regions);
let copied = 0;

const post = (message: ThreadMessage): void => parentPort!.postMessage(message, []);
function span(activity: Span['activity'], name: string, start: number, details?: Record<string, unknown>): void {
  if (setup.traced)
    post({ kind: 'span', span: { activity, name, start, end: now(), ...(details ? { details } : {}) } });
}

for (const effect of deviceLoop(words, plan, layout, device, setup.options)) {
  const start = now();
  if (effect.kind === 'wait') {
    Atomics.wait(setup.words, effect.at, effect.value);
    span('wait', 'wait', start);
  } else if (effect.kind === 'prefetch') {
    if (cells) requestInputs(effect.portion);
    else copyInputs(effect.portion, 'prefetch');
  } else await execute(effect.portion);
}
post({ kind: 'over', copied });

async function execute(portion: number): Promise<void> {
  const { name, first, space } = findCall(plan, portion);
  const attempt = state.attemptOf(words.load(layout.portions + portion));
  const index = toIndex(portion - first, space);
  const begun = now();
  setup.since[device] = begun;
  const kernel = module.kernels[name]!;
  if (cells) awaitInputs(portion, kernel.whileCopying === true);
  else copyInputs(portion, 'copy');
  const start = now();
  try {
    const regions = [...getList(plan.inputs, portion)];
    const inputs = regions.map((region) => view(region, isLocal(region)));
    const outputs = Array.from(getList(plan.outputs, portion), (region) => view(region, true));
    const read = (input: number, from: number, to: number) =>
      view(regions[input]!, isLocal(regions[input]!, to)).subarray(from, to);
    await kernel({ index, inputs, outputs, settings: setup.settings, device, read });
    for (const region of getList(plan.outputs, portion)) have[region] = 1;
    state.completePortion(words, plan, layout, portion, device);
    pushOutputs(portion);
    span('run', `${name} (${index})`, start, { index, attempt });
  } catch (error) {
    span('run', `${name} (${index})`, start, { index, attempt, outcome: messageOf(error) });
    if (attempt >= setup.attempts) {
      post({ kind: 'failed', portion, attempt, reason: messageOf(error) });
      state.stopWork(words, state.FAILED, portion);
    } else state.release(words, layout, portion, device);
  } finally {
    setup.since[device] = 0;
  }
}

/** Copies the inputs that are written but not in this memory. */
function copyInputs(portion: number, why: 'copy' | 'prefetch'): void {
  for (const region of getList(plan.inputs, portion)) {
    if (have[region] === 1 || plan.writer[region]! < 0) continue;
    const holder = words.load(layout.regions + region) - 1;
    if (holder < 0) continue;
    const start = now();
    view(region, true).set(map.view(memories[holder]!, region));
    have[region] = 1;
    copied++;
    span('copy', `${why} region ${region}`, start, { region, from: `device ${holder + 1}` });
  }
}

/** Requests copies of the inputs that are written. */
function requestInputs(portion: number): void {
  for (const region of copiedInputs(plan, portion)) {
    if (have[region] === 1 || words.load(layout.regions + region) <= 0) continue;
    requestCopy(cells!, copying!.layout, device, region);
  }
}

/** Requests copies of the inputs and waits for them, unless the kernel may start while they are copied. */
function awaitInputs(portion: number, whileCopying: boolean): void {
  requestInputs(portion);
  if (whileCopying) return;
  const start = now();
  let waited = false;
  for (const region of copiedInputs(plan, portion)) {
    if (have[region] === 1 || words.load(layout.regions + region) <= 0) continue;
    for (const { at, value } of waitForCopy(cells!, copying!.layout, device, region)) {
      waited = true;
      Atomics.wait(copying!.cells, at, value);
    }
    have[region] = 1;
  }
  if (waited) span('wait', 'wait for copies', start);
}

/** Requests copies of what a portion has written to all devices. */
function pushOutputs(portion: number): void {
  if (!copying?.push) return;
  for (const region of getList(plan.outputs, portion))
    for (let other = 0; other < memories.length; other++)
      if (other !== device && words.load(layout.regions + region) === device + 1)
        requestCopy(cells!, copying.layout, other, region);
}

/** Whether a region, or its first bytes, are in this device's memory. */
function isLocal(region: number, bytes = Number.POSITIVE_INFINITY): boolean {
  if (have[region] === 1) return true;
  if (!cells || plan.writer[region]! < 0) return false;
  const blocks = copiedBlocks(cells, copying!.layout, device, region);
  if (blocks === copying!.layout.blocks[region]) have[region] = 1;
  return have[region] === 1 || blocks * copying!.block >= bytes;
}

/** Returns a region in this device's memory, or else where it was written or in the input data. */
function view(region: number, own: boolean): Uint8Array {
  if (own) return map.view(memories[device]!, region);
  const holder = words.load(layout.regions + region) - 1;
  if (holder >= 0) return map.view(memories[holder]!, region);
  const { which, number } = map.resourceOf(region);
  const { bytes, data } = setup.resources[which]!;
  return data ? new Uint8Array(data, number * bytes, bytes) : new Uint8Array(bytes);
}
