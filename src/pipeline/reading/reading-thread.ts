import { pathToFileURL } from 'node:url';
import { DeviceError } from '../../compute/scheduler/schedule.ts';
import { moduleBeside, ThreadDevice } from '../../compute/scheduler/threads.ts';
import { now } from '../../compute/scheduler/trace.ts';
import { newCells, Patience, underWay, type Verdict } from '../../detectors/plugins/watch.ts';
import type { Observation } from '../../detectors/kind.ts';
import { messageOf } from '../../errors.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { OpenRequest, ReadingNote } from './read-thread.ts';
import type { ReadContext, Reader } from './reader.ts';
import type { ReadRequest, SettleRequest } from './session.ts';
import type { LeftReading } from './sharing.ts';

/** What a thread opens, whoever it is. */
export type Opening = Omit<OpenRequest['open'], 'cells' | 'silenced'>;

/** By how much the process may grow during one call into a plug-in. */
const MOST_MEMORY = 2 * 2 ** 30;
/**
 * Megabytes of JavaScript's heap that a thread with plug-ins may fill. An array too large for what is left of it aborts the whole process, so it
 * must be out of reach of a thread that is looked at every tenth of a second.
 */
const MOST_HEAP = 4096;
/** Tries that a plug-in may spoil until it is called no more. */
const STRIKES = 3;
const NONE: ReadonlyMap<number, string> = new Map();

/**
 * Reads in a thread of its own. Where a plug-in does not come back, eats the memory or ends the thread, the thread is begun
 * anew and tries once more, since that may have been chance; then it reads that chunk without the plug-in. Whoever has spoilt
 * three tries is called no more.
 */
export class ReadingThread implements Reader {
  readonly thread = true;
  readonly name: string;
  readonly #open: Opening;
  /** Seconds that a call into a plug-in may take; undefined: there are none. */
  readonly #patience: number | undefined;
  readonly #strikes = new Map<number, number>();
  /** Plug-ins that the thread was opened without, and those that it shall never be opened with again. */
  #without = NONE;
  #never = NONE;
  #cells = newCells();
  #device: ThreadDevice;
  #verdict: Verdict | undefined;
  #retired = false;

  constructor(name: string, open: Opening, patience: number | undefined) {
    this.name = name;
    this.#open = open;
    this.#patience = patience;
    this.#device = this.#newDevice();
  }

  /** Opens recording and detectors; throws what that throws. */
  open(): Promise<void> {
    return this.#ask(() => this.#opened());
  }

