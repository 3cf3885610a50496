import { addressed, type Extents, type Index, numberOf, type Outside } from './space.ts';

/**
 * Which regions of a resource (or portions of another kernel) a portion depends on, from the portion's own index.
 * May name points outside; what these mean is decided by `Outside`. Any superset of the true need is correct, only slower.
 */
export type Dependency = (index: Index) => Iterable<Index>;

/** The region with the portion's own index. */
export const same: Dependency = (index) => [index];

/** All within `reach` along each dimension: the full box, so radius 1 in two dimensions is 3 × 3. */
export function radius(reach: number | readonly number[]): Dependency {
  return (index) => {
    const reaches = index.map((_, d) => (typeof reach === 'number' ? reach : reach[d]!));
    return box(
      index.map((at, d) => at - reaches[d]!),
      index.map((at, d) => at + reaches[d]!),
    );
  };
}

/** The region that lies `by` away. */
export function offset(by: Index): Dependency {
  return (index) => [index.map((at, d) => at + by[d]!)];
}

/**
 * `factor` times the index and the neighbours after it, `span` along each dimension (default: the factor).
 * scaled(2) in two dimensions is a downsampling: twice the index with its right, lower and diagonal neighbours.
 * A factor below one is an upsampling: scaled(0.5) is half the index, rounded down.
 */
export function scaled(factor: number, span = Math.max(1, Math.ceil(factor))): Dependency {
  return (index) => {
    const low = index.map((at) => Math.floor(at * factor));
    return box(
      low,
      low.map((at) => at + span - 1),
    );
  };
}

/** Everything that any of the given ones names. */
export function union(...dependencies: readonly Dependency[]): Dependency {
  return function* (index) {
    for (const dependency of dependencies) yield* dependency(index);
  };
}

/** The whole resource: a barrier, where one is needed. */
export function everything(extents: Extents): Dependency {
  return () =>
    box(
      extents.map(() => 0),
      extents.map((extent) => extent - 1),
    );
}

/** The regions a portion depends on, by number, each once, and whether any was ignored for lying outside. */
export function resolve(
  dependency: Dependency,
  index: Index,
  extents: Extents,
  outside: Outside,
): { readonly numbers: number[]; readonly ignored: boolean } {
  const numbers = new Set<number>();
  let ignored = false;
  for (const point of dependency(index)) {
    if (point.length !== extents.length) {
      throw new RangeError(`a dependency has ${point.length} dimensions where the resource has ${extents.length}`);
    }
    const inside = addressed(point, extents, outside);
    if (inside) numbers.add(numberOf(inside, extents));
    else ignored = true;
  }
  return { numbers: [...numbers], ignored };
}

/** All points from `low` to `high`, both included. */
function* box(low: Index, high: Index): Iterable<Index> {
  const at = [...low];
  for (;;) {
    yield [...at];
    let d = 0;
    while (d < at.length && ++at[d]! > high[d]!) at[d] = low[d++]!;
    if (d === at.length) return;
  }
}
