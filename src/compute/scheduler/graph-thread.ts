// A device of a graph run: a thread that claims portions by the shared words, and keeps what it makes in its own memory.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { type DeviceOptions, work } from './device.ts';
import { callOf, listOf, type Plan } from './graph.ts';
import * as ledger from './ledger.ts';
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
  }): void | Promise<void>;
}

const setup = workerData as GraphSetup;
const { plan, device, memories } = setup;
const words = ledger.atomics(setup.words);
const layout = ledger.layoutOf(plan);
const module = (await import(setup.kernels)) as { readonly kernels: Readonly<Record<string, GraphKernel>> };
const places = plan.resources.map(({ count }, i) => ({ bytes: setup.resources[i]!.bytes, count }));
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
    fetch(effect.portion, 'prefetch');
  } else await execute(effect.portion);
}
post({ kind: 'over', copied });

async function execute(portion: number): Promise<void> {
  const { name, first, space } = callOf(plan, portion);
  const attempt = ledger.attemptOf(words.load(layout.portions + portion));
  const index = indexOf(portion - first, space);
  const begun = now();
  setup.since[device] = begun;
  fetch(portion, 'copy');
  const start = now();
  try {
    const inputs = Array.from(listOf(plan.inputs, portion), (region) => view(region, have[region] === 1));
    const outputs = Array.from(listOf(plan.outputs, portion), (region) => view(region, true));
    await module.kernels[name]!({ index, inputs, outputs, settings: setup.settings, device });
    for (const region of listOf(plan.outputs, portion)) have[region] = 1;
    ledger.complete(words, plan, layout, portion, device);
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
    view(region, true).set(bytesIn(memories[holder]!, region));
    have[region] = 1;
    copied++;
    span('copy', `${why} region ${region}`, start, { region, from: `device ${holder + 1}` });
  }
}

/** A region in this device's memory; or where it was given from outside, or nobody will write it: its content there. */
function view(region: number, own: boolean): Uint8Array {
  const which = plan.resources.findLastIndex(({ first }) => first <= region);
  const { bytes, data } = setup.resources[which]!;
  if (own) return bytesIn(memories[device]!, region);
  const number = region - plan.resources[which]!.first;
  return data ? new Uint8Array(data, number * bytes, bytes) : new Uint8Array(bytes);
}

function bytesIn(memory: SharedArrayBuffer, region: number): Uint8Array {
  let at = 0;
  for (const [i, { first }] of plan.resources.entries()) {
    const { bytes, count } = places[i]!;
    if (region < first + count) return new Uint8Array(memory, at + (region - first) * bytes, bytes);
    at += bytes * count;
  }
  throw new RangeError(`there is no region ${region}`);
}
