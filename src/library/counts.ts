import type { Occurrence } from './occurrences.ts';
import { PackedReader, PackedWriter } from './packed-bytes.ts';
import type { StoredCount } from './store.ts';
import type { ValueKind } from './templates.ts';

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

/** Counts events of a template by their values. */
export class ValueCounter {
  readonly #columns: readonly number[][];
  readonly #certain: number[] = [];
  readonly #all: number[] = [];
  /** By the first value, then the second, and so on; in the end the row. */
  readonly #tree: Branch = new Map();

  /** @param width Number of values that are counted, at least one: the first ones of the template. */
  constructor(width: number) {
    this.#columns = Array.from({ length: width }, () => []);
  }

  /** How many different values there are. */
  get size(): number {
    return this.#all.length;
  }

  /** Adds events with the same values. */
  add(values: ArrayLike<number>, certain: number, all: number): void {
    const width = this.#columns.length;
    let branch = this.#tree;
    for (let i = 0; i < width - 1; i++) {
      let next = branch.get(values[i]!) as Branch | undefined;
      if (!next) branch.set(values[i]!, (next = new Map()));
      branch = next;
    }
    const last = values[width - 1]!;
    let row = branch.get(last) as number | undefined;
    if (row === undefined) {
      branch.set(last, (row = this.#all.length));
      for (let i = 0; i < width; i++) this.#columns[i]!.push(values[i]!);
      this.#certain.push(0);
      this.#all.push(0);
    }
    this.#certain[row]! += certain;
    this.#all[row]! += all;
  }

  /** Adds what another counter counted. */
  addAll({ columns, certain, all }: ValueCounts): void {
    const values: number[] = [];
    for (let row = 0; row < all.length; row++) {
      for (let i = 0; i < columns.length; i++) values[i] = columns[i]![row]!;
      this.add(values, certain[row]!, all[row]!);
    }
  }

  toCounts(): ValueCounts {
    return {
      columns: this.#columns.map((column) => Float64Array.from(column)),
      certain: Int32Array.from(this.#certain),
      all: Int32Array.from(this.#all),
    };
  }
}

/**
 * Counts the events of a template by their values.
 *
 * @param sessions The events of one session after another.
 * @param width As of {@link ValueCounter}.
 * @returns `undefined` where too many are different.
 */
export async function countByValue(
  sessions: AsyncIterable<Iterable<Pick<Occurrence, 'values' | 'isTentative'>>>,
  width: number,
): Promise<ValueCounts | undefined> {
  const counter = new ValueCounter(width);
  for await (const occurrences of sessions) {
    if (counter.size > MAX_VALUES) return undefined;
    for (const { values, isTentative } of occurrences) counter.add(values, isTentative ? 0 : 1, 1);
  }
  return counter.toCounts();
}

/**
 * Packs counts without what no event has.
 *
 * @param kinds Of the values of the template.
 */
export function packValueCounts({ columns, certain, all }: ValueCounts, kinds: readonly ValueKind[]): Uint8Array {
  const writer = new PackedWriter();
  for (let row = 0; row < all.length; row++) {
    if (all[row] === 0) continue;
    for (const [index, column] of columns.entries()) {
      if (kinds[index] === 'number') writer.writeNumber(column[row]!);
      else writer.write(column[row]!);
    }
    writer.write(certain[row]!);
    writer.write(all[row]! - certain[row]!);
  }
  return writer.toBytes();
}

/**
 * Reads what `packValueCounts` packed.
 *
 * @param width As of {@link ValueCounter}.
 * @throws RangeError for bytes that end within a row.
 */
export function unpackValueCounts(bytes: Uint8Array, kinds: readonly ValueKind[], width: number): ValueCounts {
  const reader = new PackedReader(bytes);
  const columns: number[][] = Array.from({ length: width }, () => []);
  const areNumbers = kinds.map((kind) => kind === 'number');
  const certain: number[] = [];
  const all: number[] = [];
  while (!reader.isAtEnd) {
    for (let i = 0; i < width; i++) columns[i]!.push(areNumbers[i] ? reader.readNumber() : reader.read());
    certain.push(reader.read());
    all.push(certain.at(-1)! + reader.read());
  }
  return {
    columns: columns.map((column) => Float64Array.from(column)),
    certain: Int32Array.from(certain),
    all: Int32Array.from(all),
  };
}

/** Rows of templates, or of several together, as long as they are not too many. */
export class RowCache<Key, Rows> {
  readonly #rows = new Map<Key, Rows>();
  readonly #count: (rows: Rows) => number;
  #size = 0;

  /** @param count The number of rows. */
  constructor(count: (rows: Rows) => number) {
    this.#count = count;
  }

  async get(key: Key, load: () => Promise<Rows>): Promise<Rows> {
    if (this.#rows.has(key)) return this.#rows.get(key)!;
    const rows = await load();
    if (this.#size > MAX_CACHED_ROWS) this.clear();
    this.#rows.set(key, rows);
    this.#size += this.#count(rows);
    return rows;
  }

  clear(): void {
    this.#rows.clear();
    this.#size = 0;
  }
}
