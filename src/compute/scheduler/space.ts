/** A point of an n-dimensional index space: column first, then row, then the outer dimensions. */
export type Index = readonly number[];

/** How many portions (or regions) lie along each dimension, in the order of `Index`. */
export type Extents = readonly number[];

/** The number of points. Throws RangeError unless every extent is a positive integer. */
export function countOf(extents: Extents): number {
  if (extents.length === 0) throw new RangeError('an index space needs at least one dimension');
  for (const extent of extents) {
    if (!Number.isSafeInteger(extent) || extent < 1)
      throw new RangeError(`extents must be positive integers: ${extents}`);
  }
  return extents.reduce((product, extent) => product * extent, 1);
}

/** Row-major number of a point that lies inside; the first dimension runs fastest. */
export function numberOf(index: Index, extents: Extents): number {
  let number = 0;
  for (let d = extents.length - 1; d >= 0; d--) number = number * extents[d]! + index[d]!;
  return number;
}

/** The point with that row-major number. */
export function indexOf(number: number, extents: Extents): number[] {
  const index: number[] = [];
  let rest = number;
  for (const extent of extents) {
    index.push(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return index;
}

/** What a dependency outside the index space means: the nearest inside, the one from the other side, or none. */
export type Outside = 'clamp' | 'wrap' | 'ignore';

/** The point that `index` stands for, or undefined where it is outside and ignored. */
export function addressed(index: Index, extents: Extents, outside: Outside): number[] | undefined {
  const inside: number[] = [];
  for (const [d, extent] of extents.entries()) {
    const at = index[d]!;
    if (at >= 0 && at < extent) inside.push(at);
    else if (outside === 'clamp') inside.push(at < 0 ? 0 : extent - 1);
    else if (outside === 'wrap') inside.push(((at % extent) + extent) % extent);
    else return undefined;
  }
  return inside;
}
