import type { Occurrence } from './occurrences.ts';
import type { StoredCount } from './store.ts';

/** Rows of numbers by template that are kept in memory. */
const MAX_CACHED_ROWS = 5_000_000;
/** Different values of a template whose events are counted by value. */
const MAX_VALUES = 2 ** 18;

/** How many events there are of each of many things: columns, as objects for millions of rows cost time and memory. */
export interface Counts {
  /** Ids of the things, ascending. */
  readonly ids: Int32Array;
  readonly certain: Int32Array;
  /** With tentative ones. */
  readonly all: Int32Array;
}

/** Puts the counts of rows into columns; the rows are ordered by id. */
export function toCounts<Row extends Pick<StoredCount, 'events' | 'tentative'>>(
  rows: readonly Row[],
  idOf: (row: Row) => number,
): Counts {
  return {
    ids: Int32Array.from(rows, idOf),
    certain: Int32Array.from(rows, ({ events }) => events),
    all: Int32Array.from(rows, ({ events, tentative }) => events + tentative),
  };
}

/** Sums of counts by id. */
export class Totals {
  #sums = new Float64Array(0);

  add({ ids, certain, all }: Counts, tentative: boolean): void {
    const numbers = tentative ? all : certain;
    const size = (ids.at(-1) ?? -1) + 1;
    if (size > this.#sums.length) {
      const sums = new Float64Array(Math.max(size, 2 * this.#sums.length));
      sums.set(this.#sums);
      this.#sums = sums;
    }
    for (let i = 0; i < ids.length; i++) this.#sums[ids[i]!]! += numbers[i]!;
  }

  /** The ids whose sum is not 0, ascending. */
  *entries(): Generator<readonly [id: number, sum: number], void, undefined> {
    const sums = this.#sums;
    for (let id = 0; id < sums.length; id++) if (sums[id] !== 0) yield [id, sums[id]!];
  }
}

/** How many events of a template have the same values. */
export interface ValueCounts {
  /** Of each value of the template a column. */
  readonly columns: readonly Float64Array[];
  readonly certain: Int32Array;
  /** With tentative ones. */
  readonly all: Int32Array;
}

type Branch = Map<number, Branch | number>;

/**
 * Counts the events of a template by their values.
 *
 * @param sessions The events of one session after another.
 * @param width Number of values of the template, at least one.
 * @returns `undefined` where too many are different.
 */
export async function countByValue(
  sessions: AsyncIterable<Iterable<Pick<Occurrence, 'values' | 'isTentative'>>>,
  width: number,
): Promise<ValueCounts | undefined> {
  const columns: number[][] = Array.from({ length: width }, () => []);
  const certain: number[] = [];
  const all: number[] = [];
  // By the first value, then the second, and so on; in the end the row.
  const tree: Branch = new Map();
  for await (const occurrences of sessions) {
    if (all.length > MAX_VALUES) return undefined;
    for (const { values, isTentative } of occurrences) {
      let branch = tree;
      for (let i = 0; i < width - 1; i++) {
        let next = branch.get(values[i]!) as Branch | undefined;
        if (!next) branch.set(values[i]!, (next = new Map()));
        branch = next;
      }
      const last = values[width - 1]!;
      let row = branch.get(last) as number | undefined;
      if (row === undefined) {
        branch.set(last, (row = all.length));
        for (let i = 0; i < width; i++) columns[i]!.push(values[i]!);
        certain.push(0);
        all.push(0);
      }
      all[row]!++;
      if (!isTentative) certain[row]!++;
    }
  }
  return {
    columns: columns.map((column) => Float64Array.from(column)),
    certain: Int32Array.from(certain),
    all: Int32Array.from(all),
  };
}

/** Rows of templates, as long as they are not too many. */
export class RowCache<Rows> {
  readonly #rows = new Map<number, Rows>();
  readonly #count: (rows: Rows) => number;
  #size = 0;

  /** @param count The number of rows. */
  constructor(count: (rows: Rows) => number) {
    this.#count = count;
  }

  async get(shape: number, load: () => Promise<Rows>): Promise<Rows> {
    if (this.#rows.has(shape)) return this.#rows.get(shape)!;
    const rows = await load();
    if (this.#size > MAX_CACHED_ROWS) this.clear();
    this.#rows.set(shape, rows);
    this.#size += this.#count(rows);
    return rows;
  }

  clear(): void {
    this.#rows.clear();
    this.#size = 0;
  }
}