  async read(request: ReadRequest, context: ReadContext): Promise<ChunkReadings> {
    // The plug-in that spoilt the chunk before gets another chance.
    if (this.#without.size > this.#never.size) await this.#ask(() => this.#anew(this.#never), aliveOf(context));
    let wanted = request;
    return await this.#ask(() => {
      const reading = this.#device.call<ChunkReadings>(wanted, optionsOf(context));
      // What the first try had left to others counts no more.
      const { share: _, ...alone } = request;
      wanted = alone;
      return reading;
    }, aliveOf(context));
  }

  async settle(left: readonly LeftReading[], context: ReadContext): Promise<ReadonlyMap<number, Observation>> {
    return await this.#ask(
      () => this.#device.call({ settle: left } satisfies SettleRequest, optionsOf(context)),
      aliveOf(context),
    );
  }

  async retire(reason?: unknown): Promise<void> {
    this.#retired = true;
    await this.#device.retire(reason);
  }

  /** Asks until there is an answer, without the plug-ins that have spoilt it twice. `alive` is told that it goes on. */
  async #ask<T>(ask: () => Promise<T>, alive: () => void = () => undefined): Promise<T> {
    const spoilt = new Set<number>();
    for (;;) {
      const stop = this.#guard(alive);
      try {
        return await ask();
      } catch (error) {
        const verdict = this.#judge(error);
        if (!verdict) throw this.#blamed(error);
        await this.#anew(this.#against(verdict, spoilt.has(verdict.plugin)));
        spoilt.add(verdict.plugin);
      } finally {
        stop();
      }
    }
  }

  #newDevice(): ThreadDevice {
    const limits = this.#patience === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP } };
    return new ThreadDevice(this.name, moduleBeside(import.meta.url, './read-thread'), limits);
  }

  async #opened(): Promise<void> {
    const open = { ...this.#open, cells: this.#cells, silenced: [...this.#without] };
    await this.#device.call({ open } satisfies OpenRequest);
  }

  async #anew(without: ReadonlyMap<number, string>): Promise<void> {
    await this.#device.retire();
    this.#without = without;
    this.#cells = newCells();
    this.#device = this.#newDevice();
    await this.open();
  }

  /** Watches the calls into plug-ins until it is stopped. Who waits for one, or for another thread, is alive. */
  #guard(alive: () => void): () => void {
    this.#verdict = undefined;
    if (this.#patience === undefined) return () => undefined;
    const device = this.#device;
    const cells = this.#cells;
    const patience = new Patience(cells, this.#patience, MOST_MEMORY);
    const look = (): void => {
      if (this.#retired) return;
      if (this.#device !== device || this.#verdict || underWay(cells) !== undefined) alive();
      if (this.#device !== device || this.#verdict) return;
      this.#verdict = patience.look(now(), process.memoryUsage.rss());
      if (this.#verdict) void device.retire();
    };
    const timer = setInterval(look, Math.min(100, 250 * this.#patience));
    return () => clearInterval(timer);
  }

  /** Which plug-in it was that ended the thread, if it was one. */
  #judge(error: unknown): Verdict | undefined {
    if (this.#patience === undefined || this.#retired || !(error instanceof DeviceError)) return undefined;
    if (this.#verdict) return this.#verdict;
    const { cause } = error;
    const plugin = underWay(this.#cells) ?? this.#mentioned(cause);
    // One that is called no more can still be at work by timers of its module: then the run cannot be saved.
    if (plugin === undefined || this.#without.has(plugin)) return undefined;
    const { code } = (cause ?? {}) as { readonly code?: unknown };
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { plugin, reason: 'it ran out of memory' };
    return { plugin, reason: cause ? `it threw outside of a call: ${messageOf(cause)}` : 'it ended the thread' };
  }

  /** The error, with the plug-in's name where it comes from one that is called no more: from a timer of its module. */
  #blamed(error: unknown): unknown {
    const plugin = error instanceof DeviceError && !this.#retired ? this.#mentioned(error.cause) : undefined;
    if (plugin === undefined) return error;
    const message = `the plug-in ${this.#open.plugins[plugin]} threw outside of a call: ${messageOf((error as DeviceError).cause)}`;
    return new DeviceError(message, { cause: error });
  }

  #mentioned(error: unknown): number | undefined {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const at = this.#open.plugins.findIndex((path) => stack.includes(path) || stack.includes(pathToFileURL(path).href));
    return at < 0 ? undefined : at;
  }

  /** The plug-ins to begin anew without; `again`: this one had its second chance. */
  #against({ plugin, reason }: Verdict, again: boolean): ReadonlyMap<number, string> {
    const strikes = (this.#strikes.get(plugin) ?? 0) + 1;
    this.#strikes.set(plugin, strikes);
    if (strikes >= STRIKES) this.#never = new Map([...this.#never, [plugin, reason]]);
    return new Map([...this.#without, ...this.#never, ...(again ? [[plugin, reason] as const] : [])]);
  }
}

function aliveOf({ onNote }: ReadContext): () => void {
  return () => onNote?.({ alive: true });
}

function optionsOf({ signal, onCopy, onNote }: ReadContext) {
  return {
    signal,
    ...(onCopy ? { onCopy } : {}),
    ...(onNote ? { onNote: (note: unknown) => onNote(note as ReadingNote) } : {}),
  };
}
