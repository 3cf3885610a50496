import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { COPIED, createCopyLayout, stopCopying, MemoryMap } from './copies.ts';
import type { CopyMessage, CopySetup } from './copy-thread.ts';
import type { DeviceOptions } from './device.ts';
import { findCall, type KernelCall, planGraph, type Plan, type Resource } from './graph.ts';
import type { GraphSetup, ThreadMessage } from './device-thread.ts';
import { toIndex } from './index-space.ts';
import * as state from './shared-state.ts';
import { threadModule } from '../../threads/rpc-worker.ts';
import { now, type Trace } from '../../threads/trace.ts';

/** A resource whose regions all have one size. */
export interface SizedResource extends Resource {
  readonly bytes: number;
  /** Input data of regions that no call writes, in row-major order. */
  readonly data?: SharedArrayBuffer;
}

/** A graph of kernel calls, and how to run it. */
export interface GraphRun {
  readonly calls: readonly KernelCall[];
  readonly resources: readonly SizedResource[];
  /** Number of devices: worker threads, each with a memory of its own. */
  readonly devices: number;
  /** Module that exports `kernels`: a `GraphKernel` per call, by name. */
  readonly kernels: URL;
  /** Passed to every kernel. */
  readonly settings?: unknown;
  readonly options?: DeviceOptions;
  /**
   * If set, a separate thread copies regions in blocks (of `block` bytes, default 64 KiB) while devices work; else each device copies the
   * inputs of a portion before it starts. With `push`, every region is copied to all devices as soon as it is written. Kernels with
   * `whileCopying` start before their inputs are copied.
   */
  readonly copying?: { readonly push?: boolean; readonly block?: number };
  /** Milliseconds on one portion after which a device is considered stuck; default never. */
  readonly stuckAfter?: number;
  /** Attempts per portion before the run fails; default 3. */
  readonly attempts?: number;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
}

/** What a graph run produced. */
export interface GraphResult {
  /** Returns a region's bytes. @throws RangeError for an unknown resource. */
  region(resource: string, number: number): Uint8Array;
  /** By portion: the device that ran it. */
  readonly devices: Int32Array;
  /** Number of regions copied between devices. */
  readonly copied: number;
  /** Devices that ended, failed or were stuck. */
  readonly retired: readonly number[];
}

/**
 * Runs a graph of kernel calls on worker threads with memories of their own. A portion waits only for what it depends on; inputs that
 * another device holds are copied, in advance if possible. A device that ends, fails or is stuck is retired, and the others take over
 * its portions (its memory stays readable).
 *
 * @throws The signal's reason when aborted; PlaybyplayError `portion-failed` if a portion failed too often, `no-device-left` if all
 *   devices were retired.
 * @example
 * const result = await runGraph({
 *   calls: [{ name: 'invert', space: [4], reads: [{ resource: 'image' }], writes: [{ resource: 'negative' }] }],
 *   resources: [
 *     { name: 'image', regions: [4], bytes: 1024, data: new SharedArrayBuffer(4096) },
 *     { name: 'negative', regions: [4], bytes: 1024 },
 *   ],
 *   devices: 2,
 *   kernels: new URL('./kernels.js', import.meta.url),
 * });
 * result.region('negative', 0);
 */
export async function runGraph(run: GraphRun): Promise<GraphResult> {
  run.signal?.throwIfAborted();
  const planned = planGraph(run.calls, run.resources, run.devices);
  const shared = state.createState(planned);
  const sizes = run.resources.map((resource) => resource.bytes);
  const map = new MemoryMap(planned, sizes);
  const memories = Array.from({ length: run.devices }, () => new SharedArrayBuffer(map.size));
  const at = new Float64Array(new SharedArrayBuffer(8 * run.devices));
  const setup: Omit<GraphSetup, 'device'> = {
    plan: planned,
    words: shared,
    memories,
    resources: run.resources.map(({ bytes, data }) => ({ bytes, data })),
    kernels: run.kernels.href,
    settings: run.settings,
    options: run.options ?? {},
    attempts: run.attempts ?? 3,
    since: at,
    traced: run.trace !== undefined,
    ...(run.copying ? { copying: copyingOf(planned, sizes, run.copying) } : {}),
  };
  const pool = new DevicePool(run, planned, shared, setup);
  await pool.finished();
  return {
    copied: pool.copied,
    retired: [...pool.retired],
    devices: Int32Array.from({ length: planned.portions }, (_, portion) =>
      state.deviceOf(shared[state.stateLayout(planned).portions + portion]!),
    ),
    region: (resource, number) => regionOf(run.resources, planned, shared, { map, memories }, resource, number),
  };
}

function copyingOf(
  planned: Plan,
  bytes: readonly number[],
  { push = false, block = DEFAULT_BLOCK_BYTES }: NonNullable<GraphRun['copying']>,
) {
  const layout = createCopyLayout(planned, bytes, block);
  return { cells: new Int32Array(new SharedArrayBuffer(4 * layout.length)), layout, block, push };
}

const DEFAULT_BLOCK_BYTES = 1 << 16;

/** The threads of one run. */
class DevicePool {
  readonly retired = new Set<number>();
  copied = 0;
  private readonly run: GraphRun;
  private readonly plan: Plan;
  private readonly layout;
  private readonly words;
  private readonly since: Float64Array;
  private readonly workers: Worker[];
  private readonly copying: GraphSetup['copying'];
  private readonly copier: Worker | undefined;
  private readonly left: Set<number>;
  private readonly over = Promise.withResolvers<void>();
  private failure: unknown;

