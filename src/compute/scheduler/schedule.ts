import { PlaybyplayError, messageOf } from '../../errors.ts';
import { type Effect, deviceLoop } from './device.ts';
import { planGraph } from './graph.ts';
import * as state from './shared-state.ts';
import { now, type Trace } from './trace.ts';

/** Something that executes portions, one at a time: a worker thread, an execution provider. */
export interface Device {
  readonly name: string;
  /** Called once when the device has failed or is stuck, to end it; its late results are ignored. */
  retire?(reason: unknown): void | Promise<void>;
}

/** Thrown by `run` when the device itself has failed: it gets no more work, and its portion goes to another. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}

export interface Schedule<Portion, Result, D extends Device = Device> {
  readonly portions: readonly Portion[];
  readonly devices: readonly D[];
  /**
   * Executes one portion on one device. May be called again for the same portion on another device after a failure;
   * exactly one result counts. `signal` fires when the work is cancelled or the portion is taken away.
   */
  run(portion: Portion, device: D, context: RunContext): Promise<Result>;
  /** Portions that must be done before this one starts, by number; default none. */
  readonly dependencies?: (index: number) => Iterable<number>;
  /**
   * Regions by which portions depend on parts of each other: a portion that reads a region may start as soon as that is
   * there, which the portion that writes it may say long before it is done.
   */
  readonly regions?: {
    readonly count: number;
    readonly writes: (index: number) => Iterable<number>;
    readonly reads: (index: number) => Iterable<number>;
  };
  /** In which order results are yielded; default `in order`, that of the portions. */
  readonly order?: 'in order' | 'as finished';
  /** How many portions may be under way or finished beyond the oldest one not yet yielded; default four a device. */
  readonly ahead?: number;
  /** How often a portion is tried before the schedule fails; default 3. */
  readonly attempts?: number;
  /** Milliseconds after which a device that has neither finished its portion nor shown life counts as stuck; default never. */
  readonly stuckAfter?: number;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
  /** The portion's name in the trace; default its number. Undefined: it is not worth showing. */
  readonly label?: (portion: Portion, index: number) => string | undefined;
  /** Told when a device is taken out. */
  readonly onRetired?: (device: D, reason: unknown) => void;
}

export interface RunContext {
  readonly index: number;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Says that a region that this portion writes is complete; others need not wait for the rest. */
  publish(region: number): void;
  /** Says that the device is at work: its time until it counts as stuck begins anew. */
  alive(): void;
}

export interface Finished<Portion, Result, D extends Device = Device> {
  readonly index: number;
  readonly portion: Portion;
  readonly result: Result;
  readonly device: D;
}

/**
 * Executes every portion exactly once (as far as results count) on whichever device is free, the earliest portion first,
 * and yields the results, in the portions' order unless told otherwise. Portions of failed and stuck devices are given
 * to others. Leaving the loop early cancels what is under way. Throws the signal's reason when aborted, `portion-failed`
 * when a portion failed too often, `no-device-left` when all devices have failed.
 */
export async function* schedule<Portion, Result, D extends Device = Device>(
  options: Schedule<Portion, Result, D>,
): AsyncGenerator<Finished<Portion, Result, D>, void> {
  options.signal?.throwIfAborted();
  if (options.devices.length === 0) throw new RangeError('a schedule needs a device');
  if (options.portions.length === 0) return;
  const run = new Run(options);
  try {
    yield* run.results();
  } finally {
    await run.end();
  }
}

/** One schedule in progress: the shared words, and a loop for every device. */
class Run<Portion, Result, D extends Device> {
  private readonly options: Schedule<Portion, Result, D>;
  private readonly plan;
  private readonly layout;
  private readonly words;
  private readonly finished: Finished<Portion, Result, D>[] = [];
  private readonly loops: Promise<void>[];
  private readonly running = new Map<D, AbortController>();
  private readonly retired = new Set<D>();
  private readonly ahead: number;
  private wake = Promise.withResolvers<void>();
  private failure: unknown;
  private readonly cancel = () => this.fail(this.options.signal?.reason);

  constructor(options: Schedule<Portion, Result, D>) {
    this.options = options;
    const { portions, devices, dependencies, regions } = options;
    const after = dependencies
      ? [{ call: 'work', portions: ([index]: readonly number[]) => [...dependencies(index!)].map((other) => [other]) }]
      : [];
    const data = regions
      ? { reads: [{ ...access(regions.reads), grain: 'region' as const }], writes: [access(regions.writes)] }
      : {};
    const call = { name: 'work', space: [portions.length], order: 'in order' as const, after, ...data };
    this.plan = planGraph([call], regions ? [{ name: 'data', regions: [regions.count] }] : [], devices.length);
    this.layout = state.stateLayout(this.plan);
    const shared = state.atomicWords(state.createState(this.plan));
    this.words = { ...shared, notify: () => this.notify() };
    this.ahead = options.ahead ?? 4 * devices.length;
    if (!(this.ahead >= 1)) throw new RangeError(`ahead must be at least 1, not ${this.ahead}`);
    this.words.store(state.HORIZON, Math.min(this.ahead, portions.length));
    options.signal?.addEventListener('abort', this.cancel, { once: true });
    this.loops = devices.map((device, number) => this.drive(device, number));
  }

