/** Seeded pseudo-random numbers (mulberry32): the same seed gives the same game on any machine. */
export class Random {
  #state: number;

  /** @param seed Text: the numbers of two seeds are unrelated. */
  constructor(seed: string) {
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (const character of seed) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
    this.#state = hash;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** A number from 0 to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with a probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }

  /** The items in random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    return Array.from(items, () => left.splice(Math.floor(this.next() * left.length), 1)[0]!);
  }

  /** Times from `start` to `end`, `low` to `high` seconds apart. */
  times(start: number, end: number, low: number, high: number): number[] {
    const found: number[] = [];
    for (let t = start + this.between(0, high - low); t < end; t += this.between(low, high)) found.push(t);
    return found;
  }
}
