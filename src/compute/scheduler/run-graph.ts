import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { COPIED, copyLayout, endCopies } from './copies.ts';
import type { CopyMessage, CopySetup } from './copy-thread.ts';
import type { DeviceOptions } from './device.ts';
import { callOf, type KernelCall, plan, type Plan, type Resource } from './graph.ts';
import type { GraphSetup, ThreadMessage } from './graph-thread.ts';
import { indexOf } from './space.ts';
import * as ledger from './ledger.ts';
import { MemoryMap } from './memory.ts';
import { moduleBeside } from './threads.ts';
import { now, type Trace } from './trace.ts';

/** A resource with the size of its regions, all alike. */
export interface SizedResource extends Resource {
  readonly bytes: number;
  /** Its content where no call writes it: every device can read it. */
  readonly data?: SharedArrayBuffer;
}

export interface GraphRun {
  readonly calls: readonly KernelCall[];
  readonly resources: readonly SizedResource[];
  /** Devices: threads, each with a memory of its own. */
  readonly devices: number;
  /** A module that exports `kernels`: a `GraphKernel` for every call, by name. */
  readonly kernels: URL;
  /** Sent to each device before the first portion: what its kernels ask for. */
  readonly settings?: unknown;
  readonly options?: DeviceOptions;
  /**
   * A thread of its own copies, in blocks, beside the work (else each device copies what it needs before it starts): what is
   * to be prefetched, what a portion needs, and with `push` every region to all devices as soon as it is written. Kernels
   * that say `whileCopying` start meanwhile and read the rest where it was written. `block`: bytes, default 64 KiB.
   */
  readonly copying?: { readonly push?: boolean; readonly block?: number };
  /** Milliseconds after which a device that is still at one portion counts as stuck; default never. */
  readonly stuckAfter?: number;
  /** How often a portion is tried before the run fails; default 3. */
  readonly attempts?: number;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
}

export interface GraphResult {
  /** A region's bytes, wherever they lie. */
  region(resource: string, number: number): Uint8Array;
  /** Which device ran each portion. */
  readonly devices: Int32Array;
  /** Regions copied from device to device. */
  readonly copied: number;
  readonly retired: readonly number[];
}

/**
 * Runs a graph of kernel calls on threads with memories of their own. A portion waits for the dependency data of what it
 * reads and for nothing else; what another device holds is copied, in advance where it can be. A device that ends, fails
 * or is stuck is taken out, and its portions go to the others (its memory stays readable).
 * Throws the signal's reason when aborted, `portion-failed`, `no-device-left`.
 */
export async function runGraph(run: GraphRun): Promise<GraphResult> {
  run.signal?.throwIfAborted();
  const planned = plan(run.calls, run.resources, run.devices);
  const shared = ledger.ledger(planned);
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
  const crew = new Crew(run, planned, shared, setup);
  await crew.finished();
  return {
    copied: crew.copied,
    retired: [...crew.retired],
    devices: Int32Array.from({ length: planned.portions }, (_, portion) =>
      ledger.deviceOf(shared[ledger.layoutOf(planned).portions + portion]!),
    ),
    region: (resource, number) => regionOf(run.resources, planned, shared, { map, memories }, resource, number),
  };
}

function copyingOf(
  planned: Plan,
  bytes: readonly number[],
  { push = false, block = BLOCK }: NonNullable<GraphRun['copying']>,
) {
  const layout = copyLayout(planned, bytes, block);
  return { cells: new Int32Array(new SharedArrayBuffer(4 * layout.length)), layout, block, push };
}

const BLOCK = 1 << 16;

/** The threads of one run. */
class Crew {
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
    this.layout = ledger.layoutOf(planned);
    this.words = ledger.atomics(shared);
    this.since = setup.since;
    this.left = new Set(Array.from({ length: run.devices }, (_, device) => device));
    this.copying = setup.copying;
    this.copier = setup.copying && this.openCopier(setup, setup.copying);
    const module = moduleBeside(import.meta.url, './graph-thread');
    this.workers = Array.from({ length: run.devices }, (_, device) => {
      const worker = new Worker(module, { name: `device ${device + 1}`, workerData: { ...setup, device } });
      worker.on('message', (message: ThreadMessage) => this.receive(device, message));
      worker.on('error', (error) => this.take(device, error));
      worker.on('exit', (code) => this.take(device, new Error(`device ${device + 1} ended with exit code ${code}`)));
      return worker;
    });
  }

  private openCopier(setup: Omit<GraphSetup, 'device'>, { cells, layout, block }: NonNullable<GraphSetup['copying']>) {
    const { plan: planned, words, memories, resources, traced } = setup;
    const bytes = resources.map((resource) => resource.bytes);
    const workerData: CopySetup = { plan: planned, words, cells, layout, block, memories, bytes, traced };
    const copier = new Worker(moduleBeside(import.meta.url, './copy-thread'), { name: 'copies', workerData });
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
    const watch = stuckAfter === undefined ? undefined : setInterval(() => this.look(stuckAfter), stuckAfter / 4);
    try {
      await this.over.promise;
    } finally {
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
      ledger.stop(this.words, ledger.CANCELLED);
      await Promise.all(this.workers.map((worker) => worker.terminate()));
      if (this.copying) endCopies(ledger.atomics(this.copying.cells));
      // Its last messages belong to the trace.
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
      const { name, first, space } = callOf(this.plan, message.portion);
      const where = `portion (${indexOf(message.portion - first, space)}) of "${name}"`;
      const times = message.attempt === 1 ? 'once' : `${message.attempt} times`;
      this.fail(new PlaybyplayError('portion-failed', `${where} failed ${times}: ${message.reason}`));
    } else {
      this.copied += message.copied;
      this.left.delete(device);
      if (this.left.size === 0) this.over.resolve();
    }
  }

  private look(stuckAfter: number): void {
    for (const device of this.left) {
      const begun = this.since[device]!;
      if (begun === 0 || now() - begun < stuckAfter) continue;
      const late = new Error(`device ${device + 1} has not finished its portion within ${stuckAfter} ms`);
      void this.workers[device]!.terminate().then(() => this.take(device, late));
    }
  }

  /** A device that has ended before its time. */
  private take(device: number, reason: unknown): void {
    if (!this.left.delete(device)) return;
    this.retired.add(device);
    ledger.retire(this.words, this.plan, this.layout, device);
    this.run.trace?.mark(`device ${device + 1}`, 'retired', undefined, { reason: messageOf(reason) });
    if (this.left.size > 0) return;
    const done = Array.from({ length: this.plan.portions }, (_, portion) =>
      ledger.statusOf(this.words.load(this.layout.portions + portion)),
    ).every((status) => status === ledger.DONE);
    if (done) this.over.resolve();
    else this.fail(new PlaybyplayError('no-device-left', `every device has failed; the last: ${messageOf(reason)}`));
  }

  private fail(reason: unknown): void {
    this.failure ??= reason;
    ledger.stop(this.words, ledger.FAILED);
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
  if (which < 0) throw new RangeError(`there is no resource named "${name}"`);
  const { bytes, data } = resources[which]!;
  const region = planned.resources[which]!.first + number;
  const holder = words[ledger.layoutOf(planned).regions + region]! - 1;
  if (holder >= 0) return map.view(memories[holder]!, region);
  return data ? new Uint8Array(data, number * bytes, bytes) : new Uint8Array(bytes);
}
