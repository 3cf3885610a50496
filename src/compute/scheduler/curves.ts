import { countPoints, type Extents, type Index, toNumber } from './index-space.ts';

/** A device's path along the shared closed curve: where it starts, and in which direction it goes. */
export interface Path {
  readonly start: number;
  readonly step: 1 | -1;
}

/**
 * Returns portion numbers along a closed space-filling curve: neighbors on the curve are neighbors in space. In two dimensions each
 * half of the space is filled by a generalized Hilbert curve, one forward and one back. One dimension is in order; more dimensions
 * follow the two-dimensional curve of each layer, alternately forward and back.
 */
export function closedCurve(extents: Extents): Uint32Array {
  const count = countPoints(extents);
  const order = new Uint32Array(count);
  let at = 0;
  for (const index of fill(extents)) order[at++] = toNumber(index, extents);
  return order;
}

/**
 * Distributes devices along a closed curve of `count` portions: pairs start at neighboring portions and run in opposite directions, and
 * pairs are evenly spread. Every device so stays in its neighborhood until it meets a device of the next pair.
 */
export function devicePaths(devices: number, count: number): Path[] {
  const pairs = Math.ceil(devices / 2);
  return Array.from({ length: devices }, (_, device) => {
    const pair = device % pairs;
    const start = Math.round((pair * count) / pairs) % count;
    const forward = (pair + Math.floor(device / pairs)) % 2 === 0;
    return forward ? { start, step: 1 } : { start: (start + count - 1) % count, step: -1 };
  });
}

/** Lets every device take the earliest portion that is left. */
export function sequentialPaths(devices: number): Path[] {
  return Array.from({ length: devices }, () => ({ start: 0, step: 1 }) as const);
}

/** Returns the position on the closed curve after `steps` steps along a path. */
export function curvePosition(path: Path, steps: number, count: number): number {
  return (((path.start + path.step * steps) % count) + count) % count;
}

function* fill(extents: Extents): Iterable<Index> {
  if (extents.length === 1) {
    for (let x = 0; x < extents[0]!; x++) yield [x];
    return;
  }
  const layer = [...loop(extents[0]!, extents[1]!)];
  const outer = extents.slice(2);
  const layers = outer.reduce((product, extent) => product * extent, 1);
  for (let number = 0; number < layers; number++) {
    const index = serpentine(number, outer);
    for (const point of number % 2 === 0 ? layer : layer.toReversed()) yield [...point, ...index];
  }
}

/** Returns point `number` of a walk through `extents` whose successive points are neighbors. */
function serpentine(number: number, extents: Extents): Index {
  const index: number[] = [];
  let rest = number;
  for (const extent of extents) {
    const turn = Math.floor(rest / extent);
    index.push(turn % 2 === 0 ? rest % extent : extent - 1 - (rest % extent));
    rest = turn;
  }
  return index;
}

/** Goes through the upper half from left to right and back through the lower half; by columns if the space is taller than wide. */
function loop(width: number, height: number): Index[] {
  if (height > width) return loop(height, width).map(([y, x]) => [x!, y!]);
  const upper = Math.ceil(height / 2);
  const there = hilbert([0, upper - 1], [width, 0], [0, -upper]);
  const back = height > upper ? hilbert([0, upper], [width, 0], [0, height - upper]).toReversed() : [];
  return [...there, ...back];
}

type Vector = readonly [number, number];

/**
 * Fills any rectangle with a generalized Hilbert curve (J. Červený's "gilbert" recursion) from `corner` along the major axis `a` to its
 * end, filling the minor axis `b`.
 */
function hilbert(corner: Vector, a: Vector, b: Vector): Vector[] {
  const width = Math.abs(a[0] + a[1]);
  const height = Math.abs(b[0] + b[1]);
  const unitA = unit(a);
  const unitB = unit(b);
  if (height === 1) return Array.from({ length: width }, (_, i) => plus(corner, times(unitA, i)));
  if (width === 1) return Array.from({ length: height }, (_, i) => plus(corner, times(unitB, i)));
  const halfA = Math.floor(width / 2);
  const halfB = Math.floor(height / 2);
  if (2 * width > 3 * height) {
    const first = times(unitA, halfA % 2 === 1 && width > 2 ? halfA + 1 : halfA);
    return [...hilbert(corner, first, b), ...hilbert(plus(corner, first), minus(a, first), b)];
  }
  const firstA = times(unitA, halfA);
  const firstB = times(unitB, halfB % 2 === 1 && height > 2 ? halfB + 1 : halfB);
  const turn = plus(plus(corner, minus(a, unitA)), minus(firstB, unitB));
  return [
    ...hilbert(corner, firstB, firstA),
    ...hilbert(plus(corner, firstB), a, minus(b, firstB)),
    ...hilbert(turn, times(firstB, -1), minus(firstA, a)),
  ];
}

const unit = (v: Vector): Vector => [Math.sign(v[0]), Math.sign(v[1])];
const plus = (v: Vector, w: Vector): Vector => [v[0] + w[0], v[1] + w[1]];
const minus = (v: Vector, w: Vector): Vector => [v[0] - w[0], v[1] - w[1]];
const times = (v: Vector, factor: number): Vector => [v[0] * factor, v[1] * factor];