  constructor(run: GraphRun, planned: Plan, shared: Int32Array<SharedArrayBuffer>, setup: Omit<GraphSetup, 'device'>) {
    this.run = run;
    this.plan = planned;
    this.layout = state.stateLayout(planned);
    this.words = state.atomicWords(shared);
    this.since = setup.since;
    this.left = new Set(Array.from({ length: run.devices }, (_, device) => device));
    this.copying = setup.copying;
    this.copier = setup.copying && this.openCopier(setup, setup.copying);
    const module = threadModule(import.meta.url, './device-thread');
    this.workers = Array.from({ length: run.devices }, (_, device) => {
      const worker = new Worker(module, { name: `device ${device + 1}`, workerData: { ...setup, device } });
      worker.on('message', (message: ThreadMessage) => this.receive(device, message));
      worker.on('error', (error) => this.retire(device, error));
      worker.on('exit', (code) => this.retire(device, new Error(`device ${device + 1} ended with exit code ${code}`)));
      return worker;
    });
  }

  private openCopier(setup: Omit<GraphSetup, 'device'>, { cells, layout, block }: NonNullable<GraphSetup['copying']>) {
    const { plan: planned, words, memories, resources, traced } = setup;
    const bytes = resources.map((resource) => resource.bytes);
    const workerData: CopySetup = { plan: planned, words, cells, layout, block, memories, bytes, traced };
    const copier = new Worker(threadModule(import.meta.url, './copy-thread'), { name: 'copies', workerData });
    copier.on('message', ({ to, span }: CopyMessage) =>
      this.run.trace?.span({ ...span, device: `copies to device ${to + 1}` }),
    );
    copier.on('error', (error) => this.fail(error));
    return copier;
  }

  async finished(): Promise<void> {
    const { signal, stuckAfter } = this.run;
    const abort = () => this.fail(signal!.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const watch = stuckAfter === undefined ? undefined : setInterval(() => this.checkStuck(stuckAfter), stuckAfter / 4);
    try {
      await this.over.promise;
    } finally {
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
      state.stopWork(this.words, state.CANCELLED);
      await Promise.all(this.workers.map((worker) => worker.terminate()));
      if (this.copying) stopCopying(state.atomicWords(this.copying.cells));
      // Wait for its last messages, which belong to the trace.
      if (this.copier) await this.ended(this.copier);
      this.copied += this.copying?.cells[COPIED] ?? 0;
    }
    if (this.failure !== undefined) throw this.failure;
  }

  private async ended(copier: Worker): Promise<void> {
    if (this.failure !== undefined) await copier.terminate();
    else if (copier.threadId !== -1) await once(copier, 'exit');
  }

  private receive(device: number, message: ThreadMessage): void {
    if (message.kind === 'span') {
      this.run.trace?.span({ ...message.span, device: `device ${device + 1}` });
    } else if (message.kind === 'failed') {
      const { name, first, space } = findCall(this.plan, message.portion);
      const where = `portion (${toIndex(message.portion - first, space)}) of "${name}"`;
      const times = message.attempt === 1 ? 'once' : `${message.attempt} times`;
      this.fail(new PlaybyplayError('portion-failed', `${where} failed ${times}: ${message.reason}`));
    } else {
      this.copied += message.copied;
      this.left.delete(device);
      if (this.left.size === 0) this.over.resolve();
    }
  }

  private checkStuck(stuckAfter: number): void {
    for (const device of this.left) {
      const begun = this.since[device]!;
      if (begun === 0 || now() - begun < stuckAfter) continue;
      const late = new Error(`device ${device + 1} has not finished its portion within ${stuckAfter} ms`);
      void this.workers[device]!.terminate().then(() => this.retire(device, late));
    }
  }

  /** Retires a device that has ended early. */
  private retire(device: number, reason: unknown): void {
    if (!this.left.delete(device)) return;
    this.retired.add(device);
    state.retireDevice(this.words, this.plan, this.layout, device);
    this.run.trace?.mark(`device ${device + 1}`, 'retired', undefined, { reason: messageOf(reason) });
    if (this.left.size > 0) return;
    const done = Array.from({ length: this.plan.portions }, (_, portion) =>
      state.statusOf(this.words.load(this.layout.portions + portion)),
    ).every((status) => status === state.DONE);
    if (done) this.over.resolve();
    else this.fail(new PlaybyplayError('no-device-left', `every device has failed; the last: ${messageOf(reason)}`));
  }

  private fail(reason: unknown): void {
    this.failure ??= reason;
    state.stopWork(this.words, state.FAILED);
    this.over.resolve();
  }
}

function regionOf(
  resources: readonly SizedResource[],
  planned: Plan,
  words: Int32Array,
  { map, memories }: { readonly map: MemoryMap; readonly memories: readonly SharedArrayBuffer[] },
  name: string,
  number: number,
): Uint8Array {
  const which = planned.resources.findIndex((resource) => resource.name === name);
  if (which < 0) throw new RangeError(`There is no resource named "${name}"`);
  const { bytes, data } = resources[which]!;
  const region = planned.resources[which]!.first + number;
  const holder = words[state.stateLayout(planned).regions + region]! - 1;
  if (holder >= 0) return map.view(memories[holder]!, region);
  return data ? new Uint8Array(data, number * bytes, bytes) : new Uint8Array(bytes);
}
