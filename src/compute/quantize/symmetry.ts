import type { Kernel } from './kernel.ts';

/** `horizontal`: mirrored left–right (last axis); `vertical`: mirrored top–bottom; `diagonal`: rows and columns swapped; `point`: all axes mirrored. */
export type SymmetryName = 'horizontal' | 'vertical' | 'diagonal' | 'point';

/** Cells that a symmetry of the kernel maps onto each other, so that they have one value or its negative. */
export interface SymmetryClass {
  /** Indices into the kernel's data, ascending. */
  readonly cells: readonly number[];
  /** By cell: −1 where an odd symmetry (of a derivative, an odd Gabor filter) negates the value. */
  readonly signs: readonly (1 | -1)[];
  /** The value of the cells with sign +1. */
  readonly value: number;
  /** r: how many times the value counts in the kernel's sum; the number of cells, or 0 for odd symmetry. */
  readonly weight: number;
}

/** The symmetries of a kernel. */
export interface Symmetries {
  readonly classes: readonly SymmetryClass[];
  /** Order of the symmetry group; 1 for no symmetry. */
  readonly order: number;
  /** The named symmetries in the group; odd ones with a leading minus. */
  readonly names: readonly string[];
}

/** A symmetry: where it maps each cell, and whether it negates values. */
interface Operation {
  readonly map: Int32Array;
  readonly sign: 1 | -1;
}

/** With more axes only mirror symmetries are searched: there are n! permutations of axes. */
const MAX_SWAPPED_AXES = 4;

/**
 * Groups a kernel's cells into symmetry classes. Equal values are not enough: a 5×5 box as one class of 25 could never sum to 1.
 *
 * @param wanted `auto` finds every even or odd mirror symmetry, permutation of axes and combination of them.
 * @throws RangeError if the kernel lacks a symmetry that is asked for.
 */
export function findSymmetries(kernel: Kernel, wanted: 'auto' | 'none' | readonly SymmetryName[] = 'auto'): Symmetries {
  const operations =
    wanted === 'none' ? [] : wanted === 'auto' ? detectOperations(kernel) : generateGroup(kernel, wanted);
  const { data } = kernel;
  const seen = new Uint8Array(data.length);
  const classes: SymmetryClass[] = [];
  for (let cell = 0; cell < data.length; cell++) {
    if (seen[cell]) continue;
    const signs = new Map<number, 1 | -1>([[cell, 1]]);
    let contradictory = false;
    for (const { map, sign } of operations) {
      const image = map[cell]!;
      const known = signs.get(image);
      if (known === undefined) signs.set(image, sign);
      else if (known !== sign) contradictory = true;
    }
    const cells = [...signs.keys()].toSorted((a, b) => a - b);
    for (const member of cells) seen[member] = 1;
    // A cell that must equal its own negative is zero.
    const value = contradictory
      ? 0
      : cells.reduce((sum, member) => sum + signs.get(member)! * data[member]!, 0) / cells.length;
    const cellSigns = cells.map((member) => signs.get(member)!);
    classes.push({
      cells,
      signs: cellSigns,
      value,
      weight: Math.abs(cellSigns.reduce<number>((sum, sign) => sum + sign, 0)),
    });
  }
  const identityMissing = operations.some(({ map }) => map.every((to, from) => to === from)) ? 0 : 1;
  return { classes, order: operations.length + identityMissing, names: namesOf(kernel, operations) };
}

/** Finds all signed permutations of the axes under which the kernel is even or odd. They form a group. */
function detectOperations(kernel: Kernel): readonly Operation[] {
  return signedPermutations(kernel.shape).flatMap((map): Operation[] => {
    if (holds(kernel, map, 1)) return [{ map, sign: 1 }];
    return holds(kernel, map, -1) ? [{ map, sign: -1 }] : [];
  });
}

function holds({ data }: Kernel, map: Int32Array, sign: 1 | -1): boolean {
  const tolerance = 1e-12 * data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (let i = 0; i < data.length; i++) {
    if (Math.abs(data[map[i]!]! - sign * data[i]!) > tolerance) return false;
  }
  return true;
}

/** Generates the group of the named symmetries. */
function generateGroup(kernel: Kernel, names: readonly SymmetryName[]): readonly Operation[] {
  const generators = names.map((name) => {
    const map = operationOf(kernel.shape, name);
    if (!map || !holds(kernel, map, 1)) throw new RangeError(`the kernel has no ${name} symmetry`);
    return map;
  });
  const group = new Map<string, Int32Array>([['', Int32Array.from(kernel.data, (_, i) => i)]]);
  group.set(String(group.get('')), group.get('')!);
  group.delete('');
  for (const map of group.values()) {
    for (const generator of generators) {
      const product = map.map((cell) => generator[cell]!);
      group.set(String(product), product);
    }
  }
  return [...group.values()].map((map) => ({ map, sign: 1 }));
}

function operationOf(shape: readonly number[], name: SymmetryName): Int32Array | undefined {
  const axes = shape.map((_, axis) => axis);
  const last = axes.length - 1;
  if (name === 'point')
    return cellMap(
      shape,
      axes,
      axes.map(() => true),
    );
  if (name === 'horizontal')
    return cellMap(
      shape,
      axes,
      axes.map((axis) => axis === last),
    );
  if (last < 1) return undefined;
  if (name === 'vertical')
    return cellMap(
      shape,
      axes,
      axes.map((axis) => axis === last - 1),
    );
  if (shape[last] !== shape[last - 1]) return undefined;
  return cellMap(
    shape,
    [...axes.slice(0, -2), last, last - 1],
    axes.map(() => false),
  );
}

function namesOf({ shape }: Kernel, operations: readonly Operation[]): readonly string[] {
  return (['horizontal', 'vertical', 'diagonal', 'point'] as const).flatMap((name) => {
    const map = operationOf(shape, name);
    const match = map && operations.find((operation) => operation.map.every((cell, i) => cell === map[i]));
    return match ? [`${match.sign < 0 ? '−' : ''}${name}`] : [];
  });
}

function signedPermutations(shape: readonly number[]): readonly Int32Array[] {
  const axes = shape.map((_, axis) => axis);
  const orders = axes.length > MAX_SWAPPED_AXES ? [axes] : permutations(axes);
  const maps: Int32Array[] = [];
  for (const order of orders.filter((o) => o.every((axis, i) => shape[axis] === shape[i]))) {
    for (let flips = 0; flips < 2 ** axes.length; flips++) {
      maps.push(
        cellMap(
          shape,
          order,
          axes.map((axis) => (flips & (1 << axis)) !== 0),
        ),
      );
    }
  }
  return maps;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

/** Maps each cell: axis `order[i]` becomes axis i, and the axes in `flipped` are mirrored. */
function cellMap(shape: readonly number[], order: readonly number[], flipped: readonly boolean[]): Int32Array {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, length) => product * length, 1));
  const size = strides[0]! * shape[0]!;
  return Int32Array.from({ length: size }, (_, cell) => {
    let image = 0;
    for (let axis = 0; axis < shape.length; axis++) {
      const from = order[axis]!;
      const position = Math.floor(cell / strides[from]!) % shape[from]!;
      image += (flipped[axis] ? shape[axis]! - 1 - position : position) * strides[axis]!;
    }
    return image;
  });
}
