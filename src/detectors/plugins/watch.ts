/** Plug-ins that are told apart. */
const MOST = 256;

/** In shared memory: how many calls have begun or ended so far, then for each plug-in how many are under way. */
export type Cells = Int32Array<SharedArrayBuffer>;

/** Allocates the cells in shared memory. */
export function newCells(): Cells {
  return new Int32Array(new SharedArrayBuffer(4 * (1 + MOST)));
}

/** A plug-in, by its place among those named, and what it did. */
export interface Verdict {
  readonly plugin: number;
  readonly reason: string;
}

/**
 * The calls into plug-ins that are under way in this thread. They are counted in shared memory, so that another thread sees
 * where this one stands still: a loop without end cannot be noticed from within.
 */
class Watch {
  cells: Cells = newCells();
  /** Plug-ins that are called no more, and why. */
  silenced: ReadonlyMap<number, string> = new Map();

  during<T>(plugin: number, call: () => T): T {
    const at = 1 + (plugin % MOST);
    this.#count(at, 1);
    let result: T;
    try {
      result = call();
    } catch (error) {
      this.#count(at, -1);
      throw error;
    }
    if (!(result instanceof Promise)) {
      this.#count(at, -1);
      return result;
    }
    return result.finally(() => this.#count(at, -1)) as T;
  }

  #count(at: number, by: 1 | -1): void {
    Atomics.add(this.cells, at, by);
    Atomics.add(this.cells, 0, 1);
  }
}

/** The watch of this thread. */
export const watch = new Watch();

/** The plug-in that a thread is in; undefined where it is in none. */
export function underWay(cells: Cells): number | undefined {
  for (let at = 1; at < cells.length; at++) if (Atomics.load(cells, at) > 0) return at - 1;
  return undefined;
}

/** Looks at a thread's calls time and again, and loses patience. */
export class Patience {
  readonly #cells: Cells;
  readonly #seconds: number;
  readonly #bytes: number;
  #still:
    | { readonly plugin: number; readonly calls: number; readonly since: number; readonly memory: number }
    | undefined;

  /** `seconds` that one call may take, and by how many `bytes` the process may grow meanwhile. */
  constructor(cells: Cells, seconds: number, bytes: number) {
    this.#cells = cells;
    this.#seconds = seconds;
    this.#bytes = bytes;
  }

  /** At `now` (milliseconds), the process having `memory` (bytes). */
  look(now: number, memory: number): Verdict | undefined {
    const plugin = underWay(this.#cells);
    const calls = Atomics.load(this.#cells, 0);
    if (plugin === undefined) {
      this.#still = undefined;
      return undefined;
    }
    if (this.#still?.plugin !== plugin || this.#still.calls !== calls) {
      this.#still = { plugin, calls, since: now, memory };
      return undefined;
    }
    if (memory - this.#still.memory > this.#bytes)
      return { plugin, reason: `it took more than ${(this.#bytes / 2 ** 30).toFixed(1)} GiB of memory` };
    return now - this.#still.since < 1000 * this.#seconds
      ? undefined
      : { plugin, reason: `it did not answer within ${this.#seconds} s` };
  }
}
