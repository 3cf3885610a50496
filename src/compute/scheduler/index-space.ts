/** A point of an n-dimensional index space: column first, then row, then the outer dimensions. */
export type Index = readonly number[];

/** The size of an index space along each dimension, in the order of `Index`. */
export type Extents = readonly number[];

/** Counts the points of an index space. @throws RangeError unless every extent is a positive integer. */
export function countPoints(extents: Extents): number {
  if (extents.length === 0) throw new RangeError('An index space needs at least one dimension');
  for (const extent of extents) {
    if (!Number.isSafeInteger(extent) || extent < 1)
      throw new RangeError(`Extents must be positive integers, not ${extents.join(' × ')}`);
  }
  return extents.reduce((product, extent) => product * extent, 1);
}

/** Returns the row-major number of a point inside the space; the first dimension runs fastest. */
export function toNumber(index: Index, extents: Extents): number {
  let number = 0;
  for (let d = extents.length - 1; d >= 0; d--) number = number * extents[d]! + index[d]!;
  return number;
}

/** Returns the point with a row-major number. */
export function toIndex(number: number, extents: Extents): number[] {
  const index: number[] = [];
  let rest = number;
  for (const extent of extents) {
    index.push(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return index;
}

/** How a dependency outside the index space is resolved: to the nearest point inside, to the opposite side, or not at all. */
export type Outside = 'clamp' | 'wrap' | 'ignore';

/**
 * Resolves an index that may lie outside the space. Returns undefined if it does and is ignored.
 *
 * @example
 * resolveIndex([-1, 1], [6, 4], 'wrap'); // [5, 1]
 */
export function resolveIndex(index: Index, extents: Extents, outside: Outside): number[] | undefined {
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

/**
 * A function of a portion's index that returns the regions of a resource, or the portions of another call, on which the portion
 * depends. It may return points outside the space, see `Outside`. A superset of the true dependencies is correct but slower.
 */
export type Dependency = (index: Index) => Iterable<Index>;

/** Depends on the region with the portion's own index. */
export const sameIndex: Dependency = (index) => [index];

/** Depends on all regions within a radius: the full box, so radius 1 in two dimensions is 3 × 3. */
export function withinRadius(reach: number | readonly number[]): Dependency {
  return (index) => {
    const reaches = index.map((_, d) => (typeof reach === 'number' ? reach : reach[d]!));
    return box(
      index.map((at, d) => at - reaches[d]!),
      index.map((at, d) => at + reaches[d]!),
    );
  };
}

/** Depends on the region at an offset from the portion's index. */
export function atOffset(by: Index): Dependency {
  return (index) => [index.map((at, d) => at + by[d]!)];
}

/**
 * Depends on `span` regions along each dimension from `factor` times the index on. `scaledBy(2)` in two dimensions is downsampling: twice
 * the index with its right, lower and diagonal neighbors. `scaledBy(0.5)` is upsampling: half the index, rounded down.
 *
 * @param span Default: the factor, at least 1.
 */
export function scaledBy(factor: number, span = Math.max(1, Math.ceil(factor))): Dependency {
  return (index) => {
    const low = index.map((at) => Math.floor(at * factor));
    return box(
      low,
      low.map((at) => at + span - 1),
    );
  };
}

/** Depends on everything that any of the given dependencies returns. */
export function anyOf(...dependencies: readonly Dependency[]): Dependency {
  return function* (index) {
    for (const dependency of dependencies) yield* dependency(index);
  };
}

/** Depends on the whole resource: a barrier. */
export function allIndices(extents: Extents): Dependency {
  return () =>
    box(
      extents.map(() => 0),
      extents.map((extent) => extent - 1),
    );
}

/** How many points may still be visited. */
export interface Allowance {
  left: number;
}

/**
 * Returns the numbers of the regions that a portion depends on, each once, and whether any outside was ignored.
 *
 * @throws RangeError for a point of another number of dimensions, or if `allowance` is used up.
 */
export function resolveDependency(
  dependency: Dependency,
  index: Index,
  extents: Extents,
  outside: Outside,
  allowance?: Allowance,
): { readonly numbers: number[]; readonly ignored: boolean } {
  const numbers = new Set<number>();
  let ignored = false;
  for (const point of dependency(index)) {
    if (allowance && allowance.left-- <= 0)
      throw new RangeError('The portions of the graph depend on too many regions: make portions or regions larger');
    if (point.length !== extents.length) {
      throw new RangeError(`A dependency has ${point.length} dimensions, but the resource has ${extents.length}`);
    }
    const inside = resolveIndex(point, extents, outside);
    if (inside) numbers.add(toNumber(inside, extents));
    else ignored = true;
  }
  return { numbers: [...numbers], ignored };
}

/** Yields all points from `low` to `high`, both included. */
function* box(low: Index, high: Index): Iterable<Index> {
  const at = [...low];
  for (;;) {
    yield [...at];
    let d = 0;
    while (d < at.length && ++at[d]! > high[d]!) at[d] = low[d++]!;
    if (d === at.length) return;
  }
}
