// A device of a graph run: a thread that claims portions by the shared words, and keeps what it makes in its own memory.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { arrived, copiedInputs, type CopyLayout, want, whole } from './copies.ts';
import { type DeviceOptions, work } from './device.ts';
import { callOf, listOf, type Plan } from './graph.ts';
import * as ledger from './ledger.ts';
import { MemoryMap } from './memory.ts';
import { indexOf } from './space.ts';
import { now, type Span } from './trace.ts';

/** What a device is told at its start. */
export interface GraphSetup {
  readonly device: number;
  readonly plan: Plan;
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Memory of each device, all regions in a row. A device writes its own and copies from the others'. */
  readonly memories: readonly SharedArrayBuffer[];
  readonly resources: readonly { readonly bytes: number; readonly data: SharedArrayBuffer | undefined }[];
  readonly kernels: string;
  readonly settings: unknown;
  readonly options: DeviceOptions;
  readonly attempts: number;
  /** When each device began the portion that it is at, in milliseconds of `now()`; 0: it is at none. */
  readonly since: Float64Array;
  readonly traced: boolean;
  /** Copies are made beside the work by a thread of their own, and where `push` is set as soon as a region is written. */
  readonly copying?: {
    readonly cells: Int32Array<SharedArrayBuffer>;
    readonly layout: CopyLayout;
    readonly block: number;
    readonly push: boolean;
  };
}

export type ThreadMessage =
  | { readonly kind: 'span'; readonly span: Omit<Span, 'device'> }
  | { readonly kind: 'failed'; readonly portion: number; readonly attempt: number; readonly reason: string }
  | { readonly kind: 'over'; readonly copied: number };

/** Executes one portion: reads the regions that it depends on and fills those that it writes, in the order of the plan. */
export interface GraphKernel {
  (portion: {
    readonly index: readonly number[];
    readonly inputs: readonly Uint8Array[];
    readonly outputs: readonly Uint8Array[];
    readonly settings: unknown;
    readonly device: number;
    /**
     * Bytes `from` to `to` of an input: in this device's memory as far as they have arrived, else where they were written.
     */
    readonly read: (input: number, from: number, to: number) => Uint8Array;
  }): void | Promise<void>;
  /** It may start while its inputs are still being copied; those `inputs` are then the memory in which they were written. */
  readonly whileCopying?: boolean;
}

const setup = workerData as GraphSetup;
const { plan, device, memories } = setup;
const words = ledger.atomics(setup.words);
const layout = ledger.layoutOf(plan);
const module = (await import(setup.kernels)) as { readonly kernels: Readonly<Record<string, GraphKernel>> };
const map = new MemoryMap(
  plan,
  setup.resources.map(({ bytes }) => bytes),
);
const { copying } = setup;
const cells = copying && ledger.atomics(copying.cells);
const have = new Uint8Array(plan.regions);
let copied = 0;

const post = (message: ThreadMessage): void => parentPort!.postMessage(message, []);
function span(activity: Span['activity'], name: string, start: number, details?: Record<string, unknown>): void {
  if (setup.traced)
    post({ kind: 'span', span: { activity, name, start, end: now(), ...(details ? { details } : {}) } });
}

for (const effect of work(words, plan, layout, device, setup.options)) {
  const start = now();
  if (effect.kind === 'wait') {
    Atomics.wait(setup.words, effect.at, effect.value);
    span('wait', 'wait', start);
  } else if (effect.kind === 'prefetch') {
    if (cells) order(effect.portion);
    else fetch(effect.portion, 'prefetch');
  } else await execute(effect.portion);
}
post({ kind: 'over', copied });

async function execute(portion: number): Promise<void> {
  const { name, first, space } = callOf(plan, portion);
  const attempt = ledger.attemptOf(words.load(layout.portions + portion));
  const index = indexOf(portion - first, space);
  const begun = now();
  setup.since[device] = begun;
  const kernel = module.kernels[name]!;
  if (cells) arrive(portion, kernel.whileCopying === true);
  else fetch(portion, 'copy');
  const start = now();
  try {
    const regions = [...listOf(plan.inputs, portion)];
    const inputs = regions.map((region) => view(region, isHere(region)));
    const outputs = Array.from(listOf(plan.outputs, portion), (region) => view(region, true));
    const read = (input: number, from: number, to: number) =>
      view(regions[input]!, isHere(regions[input]!, to)).subarray(from, to);
    await kernel({ index, inputs, outputs, settings: setup.settings, device, read });
    for (const region of listOf(plan.outputs, portion)) have[region] = 1;
    ledger.complete(words, plan, layout, portion, device);
    push(portion);
    span('run', `${name} (${index})`, start, { index, attempt });
  } catch (error) {
    span('run', `${name} (${index})`, start, { index, attempt, outcome: messageOf(error) });
    if (attempt >= setup.attempts) {
      post({ kind: 'failed', portion, attempt, reason: messageOf(error) });
      ledger.stop(words, ledger.FAILED, portion);
    } else ledger.giveBack(words, layout, portion, device);
  } finally {
    setup.since[device] = 0;
  }
}

/** Copies what is written and not here yet. */
function fetch(portion: number, why: 'copy' | 'prefetch'): void {
  for (const region of listOf(plan.inputs, portion)) {
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

/** Has what a portion reads, as far as it is written, copied beside the work. */
function order(portion: number): void {
  for (const region of copiedInputs(plan, portion)) {
    if (have[region] === 1 || words.load(layout.regions + region) <= 0) continue;
    want(cells!, copying!.layout, device, region);
  }
}

/** … and waits until it is there, unless the kernel can read where it was written meanwhile. */
function arrive(portion: number, meanwhile: boolean): void {
  order(portion);
  if (meanwhile) return;
  const start = now();
  let waited = false;
  for (const region of copiedInputs(plan, portion)) {
    if (have[region] === 1 || words.load(layout.regions + region) <= 0) continue;
    for (const { at, value } of whole(cells!, copying!.layout, device, region)) {
      waited = true;
      Atomics.wait(copying!.cells, at, value);
    }
    have[region] = 1;
  }
  if (waited) span('wait', 'wait for copies', start);
}

/** Has what a portion has written copied to all devices at once. */
function push(portion: number): void {
  if (!copying?.push) return;
  for (const region of listOf(plan.outputs, portion))
    for (let other = 0; other < memories.length; other++)
      if (other !== device && words.load(layout.regions + region) === device + 1)
        want(cells!, copying.layout, other, region);
}

/** Whether a region is in this device's memory, or at least its first bytes. */
function isHere(region: number, bytes = Number.POSITIVE_INFINITY): boolean {
  if (have[region] === 1) return true;
  if (!cells || plan.writer[region]! < 0) return false;
  const blocks = arrived(cells, copying!.layout, device, region);
  if (blocks === copying!.layout.blocks[region]) have[region] = 1;
  return have[region] === 1 || blocks * copying!.block >= bytes;
}

/** A region in this device's memory; or where it was written, or given from outside. */
function view(region: number, own: boolean): Uint8Array {
  if (own) return map.view(memories[device]!, region);
  const holder = words.load(layout.regions + region) - 1;
  if (holder >= 0) return map.view(memories[holder]!, region);
  const { which, number } = map.resourceOf(region);
  const { bytes, data } = setup.resources[which]!;
  return data ? new Uint8Array(data, number * bytes, bytes) : new Uint8Array(bytes);
}
