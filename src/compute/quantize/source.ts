import type { Term } from './exact.ts';

/** What is left of the sum after one block: the pass aims at −granularity/2 ≤ rest ≤ granularity/2. */
export interface BlockReport {
  readonly granularity: number;
  readonly values: number;
  readonly rest: number;
}

export interface SourceOptions {
  /** Increment where the rest is at least α · granularity; default ½. */
  readonly alpha?: number;
  /** Most values of a block; default 16. */
  readonly blockSize?: number;
}

/**
 * The greedy pass as published: mantissas are cut off, the residues of a block of equal granularity are added up and handed
 * out again as increments, the rest is carried to the next, finer block, and what is left after the last is spread over
 * it. Since it only increments, it misses its own bound where a block's residues are negative or too large.
 */
export function sourcePass(
  terms: readonly Term[],
  least: number,
  most: number,
  { alpha = 0.5, blockSize = 16 }: SourceOptions = {},
): { readonly mantissas: readonly number[]; readonly blocks: readonly BlockReport[] } {
  const mantissas = terms.map(({ scaled }) => Math.min(most, Math.max(least, Math.floor(scaled))));
  const granularity = (i: number): number => terms[i]!.weight * 2 ** terms[i]!.exponent;
  const order = terms.map((_, i) => i).toSorted((a, b) => granularity(b) - granularity(a) || a - b);
  const blocks: number[][] = [];
  for (const i of order) {
    const block = blocks.at(-1);
    if (block && block.length < blockSize && granularity(block[0]!) === granularity(i)) block.push(i);
    else blocks.push([i]);
  }
  let rest = 0;
  const reports: BlockReport[] = [];
  for (const block of blocks) {
    const g = granularity(block[0]!);
    for (const i of block) rest += g * (terms[i]!.scaled - mantissas[i]!);
    for (const i of block) {
      if (rest >= alpha * g && mantissas[i]! < most) {
        mantissas[i]!++;
        rest -= g;
      }
    }
    reports.push({ granularity: g, values: block.length, rest });
  }
  spread(blocks.at(-1) ?? [], granularity, rest, mantissas, least, most);
  return { mantissas, blocks: reports };
}

/** Hands the excess out over the last block, one step each in turn, as far as the mantissas go. */
function spread(
  block: readonly number[],
  granularity: (i: number) => number,
  rest: number,
  mantissas: number[],
  least: number,
  most: number,
): void {
  if (block.length === 0) return;
  let count = Math.round(Math.abs(rest) / granularity(block[0]!));
  const sign = Math.sign(rest);
  for (let moved = true; count > 0 && moved; ) {
    moved = false;
    for (const i of block) {
      const next = mantissas[i]! + sign;
      if (count === 0 || next < least || next > most) continue;
      mantissas[i] = next;
      count--;
      moved = true;
    }
  }
}