  async *results(): AsyncGenerator<Finished<Portion, Result, D>, void> {
    const { portions, order = 'in order' } = this.options;
    for (let yielded = 0; yielded < portions.length; yielded++) {
      let next: Finished<Portion, Result, D> | undefined;
      for (;;) {
        const woken = this.wake.promise;
        if (this.failure !== undefined) throw this.failure;
        const at =
          order === 'in order' ? this.finished.findIndex(({ index }) => index === yielded) : this.finished.length - 1;
        next = this.finished.splice(at, at < 0 ? 0 : 1)[0];
        if (next) break;
        await woken;
      }
      yield next;
      this.words.store(state.HORIZON, Math.min(yielded + 1 + this.ahead, portions.length));
      state.notifyAll(this.words);
    }
  }

  /** Stops whatever is under way and waits for the devices that still answer. */
  async end(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.cancel);
    state.stopWork(this.words, state.CANCELLED);
    for (const controller of this.running.values())
      controller.abort(this.failure ?? new Error('the schedule has ended'));
    await Promise.all(this.loops);
  }

  private async drive(device: D, number: number): Promise<void> {
    for (const effect of deviceLoop(this.words, this.plan, this.layout, number)) {
      const start = now();
      if (effect.kind === 'wait') {
        await this.changed(effect);
        this.options.trace?.span({ device: device.name, activity: 'wait', name: 'wait', start, end: now() });
      } else if (effect.kind === 'run') {
        await this.execute(device, number, effect.portion);
      }
      if (this.retired.has(device)) return;
    }
  }

  private async execute(device: D, number: number, index: number): Promise<void> {
    const { portions, trace, label, stuckAfter } = this.options;
    const portion = portions[index]!;
    const attempt = state.attemptOf(this.words.load(this.layout.portions + index));
    const controller = new AbortController();
    this.running.set(device, controller);
    const start = now();
    const stuck = Promise.withResolvers<never>();
    stuck.promise.catch(() => {});
    let signs = 0;
    const late = new DeviceError(`${device.name} has not finished within ${stuckAfter} ms`);
    // Where this thread itself was held up, signs of life wait behind the timer: they are heard first.
    const over = () => {
      const heard = signs;
      setImmediate(() => heard === signs && stuck.reject(late));
    };
    const timer = stuckAfter === undefined ? undefined : setTimeout(over, stuckAfter);
    const context: RunContext = {
      index,
      attempt,
      signal: controller.signal,
      publish: (region) => state.publishRegion(this.words, this.layout, region, number),
      alive: () => {
        signs++;
        timer?.refresh();
      },
    };
    const aborted = () => stuck.reject(controller.signal.reason);
    controller.signal.addEventListener('abort', aborted, { once: true });
    let outcome = 'done';
    try {
      const running = this.options.run(portion, device, context);
      const result = await Promise.race([running, stuck.promise]);
      if (state.completePortion(this.words, this.plan, this.layout, index, number)) {
        this.finished.push({ index, portion, result, device });
        this.notify();
      }
    } catch (error) {
      outcome = messageOf(error);
      await this.failed(device, number, index, attempt, error);
    } finally {
      clearTimeout(timer);
      this.running.delete(device);
      const name = label ? label(portion, index) : String(index);
      if (name !== undefined)
        trace?.span({
          device: device.name,
          activity: 'run',
          name,
          start,
          end: now(),
          details: { index, attempt, outcome },
        });
    }
  }

  private async failed(device: D, number: number, index: number, attempt: number, error: unknown): Promise<void> {
    if (this.words.load(state.STOP) !== 0) return;
    if (attempt >= (this.options.attempts ?? 3)) {
      const name = this.options.label?.(this.options.portions[index]!, index) ?? `portion ${index}`;
      this.fail(
        new PlaybyplayError('portion-failed', `${name} failed ${attempt} times: ${messageOf(error)}`, { cause: error }),
      );
    }
    if (!(error instanceof DeviceError)) {
      state.release(this.words, this.layout, index, number);
      return;
    }
    this.retired.add(device);
    this.running.get(device)?.abort(error);
    state.retireDevice(this.words, this.plan, this.layout, number);
    this.options.trace?.mark(device.name, 'retired', now(), { reason: error.message });
    this.options.onRetired?.(device, error);
    if (this.retired.size === this.options.devices.length) {
      this.fail(
        new PlaybyplayError('no-device-left', `every device has failed; the last: ${error.message}`, { cause: error }),
      );
    }
    await device.retire?.(error);
  }

  private fail(reason: unknown): void {
    this.failure ??= reason ?? new DOMException('aborted', 'AbortError');
    state.stopWork(this.words, state.FAILED);
    for (const controller of this.running.values()) controller.abort(this.failure);
    this.notify();
  }

  private notify(): void {
    this.wake.resolve();
    this.wake = Promise.withResolvers<void>();
  }

  private async changed({ at, value }: Effect & { readonly kind: 'wait' }): Promise<void> {
    while (this.words.load(at) === value) await this.wake.promise;
  }
}

/** Regions of a schedule, as those of a kernel call's resource. */
function access(of: (index: number) => Iterable<number>) {
  return { resource: 'data', regions: ([index]: readonly number[]) => [...of(index!)].map((region) => [region]) };
}
