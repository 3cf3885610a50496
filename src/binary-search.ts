/**
 * Counts the leading elements of a sequence that fulfil a condition, by binary search.
 *
 * @param length Length of the sequence.
 * @param fulfils Whether the element at an index does; none does after one that does not.
 *
 * @example
 * countLeading(times.length, (i) => times[i] < 12.5); // index of the first time at or after 12.5
 */
export function countLeading(length: number, fulfils: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fulfils(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
