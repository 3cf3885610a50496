/** A piece of memory that is needed from instruction `first` to instruction `last`, both included. */
export interface Need {
  readonly size: number;
  readonly first: number;
  readonly last: number;
}

/** Pieces start at multiples of this many floats (64 bytes, a cache line). */
const ALIGNMENT = 16;

/**
 * Places pieces in one buffer so that no two overlap in both time and space: the largest first, each as low as it fits.
 * Returns their offsets and the buffer's size, in the unit of the sizes.
 */
export function place(needs: readonly Need[]): { readonly offsets: readonly number[]; readonly size: number } {
  const offsets = needs.map(() => 0);
  const placed: number[] = [];
  let size = 0;
  const order = needs.map((_, i) => i).toSorted((a, b) => needs[b]!.size - needs[a]!.size || a - b);
  for (const i of order) {
    const need = needs[i]!;
    const rivals = placed
      .filter((other) => needs[other]!.first <= need.last && needs[other]!.last >= need.first)
      .toSorted((a, b) => offsets[a]! - offsets[b]!);
    let at = 0;
    for (const rival of rivals) {
      if (at + need.size <= offsets[rival]!) break;
      at = Math.max(at, aligned(offsets[rival]! + needs[rival]!.size));
    }
    offsets[i] = at;
    placed.push(i);
    size = Math.max(size, at + need.size);
  }
  return { offsets, size: aligned(size) };
}

export function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}
